"""The evidence lower bound of a triplet under the bridge prior.

    log p(x) >= E_q [log p(x_0|z_0) + log p(x_t|z_t) + log p(x_T|z_T)]
                - KL(q(z_0|x_0) | N(0, I)) - KL(q(z_T|x_T) | N(1, I))
                - E_q KL(q(z_t|x_t) | N((1 - t/T) z_0 + (t/T) z_T, sigma^2 t (T - t) / T I))

q(z|x) is a diagonal Gaussian, drawn by reparameterisation; every KL is analytic (the last given the
drawn ends). Reconstruction is whatever p(x|z) is: a causal language model for text.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from timecontrol.processes import BrownianBridge


@dataclass(frozen=True)
class Posterior:
    """q(z|x) = N(mean, exp(log_variance)), coordinates independent."""

    mean: Tensor
    """(N, d)"""
    log_variance: Tensor
    """(N, d)"""

    def draw(self, generator: torch.Generator | None = None) -> Tensor:
        """Return a draw through which gradients flow, (N, d)."""
        noise = torch.randn(
            self.mean.shape,
            generator=generator,
            device=self.mean.device if generator is None else generator.device,
        )
        return self.mean + (0.5 * self.log_variance).exp() * noise.to(self.mean)


def divergence(q: Posterior, mean: Tensor, variance: Tensor) -> Tensor:
    """Return KL(q | N(mean, variance I)) of each coordinate, (N, d)."""
    surplus = (q.log_variance.exp() + (q.mean - mean).square()) / variance
    return 0.5 * (surplus - 1 + variance.log() - q.log_variance)


def divergences(
    q: tuple[Posterior, Posterior, Posterior],
    z: tuple[Tensor, Tensor, Tensor],
    t: Tensor,
    T: Tensor,
    process: BrownianBridge,
) -> Tensor:
    """Return the divergence of each triplet from its prior by coordinate, (3, N, d).

    Args:
        q: Posteriors of first, middle and last sentences.
        z: Draws from them, each (N, d).
        t: Sentences from first to middle, (N,), 0 < t < T.
        T: Sentences from first to last, (N,).
        process: The bridge that is the prior of the middle.
    """
    first, middle, last = q
    one = first.mean.new_ones(1)
    return torch.stack(
        [
            divergence(first, torch.zeros_like(first.mean), one),
            divergence(
                middle,
                process.mean(z[0], z[2], t, T),
                process.variance(t, T).unsqueeze(-1),
            ),
            divergence(last, torch.ones_like(last.mean), one),
        ]
    )


def evidence(likelihood: Tensor, divergences: Tensor) -> Tensor:
    """Return the lower bound of each triplet, (N,).

    Args:
        likelihood: log p(x|z) of each of its sentences, (3, N).
        divergences: As ``divergences`` gives them, (3, N, d).
    """
    return likelihood.sum(0) - divergences.sum((0, 2))
