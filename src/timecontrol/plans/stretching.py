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
        return np.asarray(path[np.floor(share * (len(path) - 1) + 0.5).astype(int)])
    return at(path, share)


def is_one_hot(path: Array) -> bool:
    """Return whether every point, (n, d), is all 0 but for a single 1."""
    return bool((np.isin(path, (0, 1)).all(1) & (path.sum(1) == 1)).all())
