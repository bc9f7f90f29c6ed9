"""What a training will take, before it begins: a few passes are timed, and the disk is counted."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from timecontrol.decoder.examples import Collator, Examples
from timecontrol.decoder.settings import Settings
from timecontrol.decoder.training import steps_of
from timecontrol.errors import TimeControlError


@dataclass(frozen=True)
class Estimate:
    """What a training takes."""

    steps: int
    """Of the optimiser, at most."""
    seconds: float
    tokens: int
    """Of one epoch."""
    trained: int
    """Parameters that are trained."""
    parameters: int
    disk: int
    """Bytes while it runs: two checkpoints and the result."""

    @property
    def words(self) -> str:
        """The estimate in a line."""
        minutes = self.seconds / 60
        took = f"{self.seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min"
        hours = f"{minutes / 60:.1f} h" if minutes > 120 else took
        return (
            f"{self.steps:,} steps, about {hours}; "
            f"{self.trained / 1e6:,.1f}M of {self.parameters / 1e6:,.1f}M parameters are trained, "
            f"{self.tokens:,} tokens an epoch; up to {self.disk / 1e9:.1f} GB of disk"
        )


MORE = 1.2
"""What padding, the optimiser and validation add."""

Before = Callable[[Estimate], None]
"""Is told what the training will take."""


def estimate(
    model: Any,
    examples: Examples,
    collate: Collator,
    settings: Settings,
    device: torch.device,
    bf16: bool,
    checkpoints: bool,
) -> Estimate:
    """Time a batch (on a CPU, where that takes long, two documents), forward and back, and count.

    Args:
        model: On its device.
        examples: Of the training documents.
        collate: Examples to batches.
        settings: How it will be trained.
        device: Where.
        bf16: Whether in bfloat16.
        checkpoints: Whether the state is kept on disk on the way.
    """
    n = min(settings.batch if device.type == "cuda" else 2, len(examples))
    model.train()
    spent = 0.0
    for chosen in (range(1), range(n), range(n)):  # the first of each size prepares the machine
        batch = {k: v.to(device) for k, v in collate([examples[i] for i in chosen]).items()}
        begun = time.monotonic()
        with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
            model(**batch).loss.backward()
        if device.type == "cuda":
            torch.cuda.synchronize()
        spent = time.monotonic() - begun
        model.zero_grad(set_to_none=True)
    steps = steps_of(len(examples), settings)
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    whole = sum(p.numel() for p in model.parameters())
    saved = 4 * (trained if settings.lora else whole)
    disk = saved + (2 * (saved + 8 * trained) if checkpoints else 0)
    tokens = sum(len(examples[i].ids) for i in range(len(examples)))
    timed = sum(len(examples[i].ids) for i in range(n))
    seconds = MORE * spent * settings.epochs * tokens / timed
    return Estimate(steps, seconds, tokens, trained, whole, disk)


def check_disk(found: Estimate, folder: Path) -> None:
    """Refuse to begin where the disk is too small."""
    place = folder
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if free < found.disk:
        raise TimeControlError(
            f"{folder}: {free / 1e9:.1f} GB of disk are free, about {found.disk / 1e9:.1f} GB are "
            "needed: free some, give another --out, or train adapters (--lora 16)."
        )
