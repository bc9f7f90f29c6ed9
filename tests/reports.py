"""A report made by hand, for tests of what is shown of it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from timecontrol.scoring import Report

SENTENCES = ("The town lies on a river.", "Pancakes need three eggs.", "It was founded by monks.")


def made(
    id: str = "a.txt", sentences: Sequence[str] = SENTENCES, score: float = -0.5, **more: Any
) -> Report:
    """Return the report of a document whose second sentence breaks the thread."""
    n = len(sentences)
    given: dict[str, Any] = {
        "interval": (score - 0.5, score + 0.5),
        "percentile": 31.0,
        "shuffled": 0.04,
        "trace": tuple(-3.0 if i == 1 else 0.5 - 0.1 * i for i in range(n)),
        "trace_percentile": tuple(0.4 if i == 1 else max(20.0, 70.0 - i) for i in range(n)),
        "novelty": 0.2,
        "trust": 1.0,
        "latents": np.random.default_rng(0).normal(size=(n, 3)),
    }
    return Report(id, tuple(sentences), score, **{**given, **more})


def short(id: str = "short.txt") -> Report:
    """Return the report of a document of one sentence."""
    return Report(id, ("Only one.",), None)
