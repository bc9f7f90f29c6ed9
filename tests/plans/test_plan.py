import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.errors import TimeControlError
from timecontrol.plans import Plan, check
from timecontrol.plans.plan import check_pace, check_starts

POINTS = np.random.default_rng(0).normal(size=(4, 3))


def test_good_points_come_back_as_numbers() -> None:
    np.testing.assert_array_equal(check(POINTS.tolist(), 3, 4), POINTS)
    assert check([[1, 2]]).dtype == np.float64
    assert check(np.ones((1, 2), np.float32), 2, 1).dtype == np.float64


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ([], "no points: it needs at least 1"),
        (np.zeros((0, 3)), "no points"),
        ([1.0, 2.0], "one row of numbers a sentence; this has 1 dimensions"),
        (3.0, "this has 0 dimensions"),
        (np.zeros((2, 2, 3)), "this has 3 dimensions"),
        ([[1.0, 2.0, 3.0], [1.0]], "rows of the same length"),
        ([["a", "b", "c"]], "must be numbers"),
        ([["1", "2", "3"]], "must be numbers"),
        ([[None, 1.0, 2.0]], "must be numbers"),
        ([[True, False, True]], "must be numbers"),
        ({"a": 1}, "must be numbers"),
        (None, "must be numbers"),
        ([[1, 2, 3], [1, float("nan"), 3]], "Point 2 of the plan's 2 holds NaN, infinity or too"),
        ([[float("-inf"), 2, 3]], "Point 1 of the plan's 1 holds NaN, infinity or too large"),
        ([[1, -1e39, 3]], "Point 1 of the plan's 1 holds NaN, infinity or too large a number."),
        ([[1, 2]], "have 2 numbers; this model reads points of 3"),
        ([[]], "have 0 numbers; this model reads points of 3"),
        (np.zeros((6, 3)), "6 points; the window of 64 tokens allows about 5 sentences"),
    ],
)
def test_bad_points_are_refused_in_one_line(points: Any, reason: str) -> None:
    with pytest.raises(TimeControlError, match=reason) as caught:
        check(points, 3, 5, 64)
    assert "\n" not in str(caught.value)


def test_without_limits_any_size_will_do() -> None:
    assert check(np.zeros((5000, 1))).shape == (5000, 1)
    with pytest.raises(TimeControlError, match="the window allows about 5 sentences"):
        check(np.zeros((6, 3)), most=5)


def test_a_plan_comes_back_from_plain_data_to_the_last_bit() -> None:
    plan = Plan(POINTS, "bridge", 3, 7, {"start": "A town.", "rule": "best"})
    back = Plan.from_dict(json.loads(json.dumps(plan.as_dict())))
    np.testing.assert_array_equal(back.points, POINTS)
    assert (back.kind, back.seed, back.number, back.about) == ("bridge", 3, 7, plan.about)
    assert len(back) == 4
    assert (back.starts, back.pace) == ((), ())
    assert plan.as_dict()["pace"] == []


def test_where_sections_begin_comes_back_too() -> None:
    plan = Plan(POINTS, "outline", starts=(0, 1, 3))
    back = Plan.from_dict(json.loads(json.dumps(plan.as_dict())))
    assert back.starts == (0, 1, 3)
    old = {k: v for k, v in plan.as_dict().items() if k != "starts"}
    assert Plan.from_dict(old).starts == ()
    assert check_starts([], 1) == ()
    assert check_starts((0,), 1) == (0,)


@pytest.mark.parametrize(
    "starts", [[1, 1], [2, 1], [-1], [4], [0, 4], [0.0], [True], ["0"], "01", 1, None, {"0": 1}]
)
def test_sections_that_cannot_begin_there_are_refused(starts: Any) -> None:
    reason = '^"starts" of a plan must be rising numbers of its points, 0 to 3, not '
    with pytest.raises(TimeControlError, match=reason) as caught:
        Plan.from_dict({"points": POINTS.tolist(), "starts": starts})
    assert "\n" not in str(caught.value)


def test_how_long_sentences_are_comes_back_too() -> None:
    plan = Plan(POINTS, pace=(0.1, 7.25, 1e-6, 3.0))
    back = Plan.from_dict(json.loads(json.dumps(plan.as_dict())))
    assert back.pace == plan.pace
    np.testing.assert_array_equal(back.due(50), plan.due(50))
    old = {k: v for k, v in plan.as_dict().items() if k != "pace"}
    assert Plan.from_dict(old).pace == ()
    assert check_pace([], 3) == ()
    whole = check_pace([1, 2.5], 2)
    assert whole == (1.0, 2.5)
    assert {type(w) for w in whole} == {float}


@pytest.mark.parametrize(
    "pace",
    [
        [1, 2, 3],
        [1, 2, 3, 4, 5],
        [1, 2, 3, 0],
        [1, 2, 3, -1.5],
        [1, 2, 3, float("nan")],
        [1, 2, 3, float("inf")],
        [1, 2, 3, 10**9],
        [1, 2, 3, 10**400],
        [1, 2, 3, True],
        [1, 2, 3, "4"],
        [1, 2, 3, None],
        [[1], [2], [3], [4]],
        "1234",
        "",
        7,
        None,
        {"0": 1},
        {},
    ],
)
def test_a_pace_that_cannot_be_is_refused(pace: Any) -> None:
    reason = '^"pace" of a plan must be 4 numbers above 0, one a point, not '
    with pytest.raises(TimeControlError, match=reason) as caught:
        Plan.from_dict({"points": POINTS.tolist(), "pace": pace})
    assert "\n" not in str(caught.value)


def test_when_points_are_due_worked_by_hand() -> None:
    """Sentences of 2, 6 and 4 of 12 tokens begin at 0, 2 and 8, four of 40 at 0, 10, 20, 30."""
    np.testing.assert_allclose(Plan(POINTS[:3], pace=(1, 3, 2)).due(12), [1, 5, 10])
    np.testing.assert_allclose(Plan(POINTS[:3], pace=(1, 3, 2)).due(24), [2, 10, 20])
    np.testing.assert_allclose(Plan(POINTS).due(40), [5, 15, 25, 35])
    np.testing.assert_allclose(Plan(POINTS, pace=(7.0,) * 4).due(40), [5, 15, 25, 35])
    for pace in ((), (3.0,)):
        np.testing.assert_allclose(Plan(POINTS[:1], pace=pace).due(40), [20])  # its end


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=9), st.floats(2, 5000))
def test_points_and_the_end_are_due_in_order_within_the_budget(
    pace: list[float], budget: float
) -> None:
    plan = Plan(np.zeros((len(pace), 2)), pace=tuple(pace))
    due = plan.due(budget)
    assert due.shape == (len(pace),)
    assert (np.diff([0, *due, budget]) > 0).all()
    stretched = Plan(plan.points, pace=tuple(7 * w for w in pace))
    np.testing.assert_allclose(stretched.due(budget), due, rtol=1e-9)
    np.testing.assert_allclose(plan.due(3 * budget), 3 * due, rtol=1e-9)
    begins = budget * np.cumsum([0, *pace]) / sum(pace)
    np.testing.assert_allclose(due, (begins[1:] + begins[:-1]) / 2, rtol=1e-9)


def test_points_alone_are_a_plan() -> None:
    plan = Plan.from_dict({"points": [[1, 2]]})
    assert (plan.kind, plan.seed, plan.number, plan.about) == ("given", 0, 0, {})


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ([], 'an object with "points"'),
        (None, 'an object with "points"'),
        ({"kind": "bridge"}, 'an object with "points"'),
        ({"points": [[1]], "kind": 3}, '"kind" of a plan must be of type str, not 3'),
        ({"points": [[1]], "seed": "3"}, '"seed" of a plan must be of type int'),
        ({"points": [[1]], "number": True}, '"number" of a plan must be of type int'),
        ({"points": [[1]], "about": []}, '"about" of a plan must be of type dict'),
        ({"points": []}, "no points"),
    ],
)
def test_other_data_are_refused(found: Any, reason: str) -> None:
    with pytest.raises(TimeControlError, match=reason):
        Plan.from_dict(found)
