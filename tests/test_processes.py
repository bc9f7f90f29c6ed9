"""The laws of the processes, by hand and by simulation."""

import math

import pytest
import torch
from scipy import stats

from timecontrol.processes import BrownianBridge, BrownianMotion, normal_log_prob


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_a_bridge_by_hand() -> None:
    z_0, z_T = torch.tensor([0.0, 2.0]), torch.tensor([4.0, -2.0])
    t, T = torch.tensor(1.0), torch.tensor(4.0)
    bridge = BrownianBridge(sigma=2.0)
    assert bridge.mean(z_0, z_T, t, T).tolist() == [1.0, 1.0]
    assert bridge.variance(t, T).item() == 4 * 1 * 3 / 4
    z_t = torch.tensor([2.0, 1.0])  # one off in one coordinate
    by_hand = -0.5 * (1 / 3 + 2 * math.log(3) + 2 * math.log(2 * math.pi))
    assert bridge.log_prob(z_t, z_0, z_T, t, T).item() == pytest.approx(by_hand, rel=1e-6)


def test_a_motion_by_hand() -> None:
    motion = BrownianMotion(sigma=3.0)
    z_s, z_t = torch.zeros(1), torch.tensor([3.0])
    assert motion.mean(z_s, torch.tensor(2.0)).tolist() == [0.0]
    assert motion.variance(torch.tensor(2.0)).item() == 18
    by_hand = -0.5 * (9 / 18 + math.log(18) + math.log(2 * math.pi))
    assert motion.log_prob(z_t, z_s, torch.tensor(2.0)).item() == pytest.approx(by_hand, rel=1e-6)


def test_a_bridge_has_no_variance_at_its_ends() -> None:
    bridge = BrownianBridge()
    T = torch.tensor(7.0)
    assert bridge.variance(torch.tensor(0.0), T) == 0
    assert bridge.variance(T, T) == 0
    z_0, z_T = torch.randn(2, 3, generator=generator())
    path = bridge.sample(z_0, z_T, torch.tensor([0.0, 3.0, 7.0]), 7.0, generator())
    torch.testing.assert_close(path[0], z_0)
    torch.testing.assert_close(path[-1], z_T)


@pytest.mark.parametrize("t", [1.0, 3.5, 9.0])
def test_bridge_samples_follow_their_law(t: float) -> None:
    bridge, T = BrownianBridge(0.7), 10.0
    z_0, z_T = torch.tensor([1.0]), torch.tensor([-2.0])
    many = z_0.expand(4000, 1), z_T.expand(4000, 1)
    times = torch.tensor([0.5, t, 9.5])
    drawn = bridge.sample(*many, times, T, generator(1))[:, 1, 0].double()
    mean = bridge.mean(z_0, z_T, torch.tensor(t), torch.tensor(T)).item()
    sd = bridge.variance(torch.tensor(t), torch.tensor(T)).sqrt().item()
    assert stats.kstest(drawn.numpy(), stats.norm(mean, sd).cdf).pvalue > 0.01
    wrong = stats.norm(mean, sd * 1.1).cdf  # the test must see a tenth too much noise
    assert stats.kstest(drawn.numpy(), wrong).pvalue < 0.01


def test_two_inner_points_of_a_bridge_covary_as_they_should() -> None:
    bridge, T, n = BrownianBridge(1.5), torch.tensor(8.0), 200_000
    s, t = torch.tensor(2.0), torch.tensor(5.0)
    zero = torch.zeros(n, 1, dtype=torch.double)
    drawn = bridge.sample(zero, zero, torch.stack([s, t]), 8.0, generator(2))[..., 0]
    found = (drawn[:, 0] * drawn[:, 1]).mean().item()
    assert bridge.covariance(s, t, T).item() == pytest.approx(2.25 * 2 * 3 / 8)
    assert bridge.covariance(t, s, T) == bridge.covariance(s, t, T)
    assert found == pytest.approx(bridge.covariance(s, t, T).item(), rel=0.02)


def test_motion_samples_follow_their_law() -> None:
    motion = BrownianMotion(0.5)
    zero = torch.zeros(100_000, 1, dtype=torch.double)
    times = torch.tensor([1.0, 4.0])
    drawn = motion.sample(zero, times, generator(3))[..., 0]
    for column, t in enumerate((1.0, 4.0)):
        sd = motion.variance(torch.tensor(t)).sqrt().item()
        assert stats.kstest(drawn[:4000, column].numpy(), stats.norm(0, sd).cdf).pvalue > 0.01
    found = (drawn[:, 0] * drawn[:, 1]).mean().item()
    assert motion.covariance(times[0], times[1]).item() == 0.25
    assert found == pytest.approx(0.25, rel=0.03)


def test_a_bridge_is_a_motion_given_its_end() -> None:
    """p(z_t | z_0, z_T) = p(z_t | z_0) p(z_T | z_t) / p(z_T | z_0)."""
    bridge, motion = BrownianBridge(1.3), BrownianMotion(1.3)
    z_0, z_t, z_T = torch.randn(3, 5, 4, generator=generator(), dtype=torch.double)
    t, T = torch.tensor(3.0, dtype=torch.double), torch.tensor(11.0, dtype=torch.double)
    whole = motion.log_prob(z_t, z_0, t) + motion.log_prob(z_T, z_t, T - t)
    given = whole - motion.log_prob(z_T, z_0, T)
    torch.testing.assert_close(bridge.log_prob(z_t, z_0, z_T, t, T), given)


def test_the_density_is_that_of_torch() -> None:
    residual = torch.randn(6, 3, generator=generator(), dtype=torch.double)
    variance = torch.rand(6, generator=generator(), dtype=torch.double) + 0.5
    scale = variance.sqrt().unsqueeze(-1)
    law = torch.distributions.Normal(torch.zeros_like(residual), scale)
    expected = law.log_prob(residual).sum(-1)  # type: ignore[no-untyped-call]
    torch.testing.assert_close(normal_log_prob(residual, variance), expected)


def test_the_same_seed_gives_the_same_path() -> None:
    ends = torch.zeros(2), torch.ones(2)
    times = torch.arange(5.0)
    a, b, c = (BrownianBridge().sample(*ends, times, 4.0, generator(s)) for s in (0, 0, 1))
    assert torch.equal(a, b)
    assert not torch.equal(a, c)


def test_whole_numbers_as_times_do_not_cut_the_length() -> None:
    zero = torch.zeros(50_000, 1)
    drawn = BrownianBridge().sample(zero, zero, torch.tensor([1]), 1.5, generator(4))
    assert drawn.var().item() == pytest.approx(1 * 0.5 / 1.5, rel=0.03)
