"""Another order of a document's sentences: along the likeliest bridge, told the right way round.

The bridge density (``ordering``) does not know which end is first. That is told by where sentences
like these stand in known documents, E[s | z] (``place``): an order o is turned round where ::

    sum_t t E[s | z_{o_t}]  <  sum_t (n - 1 - t) E[s | z_{o_t}]

Several orders are to be had from one search, the best between each two ends; with them the
order of E[s | z] itself, and the one that is there already. By ``score``, the one of the highest
score (``model``) is taken, so that it is never made worse; by ``density``, the likeliest bridge.
"""

from dataclasses import dataclass

import numpy as np

from timecontrol.coherence.bridge import bridges
from timecontrol.coherence.model import Coherence
from timecontrol.coherence.ordering import EXACT, Numbers, best_orders
from timecontrol.coherence.points import Points
from timecontrol.coherence.ragged import Array, Ragged
from timecontrol.errors import TimeControlError

WAYS = ("score", "density")
SAME = 1e-9
"""Scores that differ by less are the same."""


@dataclass(frozen=True)
class Arrangement:
    """An order that is suggested, and how likely a bridge it is."""

    order: tuple[int, ...]
    """Which sentence is told first, second ..., by their numbers from 0."""
    density: float
    """log p of the path in this order."""
    density_now: float
    """The same in the order that is there."""
    density_most: float
    """The highest that was found."""
    exact: bool
    """Whether none is higher, for certain."""


def arrange(
    coherence: Coherence,
    points: Points,
    by: str = "score",
    fixed_first: bool = False,
    fixed_last: bool = False,
) -> Arrangement:
    """Return another order of a document's sentences, or the same where none is better.

    Args:
        coherence: Of an encoder.
        points: Of the sentences, 3 to ``ordering.MOST``, in the order that is there.
        by: ``score`` or ``density``.
        fixed_first: Whether the first sentence stays first.
        fixed_last: Whether the last sentence stays last.
    """
    if by not in WAYS:
        raise TimeControlError(f"An order cannot be found by {by!r}: {' or '.join(WAYS)}.")
    n = len(points.latents)
    ends = 0 if fixed_first else None, n - 1 if fixed_last else None
    orders, densities = best_orders(points.latents, coherence.sigma, *ends)
    expected = coherence.places.expected(points.latents)
    if not (fixed_first or fixed_last):
        orders = turned(orders, expected)
    asis, order = np.arange(n), orders[0]
    if by == "score":
        order = highest(coherence, points, np.stack([asis, *orders, by_place(expected, *ends)]))
    both = points.latents[np.concatenate([order, asis])]
    density, now = bridges(both, Ragged.of([n, n]), coherence.sigma).log_likelihood.tolist()
    most = max(density, now, float(densities[0]))  # a search may miss what is there
    return Arrangement(tuple(order.tolist()), density, now, most, n <= EXACT)


def turned(orders: Numbers, expected: Array) -> Numbers:
    """Return orders, (m, n), each told the way round that its sentences' places speak for.

    Args:
        orders: Of the sentences.
        expected: E[s | z] of the sentences, (n,).
    """
    lean = expected[orders] @ (2 * np.arange(orders.shape[1]) - orders.shape[1] + 1.0)
    return np.where(lean[:, None] < 0, orders[:, ::-1], orders)


def by_place(expected: Array, first: int | None = None, last: int | None = None) -> Numbers:
    """Return the order of the places that are expected, (n,), with ends that may be given."""
    keys = expected.copy()
    if first is not None:
        keys[first] = -np.inf
    if last is not None:
        keys[last] = np.inf
    return np.argsort(keys, kind="stable")


def highest(coherence: Coherence, points: Points, orders: Numbers) -> Numbers:
    """Return the order of the highest score, the first of those that are as high.

    Args:
        coherence: What scores.
        points: Of the sentences, (n, ...).
        orders: Of them, (m, n).
    """
    layout = Ragged.of([orders.shape[1]] * len(orders))
    scores = coherence.judge_points(points.take(orders.ravel()), layout).score
    return np.asarray(orders[int((scores >= scores.max() - SAME).argmax())])
