"""Where sentences lie in the spaces of the terms, computed once and put in any order after."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.context import Context
from timecontrol.coherence.ragged import Array

Features = NDArray[np.floating]


@dataclass(frozen=True)
class Points:
    """N sentences."""

    unit: NDArray[np.float32]
    """Features at unit length, (N, D)."""
    latents: Array
    """(N, d)"""
    x: Array
    """In the directions of the context, (N, k)."""
    outside: Array
    """Squared distance from those directions, (N,)."""

    def take(self, rows: NDArray[np.int64]) -> "Points":
        """Return some of the sentences, in this order, some perhaps again."""
        return Points(self.unit[rows], self.latents[rows], self.x[rows], self.outside[rows])


def points_of(context: Context, features: Features, latents: Features) -> Points:
    """Return the points of sentences, given their features, (N, D), and latents, (N, d)."""
    unit = unit_of(features)
    return Points(unit, np.asarray(latents, np.float64), *context.project(unit))


def unit_of(features: Features) -> NDArray[np.float32]:
    """Return features at unit length, (N, D); a zero stays zero."""
    norms = np.linalg.norm(np.asarray(features, np.float64), axis=1, keepdims=True)
    return np.asarray(features / np.where(norms > 0, norms, 1), np.float32)
