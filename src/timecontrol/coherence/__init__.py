"""How well documents flow, from the features and latents of their sentences."""

from timecontrol.coherence.model import TERMS, Coherence, Judged
from timecontrol.coherence.ragged import Ragged

__all__ = ["TERMS", "Coherence", "Judged", "Ragged"]
