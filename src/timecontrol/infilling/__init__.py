"""Gaps in texts, and the sentences that are missing there."""
