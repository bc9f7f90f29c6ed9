"""How much a sentence tells about its place: is it where sentences like it stand?

With m the mean path of the training documents and S the covariance about it, at relative times::

    i_t = log N(z_t; m(t/T), S) - log mean_s N(z_t; m(s), S),      s on a grid over [0, 1]

the pointwise mutual information of sentence and place, in nats: 0 for a sentence that could stand
anywhere, negative for one out of its place. A corpus without a common order has a flat mean path,
and i_t is 0. Where sentences like it stand, whatever its place, is the mean ::

    E[s | z] = sum_s s N(z; m(s), S) / sum_s N(z; m(s), S)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.ragged import Array, Ragged
from timecontrol.latents.fit import GRID, at, invertible

ROWS = 65536
"""Sentences that are worked on at once, to save memory."""


@dataclass(frozen=True)
class Places:
    """Where sentences stand, fitted to training documents."""

    mean_path: Array
    """(33, d), on ``GRID``."""
    covariance: Array
    """S, (d, d)."""

    @classmethod
    def fit(cls, latents: NDArray[np.floating], layout: Ragged, mean_path: Array) -> "Places":
        """Return the fit to training documents with the given mean path."""
        off = np.asarray(latents, np.float64) - at(mean_path, layout.share)
        return cls(mean_path, invertible(off.T @ off / len(off), len(off)))

    def information(self, latents: NDArray[np.floating], layout: Ragged) -> Array:
        """Return i_t of every sentence, (N,)."""
        z, m = self._whitened(latents)
        own = np.square(z - at(m, layout.share)).sum(1)
        parts = []
        for start in range(0, len(z), ROWS):
            part = z[start : start + ROWS]
            squares = np.square(part).sum(1)[:, None] - 2 * part @ m.T + np.square(m).sum(1)
            parts.append(np.logaddexp.reduce(-0.5 * squares, 1) - np.log(len(GRID)))  # (rows,)
        return np.asarray(-0.5 * own - np.concatenate([np.empty(0), *parts]))

    def expected(self, latents: NDArray[np.floating]) -> Array:
        """Return E[s | z] of every sentence, from 0 to 1, (N,)."""
        z, m = self._whitened(latents)
        log = z @ m.T - 0.5 * np.square(m).sum(1)  # (N, 33)
        weights = np.exp(log - log.max(1, keepdims=True))
        return np.asarray(weights @ GRID / weights.sum(1))

    def _whitened(self, latents: NDArray[np.floating]) -> tuple[Array, Array]:
        """Return latents, (N, d), and the mean path, (33, d), where S is the identity."""
        factor = np.linalg.cholesky(self.covariance)
        z = np.linalg.solve(factor, np.asarray(latents, np.float64).T).T
        return z, np.linalg.solve(factor, self.mean_path.T).T
