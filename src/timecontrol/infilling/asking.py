"""A gap and a decoder to what is asked of the model: what it reads, and the plan of the rest.

The sentences about the gap are read as the decoder was trained to (``decoder.arrangement``), or,
by one that reads forward, those before it. What follows then reaches it through the plan alone:
the latents of the missing sentences lie on a bridge between those that are there
(``plans.missing``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from timecontrol.corpora.documents import Document, Section, Source
from timecontrol.decoder import Decoder
from timecontrol.decoder.arrangement import arranged
from timecontrol.decoder.examples import boundaries, smoothed, unit_points
from timecontrol.errors import TimeControlError
from timecontrol.infilling.gaps import Gapped
from timecontrol.plans.missing import Bridge, Posterior, left_out
from timecontrol.tokens import Piece

Array = NDArray[np.float64]

ROOM = 48
"""Tokens that are kept free for each missing sentence."""


@dataclass(frozen=True)
class Ask:
    """What a decoder is asked to write."""

    prefix: list[int]
    """Tokens that it reads, without what opens the first missing sentence."""
    openings: list[list[int]]
    """What stands before each missing sentence."""
    points: Array | None
    """The plan: a point of each sentence that is read, then of each missing one, (units, d)."""
    posterior: Posterior | None
    """Where the missing sentences lie, (missing, d)."""
    after: list[int]
    """The sentences that follow the gap, as tokens."""
    alone: list[int] | None
    """What it would read if nothing followed the gap; ``None``: it reads nothing of that anyway."""
    alone_order: list[int]
    """Which of the points go with that."""
    latents: dict[int, Array]
    """Of the sentences about the gap, by their place, from the first that is read."""
    within: range
    """Which sentences of the text are read or missing."""
    gap: range
    rows: list[int]
    """Which sentences, from the first that counts, have the points of the plan."""
    ends: tuple[bool, bool]
    """Whether the first sentence that counts is the text's first, and the last its last."""

    @property
    def missing(self) -> int:
        """Sentences to be written."""
        return len(self.openings)

    @property
    def first(self) -> int:
        """Which point of the plan is that of the first missing sentence."""
        place = self.gap.start - self.within.start
        return self.rows.index(place) if place in self.rows else sum(r < place for r in self.rows)


def pieces_of(decoder: Decoder, text: Gapped) -> list[Piece]:
    """Return the sentences of a text as tokens; a missing one has none of its own."""
    sections: list[tuple[str | None, list[str]]] = []
    for slot in text.slots:
        if slot.first or not sections:
            sections.append((slot.tag, []))
        sections[-1][1].append(slot.text or "?")
    whole = tuple(Section(tag, tuple(sentences)) for tag, sentences in sections)
    found = decoder.codec.pieces(Document("text", whole, Source("text", 1, 0)))
    slots = zip(found, text.slots, strict=True)
    return [replace(p, ids=[], marked=True) if s.text is None else p for p, s in slots]


def stretch(text: Gapped, gap: range, context: int | None, longest: int | None) -> range:
    """Return which sentences are read, the gap with them; none beyond another gap.

    Args:
        text: With the gap.
        gap: Its places.
        context: Sentences on each side at most; ``None``: as many as the decoder knows documents.
        longest: Sentences of its longest training document; ``None``: it is not known.
    """
    low = next((i + 1 for i in reversed(range(gap.start)) if text.slots[i].text is None), 0)
    n = len(text.slots)
    high = next((i for i in range(gap.stop, n) if text.slots[i].text is None), n)
    left, right = gap.start - low, high - gap.stop
    if context is not None:
        left, right = min(left, context), min(right, context)
    elif longest is not None:
        room = max(longest - len(gap), 2)  # one on each side, at least
        half = (room + 1) // 2
        fewer = min(left, max(half, room - right))
        left, right = fewer, min(right, max(room - fewer, 0))
    return range(gap.start - left, gap.stop + right)


def sentences_read(decoder: Decoder) -> int | None:
    """Return how many sentences a decoder reads at most: those of its longest document, or all."""
    alone = decoder.settings.fills or not decoder.codec.layout.tags
    found: int | None = decoder.config.get("longest") if alone else None
    return found


def ask_of(
    decoder: Decoder,
    text: Gapped,
    gap: range,
    bridge: Bridge | None,
    latents: dict[int, Array],
    *,
    context: int | None = None,
    told: Array | None = None,
) -> Ask:
    """Return what a decoder is asked for a gap.

    Args:
        decoder: What will write.
        text: With the gap.
        gap: Its places in the text.
        bridge: Where missing sentences lie; ``None`` for a decoder without plans.
        latents: Of the sentences of the text, by their place.
        context: Sentences that are read on each side, at most.
        told: Latents of the missing sentences, (missing, d), instead of those of the bridge.

    Raises:
        TimeControlError: There is nothing about the gap, or more than the decoder takes.
    """
    codec, s = decoder.codec, decoder.settings
    if decoder.model.config.plan_dim and bridge is None:
        raise TimeControlError(
            f"A decoder of the method {s.method} has no latents for missing sentences: gaps are "
            "filled by one of the method planned or plain."
        )
    within = stretch(text, gap, context, sentences_read(decoder))
    if len(within) == len(gap):
        raise TimeControlError(
            "There is nothing beside the gap: it is filled from the sentences before or after it."
            + (" --context 1 or more reads some." if context == 0 else "")
        )
    pieces = pieces_of(decoder, text)
    before, after = range(within.start, gap.start), range(gap.stop, within.stop)
    followed = [token for i in after for token in codec.written(pieces[i])]
    alone, alone_order = None, list[int]()
    if s.fills:
        read = arranged(codec, pieces, gap, within, s.arrangement)
        prefix, order = read.ids, read.order
        if before and after:
            part = arranged(codec, pieces, gap, range(within.start, gap.stop), s.arrangement)
            alone = part.ids
            alone_order = [order.index(i) for i in part.order]
    else:
        prefix = [codec.begin, *(token for i in before for token in codec.written(pieces[i]))]
        order = [*before]
    size, most = len(prefix) + ROOM * len(gap), min(decoder.window, decoder.positions)
    if size > most:
        raise TimeControlError(
            f"The sentences about the gap are {len(prefix)} tokens, and {size - len(prefix)} are "
            f"kept for what is missing; this decoder takes {most}: --context N reads only N "
            "sentences on each side."
        )
    points = posterior = None
    ends = within.start == 0, within.stop == len(text.slots)
    if s.fills:
        rows = [i - within.start for i in (*order, *gap)]
    else:
        counted = np.arange(len(within), dtype=np.float64)
        own = unit_points([pieces[i] for i in within], counted, boundaries(codec)[1])
        rows = [int(i) for i in own]
    near = {i - within.start: latents[i] for i in (*before, *after) if i in latents}
    if bridge is not None and decoder.model.config.plan_dim:
        places = [i - within.start for i in gap]
        posterior = bridge.given(near, places, len(within), *ends)
        mean = posterior.mean if told is None else told
        points = plan_points(decoder, near, places, mean, ends)[rows]
    return Ask(
        prefix=prefix,
        openings=[codec.opening(pieces[i]) for i in gap],
        points=points,
        posterior=posterior,
        after=followed,
        alone=alone,
        alone_order=alone_order,
        latents=near,
        within=within,
        gap=gap,
        rows=rows,
        ends=ends,
    )


def plan_points(
    decoder: Decoder,
    near: dict[int, Array],
    places: Sequence[int],
    missing: Array,
    ends: tuple[bool, bool] = (True, True),
) -> Array:
    """Return the latents of a stretch of sentences as the decoder follows them, (n, d).

    Args:
        decoder: Which follows them.
        near: Of the sentences about the gap.
        places: Of the missing ones.
        missing: Theirs, (missing, d).
        ends: Whether the stretch begins where its document does, and ends there.
    """
    whole = dict(near) | dict(zip(places, missing, strict=True))
    points = np.stack([whole[i] for i in range(len(whole))])
    s = decoder.settings
    points = smoothed(points, s.smooth)
    if s.told == "bridge" and not s.fills and decoder.bridge is not None:
        points = left_out(decoder.bridge, points, *ends)
        points[list(places)] = missing
    return points


def with_told(decoder: Decoder, ask: Ask, told: Array) -> Array:
    """Return the plan of a gap with other latents of the missing sentences, (units, d)."""
    places = [i - ask.within.start for i in ask.gap]
    return plan_points(decoder, ask.latents, places, told, ask.ends)[ask.rows]
