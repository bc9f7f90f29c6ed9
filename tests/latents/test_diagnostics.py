"""Bridges look like bridges; noise does not."""

import numpy as np
import pytest

from tests.latents.test_fit import SIGMA, drawn
from timecontrol.latents import Paths, describe, diagnose, fit_paths, shuffled_larger
from timecontrol.latents.diagnostics import bridge_residual, step_correlation, variance_profile
from timecontrol.latents.fit import residuals


def noise(n: int = 200) -> list[np.ndarray]:
    state = np.random.default_rng(0)
    return [state.normal(size=(10 + i % 21, 2)) for i in range(n)]


def test_bridges_pass() -> None:
    paths = drawn(300)
    found = diagnose(paths, fit_paths(paths), shuffles=5)
    assert found.profile_fit > 0.9
    np.testing.assert_allclose(found.profile, 1, atol=0.25)
    assert abs(found.step_correlation) < 0.08
    assert found.shuffled_larger > 0.95
    assert 0.3 < found.time_share < 1
    assert found.ends_apart > 1


def test_noise_fails() -> None:
    paths = noise()
    found = diagnose(paths, fit_paths(paths), shuffles=5)
    assert found.profile_fit < 0.5
    assert found.step_correlation == pytest.approx(-0.5, abs=0.1)
    assert found.shuffled_larger == pytest.approx(0.5, abs=0.06)
    assert found.time_share < 0.05
    assert found.shuffled_error > 0


def test_the_profile_of_noise_is_high_at_the_ends() -> None:
    profile, _ = variance_profile([residuals(p) for p in noise()])
    assert profile[0] > profile[4]
    assert profile[-1] > profile[5]


def test_the_residual_of_a_bridge_is_one() -> None:
    covariance = SIGMA**2 * np.eye(2)
    found = np.mean([bridge_residual(p, covariance) for p in drawn(400)])
    assert found == pytest.approx(1, rel=0.03)


def test_the_residual_by_hand() -> None:
    """0, 2, 1, 3: steps 1, -2, 1, so 6 over d (T - 1) = 2."""
    path = np.array([[0.0], [2.0], [1.0], [3.0]])
    assert bridge_residual(path, np.eye(1)) == pytest.approx(3)
    assert bridge_residual(path, 2 * np.eye(1)) == pytest.approx(1.5)


def test_the_residual_does_not_depend_on_the_basis() -> None:
    paths = drawn(50)
    turn = np.array([[2.0, 1.0], [-0.5, 3.0]])
    turned = [p @ turn.T for p in paths]
    a, b = fit_paths(paths).line_steps, fit_paths(turned).line_steps
    for path, other in zip(paths, turned, strict=True):
        assert bridge_residual(path, a) == pytest.approx(bridge_residual(other, b))


def test_shuffles_are_the_same_for_a_seed() -> None:
    paths = noise(20)
    a, b, c = (shuffled_larger(paths, np.eye(2), 3, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


def test_steps_of_white_noise_are_correlated_by_minus_a_half() -> None:
    state = np.random.default_rng(0)
    assert step_correlation([state.normal(size=(5000, 1))]) == pytest.approx(-0.5, abs=0.03)
    assert step_correlation([np.zeros((4, 1))]) == 0


def test_short_documents_are_counted_and_left_out() -> None:
    trained = fit_paths(drawn(20))
    rows = np.concatenate([drawn(1)[0], np.zeros((2, 2))]).astype(np.float32)
    n = len(rows) - 2
    paths = Paths(["a", "b"], [None, None], [n, 2], [None] * len(rows), rows)
    found = describe(paths, trained)
    assert (found["documents"], found["too_short"], found["fit"]) == (2, 1, None)
    assert found["diagnostics"]["documents"] == 1
    nothing = describe(Paths(["b"], [None], [2], [None] * 2, rows[-2:]), trained)
    assert nothing["diagnostics"] is None


def test_latents_that_do_not_move_are_described() -> None:
    paths = [np.zeros((6, 2)) for _ in range(4)]
    found = diagnose(paths, fit_paths(drawn(20)), shuffles=2)
    assert np.isfinite([found.time_share, found.profile_fit, found.step_correlation]).all()
    assert found.shuffled_larger == 0


@pytest.mark.parametrize("length", [3, 5, 10])
def test_steps_of_short_bridges_are_uncorrelated(length: int) -> None:
    import torch

    from timecontrol.processes import BrownianBridge

    zero = torch.zeros(4000, 2, dtype=torch.double)
    times = torch.arange(length, dtype=torch.double)
    state = torch.Generator().manual_seed(0)
    drawn = BrownianBridge().sample(zero, zero, times, length - 1, state).numpy()
    assert step_correlation(list(drawn)) == pytest.approx(0, abs=0.05)


def test_latents_that_have_collapsed_are_described() -> None:
    flat = [np.zeros((6, 3)) for _ in range(4)]
    line = [np.outer(np.random.default_rng(i).normal(size=6), [1.0, 2.0, 3.0]) for i in range(4)]
    for paths in (flat, line):  # no covariance of steps has an inverse of its own
        found = diagnose(paths, fit_paths(paths), shuffles=2)
        assert np.isfinite([found.shuffled_larger, found.step_correlation]).all()


def test_residuals_are_measured_in_the_noise_of_training() -> None:
    """One coordinate is noise a thousand times larger than the bridge in the other."""
    state = np.random.default_rng(0)
    paths = [p * [1, 0] + 1000 * state.normal(size=p.shape) * [0, 1] for p in drawn(60)]
    fit = fit_paths(paths)
    good = shuffled_larger(paths, fit.line_steps, 5, 0).mean()
    blind = shuffled_larger(paths, np.eye(2), 5, 0).mean()
    assert good > 0.7 > blind + 0.1
    assert diagnose(paths, fit, 5).shuffled_larger == pytest.approx(good)
