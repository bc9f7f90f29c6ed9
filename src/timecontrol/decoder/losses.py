"""What a decoder is trained to lower: -log p of tokens, and what it costs to misplace tags."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

IGNORED = -100
"""The label of a token that is not predicted."""
SHORTEST = 8
"""Tokens of a sentence, on average, at least: where they are shorter, some decisions do not count
among the misplaced."""


def token_losses(logits: Tensor, labels: Tensor) -> Tensor:
    """Return -log p(label) of what follows each token, 0 where that is ignored, (batch, tokens).

    Args:
        logits: (batch, tokens, vocabulary); position i predicts label i + 1.
        labels: (batch, tokens).
    """
    told = following(labels)  # moved, so that shapes stay even
    losses = F.cross_entropy(
        logits.flatten(0, 1).float(), told.flatten(), ignore_index=IGNORED, reduction="none"
    )
    return losses.view_as(told)


def following(labels: Tensor) -> Tensor:
    """Return the label after each, (batch, tokens)."""
    return F.pad(labels, (0, 1), value=IGNORED)[:, 1:]


def counted(labels: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return how much what follows each token counts, (batch, tokens)."""
    known = (following(labels) != IGNORED).float()
    return known if weights is None else known * F.pad(weights, (0, 1))[:, 1:].float()


def misplaced(
    logits: Tensor,
    labels: Tensor,
    losses: Tensor,
    ends: Tensor,
    between: Sequence[int],
    close: int,
    decided: bool,
) -> Tensor:
    """Return what it costs to think of tags within sentences, and of words between them.

    A tag begins as the mean of its words, and is then drawn in the place of such a word, once in a
    few dozen documents. And where the end is forbidden, what is left between sentences is whatever
    the model has never been told about. So, with B what stands between sentences alone, e the end,
    and p(. | no e) what is left without it (unlikelihood; Welleck et al., 2020)::

        sum within sentences of -log(1 - p(B, e))  +  sum between them of -log p(B | no e)

    Args:
        logits: (batch, tokens, vocabulary); position i predicts label i + 1.
        labels: (batch, tokens).
        losses: As ``token_losses`` gives them.
        ends: Which tokens end a sentence, or begin the document, (batch, tokens).
        between: B.
        close: e.
        decided: Whether nothing but these follows a sentence; the second sum is left out otherwise.
    """
    told = following(labels).flatten()
    flat, known = logits.flatten(0, 1), told != IGNORED
    tags = torch.tensor(between, device=flat.device)
    both = torch.tensor([*between, close], device=flat.device)
    here = ends.flatten() & known
    places = torch.cat([told.clamp_min(0)[:, None], both.expand(len(told), -1)], -1)
    own = flat.gather(-1, places).float()  # of the label, and of B and e
    whole = losses.flatten() + own[:, 0]  # log of the sum over all tokens
    within = known & ~here & ~torch.isin(told, both)
    log_p = own[:, 1:].logsumexp(-1) - whole
    p = log_p.masked_fill(~within, -1).exp()  # what is ignored has no bound: no exp of it
    cost = (-torch.log1p(-p.clamp_max(1 - 1e-6)) * within).sum()
    if not decided:
        return cost
    most = max(1, len(told) // SHORTEST)
    rows = here.float().topk(most).indices  # those between sentences, and some to fill up
    left = flat.index_select(0, rows).float()
    left = left.index_fill(-1, both[-1:], -torch.inf)
    none = left.logsumexp(-1) - left.index_select(-1, tags).logsumexp(-1)
    return cost + (none * here[rows]).sum()
