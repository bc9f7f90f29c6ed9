"""What is said of paths is true of bridges whose truth is known."""

import numpy as np
import pytest
import torch

from timecontrol.errors import TimeControlError
from timecontrol.latents.fit import (
    GRID,
    Fit,
    Gaussian,
    at,
    clock,
    fit_paths,
    residuals,
    step_covariance,
)
from timecontrol.processes import BrownianBridge

SIGMA = 0.6


def drawn(n: int = 400, bend: float = 0.0, seed: int = 0) -> list[np.ndarray]:
    """Bridges from about (0, 0) to about (4, -2), bent by a sine where asked."""
    state = torch.Generator().manual_seed(seed)
    found = []
    for number in range(n):
        T = 10 + number % 21
        z_0 = 0.5 * torch.randn(2, generator=state, dtype=torch.double)
        z_T = torch.tensor([4.0, -2.0]) + torch.randn(2, generator=state, dtype=torch.double)
        times = torch.arange(T + 1.0)
        path = BrownianBridge(SIGMA).sample(z_0, z_T, times, float(T), state).numpy()
        found.append(path + bend * np.sin(np.pi * times.numpy() / T)[:, None])
    return found


def test_noise_and_ends_of_bridges_are_found() -> None:
    fit = fit_paths(drawn())
    assert fit.documents == 400
    assert fit.line_sigma == pytest.approx(SIGMA, rel=0.05)
    assert fit.mean_sigma == pytest.approx(SIGMA, rel=0.05)
    np.testing.assert_allclose(fit.line_steps, SIGMA**2 * np.eye(2), atol=0.02)
    np.testing.assert_allclose(fit.start.mean, [0, 0], atol=0.1)
    np.testing.assert_allclose(fit.end.mean, [4, -2], atol=0.15)
    np.testing.assert_allclose(fit.start.covariance, 0.25 * np.eye(2), atol=0.06)
    np.testing.assert_allclose(fit.end.covariance, np.eye(2), atol=0.2)


def test_a_bent_mean_is_noise_about_the_line_but_not_about_the_mean_path() -> None:
    fit = fit_paths(drawn(bend=5.0))
    assert fit.line_sigma > 2 * SIGMA
    assert fit.mean_sigma == pytest.approx(SIGMA, rel=0.08)
    middle = fit.mean_path[16]
    np.testing.assert_allclose(middle, [2 + 5, -1 + 5], atol=0.3)


def test_residuals_are_zero_at_the_ends_and_of_straight_lines() -> None:
    line = np.linspace([0.0, 1.0], [3.0, -5.0], 7)
    np.testing.assert_allclose(residuals(line), 0, atol=1e-12)
    bent = line + np.random.default_rng(0).normal(size=(7, 2))
    r = residuals(bent)
    np.testing.assert_allclose(r[[0, -1]], 0, atol=1e-12)
    r = residuals(bent, np.random.default_rng(1).normal(size=(33, 2)))
    np.testing.assert_allclose(r[[0, -1]], 0, atol=1e-12)


def test_steps_by_hand() -> None:
    """The worked example of one coordinate: 0, 2, 1, 3 has steps 1, -2, 1 about its line."""
    r = residuals(np.array([[0.0], [2.0], [1.0], [3.0]]))
    np.testing.assert_allclose(np.diff(r, axis=0)[:, 0], [1, -2, 1])
    assert step_covariance([r]).item() == pytest.approx(6 / 2)


def test_the_clock_is_the_bridge_s() -> None:
    np.testing.assert_allclose(clock(5), [3 / 4, 1, 3 / 4])


def test_a_path_at_its_own_times_is_itself() -> None:
    path = np.random.default_rng(0).normal(size=(5, 2))
    np.testing.assert_allclose(at(path, np.linspace(0, 1, 5)), path)
    np.testing.assert_allclose(at(path, np.array([0.125]))[0], (path[0] + path[1]) / 2)


@pytest.mark.parametrize("n", [3, 8, 50, 1000])
def test_shrinkage_is_that_of_scikit_learn(n: int) -> None:
    from sklearn.covariance import OAS

    points = np.random.default_rng(n).normal(size=(n, 6)) * np.arange(1, 7)
    found, other = Gaussian.of(points), OAS().fit(points)
    np.testing.assert_allclose(found.covariance, other.covariance_, rtol=1e-8)
    assert found.shrinkage == pytest.approx(other.shrinkage_)


def test_few_points_and_equal_points_have_an_invertible_covariance() -> None:
    few = Gaussian.of(np.random.default_rng(0).normal(size=(2, 8)))
    assert np.linalg.eigvalsh(few.covariance).min() > 0
    same = Gaussian.of(np.ones((5, 3)))
    assert np.linalg.eigvalsh(same.covariance).min() > 0


def test_plain_data_come_back() -> None:
    import json

    fit = fit_paths(drawn(10))
    plain = json.loads(json.dumps(fit.as_dict()))
    assert plain["grid"] == GRID.tolist()
    back = Fit.from_dict(plain)
    np.testing.assert_array_equal(back.mean_path, fit.mean_path)
    np.testing.assert_array_equal(back.end.covariance, fit.end.covariance)
    assert back.as_dict() == fit.as_dict()


def test_one_document_is_too_few() -> None:
    with pytest.raises(TimeControlError, match="1 documents of three sentences or more"):
        fit_paths(drawn(1))
