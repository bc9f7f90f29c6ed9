"""Paths pieced together from documents: what is drawn about the mean is what documents do.

Latents of sentences are not normal: a question is followed by an answer, and neither lies where
the mean of the two does. So a path is drawn from the sentences of training documents themselves
(the method of analogs; a bootstrap of nearest neighbours, Lall and Sharma, 1996). It follows a
document from sentence to sentence for as long as that keeps to the timetable: the next one is in
the stage that is due, is its first or last if that is due, and with u the share of the stage that
is done (``places``), c the plan's sentences in it and c' the document's::

    |u' - u| <= SLACK + 1 / c,     and where a stage opens  |log c' - log c| <= LENGTH

Otherwise the path goes on in another document, with a sentence that keeps to the timetable and
comes after one that is like the path's last: spoken by the same, and among the ``NEIGHBOURS``
nearest. Not only where sentences i and j lie counts, but how far their documents strayed lately.
With m the mean of the sentences of the same stage and eighth of it, and k = ``MEMORY`` sentences,
or as many as there are::

    r_i  = sum of (z - m) over the last k sentences, i among them, / (k + 2)
    d_ij = |(z_i - z_j) / sd(z)|^2 + |(r_i - r_j) / sd(r)|^2

r is the mean by which they strayed, shrunk as if there were two more that did not; without it a
document would forget in a few sentences what it is about. Lengths are compared since short stages
are not long ones told quickly: they say other things, above all at their end. Where fewer than
``LEAST`` runs of a stage are of like length, the nearest in length are taken, and so with times.

So every step is one that a document has made, but where two are joined, and a plan of many more
sentences than documents have does not become slow: it moves as documents do, and leaves them when
they run ahead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.plans.places import Flags, Places, Whole

Array = NDArray[np.float64]

SLACK = 0.15
"""By how much of a stage a document may be ahead of the timetable, or behind it."""
LENGTH = 0.5
"""How many times (its log) a run may be longer or shorter than the plan's."""
NEIGHBOURS = 5
"""Sentences of which one is drawn where two documents are joined."""
LEAST = 30
"""To choose from, at least, where there are so many."""
MEMORY = 8
"""Sentences over which it counts how far a document strayed."""
SHRUNK = 2
"""Sentences that did not stray, added to these."""
BINS = 8
"""Parts of a stage that have a mean of their own."""

STORED = {"points": np.float32, "times": np.float32, "roles": np.int16}
"""How arrays are kept that need no more."""


@dataclass(frozen=True)
class Analogs:
    """The sentences of training documents, all in a row."""

    points: Array
    """Their latents, not smoothed, exact in float32, (N, d)."""
    lengths: Whole
    """Sentences of each document, (documents,)."""
    times: Array
    """tau of each sentence, exact in float32, (N,)."""
    roles: Whole
    """Who speaks; one number for all where nobody does, (N,)."""
    edges: Array
    """Times at which one stage ends and the next begins, (stages - 1,)."""

    @classmethod
    def of(
        cls,
        paths: Sequence[Array],
        times: Sequence[Array],
        edges: Array,
        roles: Sequence[Sequence[int]] | None = None,
    ) -> "Analogs":
        """Put documents in a row.

        Args:
            paths: Latents of single sentences, each (sentences, d); one document at least.
            times: tau of these, each (sentences,).
            edges: Times at which stages end, (stages - 1,).
            roles: Who speaks in each sentence; without, nobody does.
        """
        points = np.concatenate(list(paths))
        who = np.zeros(len(points)) if roles is None else np.concatenate([*map(np.array, roles)])
        return cls.from_tensors(
            {
                "points": points.astype(STORED["points"]),
                "lengths": np.array([len(path) for path in paths]),
                "times": np.concatenate(list(times)).astype(STORED["times"]),
                "roles": who,
                "edges": edges,
            }
        )

    @cached_property
    def starts(self) -> Flags:
        """Whether a sentence is the first of its document, (N,)."""
        found = np.zeros(len(self.points), bool)
        found[np.cumsum(self.lengths) - self.lengths] = True
        return found

    @cached_property
    def places(self) -> Places:
        """Where each sentence stands."""
        return Places.of(self.times, self.edges, self.starts)

    @cached_property
    def strays(self) -> Array:
        """Return z - m of each sentence, (N, d)."""
        own = self.places
        bins = np.clip((own.shares * BINS).astype(int), 0, BINS - 1)
        total = np.zeros((len(self.edges) + 1, BINS, self.points.shape[1]))
        count = np.zeros(total.shape[:2])
        np.add.at(total, (own.stages, bins), self.points)
        np.add.at(count, (own.stages, bins), 1)
        means = (total + self.points.mean(0)) / (count + 1)[..., None]
        return np.asarray(self.points - means[own.stages, bins])

    @cached_property
    def lately(self) -> Array:
        """Return r of each sentence, (N, d)."""
        rows = np.arange(len(self.points))
        begin = np.maximum.accumulate(np.where(self.starts, rows, 0))
        low = np.maximum(rows - MEMORY + 1, begin)
        total = np.concatenate([np.zeros_like(self.strays[:1]), self.strays.cumsum(0)])
        return np.asarray((total[1:] - total[low]) / (rows + 1 - low + SHRUNK)[:, None])

    @cached_property
    def scales(self) -> tuple[Array, Array]:
        """sd(z) and sd(r), each (d,)."""
        first, second = (np.asarray(a.std(0)) for a in (self.points, self.lately))
        return np.where(first > 1e-8, first, 1.0), np.where(second > 1e-8, second, 1.0)

    @cached_property
    def marks(self) -> Array:
        """What d is a distance of: z / sd(z) and r / sd(r), (N, 2 d)."""
        return np.concatenate([self.points / self.scales[0], self.lately / self.scales[1]], 1)

    def drawn(self, times: Array, state: np.random.Generator) -> Array:
        """Return a path at times, (n, d)."""
        return self.points[self.rows(times, state)]

    def rows(self, times: Array, state: np.random.Generator) -> Whole:
        """Return which sentences a path is made of, (n,).

        Args:
            times: tau of its sentences, (n,).
            state: Where the draws come from.
        """
        asked = Places.of(times, self.edges, np.arange(len(times)) == 0)
        own, found = self.places, list[int]()
        like: Flags = np.zeros(0, bool)
        for j in range(len(times)):
            if asked.opens[j]:
                like = self._like(int(asked.stages[j]), int(asked.counts[j]))
            on = found[-1] + 1 if found else len(self.points)
            if (
                on < len(self.points)
                and not self.starts[on]
                and (own.stages[on], own.opens[on], own.closes[on])
                == (asked.stages[j], asked.opens[j], asked.closes[j])
                and (like[on] or not asked.opens[j])
                and abs(own.shares[on] - asked.shares[j]) <= _slack(asked, j)
            ):
                found.append(on)
            else:
                found.append(self._joined(asked, j, like, found, state))
        return np.array(found, np.int64)

    def _like(self, stage: int, count: int) -> Flags:
        """Return which sentences are in runs of a stage of about so many sentences, (N,)."""
        own = self.places
        away = np.where(own.stages == stage, np.abs(np.log(own.counts / count)), np.inf)
        runs = np.sort(away[own.opens])
        enough = runs[min(LEAST, len(runs)) - 1]
        return np.asarray(away <= max(LENGTH, enough))

    def _joined(
        self, asked: Places, j: int, like: Flags, found: list[int], state: np.random.Generator
    ) -> int:
        """Return the sentence that sentence j of a plan is, in another document than before.

        Args:
            asked: Where the plan's sentences stand.
            j: Which of them.
            like: Which sentences are in runs of about its length, (N,).
            found: The sentences before it.
            state: Where the draws come from.
        """
        fits = np.ones(len(self.points), bool)
        if found:  # it has a sentence before it, and one that was spoken by the same
            same = ~self.starts & (np.roll(self.roles, 1) == self.roles[found[-1]])
            same[found[-1] + 1 : found[-1] + 2] = False  # where the path cannot go on
            fits = same if same.any() else ~self.starts
        own = self.places
        for keeps in (
            own.stages == asked.stages[j],
            own.opens == asked.opens[j],
            own.closes == asked.closes[j],
            like,
        ):
            if not (fits & keeps).any():
                break
            fits = fits & keeps
        pool = np.flatnonzero(fits)
        away = np.abs(own.shares[pool] - asked.shares[j])
        enough = np.sort(away)[min(LEAST, len(pool)) - 1]
        pool = pool[away <= max(_slack(asked, j), float(enough))]
        if found and len(pool) > NEIGHBOURS:
            apart = np.square(self.marks[pool - 1] - self._mark(found)).sum(1)
            pool = pool[np.argsort(apart, kind="stable")[:NEIGHBOURS]]
        return int(pool[state.integers(len(pool))])

    def _mark(self, found: Sequence[int]) -> Array:
        """Return z / sd(z) and r / sd(r) of the last sentence of a path, (2 d,)."""
        last = self.strays[list(found[-MEMORY:])]
        lately = last.sum(0) / (len(last) + SHRUNK)
        return np.concatenate([self.points[found[-1]] / self.scales[0], lately / self.scales[1]])

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return them as arrays by name."""
        found = {f.name: np.asarray(getattr(self, f.name)) for f in fields(self)}
        return {name: a.astype(STORED.get(name, a.dtype)) for name, a in found.items()}

    @classmethod
    def from_tensors(cls, found: Mapping[str, NDArray[Any]]) -> "Analogs":
        """Return what ``tensors`` gave; a missing one is a KeyError."""
        whole = {name: np.asarray(found[name], np.int64) for name in ("lengths", "roles")}
        real = {n: np.asarray(found[n], np.float64) for n in ("points", "times", "edges")}
        parts: dict[str, Any] = {**whole, **real}
        return cls(**parts)


def _slack(asked: Places, j: int) -> float:
    """Return by how much of its stage sentence j of a plan may be off."""
    return SLACK + 1 / float(asked.counts[j])
