"""Is one way of writing better than another? Differences of paired samples, with intervals.

Decoders of R training seeds write in two ways, x and y. Decoders of one training seed are a pair,
and of a pair the documents with one number, which have one seed of writing. With T a statistic of
the documents of a decoder::

    difference  D  = 1/R sum_r T(y_r) - T(x_r)
    resample    D* = 1/R sum_k T(y_r(k), i(k)) - T(x_r(k), i(k))
                r(1) .. r(R)        training seeds, drawn with replacement; both of a pair
                i_1(k) .. i_n(k)    numbers of documents, drawn again for every k; in both of a pair
    interval    the middle 95 % of 2,000 D*

With m_s the ratio of two sums over documents, drawn w_i times, a statistic is::

    m_s = sum_i w_i a_is / sum_i w_i b_is,    T = mean_s m_s   or   100 mean_s |m_s - G_s| / G_s

the mean of a number of each document, or how far mean lengths are from goals: the latter belongs
to the documents together, and is computed again in every resample.

Of one training seed, documents alone are drawn. Of three, the interval is wide where decoders of
other seeds differ by chance alone (it holds the truth in 98 % of cases), and narrow where they
differ much more than their documents explain (down to 75 %). An interval of deviations is a little
narrow where one of them is next to 0: there, resamples are mostly larger.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

RESAMPLES = 2000
FEWEST = 6
"""Pairs of documents below which nothing is told apart: all for one side have p = 2 / 2^6."""
BETTER, WORSE, ALIKE = "better", "worse", "not told apart"


@dataclass(frozen=True)
class Statistic:
    """A number that documents have together; of n documents and S parts."""

    top: Array
    """a_is, (n, S)."""
    bottom: Array
    """b_is, (n, S), whole numbers; where none is drawn, m_s is 0."""
    goal: Array | None = None
    """G_s, (S,), where it is a deviation."""

    def __len__(self) -> int:
        return len(self.top)

    def __getitem__(self, chosen: Rows) -> "Statistic":
        return Statistic(self.top[chosen], self.bottom[chosen], self.goal)

    def of(self, drawn: Array) -> Array:
        """Return the number where documents were drawn so often, (k, n): (k,)."""
        parts = (drawn @ self.top) / np.maximum(drawn @ self.bottom, 1)  # (k, S)
        if self.goal is None:
            return np.asarray(parts.mean(1))
        return np.asarray(100 * (np.abs(parts - self.goal) / self.goal).mean(1))

    @property
    def value(self) -> float:
        """The number of all documents, each once."""
        return float(self.of(np.ones((1, len(self))))[0])


def mean_of(values: Sequence[float] | Array) -> Statistic:
    """Return the mean of a number of each document, (n,)."""
    top = np.asarray(values, np.float64)[:, None]
    return Statistic(top, np.ones_like(top))


def deviation_of(own: Sequence[Mapping[str, float]], goal: Mapping[str, float]) -> Statistic:
    """Return the deviation of mean lengths from goals, MM of ``metrics.lengths``, in percent.

    Args:
        own: Of each document, l_s of every tag that it has.
        goal: G_s by tag, more than 0.
    """
    top = np.array([[lengths.get(tag, 0.0) for tag in goal] for lengths in own])  # (n, S)
    there = np.array([[tag in lengths for tag in goal] for lengths in own], np.float64)
    return Statistic(top, there, np.array(list(goal.values())))


@dataclass(frozen=True)
class Sample:
    """What one decoder wrote in one way."""

    seed: Hashable
    """Of training."""
    numbers: Sequence[int]
    """Of the documents, (n,); each once."""
    statistics: Mapping[str, Statistic]
    """Of the same n documents."""

    def __len__(self) -> int:
        return len(self.numbers)

    def of(self, numbers: Sequence[int]) -> "Sample":
        """Return the documents with these numbers, in this order."""
        where = {number: i for i, number in enumerate(self.numbers)}
        chosen = np.array([where[number] for number in numbers], np.int64)
        return Sample(self.seed, numbers, {k: s[chosen] for k, s in self.statistics.items()})


Pair = tuple[Sample, Sample]
"""Of one training seed, with the same numbers; the second is compared with the first."""


def pairs_of(first: Sequence[Sample], other: Sequence[Sample]) -> list[Pair]:
    """Return the pairs of decoders of one training seed, with the documents that both have.

    Where several of a way have one seed, the k-th of one goes with the k-th of the other. Those
    that have no partner, or no document in common, are left out.
    """
    found = []
    for seed in dict.fromkeys(sample.seed for sample in first):
        sides = ([s for s in side if s.seed == seed] for side in (first, other))
        for x, y in zip(*sides, strict=False):
            if both := sorted(set(x.numbers) & set(y.numbers)):
                found.append((x.of(both), y.of(both)))
    return found


@dataclass(frozen=True)
class Difference:
    """How much more the other has than the first."""

    value: float
    low: float
    """Of the 95 % interval over training seeds and documents."""
    high: float
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers and the verdict as plain data."""
        return asdict(self)


def differences(
    pairs: Sequence[Pair], larger: Collection[str], seed: int = 0
) -> dict[str, Difference]:
    """Return other - first of every statistic, with its interval and what it says.

    Args:
        pairs: One or more, of the same statistics; those of one training seed are drawn together.
        larger: The statistics of which more is better; of others, less.
        seed: Of the resamples.
    """
    state = np.random.default_rng(seed)
    seeds = list(dict.fromkeys(first.seed for first, _ in pairs))
    times = counts(state, RESAMPLES, len(seeds))  # (B, seeds)
    sums = {name: np.zeros(RESAMPLES) for name in pairs[0][0].statistics}
    drawn = np.zeros(RESAMPLES)
    for first, other in pairs:
        again = times[:, seeds.index(first.seed)].astype(np.int64)  # (B,)
        place = np.repeat(np.arange(RESAMPLES), again)  # (k,): the resample that a draw is for
        documents = counts(state, len(place), len(first))  # (k, n)
        drawn += again
        for name, total in sums.items():
            x, y = (side.statistics[name].of(documents) for side in (first, other))  # (k,)
            total += np.bincount(place, y - x, RESAMPLES)
    found = {}
    enough = sum(len(first) for first, _ in pairs) >= FEWEST
    for name, total in sums.items():
        value = np.mean([y.statistics[name].value - x.statistics[name].value for x, y in pairs])
        low, high = np.percentile(np.round(total / drawn, 12), [2.5, 97.5])
        words = verdict(low, high, name in larger) if enough else ALIKE
        found[name] = Difference(float(value), float(low), float(high), words)
    return found


def verdict(low: float, high: float, larger: bool) -> str:
    """Return what an interval of other - first says of the other."""
    if low <= 0 <= high:
        return ALIKE
    return BETTER if (low > 0) == larger else WORSE


def counts(state: np.random.Generator, k: int, n: int) -> Array:
    """Return how often each of n is drawn in n draws with replacement, k times: (k, n)."""
    drawn = state.integers(0, n, (k, n)) + n * np.arange(k)[:, None]
    return np.bincount(drawn.ravel(), minlength=k * n).reshape(k, n).astype(np.float64)
