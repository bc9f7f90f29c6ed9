import numpy as np
import pytest
from scipy.stats import multivariate_normal

from timecontrol.latents.fit import Gaussian, fit_paths
from timecontrol.plans.missing import Bridge, left_out

D = 2


def bridge(noise: float = 0.0, steps: float = 0.5, told: bool = False) -> Bridge:
    start = Gaussian(np.zeros(D), np.eye(D), 0.0)
    end = Gaussian(np.full(D, 4.0), np.eye(D), 0.0)
    return Bridge(start, end, steps * np.eye(D), noise * np.eye(D), told, told)


def walks(n: int, steps: float, noise: float, length: int = 8) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    path = random.standard_normal((n, length, D)).cumsum(1) * np.sqrt(steps)
    return list(path + np.sqrt(noise) * random.standard_normal(path.shape))


def test_a_gap_between_two_sentences_is_a_brownian_bridge() -> None:
    a, b, T = np.array([1.0, -1.0]), np.array([3.0, 2.0]), 4
    found = bridge(steps=0.7).given({0: a, T: b}, [1, 2, 3], T + 1)
    for row, t in enumerate((1, 2, 3)):
        np.testing.assert_allclose(found.mean[row], (1 - t / T) * a + t / T * b, atol=1e-4)
        own = found.covariance[row, :, row]
        np.testing.assert_allclose(own, 0.7 * t * (T - t) / T * np.eye(D), atol=1e-4)
    between = found.covariance[0, :, 2]  # s (T - t) / T for s = 1, t = 3
    np.testing.assert_allclose(between, 0.7 * 1 * 1 / T * np.eye(D), atol=1e-4)


def test_sentences_beyond_the_neighbours_count_only_where_there_is_noise() -> None:
    near = {1: np.zeros(D), 3: np.ones(D)}
    far = {**near, 0: np.full(D, 5.0), 4: np.full(D, 5.0)}
    for noise, differs in ((0.0, False), (0.5, True)):
        one, other = (bridge(noise).given(known, [2], 5).mean for known in (near, far))
        assert bool(np.abs(one - other).max() > 0.01) is differs


def test_at_an_open_end_the_neighbour_is_followed_unless_documents_begin_somewhere() -> None:
    known = {1: np.full(D, 2.0)}
    free = bridge().given(known, [0], 2)
    np.testing.assert_allclose(free.mean[0], 2.0, atol=1e-3)
    held = bridge(told=True).given(known, [0], 2, ends=False)
    # N(0, 1) and a step of variance 1/2 from 2: precisions 1 and 2
    np.testing.assert_allclose(held.mean[0], 4 / 3, atol=1e-3)
    np.testing.assert_allclose(held.covariance[0, :, 0], np.eye(D) / 3, atol=1e-3)
    alike = bridge(told=True).given(known, [0], 2, begins=False, ends=False)
    np.testing.assert_allclose(alike.mean, free.mean)


def test_the_density_is_that_of_the_normal_law() -> None:
    found = bridge(0.2).given({0: np.zeros(D), 3: np.ones(D)}, [1, 2], 4)
    point = np.array([[0.1, 0.5], [0.9, 0.3]])
    law = multivariate_normal(found.mean.ravel(), found.covariance.reshape(4, 4))
    assert found.log_prob(point) == pytest.approx(law.logpdf(point.ravel()))
    single = multivariate_normal(found.mean[1], found.covariance[1, :, 1])
    assert found.log_prob(point[1:], [1]) == pytest.approx(single.logpdf(point[1]))


def test_samples_have_the_mean_and_the_spread_and_no_noise_gives_the_mean() -> None:
    found = bridge(0.3).given({0: np.zeros(D), 2: np.ones(D)}, [1], 3)
    random = np.random.default_rng(1)
    drawn = np.stack([found.sample(random)[0] for _ in range(4000)])
    np.testing.assert_allclose(drawn.mean(0), found.mean[0], atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), found.covariance[0, :, 0], atol=0.05)
    np.testing.assert_array_equal(found.sample(random, 0.0), found.mean)


@pytest.mark.parametrize("alike", [True, False])
def test_steps_and_noise_are_told_apart(alike: bool) -> None:
    found = Bridge.of(walks(2000, 0.5, 1.5), noisy=True, alike=alike)
    np.testing.assert_allclose(found.steps, 0.5 * np.eye(D), atol=0.1)
    np.testing.assert_allclose(found.noise, 1.5 * np.eye(D), atol=0.1)
    bare = Bridge.of(walks(2000, 0.5, 1.5))
    assert not bare.noise.any()
    np.testing.assert_allclose(bare.steps, 3.5 * np.eye(D), atol=0.2)  # S + 2 R


def test_whether_documents_begin_somewhere_is_seen() -> None:
    stretch = [p + np.random.default_rng(i).normal(0, 3, D) for i, p in enumerate(walks(200, 1, 1))]
    assert Bridge.of([p - p[0] + 5 for p in stretch]).begins
    inner = np.random.default_rng(0).standard_normal((300, 5, D))
    assert not Bridge.of(list(inner)).begins
    assert not Bridge.of(list(inner)).ends


def test_it_comes_back_from_its_tensors_and_from_an_encoder_s_fit() -> None:
    found = Bridge.of(walks(20, 1, 1), noisy=True)
    again = Bridge.from_tensors(found.tensors())
    for name, value in found.tensors().items():
        np.testing.assert_array_equal(again.tensors()[name], value)
    fit = fit_paths(walks(20, 1, 1))
    np.testing.assert_array_equal(Bridge.of_fit(fit).steps, fit.line_steps)


def test_a_sentence_left_out_lies_where_the_others_have_it() -> None:
    random = np.random.default_rng(0)
    paths = [np.cumsum(random.standard_normal((6, 2)), 0) for _ in range(40)]
    bridge = Bridge.of(paths)
    path = paths[0]
    found = left_out(bridge, path)
    np.testing.assert_allclose(found[2], (path[1] + path[3]) / 2, atol=1e-4)
    for i in range(len(path)):
        known = {k: path[k] for k in range(len(path)) if k != i}
        np.testing.assert_allclose(found[i], bridge.given(known, [i], len(path)).mean[0], atol=1e-4)
    assert not np.shares_memory(found, path)


def test_a_document_of_one_sentence_has_nothing_beside_it() -> None:
    bridge = Bridge.of([np.cumsum(np.ones((4, 2)), 0) + i for i in range(5)])
    np.testing.assert_array_equal(left_out(bridge, np.ones((1, 2))), np.ones((1, 2)))
