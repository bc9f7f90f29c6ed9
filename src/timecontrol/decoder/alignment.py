"""Which row of a plan a token gets: one function of the token ids.

The row is the number of boundaries up to and with the token::

    [SOS] s1 s1 s1 [ . ] s2 s2 s2
      0    0  0  0   1    1  1  1

so a unit-end mark already sees the plan of what comes next, and may decide what that is. Training
and generation use this very function; a decoding step that sees one token at a time carries the
count along.

A text that is being written may take a section's tag earlier or later than its plan does, and would
then be told of one section while it writes another. Where a plan says at which rows b_1, b_2, ...
its sections begin, a tag can take the plan along. With M marks and j tags so far, M_j marks before
the last of them::

    row = b_j + M - M_j,     b_0 = M_0 = 0

so each section is planned from where the text begins it; until its tag comes, the plan goes on.
Which tags they are does not matter, and more tags than the plan has sections change nothing.

Where a text form has no marks (the paper's dialogues), a speaker's tag opens a unit; the first tag
of all opens the first unit, which has begun already.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

NONE = -1
"""Where a plan has no such section."""


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


def section_index(
    ids: Tensor, boundaries: Sequence[int], tags: Sequence[int], begins: Tensor
) -> Tensor:
    """Return the row of each token, where tags take the plan along, (batch, tokens).

    Args:
        ids: Token ids from the beginning of the document, (batch, tokens).
        boundaries: Ids that end a unit.
        tags: Ids that begin a section.
        begins: Where the sections of the plans begin (``begins_of``), (batch, most).
    """
    marks = is_boundary(ids, boundaries).long().cumsum(-1)
    tag = is_boundary(ids, tags)
    own = begin_of(tag.long().cumsum(-1), begins)
    moves = tag & (own != NONE)
    place = torch.arange(ids.shape[-1], device=ids.device).expand_as(ids)
    last = torch.where(moves, place, -1).cummax(-1).values  # the tag that moved the plan last
    apart = (own - marks).gather(-1, last.clamp_min(0))
    return marks + torch.where(last >= 0, apart, 0)


def next_row(row: Tensor, at_mark: Tensor, at_tag: Tensor, tags: Tensor, begins: Tensor) -> Tensor:
    """Return the row after one more token of each document, by the tags so far, (rows,)."""
    own = begin_of(tags.unsqueeze(-1), begins).squeeze(-1)
    return torch.where(at_tag & (own != NONE), own, row + at_mark.long())


def begin_of(tags: Tensor, begins: Tensor) -> Tensor:
    """Return b_j after j tags, ``NONE`` for more than the plan has, (batch, tokens)."""
    return begins.gather(-1, tags.clamp_max(begins.shape[-1] - 1))


def begins_of(starts: Sequence[Sequence[int]]) -> Tensor:
    """Return 0, b_1, .., b_m, NONE of each plan, filled up with that, (plans, most)."""
    most = max(len(s) for s in starts)
    return torch.tensor([[0, *s] + [NONE] * (most + 1 - len(s)) for s in starts])


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
