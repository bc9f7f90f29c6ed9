"""The laws a path of latents may follow: Brownian bridge and Brownian motion. No networks.

Coordinates are independent and alike. Times broadcast against each other; latents carry their d
coordinates last, so a time of shape (...) goes with a latent of shape (..., d).
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class BrownianMotion:
    """A path that wanders from where it is.

    z_t | z_s ~ N(z_s, sigma^2 (t - s) I),    Cov(z_s, z_t | z_0) = sigma^2 min(s, t)
    """

    sigma: float = 1.0

    def mean(self, z_s: Tensor, t: Tensor) -> Tensor:
        """Return the mean of z_t given z_s, (..., d), whatever the time between them, (...)."""
        return z_s + torch.zeros_like(t, dtype=z_s.dtype).unsqueeze(-1)

    def variance(self, t: Tensor) -> Tensor:
        """Return the variance of each coordinate after a time ``t`` >= 0, (...)."""
        return self.sigma**2 * t

    def covariance(self, s: Tensor, t: Tensor) -> Tensor:
        """Return the covariance of one coordinate at times ``s`` and ``t`` after the start."""
        return self.sigma**2 * torch.minimum(s, t)

    def log_prob(self, z_t: Tensor, z_s: Tensor, t: Tensor) -> Tensor:
        """Return the log density of z_t a time ``t`` > 0 after z_s, (...)."""
        return normal_log_prob(z_t - self.mean(z_s, t), self.variance(t))

    def sample(
        self, z_0: Tensor, times: Tensor, generator: torch.Generator | None = None
    ) -> Tensor:
        """Return a path from z_0, exactly distributed at the given times.

        Args:
            z_0: Where it starts at time 0, (..., d).
            times: Ascending, all >= 0, (n,).
            generator: Where the noise comes from.

        Returns:
            The path, (..., n, d).
        """
        gaps = times.diff(prepend=times.new_zeros(1)).to(z_0)  # (n,)
        shape = (*z_0.shape[:-1], len(times), z_0.shape[-1])
        noise = torch.randn(shape, generator=generator, device=z_0.device, dtype=z_0.dtype)
        steps = noise * self.variance(gaps).sqrt().unsqueeze(-1)
        return z_0.unsqueeze(-2) + steps.cumsum(-2)


@dataclass(frozen=True)
class BrownianBridge:
    """Brownian motion pinned at both ends.

    z_t ~ N((1 - t/T) z_0 + (t/T) z_T,  sigma^2 t (T - t) / T I)
    Cov(z_s, z_t) = sigma^2 s (T - t) / T   for s <= t
    """

    sigma: float = 1.0

    def mean(self, z_0: Tensor, z_T: Tensor, t: Tensor, T: Tensor) -> Tensor:
        """Return the point of the straight line at time ``t`` of ``T``, (..., d)."""
        share = (t / T).unsqueeze(-1)
        return (1 - share) * z_0 + share * z_T

    def variance(self, t: Tensor, T: Tensor) -> Tensor:
        """Return the variance of each coordinate of z_t, (...), zero at both ends."""
        return self.sigma**2 * t * (T - t) / T

    def covariance(self, s: Tensor, t: Tensor, T: Tensor) -> Tensor:
        """Return the covariance of one coordinate at times ``s`` and ``t`` of ``T``."""
        return self.sigma**2 * torch.minimum(s, t) * (T - torch.maximum(s, t)) / T

    def log_prob(self, z_t: Tensor, z_0: Tensor, z_T: Tensor, t: Tensor, T: Tensor) -> Tensor:
        """Return the log density of z_t between z_0 and z_T, for 0 < ``t`` < ``T``, (...)."""
        return normal_log_prob(z_t - self.mean(z_0, z_T, t, T), self.variance(t, T))

    def sample(
        self,
        z_0: Tensor,
        z_T: Tensor,
        times: Tensor,
        T: float,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Return a path between z_0 and z_T, exactly distributed at the given times.

        A motion W from zero, pulled to its end: the line plus W(t) - (t/T) W(T).

        Args:
            z_0: Where it starts at time 0, (..., d).
            z_T: Where it ends at time ``T``, (..., d).
            times: Ascending, within [0, T], (n,).
            T: The length of the path, > 0.
            generator: Where the noise comes from.

        Returns:
            The path, (..., n, d).
        """
        times = times.to(z_0)
        whole = torch.cat([times, times.new_tensor([T])])  # (n + 1,)
        motion = BrownianMotion(self.sigma).sample(torch.zeros_like(z_0 + z_T), whole, generator)
        share = (times / T).unsqueeze(-1)  # (n, 1)
        line = (1 - share) * z_0.unsqueeze(-2) + share * z_T.unsqueeze(-2)
        path: Tensor = line + motion[..., :-1, :] - share * motion[..., -1:, :]
        return path


def normal_log_prob(residual: Tensor, variance: Tensor) -> Tensor:
    """Return log N(residual; 0, variance I) over the last dimension, (...)."""
    d = residual.shape[-1]
    square = residual.square().sum(-1)
    return -0.5 * (square / variance + d * (variance.log() + math.log(2 * math.pi)))
