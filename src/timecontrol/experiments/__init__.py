"""Measurements of the method itself, each a function that returns its numbers."""
