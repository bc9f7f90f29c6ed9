"""What ratings say of each system, and of two systems beside each other.

With m_i the mean rating of item i, and w_i its share of the system's rated outputs (1 / n where all
n items differ; what a system gave twice counts twice)::

    mean   = sum_i w_i m_i
    error  = sqrt( n / (n - 1)  sum_i w_i^2 (m_i - mean)^2 )        over items
    naive  = sd(x_1 .. x_R) / sqrt(R)                                over all R ratings, one by one

``error`` says how far the mean would be off for other examples, by the same people. ``naive`` takes
ten ratings of one item for ten independent answers: too small where people agree on items more than
by chance. The paper does not say what stands after its +-.

Two systems are compared on the examples that both have a rating of: the mean of the differences,
and its 95 % interval with examples drawn again (``metrics.paired``).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from timecontrol.judging.tasks import HIGHEST, LOWEST
from timecontrol.metrics.paired import Sample, differences, mean_of

Said = tuple[str, str, int]
"""Item, annotator, rating."""

FEWEST = 5
"""Ratings from which on an annotator's are looked at."""
FAST = 1.0
"""Seconds."""
NO_VARIANCE, TOO_FAST = "every rating is the same", "half of the answers came within a second"


@dataclass(frozen=True)
class Numbers:
    """What the ratings of a system come to; ``None``: there are too few."""

    mean: float | None
    error: float | None
    """Standard error over items."""
    plain_mean: float | None
    """Of all ratings, one by one."""
    naive: float | None
    """Its standard error, as if they were independent."""
    items: int
    """That have been rated."""
    ratings: int
    annotators: int
    unrated: int
    """Items that have not been."""
    counts: tuple[int, ...]
    """How often 1 to 5 was said."""

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {**asdict(self), "counts": list(self.counts)}


@dataclass(frozen=True)
class Annotator:
    """What is noticed of somebody who rated."""

    name: str
    ratings: int
    mean: float
    seconds: float | None
    """The median that an item was seen."""
    flags: tuple[str, ...]


def numbers(outputs: Sequence[str], said: Sequence[Said]) -> Numbers:
    """Return what ratings come to.

    Args:
        outputs: The item of each output of a system.
        said: Ratings, those of other items among them.
    """
    wanted = set(outputs)
    own = [one for one in said if one[0] in wanted]
    by_item = items_of(own)
    rated = list(by_item)
    x = np.array([rating for _, _, rating in own], np.float64)
    m = np.array([np.mean(by_item[item]) for item in rated])
    w = np.array([outputs.count(item) for item in rated], np.float64)
    n, r = len(rated), len(own)
    mean = error = None
    if n:
        mean = float(w @ m / w.sum())
        w /= w.sum()
    if n > 1:
        error = math.sqrt(n / (n - 1) * float((w**2) @ (m - mean) ** 2))
    return Numbers(
        mean,
        error,
        float(x.mean()) if r else None,
        float(x.std(ddof=1) / math.sqrt(r)) if r > 1 else None,
        n,
        r,
        len({annotator for _, annotator, _ in own}),
        len(wanted) - n,
        tuple(int((x == value).sum()) for value in range(LOWEST, HIGHEST + 1)),
    )


def items_of(said: Sequence[Said]) -> dict[str, list[int]]:
    """Return the ratings of each item."""
    found: dict[str, list[int]] = {}
    for item, _, rating in said:
        found.setdefault(item, []).append(rating)
    return found


def compared(
    outputs: Mapping[str, Mapping[str, str]], said: Sequence[Said], seed: int = 0
) -> list[dict[str, Any]]:
    """Return every two systems beside each other.

    Args:
        outputs: By system, and of each by example, the item.
        said: Ratings.
        seed: Of the resamples.
    """
    means = {item: float(np.mean(own)) for item, own in items_of(said).items()}
    rows = []
    for first, other in combinations(outputs, 2):
        x, y = outputs[first], outputs[other]
        both = [e for e in x if e in y and x[e] in means and y[e] in means]
        row: dict[str, Any] = {"first": first, "other": other, "examples": len(both)}
        if both:
            pair = tuple(
                Sample(0, range(len(both)), {"rating": mean_of([means[own[e]] for e in both])})
                for own in (x, y)
            )
            found = differences([(pair[0], pair[1])], {"rating"}, seed)["rating"]
            row |= found.as_dict()
        rows.append(row)
    return rows


def annotators(said: Sequence[Said], seconds: Mapping[str, Sequence[float]]) -> list[Annotator]:
    """Return who rated, in the order of their first ratings, and what is noticed of them.

    Nobody's ratings are left out for it.

    Args:
        said: Ratings, in the order they were given.
        seconds: That items were seen, by annotator, where that is known.
    """
    by_name: dict[str, list[int]] = {}
    for _, name, rating in said:
        by_name.setdefault(name, []).append(rating)
    found = []
    for name, own in by_name.items():
        times = seconds.get(name, ())
        median = float(np.median(times)) if len(times) else None
        flags = []
        if len(own) >= FEWEST and len(set(own)) == 1:
            flags.append(NO_VARIANCE)
        if len(times) >= FEWEST and median is not None and median < FAST:
            flags.append(TOO_FAST)
        found.append(Annotator(name, len(own), float(np.mean(own)), median, tuple(flags)))
    return found
