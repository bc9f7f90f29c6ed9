"""The decoder: a causal language model that writes one sentence for each point of a plan.

``Decoder``    train it, keep it, open it
``PlannedLM``  the model itself, for transformers' Auto classes
``Settings``   how it is trained; ``preset`` by name
"""

from timecontrol.decoder.model import PlannedConfig, PlannedLM
from timecontrol.decoder.run import Decoder
from timecontrol.decoder.settings import PRESETS, Settings, preset

__all__ = ["PRESETS", "Decoder", "PlannedConfig", "PlannedLM", "Settings", "preset"]
