"""The studio in the browser, and the HTTP API beside it."""
