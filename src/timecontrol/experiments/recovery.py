"""Does an objective find the true latents again?

Bridges are drawn in d dimensions and seen only through a random invertible non-linear map. A head
is trained on what is seen; its latents are compared with the true ones up to a linear map, fitted
on training documents and judged on held-out ones::

    R^2 = 1 - |Z - [Z' 1] A|^2 / |Z - mean Z|^2
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from timecontrol.encoder.losses import Sentences
from timecontrol.encoder.reconstruction import Gaussian
from timecontrol.encoder.sampling import random_state
from timecontrol.encoder.settings import Settings, preset
from timecontrol.encoder.training import train
from timecontrol.processes import BrownianBridge

SLOPE = 0.2
"""Of the leaky ReLUs in the map, on the negative side."""


@dataclass(frozen=True)
class Seen:
    """Bridges and what is seen of them."""

    latents: Tensor
    """The truth, (n, d)."""
    features: Tensor
    """What is seen, (n, d)."""
    lengths: list[int]
    n_train: int
    """Sentences of the documents for training."""
    held: int
    """Sentences of those and of the documents for validation; the rest is for testing."""


def bridges(
    d: int = 4,
    documents: int = 600,
    layers: int = 2,
    spread: float = 5.0,
    sigma: float = 1.0,
    seed: int = 0,
) -> Seen:
    """Draw bridges of 10 to 40 points and push them through a random invertible map.

    Args:
        d: Coordinates.
        documents: Eight tenths train, one tenth validates, one tenth tests.
        layers: Of the map: a random rotation and a leaky ReLU each, and a last rotation.
        spread: Standard deviation of the end points.
        sigma: Noise of the bridges.
        seed: Of everything.
    """
    state = random_state(7, seed)
    lengths = torch.randint(10, 41, (documents,), generator=state).tolist()
    process = BrownianBridge(sigma)
    paths = []
    for length in lengths:
        ends = spread * torch.randn(2, d, generator=state, dtype=torch.double)
        times = torch.arange(length, dtype=torch.double)
        paths.append(process.sample(ends[0], ends[1], times, length - 1, state))
    z = torch.cat(paths)
    x = z / z.std()
    for _ in range(layers):
        x = torch.nn.functional.leaky_relu(x @ rotation(d, state), SLOPE)
        x = x / x.std()
    x = x @ rotation(d, state)
    n_train = sum(lengths[: documents * 8 // 10])
    held = sum(lengths[: documents * 9 // 10])
    return Seen(z.float(), x.float(), lengths, n_train, held)


def rotation(d: int, state: torch.Generator) -> Tensor:
    """Return a random rotation, (d, d)."""
    q, r = torch.linalg.qr(torch.randn(d, d, generator=state, dtype=torch.double))
    turned: Tensor = q * r.diagonal().sign()
    return turned


def linear_r2(found: Tensor, true: Tensor, n_train: int, held: int) -> float:
    """Return how much of the held-out truth a linear map of what was found explains.

    Args:
        found: (n, d').
        true: (n, d).
        n_train: Rows the map is fitted on.
        held: Rows from which on it is judged.
    """
    found, true = found.double(), true.double()
    whole = torch.cat([found, torch.ones_like(found[:, :1])], 1)
    solution = torch.linalg.lstsq(whole[:n_train], true[:n_train]).solution
    left = (true[held:] - whole[held:] @ solution).square().sum()
    return float(1 - left / (true[held:] - true[held:].mean(0)).square().sum())


def recover(seen: Seen, objective: str, **changes: Any) -> dict[str, float]:
    """Train one head on what is seen and return how well it recovers the truth.

    Args:
        seen: As ``bridges`` gives it.
        objective: ``bridge``, ``brownian``, ``implicit`` or ``vae``.
        **changes: Settings that differ from the preset ``best``.
    """
    settings: Settings = preset(
        "best",
        objective=objective,
        **{"latent_dim": seen.latents.shape[1], "dropout": 0.0, **changes},  # few features
    )
    count, known = 0, []
    for length in seen.lengths:
        if count >= seen.held:
            break
        known.append(length)
        count += length
    data = Sentences.of(seen.features[: seen.held], known)

    def reconstruction() -> Gaussian:
        return Gaussian(seen.features[: seen.held], settings.latent_dim, settings.hidden)

    outcome = train(
        data,
        seen.n_train,
        settings,
        reconstruction=reconstruction if objective == "vae" else None,
    )
    with torch.no_grad():
        found = outcome.head(seen.features)
    best = outcome.history[outcome.best_epoch - 1]
    return {
        "r2": linear_r2(found, seen.latents, seen.n_train, seen.held),
        "val_loss": best["val_loss"],
        "epoch": float(outcome.best_epoch),
        "seconds": outcome.seconds,
    }
