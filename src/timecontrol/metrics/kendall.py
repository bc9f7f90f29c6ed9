"""How much of the true order is in an order that was found?

An order of n sentences is given by their true places, as they are told: 0, 1, 2 ... is the truth.

``tau``         Kendall's: pairs in the right order less pairs in the wrong one, of all pairs;
                1 the truth, -1 the truth told backwards, 0 by chance
``either``      its size, whichever way round the order is told
``exact``       1 for the truth, else 0
``neighbours``  the share of true neighbours that stand side by side, either way round

By chance, all orders being as likely, ``exact`` is 1 / n!, ``neighbours`` 2 / n, and ``either`` the
mean of |1 - 4 I / (n (n - 1))| over the number I of pairs in the wrong order, whose law is that of
a sum of independent draws from 0 .. k, k = 1 .. n - 1.
"""

import math

import numpy as np
from numpy.typing import NDArray

NUMBERS = ("tau", "either", "exact", "neighbours")


def agreement(places: NDArray[np.integer]) -> dict[str, float]:
    """Return the four numbers of an order of two sentences or more, by its true places, (n,)."""
    earlier, later = np.triu_indices(len(places), 1)
    tau = float(np.sign(places[later] - places[earlier]).mean())
    side = np.abs(np.diff(places)) == 1
    return {
        "tau": tau,
        "either": abs(tau),
        "exact": float((np.diff(places) == 1).all()),
        "neighbours": float(side.mean()),
    }


def by_chance(n: int) -> dict[str, float]:
    """Return what the four numbers of a random order of n sentences are expected to be."""
    law = np.ones(1)  # of the pairs in the wrong order
    for k in range(1, n):
        law = np.convolve(law, np.full(k + 1, 1 / (k + 1)))
    pairs = n * (n - 1) / 2
    sizes = np.abs(1 - 2 * np.arange(len(law)) / pairs)
    return {
        "tau": 0.0,
        "either": float(law @ sizes),
        "exact": 1 / math.factorial(n),
        "neighbours": 2 / n,
    }
