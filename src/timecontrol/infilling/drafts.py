"""What is missing is drawn, token by token, for several gaps and candidates at once.

What all candidates of a gap read is computed once; from where the plan of the missing sentences
begins, each goes its own way. Nothing that stands between sentences is drawn: a sentence ends with
its mark, the next one is opened as the text demands, and after the last it is over. What is drawn
belongs to (seed, number of the gap, candidate, step).
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from timecontrol.decoder import Decoder
from timecontrol.decoder.alignment import is_boundary, row_of, unit_index
from timecontrol.decoder.examples import plan_batch
from timecontrol.errors import TimeControlError
from timecontrol.generation.noise import uniforms
from timecontrol.generation.packed import packed
from timecontrol.generation.sampling import choose, draws_for
from timecontrol.generation.write import ONE, filled, plain_attention
from timecontrol.infilling.asking import Ask

Array = NDArray[np.float64]

MOST = 96
"""Tokens of a sentence, at most, where nothing else is asked for."""
BEGINS = ("\u0120", "\u2581", " ")
"""What a token starts with that begins a word: as byte-level and SentencePiece vocabularies say."""
DROP = 0.8
"""Share of a batch that is still written, from which on the rest of it is dropped."""


@dataclass(frozen=True)
class Drawing:
    """How it is drawn."""

    top_p: float = 0.95
    temperature: float = 1.0
    seed: int = 0
    least: int = 1
    """Tokens of a sentence, its mark left out, at least."""
    most: int = MOST
    first: tuple[int, ...] = ()
    """Tokens that the first missing sentence begins with."""
    latents: bool = True
    """Whether the model is told the latents at all."""

    def __post_init__(self) -> None:
        if not 0 < self.top_p <= 1:
            raise TimeControlError(f"top-p is {self.top_p:g}: above 0, at most 1.")
        if not 0 <= self.temperature < float("inf"):
            raise TimeControlError(f"temperature is {self.temperature:g}: 0 or more.")
        if not 0 <= self.seed < 2**31:
            raise TimeControlError(f"seed is {self.seed}: from 0, below 2147483648.")
        if not 1 <= self.least <= self.most:
            raise TimeControlError(
                f"A sentence of {self.least} to {self.most} tokens: from 1 on, the least first."
            )


@dataclass(frozen=True)
class Draft:
    """The missing sentences as they were drawn."""

    ids: list[int]
    """With all marks, what opens the first sentence too."""
    log_prob: float
    """Of the tokens that were drawn, in nats; the given ones count as well, forced ones not."""
    tokens: int
    """How many that are."""
    sentences: tuple[str, ...]
    cut: bool = False
    """Whether a sentence was ended because it was as long as it may be."""


@torch.no_grad()
def drafts(
    decoder: Decoder,
    asks: Sequence[Ask],
    plans: Sequence[Sequence[Array | None]],
    numbers: Sequence[int],
    drawing: Drawing,
    exact: bool = True,
    tick: Callable[[], None] = lambda: None,
) -> list[list[Draft]]:
    """Return the candidates of each gap.

    Args:
        decoder: What writes.
        asks: What it is asked.
        plans: A plan for each candidate of each gap, as many everywhere; ``None`` without plans.
        numbers: Of the gaps, for their random numbers.
        drawing: How it is drawn.
        exact: Whether on a CPU each gap is computed by itself, so that it does not matter what
            else is asked.
        tick: Called once a step; what it raises ends the drawing.
    """
    if exact and decoder.model.device.type == "cpu" and len(asks) > 1:
        parts = zip(asks, plans, numbers, strict=True)
        return [
            found
            for a, p, n in parts
            for found in drafts(decoder, [a], [p], [n], drawing, tick=tick)
        ]
    k = len(plans[0])
    with ExitStack() as stack:
        alike = filled(len(asks) * k, decoder.model, exact)
        stack.enter_context(ONE)
        stack.enter_context(plain_attention(decoder.model))
        stack.enter_context(packed(decoder.model))
        rows = [(row // k, row % k) for row in alike]
        found = _draw(decoder, asks, plans, numbers, drawing, rows, not exact, tick)
    return [found[i * k : i * k + k] for i in range(len(asks))]


def _draw(
    decoder: Decoder,
    asks: Sequence[Ask],
    plans: Sequence[Sequence[Array | None]],
    numbers: Sequence[int],
    drawing: Drawing,
    rows: list[tuple[int, int]],
    drop: bool = False,
    tick: Callable[[], None] = lambda: None,
) -> list[Draft]:
    """Return one draft for each (ask, candidate) of ``rows``; ``drop`` those that are done."""
    model, codec = decoder.model, decoder.codec
    device, counted, opens = model.device, model.config.boundaries, model.config.opens
    given = [[*ask.openings[0], *drawing.first] for ask in asks]
    starts = [[*ask.prefix, *own] for ask, own in zip(asks, given, strict=True)]
    longest = max(len(ids) for ids in starts)
    ids = torch.full((len(asks), longest), int(codec.tokenizer.pad_token_id), device=device)
    mask = torch.zeros_like(ids)
    for row, own in enumerate(starts):
        ids[row, longest - len(own) :] = torch.tensor(own, device=device)
        mask[row, longest - len(own) :] = 1
    units = unit_index(ids * mask - (1 - mask), counted, opens)  # (asks, longest)
    own_from = [_own_from(u, ask, decoder) for u, ask in zip(units, asks, strict=True)]
    last = longest - 1 - len(drawing.first)
    cut = max(0, min(*own_from, last))  # before, all candidates read the same
    source = torch.tensor([ask for ask, _ in rows], device=device)
    signals = None
    first: dict[str, Any] = {}
    if model.config.plan_dim:
        plan: dict[str, Any] = plan_batch([_plan(plans[a][c]) for a, c in rows])
        plan = {name: value.to(device) for name, value in plan.items()}
        keep = torch.full((len(rows),), drawing.latents, device=device)
        signals = model.signals(**plan, plan_keep=keep)
        heads = [rows.index((a, 0)) for a in range(len(asks))]
        first = {"signals": signals[heads]}
    cache: Any = None
    if cut:
        before = mask[:, :cut]
        out = model(
            ids[:, :cut],
            attention_mask=before,
            position_ids=(before.cumsum(-1) - 1).clamp_min(0),
            units=units[:, :cut],
            use_cache=True,
            logits_to_keep=1,
            **first,
        )
        cache = out.past_key_values
        cache.batch_select_indices(source)
    whole, step_ids = mask[source], ids[source][:, cut:]
    step_units = units[source][:, cut:]
    count = is_boundary(ids * mask - (1 - mask), counted).sum(-1)[source]
    positions = (whole.cumsum(-1) - 1).clamp_min(0)
    at = positions[:, -1]
    step_positions = positions[:, cut:]
    state = _State(decoder, asks, rows, drawing, given)
    most = max(ask.missing for ask in asks) * (drawing.most + 2)
    noise = torch.cat(
        [uniforms(drawing.seed, [numbers[a]], most, draws_for(drawing.top_p), c) for a, c in rows]
    ).to(device)
    more: dict[str, Any] = {} if signals is None else {"signals": signals}
    words = len(drawing.first)
    live = list(range(len(rows)))
    for step in range(most):
        tick()
        out = model(
            step_ids,
            attention_mask=whole,
            position_ids=step_positions,
            units=step_units,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1 if step else 1 + words,
            **more,
        )
        cache = out.past_key_values
        if words and not step:
            state.count_given(out.logits[:, :-1].float(), step_ids[:, -words:])
        chosen = state.take(out.logits[:, -1].float(), noise[:, step], live)
        if state.over:
            break
        count = count + is_boundary(chosen, counted).long()
        at = at + 1
        step_ids, step_units = chosen.unsqueeze(-1), row_of(count, opens).unsqueeze(-1)
        step_positions = at.unsqueeze(-1)
        whole = torch.cat([whole, whole.new_ones(len(whole), 1)], -1)
        left = [i for i, row in enumerate(live) if not state.done[row]]
        if drop and len(left) <= DROP * len(live):
            live, keep = [live[i] for i in left], torch.tensor(left, device=device)
            cache.batch_select_indices(keep)
            step_ids, step_units, step_positions, at, count, whole, noise = (
                x[keep] for x in (step_ids, step_units, step_positions, at, count, whole, noise)
            )
            more = {name: value[keep] for name, value in more.items()}
    return state.drafts()


def _own_from(units: Tensor, ask: Ask, decoder: Decoder) -> int:
    """Return the first position whose plan's point is that of a missing sentence, or near it."""
    if ask.points is None:
        return units.shape[-1]
    s = decoder.settings
    reach = s.smooth // 2 + s.look + (s.told == "bridge" and not s.fills)
    found = (units >= ask.first - reach).nonzero()
    return int(found[0]) if len(found) else units.shape[-1]


def _plan(points: Array | None) -> Array:
    assert points is not None
    return points


def going_on(tokenizer: Any) -> list[int]:
    """Return the tokens that go on with a word, where others say that they begin one."""
    tokens = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    if not any(token.startswith(BEGINS) for token in tokens if token):
        return []
    return [i for i, t in enumerate(tokens) if t and t[0].isalnum() and not t.startswith(BEGINS)]


class _State:
    """How far the drafts are."""

    def __init__(
        self,
        decoder: Decoder,
        asks: Sequence[Ask],
        rows: Sequence[tuple[int, int]],
        drawing: Drawing,
        given: Sequence[list[int]],
    ) -> None:
        self.decoder, self.drawing, codec = decoder, drawing, decoder.codec
        self.asks = [asks[ask] for ask, _ in rows]
        self.ids = [list(given[ask]) for ask, _ in rows]
        self.forced: list[list[int]] = [[] for _ in rows]
        self.sentence = [0] * len(rows)
        self.words = [len(drawing.first)] * len(rows)
        self.log_prob = [0.0] * len(rows)
        self.tokens = [0] * len(rows)
        self.begun = False
        self.done = [False] * len(rows)
        self.cut = [False] * len(rows)
        marks = {codec.begin, codec.end, codec.blank, codec.fill, codec.go_on}
        never = {*codec.foreign, *codec.tag_ids.values(), *marks} - {None, codec.unit_end}
        inner = going_on(codec.tokenizer) if drawing.first else []
        self.inner = torch.tensor(inner, device=decoder.model.device, dtype=torch.long)
        self.never = torch.tensor(sorted(never), device=decoder.model.device)

    @property
    def over(self) -> bool:
        """Whether all have come to their end."""
        return all(self.done)

    def count_given(self, logits: Tensor, ids: Tensor) -> None:
        """Count the words that were given, (rows, words), by logits, (rows, words, vocabulary)."""
        own = logits.log_softmax(-1).gather(-1, ids.unsqueeze(-1)).squeeze(-1)
        for row, value in enumerate(own.sum(-1).tolist()):
            self.log_prob[row] += value
            self.tokens[row] += len(self.drawing.first)

    def take(self, logits: Tensor, noise: Tensor, live: Sequence[int]) -> Tensor:
        """Return the next token of the live rows, (rows,), from logits, (rows, vocabulary)."""
        end = self.decoder.codec.unit_end
        logits = logits.index_fill(-1, self.never, -torch.inf)
        if len(self.inner) and not self.begun:  # the first words are whole
            logits = logits.index_fill(-1, self.inner, -torch.inf)
        self.begun = True
        early = [self.words[row] < self.drawing.least for row in live]
        rows = torch.tensor(early, device=logits.device).unsqueeze(-1)
        only = torch.arange(logits.shape[-1], device=logits.device) == end
        logits = logits.masked_fill(rows & only, -torch.inf)
        chosen = choose(logits, noise, self.drawing.top_p, self.drawing.temperature)
        surprise = logits.log_softmax(-1).gather(-1, chosen.unsqueeze(-1)).squeeze(-1)
        drawn = zip(live, chosen.tolist(), surprise.tolist(), strict=True)
        found = [self._next(row, token, value, end) for row, token, value in drawn]
        return torch.tensor(found, device=logits.device)

    def _next(self, row: int, token: int, value: float, end: int) -> int:
        """Return what a row goes on with, and note it."""
        if self.done[row]:
            return end
        if self.forced[row]:
            token = self.forced[row].pop(0)
        elif self.words[row] >= self.drawing.most:
            self.cut[row] = self.cut[row] or token != end
            token = end
        else:
            self.log_prob[row] += value
            self.tokens[row] += 1
            self.words[row] += 1
        self.ids[row].append(token)
        if token == end:
            self.sentence[row] += 1
            self.words[row] = 0
            ask = self.asks[row]
            self.done[row] = self.sentence[row] == ask.missing
            if not self.done[row]:
                self.forced[row] = list(ask.openings[self.sentence[row]])
        return token

    def drafts(self) -> list[Draft]:
        """Return what has been written."""
        codec = self.decoder.codec
        found = []
        rows = zip(self.ids, self.log_prob, self.tokens, self.cut, strict=True)
        for ids, log_prob, tokens, cut in rows:
            ends = [i + 1 for i, token in enumerate(ids) if token == codec.unit_end]
            parts = [ids[a:b] for a, b in zip([0, *ends], ends, strict=False)]
            found.append(Draft(ids, log_prob, tokens, tuple(map(self._text, parts)), cut))
        return found

    def _text(self, ids: list[int]) -> str:
        """Return the sentence that ids spell."""
        codec = self.decoder.codec
        sections = codec.decode([codec.begin, *ids])
        return " ".join(s for section in sections for s in section.sentences)
