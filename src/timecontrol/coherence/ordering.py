"""The order of sentences in which their path is most probable as a Brownian bridge.

Of the log density of ``bridge``, an order pi changes only sum_t q_t. With z whitened (Sigma is the
identity) and d_t the step to the t-th sentence of n = T + 1, the drift about which steps are taken
is their mean, so that ::

    sum_t q_t = sum_t |d_t - (z_last - z_first) / T|^2 = sum_t |d_t|^2 - |z_last - z_first|^2 / T

Between given ends the drift is fixed, and the best order is the shortest path through all sentences
with squared distances as lengths. Held and Karp find it from every first sentence s to every last
one j, over the sets S of the sentences that were passed::

    L_s({s}, s) = 0,    L_s(S, j) = min over i in S - {j} of L_s(S - {j}, i) + |z_i - z_j|^2

in n^2 2^n numbers and as many times n sums, and the order is that of ::

    min over (s, j) of L_s(all, j) - |z_s - z_j|^2 / T

A bridge told backwards is a bridge as probable: which end is first has to be known from elsewhere
(``arranging``). Beyond ``EXACT`` sentences the order is searched for (``rerouting``).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.bridge import SHORTEST, bridges
from timecontrol.coherence.ragged import Array, Ragged
from timecontrol.coherence.rerouting import routes
from timecontrol.errors import TimeControlError

Numbers = NDArray[np.int64]

EXACT = 12
"""Sentences up to which the best order is found for certain."""
MOST = 60
"""Sentences up to which one is searched for."""


@dataclass(frozen=True)
class Order:
    """An order of sentences."""

    order: tuple[int, ...]
    """Which sentence is told first, second ..., by their numbers from 0."""
    log_density: float
    """log p of the path in this order."""
    exact: bool
    """Whether no order is more probable, for certain."""


def best_order(
    latents: NDArray[np.floating],
    sigma: Array,
    fixed_first: int | None = None,
    fixed_last: int | None = None,
) -> Order:
    """Return the order of the highest bridge density; of it and its reverse, either.

    Args:
        latents: Of the sentences, (n, d), from 3 to ``MOST``.
        sigma: Covariance of a step, (d, d).
        fixed_first: The sentence that is told first.
        fixed_last: The sentence that is told last.
    """
    found, density = best_orders(latents, sigma, fixed_first, fixed_last)
    return Order(tuple(found[0].tolist()), float(density[0]), len(latents) <= EXACT)


def best_orders(
    latents: NDArray[np.floating],
    sigma: Array,
    fixed_first: int | None = None,
    fixed_last: int | None = None,
) -> tuple[Numbers, Array]:
    """Return the best order between each two ends, (m, n), and log p of each, the highest first.

    Of an order and its reverse there is one, unless an end is fixed. Beyond ``EXACT`` sentences,
    these are the orders that searches from several beginnings led to.
    """
    n = len(latents)
    check_count(n)
    _check_ends(n, fixed_first, fixed_last)
    z = np.linalg.solve(np.linalg.cholesky(sigma), np.asarray(latents, np.float64).T).T
    squares = np.square(z[:, None] - z).sum(-1)  # (n, n)
    closing = squares / (n - 1)
    search = shortest_paths if n <= EXACT else routes
    found = search(squares, closing, fixed_first, fixed_last)  # (m, n)
    each = Ragged.of([n] * len(found))
    density = bridges(np.asarray(latents)[found.ravel()], each, sigma).log_likelihood
    falling = np.argsort(-density, kind="stable")
    return found[falling], density[falling]


def shortest_paths(
    lengths: Array, closing: Array, first: int | None = None, last: int | None = None
) -> Numbers:
    """Return the shortest path through all points between each two ends, (m, n).

    Args:
        lengths: From point to point, (n, n), symmetric.
        closing: What is taken off for two ends, (n, n), symmetric; here it changes nothing.
        first: The end all paths begin at.
        last: The end all paths lead to.
    """
    n = len(lengths)
    every = (1 << n) - 1
    step = _table(lengths)
    pairs = [
        (s, j)
        for s in range(n)
        for j in range(n)
        if s != j
        and (s < j or first is not None or last is not None)
        and first in (None, s)
        and last in (None, j)
    ]
    found = np.empty((len(pairs), n), np.int64)
    for row, (s, j) in zip(found, pairs, strict=True):
        passed = every
        for place in range(n - 1, -1, -1):
            row[place] = j
            passed, j = passed ^ (1 << j), int(step[s, passed, j])
    return found


def _table(lengths: Array) -> NDArray[np.int8]:
    """Return the sentence before j on the best path from s through a set that ends at j.

    All first sentences and all sets of one size at once: (s, set as bits, j).
    """
    n = len(lengths)
    sets = np.arange(1 << n)
    size = ((sets[:, None] >> np.arange(n)) & 1).sum(1)
    best = np.full((n, 1 << n, n), np.inf)  # L_s(S, j)
    step = np.zeros((n, 1 << n, n), np.int8)
    for s in range(n):
        best[s, 1 << s, s] = 0
    for k in range(2, n + 1):
        for j in range(n):
            here = sets[(size == k) & ((sets >> j) & 1 == 1)]
            over = best[:, here ^ (1 << j), :] + lengths[:, j]  # (s, sets, i)
            nearest = over.argmin(2)
            best[:, here, j] = np.take_along_axis(over, nearest[:, :, None], 2)[:, :, 0]
            step[:, here, j] = nearest
    return step


def check_count(n: int) -> None:
    """Refuse so many sentences that no order can be found."""
    if not SHORTEST <= n <= MOST:
        raise TimeControlError(f"{n} sentences cannot be put in order: from {SHORTEST} to {MOST}.")


def _check_ends(n: int, first: int | None, last: int | None) -> None:
    """Refuse ends that are no sentences, or the same one."""
    for name, end in (("first", first), ("last", last)):
        if end is not None and not 0 <= end < n:
            raise TimeControlError(f"The {name} sentence is number {end}: from 0 to {n - 1}.")
    if first is not None and first == last:
        raise TimeControlError(f"Sentence {first} cannot be both the first and the last one.")
