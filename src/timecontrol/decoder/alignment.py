"""Which row of a plan a token gets: one function of the token ids.

The row is the number of boundaries up to and with the token::

    [SOS] s1 s1 s1 [ . ] s2 s2 s2
      0    0  0  0   1    1  1  1

so a unit-end mark already sees the plan of what comes next, and may decide what that is. Training
and generation use this very function; a decoding step that sees one token at a time carries the
count along.

A text that is being written is told of its plan too late or too early where its sentences are
longer or shorter than others, and may not come to its end. So the row after a mark can be told by
the tokens so far instead (``plans.Plan.due``); with p the position of the last mark, from 0::

    due = number of points i > 0, and the end, with due_i <= p + 1

And a text may begin a stage (abstract, history, ...) earlier than its plan, and would then be told
of one while it writes another, and take the tag twice. Where a plan says at which rows b_1, b_2 and
so on its stages begin, a tag that comes early takes it along; with j tags so far that differ from
the tag before them::

    row = max(due, b_j),     b_0 = 0

Which tags they are does not matter. A tag that is late is not waited for, until its stage would be
left out: the plan stops at the last point of the stage that is next::

    row = min(max(due, b_j), b_{j+2} - 1)

Nor are sentences told of their own stage as long as the tag does not come (docs/log.md).

Where a text form has no marks (the paper's dialogues), a speaker's tag opens a unit; the first tag
of all opens the first unit, which has begun already.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor
from torch.nn import functional as F

LAST = 1 << 40
"""A row after those of any plan."""


def is_boundary(ids: Tensor, boundaries: Sequence[int]) -> Tensor:
    """Return which tokens are boundaries, in the shape of ``ids``."""
    found = ids == boundaries[0]
    for other in boundaries[1:]:
        found = found | (ids == other)
    return found


def unit_index(ids: Tensor, boundaries: Sequence[int], opens: bool = False) -> Tensor:
    """Return the number of the unit each token belongs to, (..., tokens), from 0.

    Args:
        ids: Token ids from the beginning of the document, (..., tokens).
        boundaries: Ids that end a unit (marks), or open one (tags).
        opens: Whether they open it: the first of them then counts for nothing.
    """
    return row_of(is_boundary(ids, boundaries).long().cumsum(-1), opens)


def last_unit(ids: Tensor, boundaries: Sequence[int], opens: bool = False) -> Tensor:
    """Return the unit of the last token alone, (..., 1): ``unit_index(ids, ...)[..., -1:]``."""
    return row_of(is_boundary(ids, boundaries).sum(-1, keepdim=True), opens)


def next_count(count: Tensor, ids: Tensor, boundaries: Sequence[int]) -> Tensor:
    """Return the running count after one more token of each row, (rows,)."""
    return count + is_boundary(ids, boundaries).long()


def row_of(count: Tensor, opens: bool = False) -> Tensor:
    """Return the unit's number of a running count, as ``unit_index`` would."""
    return (count - 1).clamp_min(0) if opens else count


@dataclass(frozen=True)
class Schedule:
    """When the points of several plans are due, at the latest."""

    due: Tensor
    """Tokens at which points and the end are due, filled up with never, (plans, most)."""
    low: Tensor
    """b_j, the least row after j tags that differ, the last one for more, (plans, stages)."""
    high: Tensor
    """b_{j+2} - 1, the last row of the stage that is next, or any for the last, (plans, stages)."""

    @classmethod
    def of(cls, due: Sequence[Sequence[float]], starts: Sequence[Sequence[int]]) -> "Schedule":
        """Return the schedule of plans.

        Args:
            due: As ``plans.Plan.due`` gives it.
            starts: The rows at which stages begin; none where a plan does not know.
        """
        most = max(len(own) for own in due)
        when = [[*own, *[math.inf] * (most - len(own))] for own in due]
        stages = 1 + max(len(own) for own in starts)
        low = [[0, *own] + [own[-1] if own else 0] * (stages - 1 - len(own)) for own in starts]
        high = [[*(b - 1 for b in own[1:]), *[LAST] * (stages - len(own[1:]))] for own in starts]
        return cls(torch.tensor(when), torch.tensor(low), torch.tensor(high))

    def to(self, device: torch.device) -> "Schedule":
        """Return it on a device."""
        return Schedule(*(getattr(self, f.name).to(device) for f in fields(self)))

    def repeated(self, times: int) -> "Schedule":
        """Return it with each plan so many times."""
        return Schedule(*(getattr(self, f.name).repeat_interleave(times, 0) for f in fields(self)))

    def within(self, row: Tensor, stage: Tensor) -> Tensor:
        """Return rows as they may be after so many tags that differ, (plans, tokens) each."""
        place = stage.clamp_max(self.low.shape[-1] - 1)
        row = torch.maximum(row, self.low.gather(-1, place))
        return torch.minimum(row, self.high.gather(-1, place))


def due_index(
    ids: Tensor, boundaries: Sequence[int], tags: Sequence[int], schedule: Schedule
) -> Tensor:
    """Return the row of each token by the tokens and tags so far, (batch, tokens).

    Args:
        ids: Token ids from the beginning of the document, (batch, tokens).
        boundaries: Ids that end a unit.
        tags: Ids that begin a section.
        schedule: Of the plans.
    """
    so_far = torch.arange(1, ids.shape[-1] + 1, device=ids.device).expand_as(ids)
    own = (schedule.due.unsqueeze(-2) <= so_far.unsqueeze(-1)).sum(-1)  # (batch, tokens)
    mark = is_boundary(ids, boundaries)
    row = torch.where(mark, own, 0).cummax(-1).values
    return schedule.within(row, stage_index(ids, tags)) if tags else row


def stage_index(ids: Tensor, tags: Sequence[int]) -> Tensor:
    """Return how many tags so far differ from the tag before them, (batch, tokens)."""
    if not tags:
        return torch.zeros_like(ids)
    tag = is_boundary(ids, tags)
    place = torch.where(tag, torch.arange(ids.shape[-1], device=ids.device), -1)
    last = place.cummax(-1).values  # the last tag's place, with the token's own
    before = F.pad(last, (1, -1), value=-1)  # without it
    known = ids.gather(-1, before.clamp_min(0))
    new = tag & ((before < 0) | (known != ids))
    return new.long().cumsum(-1)


def next_due(due: Tensor, at_mark: Tensor, so_far: Tensor, schedule: Schedule) -> Tensor:
    """Return what is due after one more token of each document, ``so_far`` with it, (rows,)."""
    return torch.where(at_mark, (schedule.due <= so_far.unsqueeze(-1)).sum(-1), due)


def rows_at(signals: Tensor, index: Tensor) -> Tensor:
    """Return the row of a plan's signals for each token; past the end, the last row holds.

    Args:
        signals: (batch, rows, ...).
        index: (batch, tokens).

    Returns:
        (batch, tokens, ...)
    """
    batch = torch.arange(len(index), device=index.device).unsqueeze(-1)  # (batch, 1)
    return signals[batch, index.clamp_max(signals.shape[1] - 1)]
