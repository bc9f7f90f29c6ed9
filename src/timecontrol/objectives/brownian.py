"""Brownian contrast: which sentence comes a given time after this one? No goal.

The paper's::

    d(x_s, x_t') = -|z_t' - z_s|^2 / (2 (t - s))

with the anchor's gap t - s for every t'. The released code takes, for the pair of middle i and end
j, the difference of their positions in different documents, which may be negative.
"""

import torch
from torch import Tensor

from timecontrol.objectives.bridge import EPSILON, squares
from timecontrol.processes import BrownianMotion


def logits(z_s: Tensor, z_t: Tensor, gap: Tensor, process: BrownianMotion) -> Tensor:
    """Return d for every pair of an anchor (row) and a successor (column), (N, N).

    Args:
        z_s: Latents of the earlier sentences, (N, d).
        z_t: Latents of the later sentences, (N, d); row j is a negative of every anchor i != j.
        gap: Sentences from the earlier to the later, (N,), > 0.
        process: The motion, with the noise scale that latents are measured in.
    """
    return -squares(z_s, z_t) / (2 * process.variance(gap).unsqueeze(-1))


def released_logits(
    z_s: Tensor, z_t: Tensor, middle: Tensor, end: Tensor, masked: bool = False
) -> Tensor:
    """Return the released code's logits: earlier i (row) and later j (column), (N, N).

    Args:
        z_s: Latents of the earlier sentences, (N, d).
        z_t: Latents of the later sentences, (N, d).
        middle: Position of each earlier sentence in its document, (N,).
        end: Position of each later sentence.
        masked: Leave out later sentences that do not stand later.
    """
    gap = end.unsqueeze(0) - middle.unsqueeze(1)  # (i, j)
    found = -squares(z_s, z_t) / (2 * gap + EPSILON)
    return found.masked_fill(gap <= 0, -torch.inf) if masked else found
