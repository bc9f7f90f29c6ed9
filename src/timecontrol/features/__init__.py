"""Frozen sentence features: computed once, kept in a memory-mapped file, resumable.

``features_of(texts, base)`` gives one row a text.
"""

from timecontrol.features.extract import Reader, open_base
from timecontrol.features.pooling import POOLINGS
from timecontrol.features.store import Features, features_of

__all__ = ["POOLINGS", "Features", "Reader", "features_of", "open_base"]
