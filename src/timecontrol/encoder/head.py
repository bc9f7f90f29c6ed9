"""The trained part: four linear layers from a sentence's features to its latent.

    h = W1 (x - m) / s,   h = relu(W2 h),   h = relu(W3 h),   z = W4 h,   latent = (z - a) / b

There is no ReLU after the first layer, as in the authors' code, unless asked for. In training a
share of the features is dropped, so that the head rests on none alone. m and s are mean
and standard deviation of the training features, a and b of the training latents; they are stored
with the weights, and ones and zeros where a preset does without.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

ROWS = 65536
"""Rows that are worked on at once, to save memory."""


class Head(nn.Module):
    """Features, (..., D), to latents, (..., d)."""

    feature_mean: Tensor
    feature_scale: Tensor
    latent_mean: Tensor
    latent_scale: Tensor

    def __init__(
        self,
        feature_dim: int,
        latent_dim: int = 8,
        hidden: int = 128,
        biases: bool = True,
        first_relu: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.dropout = dropout
        sizes = [feature_dim, hidden, hidden, hidden, latent_dim]
        self.layers = nn.ModuleList(nn.Linear(a, b, bias=biases) for a, b in pairwise(sizes))
        self.relus = (first_relu, True, True, False)
        self.register_buffer("feature_mean", torch.zeros(feature_dim))
        self.register_buffer("feature_scale", torch.ones(feature_dim))
        self.register_buffer("latent_mean", torch.zeros(latent_dim))
        self.register_buffer("latent_scale", torch.ones(latent_dim))

    @property
    def latent_dim(self) -> int:
        """The number of coordinates of a latent."""
        return len(self.latent_mean)

    def hidden(self, features: Tensor) -> Tensor:
        """Return what the last layer sees, (..., hidden)."""
        h = (features - self.feature_mean) / self.feature_scale
        h = functional.dropout(h, self.dropout, self.training)
        for layer, relu in zip(list(self.layers)[:-1], self.relus, strict=False):
            h = layer(h).relu() if relu else layer(h)
        return h

    def raw(self, features: Tensor) -> Tensor:
        """Return the latents that the objective sees, not yet standardised."""
        z: Tensor = self.layers[-1](self.hidden(features))
        return z

    def forward(self, features: Tensor) -> Tensor:
        """Return the latents, standardised."""
        return (self.raw(features) - self.latent_mean) / self.latent_scale

    def standardise_features(self, features: Tensor) -> None:
        """Take mean and scale from training features, (n, D); a constant one is left unscaled."""
        mean, scale = moments(features)
        self.feature_mean.copy_(mean)
        self.feature_scale.copy_(torch.where(scale > 1e-8, scale, 1.0))

    @torch.no_grad()
    def standardise_latents(self, features: Tensor) -> None:
        """Take mean and scale of the latents from training features, (n, D)."""
        mean, scale = moments(torch.cat([self.raw(part) for part in torch.split(features, ROWS)]))
        self.latent_mean.copy_(mean)
        self.latent_scale.copy_(torch.where(scale > 1e-8, scale, 1.0))

    @torch.no_grad()
    def folded(self) -> list[tuple[Tensor, Tensor, bool]]:
        """Return weight, bias and ReLU of four layers with both standardisations in them."""
        found = []
        for layer, relu in zip(self.layers, self.relus, strict=True):
            assert isinstance(layer, nn.Linear)
            weight = layer.weight.double()
            bias = weight.new_zeros(len(weight)) if layer.bias is None else layer.bias.double()
            found.append((weight, bias, relu))
        weight, bias, relu = found[0]
        weight = weight / self.feature_scale.double()
        found[0] = (weight, bias - weight @ self.feature_mean.double(), relu)
        weight, bias, relu = found[-1]
        scale = self.latent_scale.double()
        bias = (bias - self.latent_mean.double()) / scale
        found[-1] = (weight / scale.unsqueeze(1), bias, relu)
        return [(w.float(), b.float(), relu) for w, b, relu in found]


def moments(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation of each column, (D,), in double precision throughout."""
    mean = rows.mean(0, dtype=torch.double)
    square = sum((part.double() - mean).square().sum(0) for part in torch.split(rows, ROWS))
    return mean, (torch.as_tensor(square) / len(rows)).sqrt()
