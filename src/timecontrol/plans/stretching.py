"""A path made as long as it has to be.

Straight between its points; where points are one-hot (sections), each is that of the nearest.
"""

import numpy as np
from numpy.typing import NDArray

from timecontrol.latents.fit import at

Array = NDArray[np.float64]


def stretched(path: Array, n: int) -> Array:
    """Return a path, (m, d), at n evenly spaced times, (n, d)."""
    share = np.linspace(0, 1, n)
    if is_one_hot(path):
        return np.asarray(path[nearest(len(path), n)])
    return at(path, share)


def nearest(m: int, n: int) -> NDArray[np.int64]:
    """Return which of m points is nearest to each of n evenly spaced times, (n,)."""
    return np.floor(np.linspace(0, 1, n) * (m - 1) + 0.5).astype(np.int64)


def is_one_hot(path: Array) -> bool:
    """Return whether every point, (n, d), is all 0 but for a single 1."""
    return bool((np.isin(path, (0, 1)).all(1) & (path.sum(1) == 1)).all())
