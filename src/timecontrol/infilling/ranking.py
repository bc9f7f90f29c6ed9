"""Which of several candidates fits a gap best: by the words, by the path, by what follows.

With m the tokens of the candidate, r those of the right context R, L the left one, d the latent
dimension, y the candidate's latents as the encoder reads them::

    likely   = log p(candidate | what the decoder reads) / m
    near     = log density of y on the bridge between the sentences about the gap / d
    follows  = ( log p(R | L, candidate) - log p(R | L) ) / r

A decoder that reads R before it writes gives the last one by Bayes' rule, from what it thinks of
the candidate with R and without it, over the same tokens, its marks with them::

    log p(R | L, candidate) - log p(R | L)  =  log p(candidate | L, R) - log p(candidate | L)

Where latents are told, all of it is given these, too.

    score = a likely + b near + c follows

What cannot be told (no right context, no left one where R is read first, no encoder, more tokens
than the base takes) counts 0 for all candidates of the gap.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.infilling.asking import Ask
from timecontrol.infilling.drafts import Draft
from timecontrol.infilling.likelihood import Sequel, log_probs

Array = NDArray[np.float64]


HEAVIEST = 1000
"""What a weight is, at most."""


@dataclass(frozen=True)
class Weights:
    """How much each of them counts: chosen on validation windows of stories (docs/log.md)."""

    likely: float = 0.25
    near: float = 1.0
    follows: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 <= value <= HEAVIEST:
                raise TimeControlError(f"The weight {name} is {value:g}: from 0 to {HEAVIEST}.")


@dataclass(frozen=True)
class Measured:
    """What is known of a candidate."""

    likely: float
    near: float | None
    follows: float | None
    latents: Array | None
    """(missing, d)"""

    def score(self, weights: Weights) -> float:
        """Return the sum by which candidates are ranked."""
        return (
            weights.likely * self.likely
            + weights.near * (self.near or 0.0)
            + weights.follows * (self.follows or 0.0)
        )


def measured(
    decoder: Decoder,
    asks: Sequence[Ask],
    found: Sequence[Sequence[Draft]],
    plans: Sequence[Sequence[Array | None]],
    told: bool = True,
    follow: bool = True,
) -> list[list[Measured]]:
    """Return what is known of the candidates of several gaps.

    Args:
        decoder: What wrote them; its encoder reads them.
        asks: What it was asked.
        found: The candidates.
        plans: Which plan each followed.
        told: Whether it was told the latents.
        follow: Whether it is asked how well the right context follows, which takes a while.
    """
    latents = _latents(decoder, found)
    follows = _follows(decoder, asks, found, plans, told) if follow else None
    result = []
    for i, (ask, drafts) in enumerate(zip(asks, found, strict=True)):
        rows = []
        for c, draft in enumerate(drafts):
            own = latents[i][c] if latents else None
            near = None
            if own is not None and ask.posterior is not None:
                near = ask.posterior.log_prob(own) / own.size
            rows.append(
                Measured(
                    draft.log_prob / max(draft.tokens, 1),
                    near,
                    follows[i][c] if follows else None,
                    own,
                )
            )
        result.append(rows)
    return result


def _latents(decoder: Decoder, found: Sequence[Sequence[Draft]]) -> list[list[Array]] | None:
    """Return the latents of all candidates, each (missing, d)."""
    if decoder.encoder is None:
        return None
    texts = sorted({s for drafts in found for draft in drafts for s in draft.sentences})
    rows = np.asarray(decoder.encoder.encode(texts), np.float64)
    known = dict(zip(texts, rows, strict=True))
    return [[np.stack([known[s] for s in d.sentences]) for d in drafts] for drafts in found]


def _follows(
    decoder: Decoder,
    asks: Sequence[Ask],
    found: Sequence[Sequence[Draft]],
    plans: Sequence[Sequence[Array | None]],
    told: bool,
) -> list[list[float | None]]:
    """Return how well the right context follows each candidate, in nats a token of it."""
    fills = decoder.settings.fills
    places: list[tuple[int, int]] = []
    sequels: list[Sequel] = []
    alone: list[Sequel] = []
    without: dict[int, Sequel] = {}
    for i, (ask, drafts) in enumerate(zip(asks, found, strict=True)):
        longest = len(ask.prefix) + max(len(d.ids) for d in drafts) + len(ask.after) * (not fills)
        if not ask.after or (fills and ask.alone is None) or longest > decoder.positions:
            continue
        for c, draft in enumerate(drafts):
            points = plans[i][c]
            places.append((i, c))
            if fills:
                assert ask.alone is not None
                sequels.append(Sequel(ask.prefix, draft.ids, points))
                if points is not None:
                    rows = [*ask.alone_order, *range(len(points) - ask.missing, len(points))]
                    points = points[rows]
                alone.append(Sequel(ask.alone, draft.ids, points))
            else:
                sequels.append(Sequel([*ask.prefix, *draft.ids], ask.after, points))
        if not fills:
            points = ask.points
            if points is not None:
                points = np.delete(points, slice(ask.first, ask.first + ask.missing), 0)
            without[i] = Sequel(ask.prefix, ask.after, points)
    values = log_probs(decoder, sequels, told)
    if fills:
        others = log_probs(decoder, alone, told).tolist()
    else:
        bare = dict(zip(without, log_probs(decoder, list(without.values()), told), strict=True))
        others = [float(bare[i]) for i, _ in places]
    result: list[list[float | None]] = [[None] * len(drafts) for drafts in found]
    for (i, c), value, other in zip(places, values.tolist(), others, strict=True):
        result[i][c] = (value - other) / len(asks[i].after)
    return result
