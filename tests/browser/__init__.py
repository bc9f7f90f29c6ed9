"""The studio in a real browser, with mouse and keyboard: ``make browser``."""
