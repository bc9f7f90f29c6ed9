"""Short paths through many points, by improving some path step by step: good, not certainly best.

The cost of a path pi through n points is ::

    c(pi) = sum_t l(pi_t, pi_{t+1}) - w(pi_1, pi_n)

A path is improved by the better of two kinds of change until none makes it shorter::

    A B C    ->  A B' C      a stretch is turned round (2-opt)
    A B C D  ->  A C B D     two neighbouring stretches change places (or-opt, of any length)

A and the last stretch may be empty, so that ends change too. It begins at paths that always go on
to the nearest point, one from each point, and everything is looked through in the same order each
time: the same points give the same path.
"""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.ragged import Array

Numbers = NDArray[np.int64]

BEGINNINGS = 12
"""Paths that are improved; of more points, those that begin shortest."""
LEAST = 1e-9
"""The least gain, as a share of the longest way between two points: rounding is none."""


def routes(
    lengths: Array, closing: Array, first: int | None = None, last: int | None = None
) -> Numbers:
    """Return the paths that searches from several beginnings led to, each once, (m, n).

    Args:
        lengths: l from point to point, (n, n), symmetric.
        closing: w of two ends, (n, n), symmetric.
        first: The end all paths begin at.
        last: The end all paths lead to.
    """
    n = len(lengths)
    starts = [first] if first is not None else [i for i in range(n) if i != last]
    begun = [nearest_path(lengths, s, last) for s in starts]
    begun.sort(key=lambda path: cost(path, lengths, closing))
    free = first is None, last is None
    found: dict[tuple[int, ...], None] = {}
    for path in begun[:BEGINNINGS]:
        better = improve(path, lengths, closing, free)
        if all(free) and better[0] > better[-1]:
            better = better[::-1]  # of a path and its reverse there is one
        found[tuple(better.tolist())] = None
    return np.array(list(found), np.int64)


def nearest_path(lengths: Array, first: int, last: int | None = None) -> Numbers:
    """Return the path that always goes on to the nearest point left, (n,)."""
    path, left = [first], set(range(len(lengths))) - {first, last}
    while left:
        path.append(min(sorted(left), key=lambda i: lengths[path[-1], i]))
        left.remove(path[-1])
    return np.array([*path, *([] if last is None else [last])], np.int64)


def cost(path: Numbers, lengths: Array, closing: Array) -> float:
    """Return c of a path."""
    return float(lengths[path[:-1], path[1:]].sum() - closing[path[0], path[-1]])


def improve(
    path: Numbers, lengths: Array, closing: Array, free: tuple[bool, bool] = (True, True)
) -> Numbers:
    """Return a path that neither kind of change makes shorter, (n,).

    Args:
        path: To begin with, (n,).
        lengths: l, (n, n).
        closing: w, (n, n).
        free: Whether the first and the last point may change.
    """
    n = len(path)
    padded = np.zeros((n + 1, n + 1))  # from and to nowhere it costs nothing
    padded[:n, :n] = lengths
    low, high = 0 if free[0] else 1, n if free[1] else n - 1
    marks = range(low, high + 1)
    turns = _table([(i, j) for i, j in combinations(marks, 2) if j - i > 1], 2)
    swaps = _table(combinations(marks, 3), 3)
    least = -LEAST * max(float(lengths.max()), 1e-300)
    while True:
        found = _turned(path, padded, closing, turns, least)
        if found is None:  # the many swaps are looked at only where no turn helps
            found = _swapped(path, padded, closing, swaps, least)
        if found is None:
            return path
        path = found


def _table(rows: Iterable[tuple[int, ...]], width: int) -> Numbers:
    return np.array(list(rows), np.int64).reshape(-1, width)


def _turned(
    path: Numbers, lengths: Array, closing: Array, turns: Numbers, least: float
) -> Numbers | None:
    """Return the path with path[i:j] turned round where that adds least, if under ``least``."""
    if not len(turns):
        return None
    n = len(path)
    ring = np.concatenate([path, [n]])  # behind the last and before the first one: nowhere
    i, j = turns.T
    before, a, b, after = ring[i - 1], path[i], path[j - 1], ring[j]
    added = lengths[before, b] + lengths[a, after] - lengths[before, a] - lengths[b, after]
    ends = np.where(i == 0, b, path[0]), np.where(j == n, a, path[-1])
    added += closing[path[0], path[-1]] - closing[ends]
    best = int(added.argmin())
    i, j = turns[best]
    turned = np.concatenate([path[:i], path[i:j][::-1], path[j:]])
    return turned if added[best] < least else None


def _swapped(
    path: Numbers, lengths: Array, closing: Array, swaps: Numbers, least: float
) -> Numbers | None:
    """Return the path with path[i:j] and path[j:k] swapped where that adds least, likewise."""
    if not len(swaps):
        return None
    n = len(path)
    ring = np.concatenate([path, [n]])
    i, j, k = swaps.T
    before, after = ring[i - 1], ring[k]
    a, b, c, d = path[i], path[j - 1], path[j], path[k - 1]  # B = a .. b, C = c .. d
    added = lengths[before, c] + lengths[d, a] + lengths[b, after]
    added -= lengths[before, a] + lengths[b, c] + lengths[d, after]
    ends = np.where(i == 0, c, path[0]), np.where(k == n, b, path[-1])
    added += closing[path[0], path[-1]] - closing[ends]
    best = int(added.argmin())
    i, j, k = swaps[best]
    swapped = np.concatenate([path[:i], path[j:k], path[i:j], path[k:]])
    return swapped if added[best] < least else None
