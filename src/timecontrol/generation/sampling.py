"""One token from a distribution, by given uniform numbers; a function of tensors.

The nucleus (top-p) is the smallest set of most probable tokens whose mass is at least p: a token is
in it when the mass of more probable ones is below p. Instead of sorting the vocabulary, candidates
are drawn from the whole distribution, each by one uniform number u,

    token = first i with  p_1 + .. + p_i > u

and the first that is in the nucleus is taken. That is exactly sampling from the nucleus, unless all
candidates lie outside: their number is chosen so that this has a probability below 1e-9, and then
the most probable token is taken. It costs a few passes over the vocabulary, all of fixed shape.

A small p would need many candidates (p = 0.1: 197). From where sorting is cheaper, the vocabulary
is sorted after all, and one number draws from the nucleus itself.
"""

import math
from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

NEVER = 1e-9
"""The probability that no candidate is in the nucleus."""
MOST = 24
"""Candidates at most; for more of them, sorting takes less time."""
BLOCK = 64
"""Tokens that are summed together before their sums are."""
COLD = 1e-6
"""Below this temperature the most probable token is taken: quotients would be infinite."""


def guided(logits: Tensor, w: float, decides: Tensor) -> Tensor:
    """Return logits led further by a plan than the model is, (documents, vocabulary).

    Of documents that are written both with their latents (a) and without (b)::

        a + w (a - b)

    so that what the latents make likelier becomes likelier still (classifier-free guidance). That
    is for words: what comes after a sentence (a tag, another sentence, the end) is decided by the
    model as it is, for it was learnt well, and leading it further costs order (docs/log.md). The
    clock is told to both. What cannot be drawn stays so.

    Args:
        logits: Of all documents with their latents, then of all without, (2 documents, vocabulary).
        w: 0: as the model is.
        decides: Which documents stand after a sentence, or at their beginning, (2 documents,).
    """
    a, b = logits.chunk(2)
    led = torch.isfinite(a) & ~decides.chunk(2)[0].unsqueeze(-1)
    return torch.where(led, a + w * (a - b), a)


def draws_for(top_p: float) -> int:
    """Return how many candidates are drawn: (1 - p)^n < 1e-9; one where the nucleus is sorted."""
    if top_p >= 1:
        return 1
    draws = math.ceil(math.log(NEVER) / math.log1p(-top_p))
    return draws if draws <= MOST else 1


def choose(
    logits: Tensor, uniforms: Tensor, top_p: float = 1.0, temperature: float = 1.0
) -> Tensor:
    """Return one token of each row, (rows,).

    Args:
        logits: (rows, vocabulary); minus infinity forbids a token.
        uniforms: In [0, 1), (rows, draws), as many as ``draws_for`` says.
        top_p: Mass of the nucleus.
        temperature: Logits are divided by it; 0: the most probable token.
    """
    if temperature < COLD:
        return logits.argmax(-1)
    logits = logits.float() / temperature if temperature != 1 else logits.float()
    p = torch.softmax(whole_blocks(logits), -1)  # (rows, vocabulary and a little more)
    if top_p < 1 and uniforms.shape[-1] == 1:
        p, top_p = nucleus(p, top_p), 1.0
    found, total = inverse(p, uniforms)  # (rows, draws), (rows, 1)
    if top_p >= 1:  # sums round: what has no probability is never taken
        some = p.gather(-1, found[:, :1]).squeeze(-1) > 0
        return torch.where(some, found[:, 0], p.argmax(-1))
    inside = above(p, p.gather(-1, found)) < top_p * total  # (rows, draws)
    first = inside.int().argmax(-1, keepdim=True)
    taken = found.gather(-1, first).squeeze(-1)
    return torch.where(inside.any(-1), taken, p.argmax(-1))


def whole_blocks(logits: Tensor) -> Tensor:
    """Return logits with forbidden tokens at the end, so that whole blocks come out."""
    more = -logits.shape[-1] % BLOCK
    return torch.nn.functional.pad(logits, (0, more), value=-torch.inf) if more else logits


def inverse(p: Tensor, uniforms: Tensor) -> tuple[Tensor, Tensor]:
    """Return the first token at which the sum of p passes u times the total, and the total.

    Sums of blocks are added up first, then the tokens of one block: a running sum over the whole
    vocabulary takes longer, and loses more.

    Args:
        p: Weights, (rows, blocks of tokens).
        uniforms: In [0, 1), (rows, draws).

    Returns:
        Tokens, (rows, draws), and totals, (rows, 1).
    """
    blocks = p.view(len(p), -1, BLOCK)  # (rows, blocks, tokens)
    mass = blocks.sum(-1).cumsum(-1)  # (rows, blocks)
    total = mass[:, -1:]
    level = uniforms * total
    block = torch.searchsorted(mass, level, right=True).clamp_max(mass.shape[1] - 1)
    before = torch.where(block > 0, mass.gather(1, (block - 1).clamp_min(0)), 0.0)
    here = block.unsqueeze(-1).expand(-1, -1, BLOCK)
    inside = blocks.gather(1, here).cumsum(-1)  # (rows, draws, tokens)
    passed = (inside <= (level - before).unsqueeze(-1)).sum(-1)
    return block * BLOCK + passed.clamp_max(BLOCK - 1), total


def above(p: Tensor, height: Tensor) -> Tensor:
    """Return the mass of the tokens more probable than each height, (rows, draws)."""
    fused = _fused(p.device) if p.is_cuda else None
    if fused is not None:
        return fused(p, height)
    return torch.stack(
        [(p * (p > height[:, i : i + 1])).sum(-1) for i in range(height.shape[1])], -1
    )


@cache
def _fused(device: torch.device) -> Callable[[Tensor, Tensor], Tensor] | None:
    """Return the same as one kernel, where Triton is there and works (it needs a C compiler)."""
    try:
        from timecontrol.generation.kernel import sum_above

        some = torch.ones(1, 1, device=device)
        sum_above(some, some)
    except Exception:  # whatever is missing there, there is another way
        return None
    return sum_above


def nucleus(p: Tensor, top_p: float) -> Tensor:
    """Return probabilities, (rows, vocabulary), with 0 outside the nucleus."""
    height = p.sort(-1, descending=True).values
    before = height.cumsum(-1) - height
    inside = before < top_p * height.sum(-1, keepdim=True)
    inside[:, 0] = True
    lowest = height.gather(-1, inside.sum(-1, keepdim=True) - 1)  # (rows, 1)
    return torch.where(p >= lowest, p, 0.0)
