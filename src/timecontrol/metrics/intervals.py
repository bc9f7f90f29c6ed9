"""A number with its uncertainty over documents, by the bootstrap.

Documents are drawn with replacement, as many as there are, and the number is computed again; the
middle 95 % of what comes out is the interval, its standard deviation the standard error.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESAMPLES = 1000


@dataclass(frozen=True)
class Estimate:
    """A number and how far it may be off."""

    value: float
    low: float
    """Of the 95 % interval over documents."""
    high: float
    error: float
    """Standard error over documents."""
    documents: int

    def as_dict(self) -> dict[str, float]:
        """Return the numbers as plain data."""
        return asdict(self)


def resamples(n: int, seed: int) -> Iterator[Array]:
    """Yield how often each of n documents is drawn, (n,), once for every resample."""
    state = np.random.default_rng((seed, n))
    for _ in range(RESAMPLES):
        yield np.bincount(state.integers(0, n, n), minlength=n).astype(np.float64)


def estimate(value: float, drawn: list[float], n: int) -> Estimate:
    """Return a number with the interval that its resampled values give."""
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(float(value), float(low), float(high), float(np.std(drawn)), n)


def ratio(top: Array, bottom: Array, seed: int = 0) -> Estimate:
    """Return sum(top) / sum(bottom) over documents.

    Args:
        top: Of each document, (n,).
        bottom: Of each document, (n,), more than 0.
        seed: Of the resamples.
    """
    drawn = [float((w @ top) / (w @ bottom)) for w in resamples(len(top), seed)]
    return estimate(top.sum() / bottom.sum(), drawn, len(top))


def mean_over(values: Array, document: NDArray[np.int64], seed: int = 0) -> Estimate:
    """Return the mean of values, (m,), that belong to documents, (m,), with documents drawn."""
    counts = np.bincount(document).astype(np.float64)
    sums = np.bincount(document, values).astype(np.float64)
    return ratio(sums[counts > 0], counts[counts > 0], seed)
