"""One inner sentence replaced by a sentence of another document: does a trace point at it?

A trace has a number for each sentence, low where the thread breaks. The rank of the intruder among
the inner sentences is 1 for the lowest; equal ones share the mean of their ranks. Top-1 is the
chance to hit it when one of the lowest is chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.ragged import Ragged
from timecontrol.metrics.intervals import Array, Estimate, mean_over
from timecontrol.metrics.shuffles import random_state

Numbers = NDArray[np.int64]

TRIES = 100
"""Draws before a document is given up whose sentences are all like the others'."""


@dataclass(frozen=True)
class Intruders:
    """Which sentence goes where; each array (m,)."""

    document: Numbers
    """The document that gets it."""
    place: Numbers
    """The inner sentence it replaces, from 1 on."""
    row: Numbers
    """The row of the sentence that comes, among those of all documents."""


def draw(
    ids: Sequence[str], layout: Ragged, texts: Sequence[str], draws: int, seed: int
) -> Intruders:
    """Draw so many intruders for each document: a place, another document, and a sentence of it.

    Args:
        ids: Of the documents, (n,); each draws from a random state of its own.
        layout: Of the documents.
        texts: Of all sentences, (N,): one with the text of the sentence it would replace is not
            drawn.
        draws: Of each document of three sentences or more.
        seed: Of the draws.
    """
    n, found = len(ids), []
    for i, name in enumerate(ids):
        length = int(layout.lengths[i])
        if n < 2 or length < 3:
            continue
        state = random_state(seed, name, "intruder")
        for _ in range(draws):
            for _ in range(TRIES):
                place = int(state.integers(1, length - 1))
                donor = int(state.integers(n - 1))
                donor += donor >= i
                row = int(layout.starts[donor] + state.integers(layout.lengths[donor]))
                if texts[row] != texts[layout.starts[i] + place]:
                    found.append((i, place, row))
                    break
    table = np.array(found, np.int64).reshape(-1, 3)
    return Intruders(table[:, 0], table[:, 1], table[:, 2])


def rank(trace: Array, place: int) -> tuple[float, float]:
    """Return the rank of an inner sentence in a trace, (length,), and its share of the top place.

    rank = 1 + #{lower} + (#{equal} - 1) / 2 among the sentences 1 .. length - 2
    """
    inner = trace[1:-1]
    lower = int((inner < trace[place]).sum())
    equal = int((inner == trace[place]).sum())
    return 1 + lower + (equal - 1) / 2, (1 / equal if lower == 0 else 0.0)


def found_by(ranks: Array, top: Array, document: Numbers, seed: int = 0) -> dict[str, Estimate]:
    """Return top-1 rate and mean reciprocal rank.

    Args:
        ranks: Of each intruder, (m,).
        top: Its share of the top place, (m,).
        document: The document of each, (m,).
        seed: Of the resamples over documents.
    """
    each = {"top-1": top, "MRR": 1 / ranks}
    return {name: mean_over(values, document, seed) for name, values in each.items()}
