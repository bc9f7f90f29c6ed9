"""Where sentences stand in the stages of their documents.

A run is what a document has of a stage without a break. Sentence tau of a stage that begins at b
and has the width q is told by::

    u = (tau - b) / q,     c, the sentences of its run,     whether it is the first or last of them
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

NARROWEST = 1e-9
"""The width of a stage, at least."""


@dataclass(frozen=True)
class Places:
    """Where sentences stand, documents in a row."""

    stages: Whole
    """From 0, in the order of their times, (n,)."""
    shares: Array
    """u, the share of the stage that is done, (n,)."""
    counts: Whole
    """c, the sentences of the run, (n,)."""
    opens: Flags
    """Whether it is the first of its run, (n,)."""
    closes: Flags
    """Whether it is the last, (n,)."""

    @classmethod
    def of(cls, times: Array, edges: Array, starts: Flags) -> "Places":
        """Return the places of sentences.

        Args:
            times: tau, (n,), n at least 1.
            edges: Times at which one stage ends and the next begins, (stages - 1,).
            starts: Whether a document begins there, (n,), the first of them so.
        """
        borders = np.array([0.0, *edges, 1.0])
        stages = np.searchsorted(edges, times)
        width = np.maximum(np.diff(borders), NARROWEST)[stages]
        opens = starts.copy()
        opens[1:] |= stages[1:] != stages[:-1]
        run = np.cumsum(opens) - 1
        closes = np.append(opens[1:], True)
        return cls(stages, (times - borders[stages]) / width, np.bincount(run)[run], opens, closes)
