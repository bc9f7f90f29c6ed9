"""Documents to training examples, afresh each epoch, and examples to batches.

What is drawn for a document (which sentences are left out or change places, the noise on its
latents, whether it has any at all) depends on the seed, the epoch and the document alone, so an
interrupted training goes on with the very same examples.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from timecontrol.corpora import Document
from timecontrol.decoder.alignment import unit_index
from timecontrol.decoder.arrangement import MARKS, arranged, drawn_gap, near
from timecontrol.decoder.losses import IGNORED
from timecontrol.decoder.settings import Settings
from timecontrol.decoder.straying import spans, strayed
from timecontrol.decoder.trimming import size, trim
from timecontrol.errors import TimeControlError
from timecontrol.plans.missing import Bridge, left_out
from timecontrol.plans.timing import NO_STAGE
from timecontrol.tokens import Codec, Piece

Array = NDArray[np.float64]


KNOT = 8
"""Sentences between two shifts of a plan against its text."""


@dataclass(frozen=True)
class Item:
    """A document: its sentences as tokens, and their latents."""

    pieces: list[Piece]
    points: Array
    """(sentences, d)"""


@dataclass(frozen=True)
class Example:
    """A document as it is trained on."""

    ids: list[int]
    weights: list[float]
    """How much the prediction of each token counts."""
    points: Array
    """The plan that goes with it, (units, d)."""
    keep: bool
    """Whether the plan is told."""
    starts: list[tuple[str | None, int]]
    """Tag and first position of each section."""
    sections: list[tuple[int, int]]
    """Stage of each section, and how many of the plan's points it has."""
    rows: list[int] | None = None
    """Which of the plan's points each unit is told, and after the last; its own where ``None``."""


def section_points(pieces: Sequence[Piece], tags: Sequence[str], sparse: bool) -> Array:
    """Return the section of each sentence as a point, 1 at its tag and 0 elsewhere, (n, tags + 1).

    Args:
        pieces: The sentences of a document.
        tags: Of the layout; the last coordinate is for text without one.
        sparse: Whether only the beginning of a section will be told (by the model, which sees
            where points change). Every second section then has coordinates of its own, so that
            two sections of one tag differ: (n, 2 tags + 2).
    """
    kinds = len(tags) + 1
    found = np.zeros((len(pieces), 2 * kinds if sparse else kinds))
    for row, piece in enumerate(pieces):
        place = tags.index(piece.tag) if piece.tag is not None else len(tags)
        found[row, place + kinds * (piece.section % 2) * sparse] = 1
    return found


def smoothed(points: Array, width: int, stages: Sequence[Any] | None = None) -> Array:
    """Return the moving average over ``width`` sentences, fewer at the ends, (n, d).

    Args:
        points: (n, d).
        width: Sentences.
        stages: Of each sentence, (n,): the average does not reach beyond neighbours of the same.
    """
    if width == 1 or len(points) < 2:
        return points
    n = len(points)
    before, after = (width - 1) // 2, width // 2
    total = np.concatenate([np.zeros((1, points.shape[1])), points.cumsum(0)])
    first, last = ends_of([0] * n if stages is None else stages)
    low = np.maximum(np.arange(n) - before, first)
    high = np.minimum(np.arange(n) + after + 1, last)
    return np.asarray((total[high] - total[low]) / (high - low)[:, None])


def ends_of(stages: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the run of equal neighbours of each begins, and where the next does, (n,)."""
    new = [i for i, s in enumerate(stages) if i == 0 or s != stages[i - 1]]
    edges = np.array([*new, len(stages)])
    run = np.repeat(np.arange(len(new)), np.diff(edges))
    return edges[run], edges[run + 1]


def warped(n: int, sd: float, random: np.random.Generator) -> list[int]:
    """Return rows 0 to n, moved by a few and still rising, (n + 1).

    Every ``KNOT`` rows a shift is drawn, N(0, sd^2), straight between them; the end stays.
    """
    knots = n // KNOT + 2
    shift = np.interp(np.arange(n) / KNOT, np.arange(knots), sd * random.standard_normal(knots))
    rows = np.clip(np.round(np.arange(n) + shift), 0, n - 1).astype(int)
    return [*np.maximum.accumulate(rows).tolist(), n]


def unit_points(pieces: Sequence[Piece], points: Array, by_section: bool) -> Array:
    """Return one point a unit, as the token ids count them: that of its first sentence.

    A unit is a sentence, but where the text form puts no mark after one (or, ``by_section``, none
    at all) the next belongs to the same unit.
    """
    if by_section:  # as with opening tags: the first opens the unit that has begun already
        tags = np.cumsum([p.first and p.tag is not None for p in pieces])
        numbers = np.maximum(tags - 1, 0)
    else:
        numbers = np.concatenate([[0], np.cumsum([p.marked for p in pieces])[:-1]])
    return points[np.unique(numbers, return_index=True)[1]]


def stages(pieces: Sequence[Piece], tags: Sequence[str], points: int) -> list[tuple[int, int]]:
    """Return the stage of each section and how many units it has, up to ``points`` in all."""
    found: list[tuple[int, int]] = []
    for piece in pieces[:points]:
        if piece.first or not found:
            stage = NO_STAGE if piece.tag is None else tags.index(piece.tag)
            found.append((stage, 0))
        found[-1] = (found[-1][0], found[-1][1] + 1)
    return found


def has_stages(codec: Codec) -> bool:
    """Return whether documents come through stages in order, each sentence being a unit."""
    layout = codec.layout
    return bool(layout.tags) and not layout.floating and not codec.style.period


def boundaries(codec: Codec) -> tuple[list[int], bool]:
    """Return the ids by which units are counted in a text form, and whether they open one."""
    if codec.style.period and codec.layout.period == "no mark":
        if not codec.tag_ids:
            raise TimeControlError(
                "The paper's text form marks no utterances but by their speakers, and these "
                "documents name none: use --preset best."
            )
        return sorted(codec.tag_ids.values()), True
    return [codec.unit_end], False


class Examples(Dataset[Example]):
    """The documents of a corpus as examples."""

    def __init__(
        self,
        items: Sequence[Item],
        codec: Codec,
        settings: Settings,
        window: int,
        scale: Array | None = None,
        weighted: bool = False,
        bridge: Bridge | None = None,
    ) -> None:
        """Make examples of documents.

        Args:
            items: The documents.
            codec: How they are written.
            settings: How they are trained on.
            window: Tokens of an example at most.
            scale: Standard deviation of each coordinate of their latents: given for training, when
                noise is added, decisions are weighted and draws differ by epoch.
            weighted: Whether decisions are weighted all the same, as in validation.
            bridge: Where missing sentences lie, by those about them; ``None``: where they lie is
                told, whatever the settings say.
        """
        self.codec, self.settings, self.window, self.scale = codec, settings, window, scale
        self.weighted = weighted or scale is not None
        self.bridge = bridge if settings.told == "bridge" else None
        self.items = list(items)
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Draw anew from here on; the trainer calls it."""
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, number: int) -> Example:
        s, item, training = self.settings, self.items[number], self.scale is not None
        random = np.random.default_rng((s.seed, self.epoch if training else 0, number))
        if s.fills:
            return self._with_gap(item, random)
        pieces, points = item.pieces, item.points
        if s.trim == "sections":
            kept = trim(pieces, self.window, random)
            pieces, points = [pieces[i] for i in kept], points[kept]
        if not s.final_mark:
            pieces = [*pieces[:-1], replace(pieces[-1], marked=False)]
        share, numbered = s.astray if training else 0.0, self.codec.layout.numbered
        pieces, which = strayed(pieces, share, random, numbered)
        encoded = self.codec.join(pieces)
        by_section = boundaries(self.codec)[1]
        points = unit_points(pieces, points, by_section)
        within = s.within and has_stages(self.codec)
        own = [p.tag for p in pieces] if within else None
        points = smoothed(points, s.smooth, own)
        if self.bridge is not None:
            points = left_out(self.bridge, points)
        keep = True
        if self.scale is not None:
            points = points + s.noise * self.scale * random.standard_normal(points.shape)
            keep = bool(random.random() >= s.latent_dropout)
        ids = encoded.ids[: self.window]
        if len(ids) < len(encoded.ids):  # cut: what follows is not of this example
            numbers = unit_index(torch.tensor(ids), *boundaries(self.codec))
            points = points[: int(numbers[-1]) + 1]
        starts = [(tag, at) for tag, at in encoded.starts if at < len(ids)]
        sections = stages(pieces, self.codec.layout.tags, len(points))
        rows = None
        if self.scale is not None and s.jitter and len(points) and points.shape[1]:
            rows = warped(len(points), s.jitter, random)
        places = spans(pieces)
        unlearnt = {i for place in which for i in places[place]}
        weights = self._weights(ids, unlearnt)
        return Example(ids, weights, points, keep, starts, sections, rows)

    def _with_gap(self, item: Item, random: np.random.Generator) -> Example:
        """Return a document as an example of filling a gap (``arrangement``)."""
        s, pieces = self.settings, item.pieces
        gap = drawn_gap(len(pieces), s.gap, random)
        costs = [len(self.codec.written(p)) for p in pieces]
        missing = sum(costs[i] for i in gap)
        within = near(costs, gap, self.window - MARKS - missing)
        read = arranged(self.codec, pieces, gap, within, s.arrangement)
        fill = [token for i in gap for token in self.codec.written(pieces[i])]
        ids = [*read.ids, *fill, self.codec.end][: self.window]
        whole = smoothed(item.points, s.smooth)  # (sentences, d)
        points = whole[[*read.order, *gap]]
        if self.bridge is not None:
            known = {i - within.start: whole[i] for i in read.order}
            ends = within.start == 0, within.stop == len(pieces)
            places = [i - within.start for i in gap]
            points[-len(gap) :] = self.bridge.given(known, places, len(within), *ends).mean
        keep = True
        if self.scale is not None:
            points = points + s.noise * self.scale * random.standard_normal(points.shape)
            keep = bool(random.random() >= s.latent_dropout)
        marks = {self.codec.blank, self.codec.fill}
        weights = [0.0 if token in marks else 1.0 for token in ids]
        return Example(ids, weights, points, keep, [], [])

    def _weights(self, ids: list[int], unlearnt: Collection[int] = ()) -> list[float]:
        """Return how much each prediction counts: more after a sentence or at the beginning.

        Words that are not learnt count nothing, unless they say that no tag comes, nor the end.
        """
        heavy = self.settings.end_weight if self.weighted else 1.0
        decide = (self.codec.unit_end, self.codec.begin)
        return [
            heavy if before in decide else 0.0 if i in unlearnt else 1.0
            for i, before in enumerate([-1, *ids[:-1]])
        ]


def items_of(
    documents: Sequence[Document],
    paths: Sequence[Array],
    codec: Codec,
    settings: Settings,
    window: int,
) -> list[Item]:
    """Return documents with what their tokens and points are; too long ones may be left out.

    Args:
        documents: Of a corpus.
        paths: Their latents, one a document; for other methods than ``planned`` not looked at.
        codec: How they are written.
        settings: How they are trained on.
        window: Tokens at most, where ``trim`` is ``drop``.
    """
    found = []
    for document, path in zip(documents, paths, strict=True):
        pieces = codec.pieces(document)
        if settings.trim == "drop" and size(pieces) >= window:
            continue
        if settings.method == "plain":
            points = np.zeros((len(pieces), 0))
        elif settings.method == "clock":
            points = np.zeros((len(pieces), 1))
        elif settings.method == "planned":
            points = np.asarray(path, np.float64)
        else:
            sparse = settings.method == "section-sparse"
            points = section_points(pieces, codec.layout.tags, sparse)
        found.append(Item(pieces, points))
    return found


@dataclass(frozen=True)
class Collator:
    """Examples to a batch, filled up to the longest (or to a fixed length)."""

    pad: int
    """The id that fills."""
    boundaries: tuple[int, ...]
    opens: bool
    early: bool = False
    """Whether the plan's next point comes one token early."""
    fixed: int = 0
    """Tokens and points of every batch, where its shape must not change (compiled training)."""
    masked: bool = True
    """Whether the model is told what is filled: a causal one never looks there."""

    def __call__(self, examples: Sequence[Example]) -> dict[str, Any]:
        """Return the tensors that ``PlannedLM.forward`` takes."""
        longest = self.fixed or max(len(e.ids) for e in examples)
        ids = torch.full((len(examples), longest), self.pad)
        mask, labels = torch.zeros_like(ids), torch.full_like(ids, IGNORED)
        weights = torch.zeros(ids.shape)
        for row, e in enumerate(examples):
            n = len(e.ids)
            ids[row, :n] = torch.tensor(e.ids)
            mask[row, :n] = 1
            labels[row, 1:n] = ids[row, 1:n]
            weights[row, :n] = torch.tensor(e.weights)
        batch = {"input_ids": ids, "attention_mask": mask, "labels": labels, "weights": weights}
        if not self.masked:
            del batch["attention_mask"]
        if examples[0].points.shape[1]:
            batch |= plan_batch([e.points for e in examples], self.fixed // 4)
            batch["plan_keep"] = torch.tensor([e.keep for e in examples])
        if examples[0].rows is not None:
            units = unit_index(ids, self.boundaries, self.opens)
            told = [torch.tensor(e.rows or range(len(e.points) + 1)) for e in examples]
            own = [t[u.clamp_max(len(t) - 1)] for t, u in zip(told, units, strict=True)]
            batch["units"] = torch.stack(own)
        if self.early:
            units = unit_index(ids, self.boundaries, self.opens)
            batch["units"] = torch.cat([units[:, 1:], units[:, -1:]], -1)
        return batch


def plan_batch(paths: Sequence[Array], least: int = 0) -> dict[str, Tensor]:
    """Return plans of several lengths as one tensor, filled with zeros, and their lengths."""
    longest = max(least, *(len(p) for p in paths))
    plan = torch.zeros(len(paths), longest, paths[0].shape[1])
    for row, path in enumerate(paths):
        plan[row, : len(path)] = torch.from_numpy(np.asarray(path, np.float32))
    return {"plan": plan, "plan_length": torch.tensor([len(p) for p in paths])}
