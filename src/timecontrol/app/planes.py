"""Paths of latents in one plane, so that they can be drawn and compared."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def plane(paths: Sequence[Array], ahead: Array) -> tuple[Array, Array]:
    """Return the middle of all points, (d,), and the two directions they stray in most, (2, d).

    Args:
        paths: Each (n, d); the order of their points does not matter.
        ahead: From where documents begin to where they end, (d,): what both directions point to,
            so that no sign is left to chance and documents go from left to right.
    """
    whole = np.concatenate([np.asarray(p, np.float64) for p in paths])
    middle = whole.mean(0)
    _, _, found = np.linalg.svd(whole - middle, full_matrices=False)
    directions = np.zeros((2, whole.shape[1]))
    directions[: min(2, len(found))] = found[:2]
    along = directions @ np.asarray(ahead, np.float64)
    return middle, np.where(along < 0, -1.0, 1.0)[:, None] * directions


def seen(path: Array, where: tuple[Array, Array]) -> list[list[float]]:
    """Return points as x and y in a plane, (n, 2)."""
    middle, directions = where
    flat = (np.asarray(path, np.float64) - middle) @ directions.T  # (n, 2)
    return [[round(float(x), 4), round(float(y), 4)] for x, y in flat]
