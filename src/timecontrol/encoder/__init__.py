"""Sentences to latents: a frozen base and a small trained head.

``Encoder.fit(corpus)`` trains one; ``Encoder.load(folder)`` opens a run.
"""

from timecontrol.encoder.model import Encoder
from timecontrol.encoder.settings import PRESETS, Settings, preset

__all__ = ["PRESETS", "Encoder", "Settings", "preset"]
