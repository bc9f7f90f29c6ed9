"""A text with gaps to a text without: candidates are drawn, ranked, and the best one is put in.

Gaps are filled from left to right; a later one is filled after what has been written in those
before it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError, pick
from timecontrol.infilling.asking import Ask, ask_of, sentences_read, stretch, with_told
from timecontrol.infilling.drafts import MOST, Draft, Drawing, drafts
from timecontrol.infilling.gaps import Gapped, read_gaps
from timecontrol.infilling.ranking import Measured, Weights, measured
from timecontrol.plans.missing import Bridge
from timecontrol.sentences import clean

Array = NDArray[np.float64]

SAMPLED = 2
"""Apart from the random numbers of plans and texts."""
MOST_CANDIDATES = 256
LOUDEST = 100
"""What the noise of the bridge is multiplied by, at most."""
MOST_WORDS = 100
PER_WORD = 1.25
"""Tokens of a word, with its share of the punctuation."""


@dataclass(frozen=True)
class Filling:
    """How gaps are filled."""

    candidates: int = 1
    drawing: Drawing = field(default_factory=Drawing)
    weights: Weights = field(default_factory=Weights)
    noise: float = 0.0
    """What the noise of the bridge is multiplied by, so that candidates lie apart; 0: its mean."""
    context: int | None = None
    """Sentences that are read on each side, at most; ``None``: as many as training documents have,
    or all, where they are long."""

    def __post_init__(self) -> None:
        if not 1 <= self.candidates <= MOST_CANDIDATES:
            raise TimeControlError(
                f"{self.candidates} candidates are asked for: from 1 to {MOST_CANDIDATES}."
            )
        if not 0 <= self.noise <= LOUDEST:
            raise TimeControlError(f"noise is {self.noise:g}: from 0 to {LOUDEST}.")
        if self.context is not None and self.context < 0:
            raise TimeControlError(f"context is {self.context}: 0 sentences or more.")


@dataclass(frozen=True)
class Candidate:
    """Sentences for a gap."""

    sentences: tuple[str, ...]
    score: float
    measured: Measured
    cut: bool = False
    """Whether a sentence was ended because it was as long as it may be."""

    @property
    def text(self) -> str:
        """The sentences, joined by spaces."""
        return " ".join(self.sentences)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        m = self.measured
        return {
            "text": self.text,
            "sentences": list(self.sentences),
            "score": self.score,
            "cut": self.cut,
            "likely": m.likely,
            "near": m.near,
            "follows": m.follows,
            "latents": None if m.latents is None else m.latents.tolist(),
        }


@dataclass(frozen=True)
class Filled:
    """A gap, and what was written for it."""

    gap: range
    """Places in the text, from 0."""
    candidates: tuple[Candidate, ...]
    """Best first."""
    mean: Array | None
    """Where the bridge has the missing sentences, (missing, d)."""
    read: range
    """Sentences of the text that counted, the gap with them."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "first": self.gap.start,
            "sentences": len(self.gap),
            "read": [self.read.start, self.read.stop],
            "bridge": None if self.mean is None else self.mean.tolist(),
            "candidates": [c.as_dict() for c in self.candidates],
        }


@dataclass(frozen=True)
class Infilled:
    """A text whose gaps have been filled."""

    whole: Gapped
    gaps: tuple[Filled, ...]

    @property
    def text(self) -> str:
        """The text, with the best candidates in it."""
        return self.whole.text

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"text": self.text, "gaps": [gap.as_dict() for gap in self.gaps]}


def weights_of(given: Mapping[str, float | None]) -> Weights:
    """Return weights, the usual ones but for those that are given."""
    for name in given:
        pick(vars(Weights()), name, "weight")
    return replace(Weights(), **{k: v for k, v in given.items() if v is not None})


def filling_of(
    decoder: Decoder,
    *,
    first: str | None = None,
    words: int | None = None,
    weights: Mapping[str, float | None] | None = None,
    latents: bool = True,
    seed: int = 0,
    top_p: float = 0.95,
    temperature: float = 1.0,
    **rest: Any,
) -> Filling:
    """Return how gaps are filled, from what a user asks for.

    Args:
        decoder: What will write.
        first: Words that the first missing sentence begins with.
        words: About so many in each missing sentence: four fifths to twice as many, by its tokens.
        weights: Of the ranking, by name, where they are not the usual ones.
        latents: Whether the plan is told.
        seed: Of the draws.
        top_p: Mass of the tokens that are drawn from.
        temperature: Of the draws; 0: the most probable token.
        **rest: Other fields of ``Filling``.

    Raises:
        TimeControlError: Something is out of its range.
    """
    codec = decoder.codec
    given: dict[str, Any] = {}
    if first is not None:
        if not clean(first):
            raise TimeControlError(f"The first words are {first!r}: give at least one.")
        if any("\ud800" <= c <= "\udfff" for c in first):
            raise TimeControlError("The first words are not UTF-8 text.")
        given["first"] = tuple(codec.tokens(codec.style.space + clean(first)))
    if words is not None:
        if not 1 <= words <= MOST_WORDS:
            raise TimeControlError(f"words is {words}: from 1 to {MOST_WORDS}.")
        given |= {"least": max(1, round(0.8 * PER_WORD * words))}
        given["most"] = max(given["least"] + 1, round(2 * PER_WORD * words) + 1)
    if (n := len(given.get("first", ()))) >= given.get("most", MOST):
        raise TimeControlError(
            f"The first words are {n} tokens, of a sentence of at most {given.get('most', MOST)}: "
            "give fewer" + (", or more --words." if words else ".")
        )
    drawing = Drawing(top_p=top_p, temperature=temperature, seed=seed, latents=latents, **given)
    return Filling(drawing=drawing, weights=weights_of(weights or {}), **rest)


def bridge_of(decoder: Decoder) -> Bridge | None:
    """Return where missing sentences lie, for a decoder that follows latents; else ``None``."""
    if decoder.encoder is None:
        return None
    return decoder.bridge or Bridge.of_fit(decoder.encoder.fit_)


def infill(
    decoder: Decoder,
    text: str | Gapped,
    filling: Filling | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Infilled:
    """Fill the gaps of a text.

    Args:
        decoder: What writes; a model that was trained to fill gaps (``--arrangement``), or any.
        text: With gaps (``gaps.read_gaps``).
        filling: How.
        tick: Called once a step of the drawing; what it raises ends it.

    Raises:
        TimeControlError: There is no gap, nothing beside it, or more than the decoder takes.
    """
    filling = filling or Filling()
    layout = decoder.codec.layout
    if isinstance(text, str):
        text = read_gaps(text, layout.tags, layout.unit == "utterance")
    bridge = bridge_of(decoder)
    done = []
    for number, gap in enumerate(text.gaps):
        known = sentences_read(decoder)
        latents = latents_of(decoder, [text], stretch(text, gap, filling.context, known))[0]
        ask = ask_of(decoder, text, gap, bridge, latents, context=filling.context)
        own = within_room(decoder, ask, filling)
        filled = fill_all(decoder, [ask], [number], own, tick=tick)[0]
        text = text.filled(gap, filled.candidates[0].sentences)
        done.append(filled)
        filling = replace(filling, drawing=replace(filling.drawing, first=()))
    return Infilled(text, tuple(done))


def within_room(decoder: Decoder, ask: Ask, filling: Filling) -> Filling:
    """Return the same with sentences no longer than what the base still takes after the context.

    Raises:
        TimeControlError: The first words alone, or so many words, are more than that.
    """
    drawing = filling.drawing
    taken = len(ask.prefix) + sum(len(own) + 1 for own in ask.openings)
    room = (decoder.positions - taken) // ask.missing
    if room > drawing.most:
        return filling
    if room <= max(len(drawing.first), drawing.least):
        raise TimeControlError(
            f"After the sentences about the gap this base has room for {max(room, 0)} tokens in "
            "each missing one, which is less than was asked for: --context N reads only N "
            "sentences on each side."
        )
    return replace(filling, drawing=replace(drawing, most=room))


def latents_of(
    decoder: Decoder, texts: Sequence[Gapped], within: range | None = None
) -> list[dict[int, Array]]:
    """Return the latents of the sentences of texts, by their place; ``within``: of these alone."""
    if decoder.encoder is None:
        return [{} for _ in texts]
    if within is not None:
        texts = [Gapped(tuple(text.slots[: within.stop])) for text in texts]
    skipped = within.start if within is not None else 0
    slots = [slot for text in texts for slot in text.slots[skipped:]]
    known = sorted({slot.text for slot in slots if slot.text is not None})
    rows = dict(zip(known, np.asarray(decoder.encoder.encode(known), np.float64), strict=True))
    return [
        {
            i: rows[slot.text]
            for i, slot in enumerate(text.slots)
            if slot.text is not None and i >= skipped
        }
        for text in texts
    ]


def plans_of(decoder: Decoder, ask: Ask, number: int, filling: Filling) -> list[Array | None]:
    """Return the plan of each candidate: the bridge's mean, or drawn from it."""
    if ask.points is None or ask.posterior is None:
        return [None] * filling.candidates
    if not filling.noise:
        return [ask.points] * filling.candidates
    found: list[Array | None] = []
    for candidate in range(filling.candidates):
        random = np.random.default_rng((filling.drawing.seed, number, SAMPLED, candidate))
        found.append(with_told(decoder, ask, ask.posterior.sample(random, filling.noise)))
    return found


def fill_all(
    decoder: Decoder,
    asks: Sequence[Ask],
    numbers: Sequence[int],
    filling: Filling,
    exact: bool = True,
    tick: Callable[[], None] = lambda: None,
) -> list[Filled]:
    """Fill gaps that do not depend on each other, all at once.

    Args:
        decoder: What writes.
        asks: What is asked.
        numbers: Of the gaps, for their random numbers.
        filling: How.
        exact: Whether on a CPU each is computed by itself (``drafts``).
        tick: Called once a step of the drawing; what it raises ends it.
    """
    plans = [plans_of(decoder, a, n, filling) for a, n in zip(asks, numbers, strict=True)]
    found = drafts(decoder, asks, plans, numbers, filling.drawing, exact, tick)
    told = filling.drawing.latents
    follow = filling.candidates > 1 and filling.weights.follows > 0
    known = measured(decoder, asks, found, plans, told, follow)
    return [
        Filled(
            ask.gap,
            ranked(own, rows, filling.weights),
            None if ask.posterior is None else ask.posterior.mean,
            ask.within,
        )
        for ask, own, rows in zip(asks, found, known, strict=True)
    ]


def ranked(
    found: Sequence[Draft], known: Sequence[Measured], weights: Weights
) -> tuple[Candidate, ...]:
    """Return candidates, best first; equal ones once.

    Those that were cut off come after those that were not, and those with an empty sentence last.
    """
    pairs = zip(found, known, strict=True)
    every = [Candidate(d.sentences, m.score(weights), m, d.cut) for d, m in pairs]
    every.sort(key=lambda c: (not all(c.sentences), c.cut, -c.score))
    unique: dict[tuple[str, ...], Candidate] = {}
    for candidate in every:
        unique.setdefault(candidate.sentences, candidate)
    return tuple(unique.values())
