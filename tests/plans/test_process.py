"""The process of paths: its estimate finds what they were drawn from, and plans are of it."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from timecontrol.decoder.examples import smoothed
from timecontrol.latents.fit import GRID
from timecontrol.plans.process import (
    LAGS,
    Process,
    averages,
    between,
    knots,
    moved,
    positive,
)
from timecontrol.plans.track import LEAST, Track

Array = NDArray[np.float64]

MEAN = np.stack([3 * GRID, np.cos(3 * GRID)], -1)
SD = np.outer(1 + GRID, [1.0, 10.0])
SLOW = np.cos(np.subtract.outer(GRID, GRID))  # k(t, t) = 1
SLOW_MIXING = 0.6 * np.array([[1.0, 0.5], [0.5, 1.0]])
QUICK = np.array([1.0, 0.3, *[0.0] * (LAGS - 1)])
QUICK_MIXING = 0.4 * np.array([[1.0, -0.2], [-0.2, 1.0]])
STEPS, STILL = np.ones((len(GRID), 1)), 0.0
KNOWN = Process(MEAN, SD, SLOW, SLOW_MIXING, QUICK, QUICK_MIXING, STEPS, STILL, 1)
WIDE = replace(KNOWN, width=5)
ARRAYS = ("mean", "sd", "slow", "slow_mixing", "quick", "quick_mixing", "steps")

POINT, OTHER = np.array([1.0, -20.0]), np.array([4.0, 30.0])


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def even(n: int) -> Array:
    """Times of a document of one stage."""
    return (np.arange(n) + 0.5) / n


def simulated(
    documents: int, seed: int = 0, v: float = 0.0, rising: float = 0.0
) -> tuple[list[Array], list[Array]]:
    """Paths of the known process, drawn by its formula alone, and their times.

    ``v``: how much restlessness varies; ``rising``: how much larger quick steps are at the end.
    """
    state = random(seed)
    paths, times = [], []
    for _ in range(documents):
        n = int(state.integers(40, 60))
        t = even(n)
        slow = np.linalg.cholesky(np.cos(np.subtract.outer(t, t)) + 1e-9 * np.eye(n))
        quick = np.linalg.cholesky(np.eye(n) + 0.3 * (np.eye(n, k=1) + np.eye(n, k=-1)))
        g, h = np.exp(np.sqrt(v) * state.normal() - v), 1 + rising * (t - 0.5)[:, None]
        a = np.sqrt((1 - 0.4 * h**2) / 0.6)  # so that the variance is 1 at all times
        x = a * (slow @ state.normal(size=(n, 2)) @ np.linalg.cholesky(SLOW_MIXING).T)
        x = x + g * h * (quick @ state.normal(size=(n, 2)) @ np.linalg.cholesky(QUICK_MIXING).T)
        m = np.stack([3 * t, np.cos(3 * t)], -1)
        paths.append(m + np.outer(1 + t, [1.0, 10.0]) * x)
        times.append(t)
    return paths, times


def drawn(
    process: Process,
    n: int,
    state: np.random.Generator,
    pins: Mapping[int, Array] | None = None,
    amount: float = 1.0,
) -> Array:
    """A plan of n sentences, (n, d)."""
    path, gain = process.path(even(n), state, amount)
    return Track(process, even(n), path, pins or {}, gain).plan()


def given_sentences(process: Process, path: Array, seen: Mapping[int, Array]) -> Array:
    """A path given single sentences, (n, d)."""
    if not seen:
        return path
    n = len(path)
    return moved(
        path, process.covariance(even(n)), np.eye(n)[list(seen)], np.stack([*seen.values()])
    )


def plans(process: Process, n: int, pins: Mapping[int, Array] | None = None) -> Array:
    """Many plans, (4000, n, d)."""
    return np.stack([drawn(process, n, random(i), pins) for i in range(4000)])


def own_covariance(process: Process, n: int, c: int) -> Array:
    """Cov of one coordinate of plans, A P A^T, (n, n)."""
    A = averages([0] * n, process.width)
    return np.asarray(A @ process.covariance(even(n))[c] @ A.T)


def test_the_process_that_paths_were_drawn_from_is_found() -> None:
    """The slow part is hard: a document is hardly more than one draw of it."""
    documents = 1500
    found = Process.of(*simulated(documents), width=3)
    error = 1 / np.sqrt(documents)  # of a mean over documents, in standard deviations
    assert found.width == 3
    assert (abs(found.mean - MEAN) < 5 * error * SD).all()
    np.testing.assert_allclose(found.sd / SD, 1, atol=5 * error / np.sqrt(2))
    np.testing.assert_allclose(found.slow_mixing, SLOW_MIXING, atol=3 * error)
    np.testing.assert_allclose(found.quick_mixing, QUICK_MIXING, atol=3 * error)
    np.testing.assert_allclose(found.slow, SLOW, atol=5 * error / 0.6)
    np.testing.assert_allclose(found.quick, QUICK, atol=3 * error)
    np.testing.assert_allclose(found.steps, 1, atol=3 * error)
    assert found.restless < 0.01


def test_the_errors_of_the_estimate_go_down_with_the_documents() -> None:
    few, many = (Process.of(*simulated(n, seed=1)) for n in (50, 2000))
    for name in ("mean", "slow", "slow_mixing", "quick_mixing", "steps"):
        truth = getattr(KNOWN, name)
        errors = [np.abs(getattr(found, name) - truth).mean() for found in (few, many)]
        assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize("v", [0.05, 0.2])
def test_that_some_documents_are_more_restless_is_found(v: float) -> None:
    found = Process.of(*simulated(1500, v=v))
    assert found.restless == pytest.approx(v, rel=0.2)
    np.testing.assert_allclose(found.quick_mixing, QUICK_MIXING, atol=0.08)
    gains = np.array([found.path(even(2), random(i))[1] for i in range(4000)])
    assert (gains**2).mean() == pytest.approx(1, rel=0.1)  # restless or not, as far on average
    assert np.log(gains).var() == pytest.approx(found.restless, rel=0.1)


def test_that_steps_grow_with_time_is_found() -> None:
    found = Process.of(*simulated(1000, rising=0.6))
    expected = 1 + 0.6 * (GRID - 0.5)
    expected /= np.sqrt((expected**2).mean())
    np.testing.assert_allclose(found.steps[:, 0], expected, atol=0.06)


def test_white_noise_has_no_slow_part() -> None:
    state = random()
    paths = [state.normal(size=(50, 3)) for _ in range(500)]
    found = Process.of(paths, [even(50)] * 500)
    np.testing.assert_allclose(found.quick, [1, *[0] * LAGS], atol=0.06)
    for own in found.covariance(even(30)):
        np.testing.assert_allclose(own, np.eye(30), atol=0.15)


def test_what_documents_keep_from_end_to_end_is_all_slow() -> None:
    state = random()
    paths = [np.repeat(state.normal(size=(1, 3)), 50, 0) for _ in range(500)]
    found = Process.of(paths, [even(50)] * 500)
    for own in found.covariance(even(30)):
        np.testing.assert_allclose(own, 1, atol=0.15)


@pytest.mark.parametrize("low", [5, 10, 20])
def test_short_documents_tell_of_their_slow_part_too(low: int) -> None:
    """Those that keep what they are about, with noise; of plans as long as they are."""
    state = random()
    sizes = [int(state.integers(low, low + 3)) for _ in range(1000)]
    paths = [
        np.sqrt(0.7) * state.normal(size=(1, 2)) + np.sqrt(0.3) * state.normal(size=(n, 2))
        for n in sizes
    ]
    found = Process.of(paths, [even(n) for n in sizes])
    for own in found.covariance(even(low + 1)):
        np.testing.assert_allclose(np.diag(own), 1, atol=0.2)
        apart = own[~np.eye(low + 1, dtype=bool)]
        np.testing.assert_allclose(apart, 0.7, atol=0.2)


@hypothesis_settings(max_examples=10)
@given(st.floats(0.01, 100), st.floats(-100, 100), st.integers(0, 99))
def test_the_estimate_moves_with_the_unit_and_the_origin(a: float, b: float, seed: int) -> None:
    paths, times = simulated(20, seed)
    scale, shift = np.array([a, 1.0]), np.array([b, 0.0])
    own, other = Process.of(paths, times), Process.of([scale * p + shift for p in paths], times)
    np.testing.assert_allclose(other.mean, scale * own.mean + shift, atol=1e-6 * (a + 1))
    np.testing.assert_allclose(other.sd, scale * own.sd, rtol=1e-6)
    for name in (*ARRAYS[2:], "restless"):
        np.testing.assert_allclose(getattr(other, name), getattr(own, name), atol=1e-6)


def simple(slow: Array, s: float, quick: Array, q: float) -> Process:
    """A process of one coordinate about 0, with unit deviation."""
    none = np.zeros((len(GRID), 1))
    return Process(none, none + 1, slow, s * np.eye(1), quick, q * np.eye(1), STEPS, STILL, 1)


def test_a_brownian_bridge_is_a_case_of_it() -> None:
    t = even(16)
    process = simple(np.minimum.outer(GRID, GRID) - np.outer(GRID, GRID), 1.0, QUICK, 1e-9)
    exact = np.minimum.outer(t, t) - np.outer(t, t)
    np.testing.assert_allclose(process.covariance(t)[0], exact, atol=0.01)
    found = plans(process, 16)[:, :, 0]
    np.testing.assert_allclose(np.cov(found.T), exact, atol=0.03)


@given(st.integers(1, 15), st.integers(1, 9), st.integers(0, 99))
def test_the_averages_of_plans_are_those_of_documents(n: int, width: int, seed: int) -> None:
    points = random(seed).normal(size=(n, 2))
    np.testing.assert_allclose(
        averages([0] * n, width) @ points, smoothed(points, width), atol=1e-12
    )
    np.testing.assert_allclose(averages([0] * n, width).sum(1), 1)


@pytest.mark.parametrize("process", [KNOWN, WIDE], ids=["as they are", "averaged"])
def test_plans_have_the_mean_and_the_covariance_of_the_formula(process: Process) -> None:
    n = 12
    found = plans(process, n)
    for c in range(2):
        own = own_covariance(process, n, c)
        error = np.sqrt(np.diag(own) / len(found))
        assert (abs(found[:, :, c].mean(0) - process.at(even(n))[:, c]) < 5 * error).all()
        np.testing.assert_allclose(np.cov(found[:, :, c].T) / own.max(), own / own.max(), atol=0.1)
    if process.width == 1:
        across = [np.corrcoef(found[:, i, 0], found[:, i, 1])[0, 1] for i in range(n)]
        np.testing.assert_allclose(across, (SLOW_MIXING + QUICK_MIXING)[0, 1], atol=0.1)


def test_the_centre_is_the_mean_of_single_sentences() -> None:
    np.testing.assert_allclose(WIDE.centre(GRID), MEAN, atol=1e-12)
    np.testing.assert_allclose(WIDE.averages(GRID) @ WIDE.centre(GRID), WIDE.at(GRID))
    assert np.abs(WIDE.at(GRID) - MEAN).max() > 0.01


def test_averaging_makes_plans_calmer_and_leaves_straight_means() -> None:
    line = replace(KNOWN, mean=np.outer(GRID, [1.0, -2.0]))
    t = even(20)
    np.testing.assert_allclose(replace(line, width=5).at(t)[2:-2], line.at(t)[2:-2])
    np.testing.assert_allclose(line.at(t), np.outer(t, [1.0, -2.0]))
    variance = [np.diag(own_covariance(p, 20, 0)) for p in (KNOWN, WIDE)]
    assert (variance[1] < variance[0]).all()


@given(
    n=st.integers(1, 25),
    chosen=st.sets(st.integers(0, 4).map(lambda i: 6 * i), min_size=1),
    seed=st.integers(0, 99),
    process=st.sampled_from([KNOWN, WIDE]),
    amount=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_plans_meet_their_pins(
    n: int, chosen: set[int], seed: int, process: Process, amount: float
) -> None:
    state = random(seed)
    pins = {i: 5 * state.normal(size=2) for i in chosen if i < n}
    found = drawn(process, n, state, pins, amount)
    assert found.shape == (n, 2)
    for i, point in pins.items():
        np.testing.assert_allclose(found[i], point, atol=1e-3)


@given(st.integers(1, 25), st.sets(st.integers(0, 24)), st.integers(0, 99))
def test_paths_meet_the_sentences_that_have_been_written(
    n: int, chosen: set[int], seed: int
) -> None:
    state = random(seed)
    path, _ = WIDE.path(even(n), state)
    seen = {i: 5 * state.normal(size=2) for i in chosen if i < n}
    found = given_sentences(WIDE, path, seen)
    for i, point in seen.items():
        np.testing.assert_allclose(found[i], point, atol=1e-3)
    if not seen:
        np.testing.assert_array_equal(found, path)


def test_a_path_is_already_where_it_is_known_to_be() -> None:
    path, _ = WIDE.path(even(20), random())
    plan = averages([0] * 20, 5) @ path
    seen, pins = {i: path[i] for i in (0, 1, 7)}, {15: plan[15]}
    H = np.concatenate([np.eye(20)[list(seen)], averages([0] * 20, 5)[list(pins)]])
    y = np.stack([*seen.values(), *pins.values()])
    np.testing.assert_allclose(moved(path, WIDE.covariance(even(20)), H, y), path, atol=1e-6)


@pytest.mark.parametrize("process", [KNOWN, WIDE], ids=["as they are", "averaged"])
def test_given_pins_plans_have_the_conditional_law(process: Process) -> None:
    """Gaussian conditioning of each coordinate on sentences 2 and 9 of 12."""
    n, rows = 12, [2, 9]
    found = plans(process, n, {2: POINT, 9: OTHER})
    for c in range(2):
        own = own_covariance(process, n, c)
        gain = own[:, rows] @ np.linalg.inv(own[np.ix_(rows, rows)])
        mean = process.at(even(n))[:, c]
        expected = mean + gain @ (np.array([POINT[c], OTHER[c]]) - mean[rows])
        left = own - gain @ own[rows]
        error = np.sqrt(np.diag(own) / len(found))
        assert (abs(found[:, :, c].mean(0) - expected) < 5 * error).all()
        np.testing.assert_allclose(np.cov(found[:, :, c].T) / own.max(), left / own.max(), atol=0.1)
        still = drawn(process, n, random(), {2: POINT, 9: OTHER}, amount=0)
        np.testing.assert_allclose(still[:, c], expected, atol=1e-3 * np.sqrt(own.max()))


def test_sentences_that_have_been_written_tell_of_those_to_come() -> None:
    """The conditional law of single sentences, given the first three of 12."""
    n, rows = 12, [0, 1, 2]
    seen = dict(zip(rows, random(1).normal(size=(3, 2)) * [1, 10], strict=True))
    paths = [KNOWN.path(even(n), random(i))[0] for i in range(4000)]
    found = np.stack([given_sentences(KNOWN, path, seen) for path in paths])
    for c in range(2):
        own = own_covariance(KNOWN, n, c)
        gain = own[:, rows] @ np.linalg.inv(own[np.ix_(rows, rows)])
        mean = KNOWN.at(even(n))[:, c]
        expected = mean + gain @ (np.array([seen[i][c] for i in rows]) - mean[rows])
        left = own - gain @ own[rows]
        error = np.sqrt(np.diag(own) / len(found))
        assert (abs(found[:, :, c].mean(0) - expected) < 5 * error).all()
        np.testing.assert_allclose(np.cov(found[:, :, c].T) / own.max(), left / own.max(), atol=0.1)


def test_single_sentences_stray_from_plans_as_far_as_the_track_says() -> None:
    paths = [WIDE.path(even(12), random(i))[0] for i in range(4000)]
    tracks = [Track(WIDE, even(12), path) for path in paths]
    apart = np.stack([track.path - track.plan() for track in tracks])
    np.testing.assert_allclose(apart.var(0), tracks[0].spread(), rtol=0.12)
    still = Track(KNOWN, even(12), paths[0])  # where plans are single sentences
    whole = np.diagonal(KNOWN.covariance(even(12)), axis1=1, axis2=2).T
    np.testing.assert_allclose(still.spread(), LEAST * whole)


@given(st.integers(1, 40), st.integers(0, 99), st.sampled_from([KNOWN, WIDE]))
def test_without_noise_a_plan_is_the_mean(n: int, seed: int, process: Process) -> None:
    whole, half, none = (drawn(process, n, random(seed), amount=a) for a in (1.0, 0.5, 0.0))
    np.testing.assert_allclose(none, process.at(even(n)), atol=1e-12)
    np.testing.assert_allclose(half, (whole + none) / 2, atol=1e-9)


def test_what_is_drawn_depends_on_the_generator_alone() -> None:
    first = drawn(WIDE, 9, random(3))
    np.testing.assert_array_equal(drawn(WIDE, 9, random(3)), first)
    assert not np.array_equal(drawn(WIDE, 9, random(4)), first)
    states = [random(3), random(3)]
    for state, amount in zip(states, (1.0, 0.0), strict=True):
        WIDE.path(even(9), state, amount)  # how much is taken leaves the draws as they are
    assert states[0].random() == states[1].random()


def test_a_process_comes_back_from_its_tensors_to_the_last_bit() -> None:
    own = Process.of(*simulated(20), width=3, edges=np.array([0.3]))
    tensors = own.tensors()
    assert {a.dtype for a in tensors.values()} == {np.dtype(np.float64)}
    found = Process.from_tensors(tensors)
    assert (found.width, type(found.width)) == (3, int)
    assert (found.restless, type(found.restless)) == (own.restless, float)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(own, name))
    one, other = (drawn(p, 7, random(1), {3: POINT}) for p in (own, found))
    np.testing.assert_array_equal(one, other)
    for name in set(tensors) - {"edges", "roots"}:  # old files have no stages
        with pytest.raises(KeyError, match=name):
            Process.from_tensors({k: v for k, v in tensors.items() if k != name})


@pytest.mark.parametrize(
    "paths",
    [
        [np.ones((4, 3))] * 5,
        [np.eye(3)[[0, 0, 1, 2]]] * 3,
        [random(i).normal(size=(3, 5)) for i in range(2)],
        [np.c_[random(i).normal(size=20), np.full(20, 7.0)] for i in range(9)],
    ],
    ids=["never changes", "sections", "scarce", "one never changes"],
)
def test_any_paths_have_a_process_that_can_be_drawn_from(paths: list[Array]) -> None:
    found = Process.of(paths, [even(len(p)) for p in paths], width=5)
    for n in (1, 2, 30):
        assert np.isfinite(drawn(found, n, random(), {0: np.ones(paths[0].shape[1])})).all()
        assert all((np.linalg.eigvalsh(part) > 0).all() for part in found.parts(even(n)))
    column = paths[0][:, -1]
    if all((p[:, -1] == column[0]).all() for p in paths):
        np.testing.assert_allclose(drawn(found, 30, random())[:, -1], column[0], atol=1e-6)


@given(st.integers(1, 8), st.integers(0, 99))
def test_the_nearest_covariance(n: int, seed: int) -> None:
    matrix = random(seed).normal(size=(n, n))
    good = matrix @ matrix.T
    np.testing.assert_allclose(positive(good), good, atol=1e-9)
    found = positive(matrix)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    assert np.linalg.eigvalsh(found).min() > -1e-9
    np.testing.assert_allclose(positive(found), found, atol=1e-9)
    np.testing.assert_allclose(positive(-good), 0, atol=1e-9)


def test_a_path_is_moved_as_far_as_its_covariance_says() -> None:
    """Covariance 0.75, 0.25, 0, ... by lag, and means over two sentences."""
    quick = np.array([1.0, 1 / 3, *[0.0] * (LAGS - 1)])
    process = simple(np.zeros((len(GRID), len(GRID))), 1.0, quick, 0.75)
    path = np.array([[0.0], [10.0], [5.0], [2.0]])
    found = given_sentences(process, path, {0: np.array([6.0])})
    np.testing.assert_allclose(found[:, 0], [6, 12, 5, 2], atol=1e-4)
    # (z_1 + z_2) / 2 is 7.5, its variance (0.75 + 0.25) / 2; both have 1/2 in common with it
    H = averages([0] * 4, 2)[[1]]
    found = moved(path, process.covariance(even(4)), H, np.array([[8.5]]))
    np.testing.assert_allclose(found[:, 0], [0.25, 11, 6, 2.25], atol=1e-4)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_between_the_times_of_the_grid_it_is_straight(times: list[float]) -> None:
    found = between(np.array(times))
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(1), 1)
    np.testing.assert_allclose(found @ GRID, times, atol=1e-12)
    assert (np.count_nonzero(found, 1) <= 2).all()
    np.testing.assert_array_equal(between(GRID), np.eye(len(GRID)))


def test_points_that_never_change_have_a_law() -> None:
    times = [(np.arange(n) + 0.5) / n for n in (30, 40, 50, 60)]
    process = Process.of([np.zeros((len(t), 1)) for t in times], times)
    assert all(np.isfinite(value).all() for value in process.tensors().values())
    assert process.restless == 0
    np.testing.assert_allclose(drawn(process, 20, random()), 0, atol=1e-6)


EDGES = np.array([0.2501, 0.6003])


def staged(documents: int, seed: int = 0) -> tuple[list[Array], list[Array]]:
    """Paths of three stages: each has a mean and a covariance of its own."""
    state = random(seed)
    roots = np.array([[[1, 0], [0, 1]], [[2, 0], [1.9, 0.3]], [[0.2, 0], [0, 3]]])
    means = np.array([[0.0, 0], [5, -5], [-5, 5]])
    paths, times = [], []
    for number in range(documents):
        n = 20 + number % 21
        tau = (np.arange(n) + 0.5) / n
        stage = np.searchsorted(EDGES, tau)
        noise = state.standard_normal((n, 2))
        paths.append(means[stage] + np.einsum("nij,nj->ni", roots[stage], noise))
        times.append(tau)
    return paths, times


def test_knots_stand_at_both_ends_of_each_stage() -> None:
    np.testing.assert_array_equal(knots(np.zeros(0)), GRID)
    found = knots(EDGES)
    assert (np.diff(found) > 0).all()
    for edge in (0, *EDGES, 1):
        assert np.abs(found - edge).min() < 1e-5
        assert edge in (0, 1) or ((found - edge > 0) & (found - edge < 1e-5)).sum() == 1
    assert len(found) == pytest.approx(len(GRID), abs=4)
    tiny = knots(np.array([1e-7, 0.5]))
    assert (np.diff(tiny) > 0).all()


def test_mean_and_covariance_change_at_once_from_stage_to_stage() -> None:
    paths, times = staged(400)
    found = Process.of(paths, times, 1, EDGES)
    tau = times[10]
    stage = np.searchsorted(EDGES, tau)
    np.testing.assert_allclose(
        found.at(tau), np.array([[0.0, 0], [5, -5], [-5, 5]])[stage], atol=0.6
    )
    own = np.stack([found.path(tau, random(i))[0] for i in range(300)])
    real, known = np.concatenate(paths), np.searchsorted(EDGES, np.concatenate(times))
    for each in range(3):
        a, b = own[:, stage == each].reshape(-1, 2), real[known == each]
        np.testing.assert_allclose(np.cov(a.T), np.cov(b.T), rtol=0.2, atol=0.15)
    blurred = Process.of(paths, times, 1)
    near = np.abs(tau - EDGES[1]) < 0.03
    assert np.abs(blurred.at(tau)[near] - found.at(tau)[near]).max() > 0.5


def test_conditioning_knows_the_covariance_of_each_stage() -> None:
    """What ``covariance`` says is what paths have."""
    paths, times = staged(400)
    found = Process.of(paths, times, 1, EDGES)
    tau = times[0][::4]
    own = np.stack([found.path(tau, random(i))[0] for i in range(2000)])
    own = own - own.mean(0)
    seen = np.einsum("mic,mjc->cij", own, own) / len(own)
    expected = found.covariance(tau, float(np.exp(found.restless)) ** 0)
    scale = np.sqrt(np.einsum("cii,cjj->cij", expected, expected))
    np.testing.assert_allclose(seen / scale, expected / scale, atol=0.15)


def test_plans_are_averaged_within_stages() -> None:
    process = Process.of(*staged(50), 5, EDGES)
    tau = (np.arange(12) + 0.5) / 12
    A = process.averages(tau)
    stage = np.searchsorted(EDGES, tau)
    assert (A[np.not_equal.outer(stage, stage)] == 0).all()
    np.testing.assert_allclose(A.sum(1), 1)
    points = random(0).normal(size=(12, 2))
    np.testing.assert_allclose(A @ points, smoothed(points, 5, stage.tolist()), atol=1e-12)
