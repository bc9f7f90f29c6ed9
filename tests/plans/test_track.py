from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.plans.examples import staged
from timecontrol.plans import Pin, sketch
from timecontrol.plans.process import averages, moved
from timecontrol.plans.track import Track

Array = NDArray[np.float64]

N = 12
LAW = staged(smooth=3)


def after(own: Track, seen: Mapping[int, Array]) -> Array:
    """The plan after these sentences, (n, d)."""
    for row, latent in seen.items():
        own = own.given(row, latent)
    return own.plan()


def track(kind: str = "bridge", **rest: object) -> Track:
    found = sketch(LAW, kind, N, seed=0, number=1, **rest).track  # type: ignore[arg-type]
    assert found is not None
    return found


def test_with_nothing_written_it_is_the_plan_that_was_drawn() -> None:
    drawn = sketch(LAW, "bridge", N, seed=0, number=1)
    np.testing.assert_allclose(track().plan(), drawn.points)


def test_a_plan_is_the_mean_of_what_was_written_and_what_is_to_come() -> None:
    seen = {0: np.array([2.0, -1.0]), 1: np.array([1.0, 0.5]), 2: np.array([0.0, 3.0])}
    found = after(track(), seen)
    np.testing.assert_allclose(found[1], np.mean(list(seen.values()), 0), atol=1e-3)


def test_the_same_sentences_as_planned_change_nothing() -> None:
    own = track()
    seen = {row: own.path[row] for row in range(5)}
    np.testing.assert_allclose(after(own, seen), own.plan(), atol=1e-6)


def test_what_was_written_moves_what_is_near_more_than_what_is_far() -> None:
    own = track()
    moved = np.abs(after(own, {4: own.path[4] + 3.0}) - own.plan()).sum(1)
    assert moved[4] > moved[6] > moved[-1]
    assert moved[5] > 0.01


def test_a_goal_is_still_met_when_the_text_has_strayed() -> None:
    goal = np.array([4.0, -4.0])
    own = track(pins=[Pin(1.0, goal)])
    strayed = after(own, {3: own.path[3] + 5.0, 4: own.path[4] + 5.0})
    np.testing.assert_allclose(strayed[-1], goal, atol=1e-2)


def test_the_spread_is_that_of_single_sentences_about_plans() -> None:
    law = LAW.process
    times = LAW.timing.mean(N).times
    apart = []
    for number in range(4000):
        path, gain = law.path(times, np.random.default_rng(number))
        apart.append((path - averages([0] * N, law.width) @ path) ** 2 / gain**2)
    quiet = Track(law, times, path, gain=1.0).spread()
    assert (quiet > 0).all()
    assert np.mean(apart) == pytest.approx(quiet.mean(), rel=0.5)


def test_a_more_restless_document_spreads_more() -> None:
    own = track()
    calm, wild = (Track(own.process, own.times, own.path, gain=g).spread() for g in (0.5, 2.0))
    assert (wild > calm).all()


def test_a_waypoint_that_is_past_no_longer_pulls() -> None:
    own = track(pins=[Pin(0.5, np.array([30.0, -30.0]))])
    free = Track(own.process, own.times, own.path, gain=own.gain)
    seen = {row: own.path[row] for row in range(8)}  # its sentence is the seventh
    np.testing.assert_allclose(after(own, seen), after(free, seen))
    assert not np.allclose(own.plan(), free.plan())


def test_where_nothing_is_averaged_sentences_still_have_a_spread() -> None:
    found = sketch(staged(smooth=1), "bridge", N, seed=0, number=0).track
    assert found is not None
    assert (found.spread() > 0).all()


@given(st.permutations(range(6)), st.integers(0, 99))
def test_one_sentence_after_the_other_is_all_of_them_at_once(rows: list[int], seed: int) -> None:
    """Given in any order, the path is the one that ``moved`` gives for all."""
    own = track()
    state = np.random.default_rng(seed)
    seen = {row: own.path[row] + state.normal(size=2) for row in rows}
    one = own
    for row, latent in seen.items():
        one = one.given(row, latent)
    H = np.eye(N)[list(seen)]
    whole = moved(own.path, own.covariance, H, np.stack([*seen.values()]))
    np.testing.assert_allclose(one.path, whole, atol=1e-2)
    assert one.left is not None
    known = np.diagonal(one.left, axis1=1, axis2=2)[:, rows]
    assert (abs(known) < 1e-4).all()


def test_a_sentence_that_was_told_of_twice_is_no_trouble() -> None:
    own = track().given(3, np.ones(2)).given(3, np.ones(2))
    np.testing.assert_allclose(own.path[3], 1.0, atol=1e-3)
    assert np.isfinite(own.plan()).all()
