"""Bridge contrast: which middle belongs between these two end points?

The paper's, for the triplet (x_0, x_t, x_T) and the middles x_t' of the batch::

    d(x_0, x_t', x_T) = -|z_t' - (1 - t/T) z_0 - (t/T) z_T|^2 / (2 sigma^2)
    sigma^2 = t (T - t) / T

with the anchor's own times t and T for every t'. The released code instead keeps the middle i and
swaps in the end points and times of triplet j, positions counted from the documents' starts; where
the middle then lies outside (s_j, e_j), the "variance" is negative and the logit positive. It also
pins the ends: the first sentence of a document to 0, the absolute value of the last to 1.
"""

import torch
from torch import Tensor

from timecontrol.processes import BrownianBridge

EPSILON = 1e-6
"""The released code's guard against division by zero."""


def logits(
    z_0: Tensor, z_t: Tensor, z_T: Tensor, t: Tensor, T: Tensor, process: BrownianBridge
) -> Tensor:
    """Return d for every pair of a bridge (row) and a middle (column), (N, N).

    Args:
        z_0: Latents of the first sentences, (N, d).
        z_t: Latents of the middle sentences, (N, d); row j is a negative of every bridge i != j.
        z_T: Latents of the last sentences, (N, d).
        t: Sentences from first to middle, (N,), 0 < t < T.
        T: Sentences from first to last, (N,).
        process: The bridge, with the noise scale that latents are measured in.
    """
    mean = process.mean(z_0, z_T, t, T)  # (N, d)
    return -squares(mean, z_t) / (2 * process.variance(t, T).unsqueeze(-1))


def released_logits(
    z_0: Tensor,
    z_t: Tensor,
    z_T: Tensor,
    start: Tensor,
    middle: Tensor,
    end: Tensor,
    masked: bool = False,
) -> Tensor:
    """Return the released code's logits: middle i (row) between the end points of j (column).

    Args:
        z_0: Latents of the first sentences, (N, d).
        z_t: Latents of the middle sentences, (N, d).
        z_T: Latents of the last sentences, (N, d).
        start: Position of each first sentence in its document, (N,).
        middle: Position of each middle sentence.
        end: Position of each last sentence.
        masked: Leave out end points that the middle does not lie between.
    """
    tau = middle.unsqueeze(1) - start.unsqueeze(0)  # (i, j)
    whole = (end - start).unsqueeze(0) + EPSILON
    share = (tau / whole).unsqueeze(-1)
    variance = tau * (end - start - tau) / whole
    mean = (1 - share) * z_0 + share * z_T  # (i, j, d)
    found = -(mean - z_t.unsqueeze(1)).square().sum(-1) / (2 * variance + EPSILON)
    return found.masked_fill(variance <= 0, -torch.inf) if masked else found


def pinning(z_0: Tensor, z_T: Tensor, opens: Tensor, closes: Tensor) -> Tensor:
    """Return the released code's pull of documents' ends to 0 and to +-1.

    Args:
        z_0: Latents of the first sentences of triplets, (N, d).
        z_T: Latents of the last sentences, (N, d).
        opens: Whether z_0 is the first of its document, (N,).
        closes: Whether z_T is the last of its document, (N,).
    """
    return _mean_square(z_0, opens) + _mean_square(z_T.abs() - 1, closes)


def _mean_square(values: Tensor, chosen: Tensor) -> Tensor:
    """Return the mean square over the chosen rows; zero where there are none."""
    return (values.square().mean(-1) * chosen).sum() / chosen.sum().clamp(min=1)


def squares(a: Tensor, b: Tensor) -> Tensor:
    """Return |a_i - b_j|^2, (N, M); from differences: expanded squares cancel."""
    return (a.unsqueeze(1) - b.unsqueeze(0)).square().sum(-1)
