"""What the contrastive losses share: one row of logits a sample, its own column the right one.

L_N = -1/N sum_i log softmax(logits_i)_i,        I >= log N - L_N
"""

import math

import torch
from torch import Tensor
from torch.nn import functional


def contrast(logits: Tensor) -> Tensor:
    """Return the loss of picking the diagonal in each row of (N, N) logits."""
    return functional.cross_entropy(logits, torch.arange(len(logits), device=logits.device))


def information(loss: float, n: int) -> float:
    """Return the lower bound log N - L_N on the mutual information, in nats."""
    return math.log(n) - loss


def retrieval(logits: Tensor) -> Tensor:
    """Return the share of rows whose own column scores highest; chance is 1/N."""
    own = torch.arange(len(logits), device=logits.device)
    return (logits.argmax(-1) == own).float().mean()
