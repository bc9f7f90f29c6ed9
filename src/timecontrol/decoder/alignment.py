"""Which row of a plan a token gets: one function of the token ids.

The row is the number of boundaries up to and with the token::

    [SOS] s1 s1 s1 [ . ] s2 s2 s2
      0    0  0  0   1    1  1  1

so a unit-end mark already sees the plan of what comes next, and may decide what that is. Training
and generation use this very function; a decoding step that sees one token at a time carries the
count along.

Sentences that are longer or shorter than others are told of the plan too late or too early, and a
text that has to fill a budget of tokens may not come to its end. So where the budget is known, the
row after a mark can be told by the tokens so far instead (``plans.Plan.due``); with p the position
of the last mark, from 0::

    row = number of points i > 0 with due_i <= p + 1

Where a text form has no marks (the paper's dialogues), a speaker's tag opens a unit; the first tag
of all opens the first unit, which has begun already.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


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


def due_index(ids: Tensor, boundaries: Sequence[int], due: Tensor) -> Tensor:
    """Return the row of each token by the tokens so far, (batch, tokens).

    Args:
        ids: Token ids from the beginning of the document, (batch, tokens).
        boundaries: Ids that end a unit.
        due: When points are due (``due_of``), (batch, most).
    """
    so_far = torch.arange(1, ids.shape[-1] + 1, device=ids.device).expand_as(ids)
    own = (due.unsqueeze(-2) <= so_far.unsqueeze(-1)).sum(-1)  # (batch, tokens)
    return torch.where(is_boundary(ids, boundaries), own, 0).cummax(-1).values


def next_due(row: Tensor, at_mark: Tensor, so_far: Tensor, due: Tensor) -> Tensor:
    """Return the row after one more token of each document, ``so_far`` with it, (rows,)."""
    return torch.where(at_mark, (due <= so_far.unsqueeze(-1)).sum(-1), row)


def due_of(plans: Sequence[Sequence[float]]) -> Tensor:
    """Return when the points of several plans are due, filled up with never, (plans, most)."""
    most = max(len(due) for due in plans)
    return torch.tensor([[*due, *[math.inf] * (most - len(due))] for due in plans])


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
