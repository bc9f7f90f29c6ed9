import numpy as np
import pytest
from numpy.typing import NDArray

from tests.coherence.examples import DOC1, DOC2, MIXED, SIGMA
from timecontrol.coherence.bridge import bridges, expected_score
from timecontrol.coherence.ragged import Ragged
from timecontrol.errors import TimeControlError
from timecontrol.latents.fit import residuals, step_covariance

Array = NDArray[np.float64]


def one(path: Array, sigma: Array) -> tuple[float, float, Array, Array]:
    found = bridges(path, Ragged.of([len(path)]), sigma)
    return float(found.log_likelihood[0]), float(found.score[0]), found.steps, found.sentences


@pytest.mark.parametrize(
    ("path", "q", "log_p", "score"),
    [
        ([0, 1, 2, 3], [0, 0, 0], -1.2885709220752903, -0.6442854610376452),
        ([0, 1, 1, 3], [0, 1, 1], -2.2885709220752903, -1.1442854610376452),
        ([0, 2, 1, 3], [1, 4, 1], -4.2885709220752905, -2.1442854610376454),
    ],
)
def test_worked_example_in_one_dimension(
    path: list[int], q: list[int], log_p: float, score: float
) -> None:
    found = one(np.array(path, float)[:, None], np.eye(1))
    assert found[0] == pytest.approx(log_p, abs=1e-12)
    assert found[1] == pytest.approx(score, abs=1e-12)
    np.testing.assert_allclose(found[2], [0, *q], atol=1e-12)


def test_worked_example_in_two_dimensions() -> None:
    sigma = step_covariance([residuals(DOC1), residuals(DOC2)])
    np.testing.assert_allclose(sigma, SIGMA)
    layout = Ragged.of([5, 5, 4])
    found = bridges(np.concatenate([DOC1, MIXED, DOC2]), layout, SIGMA)
    log_p = [-6.1718219204, -24.9437517450, -4.8465646476]
    np.testing.assert_allclose(found.log_likelihood, log_p, atol=1e-9)
    np.testing.assert_allclose(
        found.score, [-1.0286369867, -4.1572919575, -1.2116411619], atol=1e-9
    )
    steps = [
        [0.4385964912, 2.0175438596, 2.0175438596, 0.4385964912],
        [8.6842105263, 27.6315789474, 2.0175438596, 4.1228070175],
        [0.6140350877, 3.0701754386, 1.4035087719],
    ]
    inner = [
        [1.9736842105, 4.0350877193, 1.9736842105],
        [33.5526315789, 17.7192982456, 3.3771929825],
        [2.9824561404, 4.1666666667],
    ]
    for q, wanted in zip(layout.split(found.steps), steps, strict=True):
        np.testing.assert_allclose(q[1:], wanted, atol=1e-9)
    for q, u, wanted in zip(
        layout.split(found.steps), layout.split(found.sentences), inner, strict=True
    ):
        np.testing.assert_allclose(u[1:-1], wanted, atol=1e-9)
        assert (u[0], u[-1]) == pytest.approx((q[1], q[-1]))
    total = found.steps.reshape(-1)
    assert total[:5].sum() + total[10:].sum() == pytest.approx(10)  # d (T - 1) over both


def test_the_linear_form_is_the_gaussian_with_the_whole_covariance() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        T, d = int(rng.integers(2, 40)), int(rng.integers(1, 6))
        root = rng.normal(size=(d, d))
        sigma = root @ root.T + 0.1 * np.eye(d)
        path = rng.normal(size=(T + 1, d)).cumsum(0)
        t = np.arange(1, T)
        over_time = np.minimum.outer(t, t) * (T - np.maximum.outer(t, t)) / T
        whole = np.kron(over_time, sigma)
        r = residuals(path)[1:-1].ravel()
        log_p = -0.5 * (r @ np.linalg.solve(whole, r) + np.linalg.slogdet(2 * np.pi * whole)[1])
        assert one(path, sigma)[0] == pytest.approx(log_p, rel=1e-10)


def test_a_sentence_given_its_neighbours_has_the_conditional_law() -> None:
    rng = np.random.default_rng(1)
    T, t = 9, 4
    times = np.arange(1, T)
    over_time = np.minimum.outer(times, times) * (T - np.maximum.outer(times, times)) / T
    others = [i for i in range(T - 1) if i != t - 1]
    weights = np.linalg.solve(over_time[np.ix_(others, others)], over_time[others, t - 1])
    left = over_time[t - 1, t - 1] - over_time[t - 1, others] @ weights
    path = rng.normal(size=(T + 1, 2)).cumsum(0)
    r = residuals(path)[1:-1]
    off = r[t - 1] - weights @ r[others]
    expected = off @ np.linalg.solve(SIGMA * left, off)
    assert one(path, SIGMA)[3][t] == pytest.approx(expected)


def test_true_bridges_score_what_theory_says() -> None:
    rng = np.random.default_rng(2)
    T, d, n = 30, 4, 3000
    sigma = np.diag([1.0, 2.0, 0.5, 1.5])
    steps = rng.normal(size=(n, T, d)) @ np.sqrt(sigma)
    walk = np.concatenate([np.zeros((n, 1, d)), steps.cumsum(1)], 1)
    share = np.linspace(0, 1, T + 1)[:, None]
    paths = walk - share * walk[:, -1:]
    found = bridges(paths.reshape(-1, d), Ragged.of([T + 1] * n), sigma)
    mean, sd = expected_score(np.array([float(T)]), sigma)
    assert found.score.mean() == pytest.approx(mean[0], abs=4 * sd[0] / np.sqrt(n))
    assert found.score.std() == pytest.approx(sd[0], rel=0.05)
    assert found.sentences.mean() == pytest.approx(d, rel=0.02)  # chi-square


def test_a_document_of_two_sentences_has_no_bridge() -> None:
    with pytest.raises(TimeControlError, match="2 sentences has no bridge: 3 or more"):
        one(DOC1[:2], SIGMA)
