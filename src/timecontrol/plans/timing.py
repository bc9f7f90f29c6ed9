"""How long the sections of a plan are, and where in a document a sentence stands.

Documents of a corpus come through the same stages (title, ingredients, directions), but reach them
at other times, so that a mean over documents at the same share of their lengths blurs one stage
with the next. Here a document's own stages tell its time. With c_s sentences in stage s, and q_s
the mean share of that stage in training documents, sentence j of the stage, from 0, stands at::

    tau = q_1 + .. + q_{s-1} + q_s (j + 1/2) / c_s

The timetable of a plan of n sentences is that of a training document of N sentences, stretched in
proportion; but what has the same number of sentences in (nearly) all documents, such as a title,
keeps its own, with K sentences in all::

    c'_s = c_s (n - K) / (N - K),     c'_s = c_s where it is always the same

How a stage opens and how it closes (a greeting, a goodbye) does not take longer because there is
more between. So the first and the last quarter of its own c sentences go as fast as in a document,
and what is between them is drawn out; with c' > c sentences, x = j + 1/2 and a = c/4, the share of
the stage that is done is::

    x / c                               x < a
    1/4 + 1/2 (x - a) / (c' - 2a)       between
    1 - (c' - x) / c                    x > c' - a

A sentence is likely to have the tokens that sentences of that stage have in the document, times
what sentences at tau have beside others of their stage in all documents.

A stage is all neighbouring sections of one tag; one that may have several sections (the steps of a
how-to) is filled up with as many as are needed, as long as sections of that stage are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.latents.fit import GRID

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

Sections = Sequence[tuple[int, int]]
"""Stage and number of sentences of each section of a document."""

FEW = 10.0
"""Sentences of usual length that are added at each."""
NO_STAGE = -1
"""The stage of text before the first tag."""
TOKENS = 25
"""Tokens of a sentence, where nobody has counted them."""
ALIKE = 0.95
"""Where so many documents have the same number of sentences in a stage, it is always the same."""


@dataclass(frozen=True)
class Timetable:
    """The sections of one plan."""

    times: Array
    """tau of each sentence, (n,)."""
    starts: tuple[int, ...]
    """The sentence at which each stage with a tag begins."""
    pace: Array
    """Tokens that each sentence is likely to have, (n,)."""


@dataclass(frozen=True)
class Timing:
    """The sections of training documents."""

    stages: Whole
    """Of every section, all documents in a row, (sections,)."""
    counts: Whole
    """Sentences of every section, (sections,)."""
    lengths: Whole
    """Sections of each document, (documents,)."""
    sizes: Whole
    """Tokens of every section, (sections,)."""
    shape: Array = field(default_factory=lambda: np.ones(len(GRID)))
    """Tokens of sentences beside others of their stage, on ``latents.fit.GRID``, (33,)."""

    @classmethod
    def of(
        cls,
        documents: Sequence[Sections],
        sizes: Sequence[Sequence[int]] | None = None,
        tokens: Sequence[Sequence[int]] | None = None,
    ) -> "Timing":
        """Return the timing of documents.

        Args:
            documents: One of them at least.
            sizes: Tokens of their sections; without, a sentence is ``TOKENS``.
            tokens: Of each of their sentences; without, those of a stage are alike.
        """
        flat = np.array([s for document in documents for s in document], np.int64).reshape(-1, 2)
        lengths = np.array([len(document) for document in documents], np.int64)
        stages, counts = flat[:, 0], flat[:, 1]
        whole = TOKENS * counts
        if sizes is not None:
            whole = np.array([max(n, 1) for own in sizes for n in own], np.int64)
        found = cls(stages, counts, lengths, whole)
        if tokens is None:
            return found
        return replace(found, shape=found.shape_of(tokens))

    def shape_of(self, tokens: Sequence[Sequence[int]]) -> Array:
        """Return tokens of sentences beside others of their stage, on ``GRID``.

        Args:
            tokens: Of each sentence of the documents.
        """
        mass, total = np.full(len(GRID), FEW), np.full(len(GRID), FEW)
        for sections, own in zip(self.documents, tokens, strict=True):
            stages = np.repeat([s for s, _ in sections], [n for _, n in sections])
            each = np.asarray(own[: len(stages)], np.float64)
            stages, times = stages[: len(each)], self.times(sections)[: len(each)]
            for stage in set(stages.tolist()):
                mean = each[stages == stage].mean()
                each[stages == stage] /= max(mean, 1e-9)
            at = np.rint(times * (len(GRID) - 1)).astype(int)
            np.add.at(mass, at, 1.0)
            np.add.at(total, at, each)
        return np.asarray(total / mass)

    @cached_property
    def documents(self) -> list[list[tuple[int, int]]]:
        """Stage and number of sentences of each section, of each document."""
        rows = list(zip(self.stages.tolist(), self.counts.tolist(), strict=True))
        ends = np.cumsum(self.lengths).tolist()
        return [rows[end - n : end] for end, n in zip(ends, self.lengths.tolist(), strict=True)]

    @cached_property
    def names(self) -> list[int]:
        """The stages there are, in order."""
        return sorted(set(self.stages.tolist()))

    @cached_property
    def totals(self) -> Array:
        """The sentences of each document in each stage, (documents, stages)."""
        return self._summed(self.counts)

    @cached_property
    def tokens(self) -> Array:
        """The tokens of each document in each stage, (documents, stages)."""
        return self._summed(self.sizes)

    def _summed(self, values: Whole) -> Array:
        """Return what sections have, summed over those of a stage, (documents, stages)."""
        found = np.zeros((len(self.lengths), len(self.names)))
        document = np.repeat(np.arange(len(self.lengths)), self.lengths)
        stage = np.searchsorted(self.names, self.stages)
        np.add.at(found, (document, stage), values)
        return found

    @cached_property
    def shares(self) -> Array:
        """Q, the mean share of each stage, (stages,)."""
        return np.asarray((self.totals / self.totals.sum(1, keepdims=True)).mean(0))

    @property
    def edges(self) -> Array:
        """The times at which one stage ends and the next begins, (stages - 1,)."""
        return np.asarray(self.shares.cumsum()[:-1])

    @cached_property
    def fixed(self) -> NDArray[np.bool_]:
        """Whether a stage has the same number of sentences wherever it occurs, (stages,)."""
        found = []
        for column in self.totals.T:
            own = column[column > 0]
            usual = np.median(own)
            found.append(bool((own == usual).mean() >= ALIKE))
        return np.array(found)

    def times(self, sections: Sections, natural: Mapping[int, float] | None = None) -> Array:
        """Return tau of each sentence of a document, (sentences,).

        Args:
            sections: Its sections.
            natural: How many sentences a stage has in the document they were stretched from.
        """
        names, q = self.names, self.shares
        before = np.concatenate([[0.0], q.cumsum()])
        known: dict[int, int] = {}
        for stage, count in sections:
            known[stage] = known.get(stage, 0) + count
        found: list[float] = []
        done = dict.fromkeys(known, 0)
        for stage, count in sections:
            s = names.index(stage)
            x = done[stage] + np.arange(count, dtype=np.float64) + 0.5
            own = known[stage] if natural is None else natural.get(stage, known[stage])
            found += (before[s] + q[s] * drawn_out(x, known[stage], own)).tolist()
            done[stage] += count
        return np.array(found)

    def drawn(
        self, n: int, state: np.random.Generator, among: Sequence[int] | None = None
    ) -> Timetable:
        """Return the timetable of a plan of n sentences, after a training document drawn.

        Args:
            n: Sentences.
            state: Where draws come from.
            among: Numbers of the documents of which one is drawn; of all without.
        """
        document = int(state.integers(len(self.totals if among is None else among)))
        if among is not None:
            document = among[document]
        return self._table(self.totals[document], self.tokens[document], n, state)

    def mean(self, n: int) -> Timetable:
        """Return the mean timetable of plans of n sentences, stages that most documents have."""
        totals = self.totals
        there = totals > 0
        share = there.mean(0)
        usual = share >= min(0.5, share.max())
        whole = np.maximum(there.sum(0), 1)
        own = np.where(self.fixed, totals.sum(0) / whole, totals.mean(0))
        tokens = np.where(self.fixed, self.tokens.sum(0) / whole, self.tokens.mean(0))
        return self._table(own * usual, tokens, n, None)

    def whole(
        self,
        sections: Sections,
        rates: Mapping[int, float],
        natural: Mapping[int, float] | None = None,
    ) -> Timetable:
        """Return the timetable of a document as it is.

        Args:
            sections: Its sections.
            rates: Tokens of a sentence, by stage.
            natural: As in ``times``.
        """
        stages = np.repeat([s for s, _ in sections], [n for _, n in sections])
        times = self.times(sections, natural)
        pace = np.interp(times, GRID, self.shape)
        for stage, rate in rates.items():
            mine = stages == stage
            if mine.any():
                pace[mine] *= rate / pace[mine].mean()
        return Timetable(times, begins(stages.tolist()), pace)

    def _table(
        self, own: Array, tokens: Array, n: int, state: np.random.Generator | None
    ) -> Timetable:
        """Return the timetable of n sentences nearest to those of a document.

        Args:
            own: Its sentences in each stage, (stages,).
            tokens: Its tokens there, (stages,).
            n: Sentences.
            state: Where draws come from; ``None``: means are taken.
        """
        here = np.flatnonzero(own > 0)[:n]
        fixed = self.fixed[here]
        if fixed.all() or n <= own[here][fixed].sum():
            fixed = np.zeros_like(fixed)
        kept = own[here][fixed].sum()
        grows = (n - kept) / own[here][~fixed].sum()
        wanted = np.where(fixed, own[here], own[here] * grows)
        counts = whole_numbers(wanted, n)
        sections: list[tuple[int, int]] = []
        stages = np.array(self.names)[here].tolist()
        for stage, count in zip(stages, counts.tolist(), strict=True):
            sections += [(stage, part) for part in self._parts(stage, count, state)]
        rates = dict(zip(stages, (tokens[here] / own[here]).tolist(), strict=True))
        return self.whole(sections, rates, dict(zip(stages, own[here].tolist(), strict=True)))

    def _parts(self, stage: int, count: int, state: np.random.Generator | None) -> list[int]:
        """Return the sentences of the sections that a stage of ``count`` sentences has."""
        document = np.repeat(np.arange(len(self.lengths)), self.lengths)
        mine = self.stages == stage
        if len(np.unique(document[mine])) == mine.sum():  # one section a document
            return [count]
        pool = self.counts[mine]
        found: list[int] = []
        while sum(found) < count:
            one = float(pool.mean()) if state is None else int(pool[state.integers(len(pool))])
            found.append(min(max(round(one), 1), count - sum(found)))
        return found

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return the timing as arrays by name."""
        return {f.name: np.asarray(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_tensors(cls, found: Mapping[str, NDArray[Any]]) -> "Timing":
        """Return the timing that ``tensors`` gave; a missing one is a KeyError."""
        names = [f.name for f in fields(cls) if f.name != "shape"]
        parts: dict[str, Any] = {name: np.asarray(found[name], np.int64) for name in names}
        if "shape" in found:  # old files have none
            parts["shape"] = np.asarray(found["shape"], np.float64)
        return cls(**parts)


def drawn_out(x: Array, count: int, own: float) -> Array:
    """Return the share of a stage that is done at x, of ``count`` sentences instead of ``own``."""
    if count <= own:
        return x / count
    a = own / 4
    middle = 0.25 + 0.5 * (x - a) / (count - 2 * a)
    return np.where(x < a, x / own, np.where(x > count - a, 1 - (count - x) / own, middle))


def begins(stages: Sequence[int]) -> tuple[int, ...]:
    """Return the sentences at which a stage with a tag begins, given the stage of each."""
    new = [i for i, s in enumerate(stages) if i == 0 or s != stages[i - 1]]
    return tuple(i for i in new if stages[i] != NO_STAGE)


def whole_numbers(wanted: Array, total: int) -> Whole:
    """Return whole numbers near the wanted ones, each at least 1, whose sum is ``total``.

    Args:
        wanted: Their sum is about ``total``, (k,).
        total: At least k.
    """
    found = np.maximum(np.floor(wanted), 1).astype(np.int64)
    while found.sum() > total:
        over = np.where(found > 1, found - wanted, -np.inf)
        found[int(over.argmax())] -= 1
    while found.sum() < total:
        found[int((wanted - found).argmax())] += 1
    return found
