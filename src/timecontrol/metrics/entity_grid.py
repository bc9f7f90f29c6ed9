"""A small entity grid: do sentences speak of what their neighbours speak of?

The entities of a document are its content words (letters only, three or more, no stop words, in
lower case) that occur in two sentences or more. The grid says for each sentence and entity whether
it is there. With g_t in {0, 1} and probabilities counted in training documents::

    score = mean over entities and sentences t >= 1 of log p(g_t | g_{t-1})
    p(b | a) = (count(a, b) + 1) / (count(a, 0) + count(a, 1) + 2)

It is not the entity grid of Barzilay and Lapata (2008): there is no parser, so it knows no
syntactic roles, no coreference (a pronoun or another name is not found) and no inflection, and
nothing is trained on shuffled documents.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.bool_]

WORD = re.compile(r"[^\W\d_]{3,}")
_STOPS = (
    "about above after again all also and any are because been before being below between both but "
    "can could did does doing down during each few for from further had has have having her here "
    "hers him his how into its itself just many may might more most much must nor not now off once "
    "one only other our ours out over own same she should since some such than that the their "
    "theirs them themselves then there these they this those three through too two under until "
    "upon very was were what when where which while who whom whose why will with within without "
    "would yes yet you your yours"
)
STOPS = frozenset(_STOPS.split())


def grid_of(sentences: Sequence[str]) -> Grid:
    """Return which entity is in which sentence, (sentences, entities)."""
    words = [set(WORD.findall(sentence.lower())) - STOPS for sentence in sentences]
    counts: dict[str, int] = {}
    for found in words:
        for word in found:
            counts[word] = counts.get(word, 0) + 1
    entities = sorted(word for word, n in counts.items() if n > 1)
    rows = [[word in found for word in entities] for found in words]
    return np.array(rows, np.bool_).reshape(len(sentences), len(entities))


def transitions(grid: Grid, orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how often each transition occurs, (m, 4): 00, 01, 10, 11.

    Args:
        grid: Of a document, (n, entities).
        orders: Orders of its sentences, (m, n).
    """
    before, after = grid[orders[:, :-1]], grid[orders[:, 1:]]  # (m, n - 1, entities)
    kinds = [~before & ~after, ~before & after, before & ~after, before & after]
    return np.stack([kind.sum((1, 2)) for kind in kinds], 1)


@dataclass(frozen=True)
class EntityGrid:
    """Probabilities of transitions, from training documents."""

    log_p: NDArray[np.float64]
    """log p(b | a) of 00, 01, 10, 11, (4,)."""
    usual: float
    """The score of all training documents together: that of a document without entities."""

    @classmethod
    def fit(cls, grids: Iterable[Grid]) -> "EntityGrid":
        """Return the probabilities that training documents give."""
        counts = np.zeros(4)
        for grid in grids:
            counts += transitions(grid, np.arange(len(grid))[None])[0]
        both = (counts + 1).reshape(2, 2)
        log_p = np.log(both / both.sum(1, keepdims=True)).ravel()
        return cls(log_p, float(counts @ log_p / counts.sum()) if counts.any() else 0.0)

    def scores(self, grid: Grid, orders: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the score of a document in each of some orders, (n, entities), (m, n) to (m,)."""
        counts = transitions(grid, orders)
        total = counts.sum(1)
        return np.where(total > 0, counts @ self.log_p / np.maximum(total, 1), self.usual)
