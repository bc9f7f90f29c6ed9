"""What is usual at a document's length: a number to a standard score.

For a number y of documents with n sentences, fitted to reference documents::

    mean(n) = a + b / n + c log n,     var(n) = v + w / n,     z = (y - mean(n)) / sqrt(var(n))

A mean over sentences varies less the more there are of them, and some scores drift with length.
Lengths beyond nearly all reference documents' are treated like the nearest that is not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.ragged import Array

FEWEST = 30
"""Reference documents below which length is left out of account."""


@dataclass(frozen=True)
class Scale:
    """Mean and variance of several numbers by length."""

    shortest: float
    longest: float
    mean: Array
    """a, b, c of each number, (3, K)."""
    variance: Array
    """v, w of each number, (2, K)."""
    least: Array
    """The least variance of each number, (K,)."""

    @classmethod
    def fit(cls, numbers: Array, lengths: NDArray[np.int64]) -> "Scale":
        """Return the scale of reference documents' numbers, (n, K), with so many sentences."""
        few = len(numbers) < FEWEST
        shortest, longest = np.quantile(lengths, [0.01, 0.99])
        basis = _basis(np.clip(lengths, shortest, longest))
        basis = basis[:, :1] if few or longest <= shortest else basis
        mean = np.linalg.lstsq(basis, numbers, rcond=None)[0]
        squares = np.square(numbers - basis @ mean)
        terms = basis[:, :2]
        variance = np.linalg.lstsq(terms, squares, rcond=None)[0]
        whole = squares.mean(0)
        padded = np.zeros((3, numbers.shape[1])), np.zeros((2, numbers.shape[1]))
        padded[0][: len(mean)], padded[1][: len(variance)] = mean, variance
        floor = np.maximum(0.1 * whole, 1e-6)
        return cls(float(shortest), float(longest), padded[0], padded[1], floor)

    def expected(self, lengths: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return mean and standard deviation at lengths, each (n, K)."""
        basis = _basis(np.clip(lengths, self.shortest, self.longest))
        variance = np.maximum(basis[:, :2] @ self.variance, self.least)
        return basis @ self.mean, np.sqrt(variance)

    def standard(self, numbers: Array, lengths: NDArray[np.int64]) -> Array:
        """Return z of numbers, (n, K)."""
        mean, sd = self.expected(lengths)
        return np.asarray((numbers - mean) / sd)


def percentiles(reference: Array, weights: Array, values: Array) -> Array:
    """Return the share of reference rows below each value under its weights, 0 to 100, (n,)."""
    found = np.empty(len(values))
    for row in np.unique(weights, axis=0):
        chosen = (weights == row).all(1)
        found[chosen] = _ranks(reference @ row, values[chosen])
    return found


def _ranks(reference: Array, values: Array) -> Array:
    """Return the share of a reference below each value, never quite 0 or 100 where it is small."""
    order = np.sort(reference)
    below = np.searchsorted(order, values, "left") + np.searchsorted(order, values, "right")
    return np.asarray(50 * (below + 1) / (len(order) + 1))


def _basis(lengths: NDArray[np.floating]) -> Array:
    n = np.asarray(lengths, np.float64)
    return np.stack([np.ones_like(n), 1 / n, np.log(n)], 1)
