"""A decoding step for documents that stand at different places: one sentence of each at a time.

Like the step of ``fast``, but each row has a position of its own. A row that has finished its
sentence waits: it computes the same position over and over, and nothing of it moves, until it is
let go on: when all candidates of its document have finished, whatever other documents do.
"""

import torch
from torch import Tensor
from transformers.cache_utils import Cache

from timecontrol.decoder import Decoder
from timecontrol.decoder.alignment import Schedule, is_boundary
from timecontrol.generation.fast import WINDOW, Runner, Slots, Step
from timecontrol.generation.sampling import choose
from timecontrol.generation.settings import Writing

LOOK = 8
"""Steps on a GPU between two looks at which rows have finished their sentences."""


class RowSlots(Slots):  # type: ignore[no-untyped-call]
    """Keys and values of one layer; each row writes at a position of its own, (rows,)."""

    def put(self, buffer: Tensor, states: Tensor) -> None:
        """Write one position of each row, (rows, heads, 1, dim)."""
        rows = torch.arange(len(buffer), device=buffer.device)
        buffer[rows, :, self.at] = states[:, :, 0]


class RoundStep(Step):
    """A step whose rows wait at the ends of their sentences."""

    def __init__(
        self,
        decoder: Decoder,
        rows: int,
        writing: Writing,
        signals: Tensor,
        schedule: Schedule | None = None,
    ) -> None:
        """Make the buffers of ``rows`` rows."""
        super().__init__(decoder, rows, writing, signals, schedule)
        device = decoder.model.device
        self.at = torch.zeros(rows, dtype=torch.long, device=device)
        self.waits = torch.zeros(rows, dtype=torch.bool, device=device)
        self.told = torch.zeros(rows, dtype=torch.long, device=device)
        self.surprise = torch.zeros(rows, device=device)
        self.wrote = torch.zeros(rows, dtype=torch.long, device=device)
        self.slots = [RowSlots(self.steps, self.at) for _ in self.slots]
        self.cache = Cache(layers=[*self.slots])
        self.rows = torch.arange(rows, device=device)

    @property
    def state(self) -> list[Tensor]:
        """What a step changes, but keys and values."""
        return [*super().state, self.waits, self.told, self.surprise, self.wrote]

    def reset(
        self,
        noise: Tensor,
        lengths: Tensor,
        signals: Tensor | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        """Begin new documents."""
        super().reset(noise, lengths, signals, schedule)
        for state in (self.waits, self.told, self.surprise, self.wrote):
            state.zero_()

    def __call__(self) -> None:
        """Write one token of every row that does not wait."""
        w, config = self.writing, self.model.config
        visible = self.slots[0].visible
        mask = torch.where(self.places[:visible] <= self.at.unsqueeze(-1), 0.0, -torch.inf)
        logits = (
            self.model(
                self.token,
                attention_mask=mask.to(self.model.dtype)[:, None, None],
                position_ids=self.at.unsqueeze(-1),
                past_key_values=self.cache,
                use_cache=True,
                signals=self.signals,
                units=self.units,
            )
            .logits[:, -1]
            .float()
        )
        logits[:, self.tokens :] = -torch.inf
        logits.index_fill_(1, self.never, -torch.inf)
        noise = self.noise[self.rows, self.at]  # (rows, draws)
        chosen = choose(logits, noise, w.top_p, w.temperature)
        goes = ~(self.waits | self.done)
        told = logits.log_softmax(-1).gather(-1, chosen.unsqueeze(-1)).squeeze(-1)
        self.surprise.sub_(torch.where(goes, told, 0.0))
        self.wrote.add_(goes)
        kept = self.out[self.rows, self.at]
        self.out[self.rows, self.at] = torch.where(goes, chosen, kept)
        places = [state.clone() for state in self.place]
        unit = self.move_on(chosen)
        for state, before in zip(self.place, places, strict=True):
            state.copy_(torch.where(goes, state, before))
        mark = is_boundary(chosen, config.boundaries)
        self.units.copy_(torch.where(goes, unit, self.units.squeeze(-1)).unsqueeze(-1))
        self.told.copy_(torch.where(goes & ~mark, unit, self.told))
        self.token.copy_(torch.where(goes, chosen, self.token.squeeze(-1)).unsqueeze(-1))
        full = self.at >= self.steps - 1
        self.done |= goes & (full | (chosen == self.end))
        if w.stop == "plan" and not w.forced:
            self.done |= goes & (self.units.squeeze(-1) >= self.lengths)
        self.waits |= goes & mark
        self.at.copy_(torch.where(goes & ~full, self.at + 1, self.at))

    def follow(self, to: Tensor, source: Tensor) -> None:
        """Let rows ``to`` go on from where rows ``source`` stand, (some,) each."""
        seen = int(self.at.max()) + 1
        kept = [t[:, :, :seen] for s in self.slots for t in (s.keys, s.values) if t is not None]
        for tensor in (*self.state, *kept):
            tensor.index_copy_(0, to, tensor.index_select(0, source))

    def go_on(self, rows: Tensor) -> None:
        """Let rows begin their next sentence, (some,)."""
        for state in (self.waits, self.surprise, self.wrote):
            state.index_fill_(0, rows, 0)


class Rounds(Runner):
    """Sentences of all rows, each at its own pace."""

    step: RoundStep

    def some(self) -> list[bool]:
        """Write a little, and return which rows wait or are done."""
        step = self.step
        at = int(step.at.max())
        for _ in range(LOOK if step.token.device.type == "cuda" else 1):
            self.one(min(step.steps, (at // WINDOW + 1) * WINDOW))
            at = min(at + 1, step.steps - 1)
        found: list[bool] = (step.waits | step.done).tolist()
        return found
