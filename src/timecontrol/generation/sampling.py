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

import torch
from torch import Tensor

NEVER = 1e-9
"""The probability that no candidate is in the nucleus."""
MOST = 24
"""Candidates at most; for more of them, sorting takes less time."""
COLD = 1e-6
"""Below this temperature the most probable token is taken: quotients would be infinite."""


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
    p = torch.softmax(logits.float() / temperature, -1)  # (rows, vocabulary)
    if top_p < 1 and uniforms.shape[-1] == 1:
        p, top_p = nucleus(p, top_p), 1.0
    mass = p.cumsum(-1)
    total = mass[:, -1:]
    found = torch.searchsorted(mass, uniforms * total, right=True)
    found = found.clamp_max(p.shape[-1] - 1)  # (rows, draws)
    if top_p >= 1:
        return found[:, 0]
    height = p.gather(-1, found)  # (rows, draws)
    above = [(p * (p > height[:, i : i + 1])).sum(-1) for i in range(found.shape[1])]
    inside = torch.stack(above, -1) < top_p * total  # (rows, draws)
    first = inside.int().argmax(-1, keepdim=True)
    taken = found.gather(-1, first).squeeze(-1)
    return torch.where(inside.any(-1), taken, p.argmax(-1))


def nucleus(p: Tensor, top_p: float) -> Tensor:
    """Return probabilities, (rows, vocabulary), with 0 outside the nucleus."""
    height = p.sort(-1, descending=True).values
    before = height.cumsum(-1) - height
    inside = before < top_p * height.sum(-1, keepdim=True)
    inside[:, 0] = True
    lowest = height.gather(-1, inside.sum(-1, keepdim=True) - 1)  # (rows, 1)
    return torch.where(p >= lowest, p, 0.0)
