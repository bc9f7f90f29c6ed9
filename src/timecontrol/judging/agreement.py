"""How far people agree: Krippendorff's alpha, and how often two of them say the same.

Units are items, values are ratings; an item counts where it has two ratings or more, and not
everybody has to rate everything. With m_u ratings of item u, o_ck counts how often one says c and
another says k, each item as much as it has ratings::

    o_ck  = sum_u (ordered pairs of two ratings of u that are c and k) / (m_u - 1)
    n_c   = sum_k o_ck,    n = sum_c n_c
    alpha = 1 - (n - 1) sum_ck o_ck d_ck / sum_ck n_c n_k d_ck

    interval   d_ck = (c - k)^2
    ordinal    d_ck = ( sum_{g = c .. k} n_g  -  (n_c + n_k) / 2 )^2

1: they agree; 0: no more than chance would make them; less: they disagree more than by chance. It
is not defined where all ratings are the same.

K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Units = Sequence[Sequence[int]]
"""The ratings of each item, whoever gave them."""


@dataclass(frozen=True)
class Agreement:
    """How far people agree on the items that two of them have rated, or more."""

    ordinal: float | None
    """Alpha; ``None``: not defined."""
    interval: float | None
    same: float | None
    """Share of pairs of ratings of an item that are the same."""
    within_one: float | None
    """The same of those that are at most 1 apart."""
    pairs: int
    items: int

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return asdict(self)


def agreement(units: Units) -> Agreement:
    """Return how far the ratings of items agree."""
    own = [unit for unit in units if len(unit) > 1]
    apart = [abs(a - b) for unit in own for a, b in combinations(unit, 2)]
    n = len(apart)
    return Agreement(
        alpha(own, "ordinal"),
        alpha(own, "interval"),
        sum(d == 0 for d in apart) / n if n else None,
        sum(d <= 1 for d in apart) / n if n else None,
        n,
        len(own),
    )


def alpha(units: Iterable[Sequence[float]], metric: str = "ordinal") -> float | None:
    """Return Krippendorff's alpha; ``None`` where it is not defined.

    Args:
        units: The ratings of each item; those of one alone do not count.
        metric: ``ordinal`` or ``interval``.
    """
    own = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in own for value in unit})
    if len(values) < 2:
        return None
    together = coincidences(own, values)
    each = together.sum(1)  # (values,)
    apart = distances(np.array(values, np.float64), each, metric)
    expected = float((np.outer(each, each) * apart).sum())
    return 1 - float((each.sum() - 1) * (together * apart).sum()) / expected


def coincidences(units: Sequence[Sequence[float]], values: Sequence[float]) -> Array:
    """Return o_ck, (values, values), of units of two ratings or more."""
    place = {value: i for i, value in enumerate(values)}
    found = np.zeros((len(values), len(values)))
    for unit in units:
        counts = np.bincount([place[value] for value in unit], minlength=len(values))
        found += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    return found


def distances(values: Array, each: Array, metric: str) -> Array:
    """Return d_ck, (values, values).

    Args:
        values: In rising order, (values,).
        each: n_c, (values,).
        metric: ``ordinal`` or ``interval``.
    """
    if metric == "interval":
        return np.asarray(np.subtract.outer(values, values) ** 2)
    middle = np.cumsum(each) - each / 2  # so that the sum over c .. k is a difference of two
    return np.asarray(np.subtract.outer(middle, middle) ** 2)
