"""A text that follows its plan is told from one that follows any plan, or none."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from timecontrol.metrics.adherence import (
    adherence,
    correlations,
    explained,
    linear_map,
    other_documents,
    progress,
    progress_correlation,
    r2,
    ranks,
    spearman,
)
from timecontrol.metrics.intervals import resamples

Array = NDArray[np.float64]
AXIS = np.array([1.0, 0.0])


def column(*values: float) -> Array:
    return np.array(values, np.float64)[:, None]


def walks(n: int, d: int = 2, seed: int = 0) -> list[Array]:
    state = np.random.default_rng(seed)
    return [state.normal(size=(int(state.integers(4, 9)), d)).cumsum(0) for _ in range(n)]


def near(plans: list[Array], noise: float, seed: int = 1) -> list[Array]:
    state = np.random.default_rng(seed)
    return [p + noise * state.normal(size=p.shape) for p in plans]


def test_a_map_worked_by_hand() -> None:
    # Standardised source -1, 1; centred target -2, 2: W = 4 / (2 + 1), of the raw feature half.
    found = linear_map(column(1, 5), column(8, 12), ridge=1.0)
    assert found.weight.item() == pytest.approx(2 / 3)
    assert found(column(3, 5)).ravel().tolist() == pytest.approx([10, 10 + 4 / 3])


def test_a_map_finds_a_linear_relation_again() -> None:
    state = np.random.default_rng(0)
    source, weight = state.normal(size=(200, 5)) + 3, state.normal(size=(5, 3))
    target = source @ weight + 7
    found = linear_map(source, target, ridge=1e-9)
    np.testing.assert_allclose(found.weight, weight, atol=1e-8)
    np.testing.assert_allclose(found.bias, 7, atol=1e-7)
    held = linear_map(source, target, ridge=1e9)
    np.testing.assert_allclose(held(source), np.tile(target.mean(0), (200, 1)), atol=1e-4)


def test_the_scale_of_a_feature_does_not_matter_and_a_constant_does_no_harm() -> None:
    state = np.random.default_rng(0)
    source, target = state.normal(size=(30, 3)), state.normal(size=(30, 2))
    found = linear_map(source, target)(source)
    scaled = source * [1e-6, 1, 1e6] + [0, 5, 0]
    np.testing.assert_allclose(linear_map(scaled, target)(scaled), found, atol=1e-9)
    wider = np.column_stack([source, np.full(30, 0.1), np.zeros(30)])
    with_constants = linear_map(wider, target)
    np.testing.assert_allclose(with_constants(wider), found, atol=1e-9)
    np.testing.assert_allclose(with_constants.weight[3:], 0, atol=1e-9)


def test_r2_and_explained_worked_by_hand() -> None:
    plans, found = [column(0, 1, 2), column(3)], [column(0, 2, 2), column(5)]
    # Errors 1 + 4 about a spread of 2.25 + .25 + .25 + 2.25.
    assert r2(plans, found) == pytest.approx([1 - 5 / 5])
    expected = np.corrcoef([0, 1, 2, 3], [0, 2, 2, 5])[0, 1] ** 2
    assert explained(plans, found) == pytest.approx([expected])


def test_what_is_beyond_the_end_of_either_is_not_compared() -> None:
    plans, found = [column(0, 1, 2), column(5, 9, 99)], [column(0, 1, 3, 77), column(6)]
    cut = [column(0, 1, 2), column(5)], [column(0, 1, 3), column(6)]
    assert r2(plans, found) == r2(*cut)
    assert explained(plans, found) == explained(*cut)
    summary = adherence(plans, found, np.ones(1))
    assert (summary["documents"], summary["points"]) == (2, 4)


def test_dimensions_are_measured_apart() -> None:
    plans = walks(10, 3)
    found = [p * [1, -2, 1] + [0, 5, 0] for p in plans]
    state = np.random.default_rng(0)
    for f in found:
        f[:, 2] = state.normal(size=len(f))
    assert r2(plans, found)[0] == 1
    assert r2(plans, found)[1] < 0
    assert explained(plans, found)[:2] == pytest.approx([1, 1])
    assert explained(plans, found)[2] < 0.2


def test_one_overall_mean_is_worth_nothing() -> None:
    plans = walks(5)
    mean = np.concatenate(plans).mean(0)
    still = [np.tile(mean, (len(p), 1)) for p in plans]
    np.testing.assert_allclose(r2(plans, still), 0, atol=1e-12)
    np.testing.assert_array_equal(explained(plans, still), 0)


def test_plans_that_never_move_have_no_answer() -> None:
    t = np.linspace(0, 1, 20)[:, None]
    plan = np.hstack([(1 - t) * 0.7 + t * 0.7, t])  # the first is constant but for rounding
    plans = [plan] * 4
    assert np.ptp(np.concatenate(plans)[:, 0]) > 0
    found = near(plans, 0.1)
    for measure in (r2, explained):
        assert np.isnan(measure(plans, found)[0])
        assert measure(plans, found)[1] > 0.5
    summary = adherence(plans, found, AXIS)
    assert summary["r2"]["each"][0] is None
    assert summary["r2"]["mean"]["value"] == summary["r2"]["each"][1]
    assert summary["progress"]["mean"] is None
    assert summary["skipped"] == 4


def test_nothing_planned_and_nothing_done_is_no_number() -> None:
    plans = [np.ones((5, 2))] * 3
    assert np.isnan(explained(plans, plans)).all()
    summary = adherence(plans, near(plans, 0.1), AXIS)
    for part in (summary, summary["permuted"], summary["own"]):
        assert part["r2"] == part["explained"] == {"each": [None, None], "mean": None}
        assert part["progress"]["mean"] is None


@pytest.mark.parametrize("seed", [1, 2, 6])  # where rounding makes a constant seem to move
def test_plans_that_stand_still_apart_can_be_followed(seed: int) -> None:
    state = np.random.default_rng(seed)
    plans = [np.tile(state.normal(size=2), (7, 1)) for _ in range(3)]
    summary = adherence(plans, near(plans, 1e-4), AXIS)
    # A resample of one document stands still: it says nothing, and is left out.
    assert summary["r2"]["mean"]["low"] > 0.9
    assert summary["skipped"] == 3


@given(st.integers(0, 10_000), st.floats(0.1, 5), st.floats(-100, 100))
def test_explained_is_free_of_scale_and_offset_and_bounds_r2(
    seed: int, scale: float, offset: float
) -> None:
    plans = walks(4, seed=seed)
    found = near(plans, 0.5, seed)
    moved = [scale * f + offset for f in found]
    np.testing.assert_allclose(explained(plans, moved), explained(plans, found), atol=1e-9)
    assert (r2(plans, moved) <= explained(plans, moved) + 1e-9).all()
    both = [p + offset for p in plans], [f + offset for f in found]
    np.testing.assert_allclose(r2(*both), r2(plans, found), atol=1e-9)


def test_progress_is_the_projection_whatever_the_length_of_the_axis() -> None:
    path = np.array([[0.0, 0.0], [3.0, 4.0], [4.0, -3.0]])
    for axis in ([3.0, 4.0], [6.0, 8.0]):
        assert progress(path, np.array(axis)) == pytest.approx([0, 5, 0])
    with pytest.raises(ValueError, match="direction"):
        progress(path, np.zeros(2))


def test_ranks_worked_by_hand() -> None:
    assert ranks(np.array([7.0, 1.0, 7.0, 3.0, 7.0])).tolist() == [4, 1, 4, 2, 4]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_rank_correlation_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, np.float64).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert spearman(x, y) == 0
    else:
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_progress_correlation_is_a_mean_of_documents_and_counts_the_skipped() -> None:
    plans = [column(0, 1, 2, 3), column(0, 1, 2), column(0, 1), column(4, 4, 4, 4)]
    found = [column(0, 10, 11, 90, -5), column(2, 1, 0), column(0, 1, 2), column(1, 2, 3, 4)]
    each = correlations(plans, found, np.ones(1))
    np.testing.assert_array_equal(each, [1, -1, np.nan, np.nan])
    assert progress_correlation(plans, found, np.ones(1)) == (0, 2)
    assert progress_correlation(plans, found, -np.ones(1)) == (0, 2)
    still = progress_correlation(plans[:1], [column(3, 3, 3, 3)], np.ones(1))
    assert still == (0, 0)
    mean, skipped = progress_correlation(plans[2:], found[2:], np.ones(1))
    assert np.isnan(mean)
    assert skipped == 2


def test_a_plan_that_moves_across_the_axis_stands_still_on_it() -> None:
    t = np.linspace(0, 1, 20)[:, None]
    plan = 70 * (1 - t) * [1.0, 1.0] + 70 * t * [1.0, 2.0]  # the first is 70 but for rounding
    assert np.ptp(plan[:, 0]) > 0
    assert progress_correlation([plan], [plan], AXIS)[1] == 1
    mean, skipped = progress_correlation([plan], [plan], AXIS[::-1])
    assert mean == pytest.approx(1)
    assert skipped == 0


def test_everybody_gets_the_plan_of_another() -> None:
    state = np.random.default_rng(0)
    for n in (2, 3, 10):
        for _ in range(20):
            order = other_documents(n, state)
            assert sorted(order) == list(range(n))
            assert (order != np.arange(n)).all()


def test_a_plan_of_its_own_is_told_from_any_plan() -> None:
    plans = walks(40)
    summary = adherence(plans, near(plans, 0.2), AXIS)
    assert summary["r2"]["mean"]["value"] > 0.95
    assert summary["progress"]["mean"]["value"] > 0.8
    assert summary["permuted"]["r2"]["mean"]["value"] < 0
    assert summary["permuted"]["explained"]["mean"]["value"] < 0.1
    for name in ("r2", "explained", "progress"):
        own = summary["own"][name]["mean"]
        assert own["low"] > 0.5
        gap = summary[name]["mean"]["value"] - summary["permuted"][name]["mean"]["value"]
        assert own["value"] == pytest.approx(gap)


def test_one_plan_for_all_is_nobodys_own() -> None:
    plan = np.cumsum(np.ones((8, 2)), 0)
    plans = [plan] * 6
    summary = adherence(plans, near(plans, 0.2), AXIS)
    assert summary["r2"]["mean"]["value"] > 0.9
    for name in ("r2", "explained", "progress"):
        assert summary["own"][name]["mean"]["value"] == pytest.approx(0, abs=1e-12)
        assert summary["permuted"][name]["mean"]["value"] == pytest.approx(
            summary[name]["mean"]["value"]
        )


def test_two_documents_can_only_swap() -> None:
    plans = walks(2, seed=4)
    found = near(plans, 0.3)
    summary = adherence(plans, found, AXIS, permutations=3)
    swapped = plans[::-1]
    assert summary["permuted"]["r2"]["each"] == pytest.approx(r2(swapped, found).tolist())
    assert summary["permuted"]["explained"]["each"] == pytest.approx(
        explained(swapped, found).tolist()
    )
    assert summary["permuted"]["progress"]["mean"]["value"] == pytest.approx(
        progress_correlation(swapped, found, AXIS)[0]
    )


def test_resamples_equal_documents_drawn_again() -> None:
    plans = walks(6)
    found = near(plans, 0.5)
    summary = adherence(plans, found, AXIS, seed=3)
    drawn: dict[str, list[float]] = {"r2": [], "explained": [], "progress": []}
    for w in resamples(6, 3):
        again = np.repeat(np.arange(6), w.astype(int))
        pair = [plans[i] for i in again], [found[i] for i in again]
        drawn["r2"].append(r2(*pair).mean())
        drawn["explained"].append(explained(*pair).mean())
        drawn["progress"].append(progress_correlation(*pair, AXIS)[0])
    for name, values in drawn.items():
        mean = summary[name]["mean"]
        assert mean["error"] == pytest.approx(np.std(values))
        assert mean["low"] == pytest.approx(np.percentile(values, 2.5))
        assert mean["documents"] == 6


def test_the_summary_says_what_the_functions_say_as_plain_data() -> None:
    plans = walks(5)
    found = near(plans, 0.5)
    summary = adherence([*plans, plans[0]], [*found, np.empty((0, 2))], AXIS)
    assert (summary["documents"], summary["empty"]) == (5, 1)
    assert summary["points"] == sum(len(p) for p in plans)
    assert summary["r2"]["each"] == pytest.approx(r2(plans, found).tolist())
    assert summary["explained"]["each"] == pytest.approx(explained(plans, found).tolist())
    assert summary["progress"]["mean"]["value"] == pytest.approx(
        progress_correlation(plans, found, AXIS)[0]
    )
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_the_seed_decides_whose_plan_is_met() -> None:
    plans = walks(8)
    found = near(plans, 0.5)

    def permuted(seed: int) -> Any:
        return adherence(plans, found, AXIS, permutations=2, seed=seed)["permuted"]["r2"]["each"]

    assert permuted(0) == permuted(0)
    assert permuted(0) != permuted(1)


def test_one_document_meets_no_other() -> None:
    plans = walks(1)
    summary = adherence(plans, plans, AXIS)
    assert summary["r2"]["mean"]["value"] == 1
    assert summary["permuted"] is summary["own"] is None
    several = walks(3)
    assert adherence(several, several, AXIS, permutations=0)["permuted"] is None


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match="one space"):
        r2([np.ones((3, 1))], [np.ones((3, 2))])
    with pytest.raises(ValueError, match="finite"):
        r2([column(0, 1, np.nan)], [column(0, 1, 2)])
    with pytest.raises(ValueError, match="no document"):
        adherence([np.ones((3, 2))], [np.empty((0, 2))], AXIS)
    with pytest.raises(ValueError, match="shorter"):
        adherence([np.ones((3, 2))], [], AXIS)
