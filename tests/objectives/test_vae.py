"""The evidence lower bound."""

import math
from typing import Any

import pytest
import torch
from torch.distributions import Normal, kl_divergence

from timecontrol.objectives.vae import Posterior, divergence, divergences, evidence
from timecontrol.processes import BrownianBridge

log_prob: Any = Normal.log_prob


def posterior(n: int = 4, d: int = 3, seed: int = 0) -> Posterior:
    state = torch.Generator().manual_seed(seed)
    mean, spread = torch.randn(2, n, d, generator=state)
    return Posterior(mean, spread)


def test_the_divergence_is_that_of_torch() -> None:
    q = posterior()
    mean, variance = torch.randn(4, 3), torch.rand(4, 1) + 0.5
    law = Normal(q.mean, (0.5 * q.log_variance).exp())
    expected = kl_divergence(law, Normal(mean, variance.sqrt().expand(4, 3)))
    torch.testing.assert_close(divergence(q, mean, variance), expected)


def test_priors_are_centred_at_zero_and_one_and_on_the_bridge() -> None:
    z_0, z_T = torch.full((1, 2), -1.0), torch.full((1, 2), 3.0)
    t, T = torch.tensor([1.0]), torch.tensor([4.0])
    variance = 3 / 4
    q = (
        Posterior(torch.zeros(1, 2), torch.zeros(1, 2)),
        Posterior(torch.zeros(1, 2), torch.full((1, 2), math.log(variance))),  # mean of -1 .. 3
        Posterior(torch.ones(1, 2), torch.zeros(1, 2)),
    )
    found = divergences(q, (z_0, torch.zeros(1, 2), z_T), t, T, BrownianBridge())
    torch.testing.assert_close(found, torch.zeros(3, 1, 2))
    off = (q[0], q[1], Posterior(torch.zeros(1, 2), torch.zeros(1, 2)))
    found = divergences(off, (z_0, torch.zeros(1, 2), z_T), t, T, BrownianBridge())
    assert found[2].tolist() == [[0.5, 0.5]]  # (1 - 0)^2 / 2


def test_the_bound_by_hand() -> None:
    likelihood = torch.tensor([[-1.0], [-2.0], [-3.0]])
    assert evidence(likelihood, torch.full((3, 1, 2), 0.5)).tolist() == [-9.0]


def test_draws_follow_the_posterior_and_pass_gradients() -> None:
    mean = torch.tensor([[2.0]], requires_grad=True)
    q = Posterior(mean.expand(20_000, 1), torch.full((20_000, 1), math.log(4.0)))
    drawn = q.draw(torch.Generator().manual_seed(0))
    assert drawn.mean().item() == pytest.approx(2, abs=0.05)
    assert drawn.std().item() == pytest.approx(2, abs=0.05)
    drawn.mean().backward()  # type: ignore[no-untyped-call]
    assert mean.grad is not None
    assert mean.grad.item() == pytest.approx(1)


def test_the_bound_is_below_the_true_evidence() -> None:
    """One sentence x = z + noise under N(0, 1): log p(x) is known, and q exact makes them equal."""
    x, noise = torch.tensor([[0.7]]), 0.5
    exact = Posterior(x / (1 + noise), torch.log(torch.full((1, 1), noise / (1 + noise))))
    loose = Posterior(torch.zeros(1, 1), torch.zeros(1, 1))
    truth = log_prob(Normal(0.0, math.sqrt(1 + noise)), x).item()

    def bound(q: Posterior) -> float:
        variance = q.log_variance.exp()
        expected = log_prob(Normal(q.mean, math.sqrt(noise)), x) - variance / (2 * noise)
        kl = divergence(q, torch.zeros(1, 1), torch.ones(1))
        return float((expected - kl).item())

    assert bound(exact) == pytest.approx(truth, abs=1e-5)
    assert bound(loose) < truth - 0.1
