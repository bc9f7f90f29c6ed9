"""What is hooked into transformers' ``generate``: the choice of tokens, and where to stop."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from transformers import LogitsProcessor, StoppingCriteria
from transformers.generation.streamers import BaseStreamer

from timecontrol.decoder.alignment import Schedule, is_boundary
from timecontrol.decoder.model import PlannedLM
from timecontrol.generation.sampling import choose, guided


class Keyed(LogitsProcessor):
    """Chooses each token by numbers that belong to its document, and leaves no other possible."""

    def __init__(
        self,
        uniforms: Tensor,
        prompt: int,
        top_p: float,
        temperature: float,
        tick: Callable[[], None] | None = None,
        guidance: float = 0.0,
        decide: Sequence[int] = (),
    ) -> None:
        """Choose by ``uniforms``, (rows, steps, draws), after ``prompt`` tokens.

        ``tick`` is called once a step. With ``guidance`` there are twice as many scores as rows
        (``sampling.guided``), and both halves go on with the same token; after the tokens
        ``decide`` there is none.
        """
        self.decide = tuple(decide)
        self.uniforms, self.prompt, self.guidance = uniforms, prompt, guidance
        self.top_p, self.temperature, self.tick = top_p, temperature, tick

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return scores that are 0 at the chosen token and minus infinity elsewhere."""
        step = input_ids.shape[1] - self.prompt
        led = scores
        if self.guidance:
            led = guided(scores, self.guidance, is_boundary(input_ids[:, -1], self.decide))
        chosen = choose(led, self.uniforms[:, step], self.top_p, self.temperature)
        chosen = chosen.repeat(2) if self.guidance else chosen
        if self.tick is not None:
            self.tick()
        found = torch.full_like(scores, -torch.inf)
        return found.scatter_(1, chosen.unsqueeze(-1), 0.0)


class InOrder(LogitsProcessor):
    """Forbids every tag but the one that is due: a ceiling, to be compared with."""

    def __init__(self, tags: Tensor) -> None:
        """Let ``tags``, ids in the order of a layout, come in that order, each once."""
        self.tags = tags

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return scores with minus infinity at tags that are not due."""
        said = torch.isin(input_ids, self.tags).sum(-1)
        return only_due(scores, said, self.tags)


def only_due(scores: Tensor, said: Tensor, tags: Tensor) -> Tensor:
    """Return scores, (rows, vocabulary), with minus infinity at tags that are not due.

    Args:
        scores: Changed in place.
        said: Tags so far, (rows,).
        tags: Their ids, in order.
    """
    due = torch.arange(len(tags), device=tags.device) == said.unsqueeze(-1)  # (rows, tags)
    own = scores.index_select(1, tags)
    return scores.index_copy_(1, tags, own.masked_fill(~due, -torch.inf))


class PlanEnd(StoppingCriteria):
    """Stops a document when its plan is over: after as many sentences as it has points."""

    def __init__(self, model: PlannedLM, lengths: Tensor, schedule: Schedule | None = None) -> None:
        """Stop row i after ``lengths[i]`` units; in beam search all rows of document i."""
        self.model, self.lengths, self.schedule = model, lengths, schedule

    def __call__(self, input_ids: Tensor, scores: Tensor, **rest: object) -> Tensor:
        """Return which rows are done."""
        times = len(input_ids) // len(self.lengths)
        units = self.model.rows(input_ids, self.schedule, last=True).squeeze(-1)
        return units >= self.lengths.repeat_interleave(times)


class Sentences(BaseStreamer):
    """Hands over the tokens of one row as they come."""

    def __init__(self, take: Callable[[int], None]) -> None:
        """Call ``take`` with each new token of the first row; the prompt is left out."""
        self.take, self.begun = take, False

    def put(self, value: Tensor) -> None:
        """Receive the next token of every row."""
        if not self.begun:
            self.begun = True
            return
        self.take(int(value.flatten()[0]))

    def end(self) -> None:
        """Do nothing: the caller sees the whole text."""
