"""Generation: plans to texts, batched, streamed, or along a fast path."""

from timecontrol.generation.settings import Writing
from timecontrol.generation.write import stream, write
from timecontrol.generation.written import Written

__all__ = ["Writing", "Written", "stream", "write"]
