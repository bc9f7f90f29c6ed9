"""Pairs of sentences of one document, k apart: what a probe of order is shown.

``apart``    exactly k apart: (t, t + k)
``clipped``  one pair a sentence i, as the released code has it: t' = min(n - 1, i + k),
             t = max(0, t' - k); near the end pairs repeat, and in documents of k sentences or
             fewer they are less than k apart
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.ragged import Ragged

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """Rows of earlier and later sentences, and their documents; each (n,)."""

    earlier: Rows
    later: Rows
    document: Rows

    def __len__(self) -> int:
        return len(self.earlier)

    def __getitem__(self, chosen: Rows) -> "Pairs":
        return Pairs(self.earlier[chosen], self.later[chosen], self.document[chosen])


def apart(layout: Ragged, k: int) -> Pairs:
    """Return all pairs exactly k apart."""
    earlier = np.flatnonzero(layout.position + k < layout.lengths[layout.document])
    return Pairs(earlier, earlier + k, layout.document[earlier])


def clipped(layout: Ragged, k: int) -> Pairs:
    """Return one pair for each sentence, (N,), nearer than k where there is no room."""
    start = layout.starts[layout.document]
    last = layout.lengths[layout.document] - 1
    later = np.minimum(last, layout.position + k)
    earlier = np.maximum(0, later - k)
    return Pairs(start + earlier, start + later, layout.document)
