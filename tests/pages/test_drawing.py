import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pages.seen import numbers, of, parsed, places
from tests.pages.test_report import EVIL
from timecontrol.pages.drawing import (
    Frame,
    area,
    dot,
    grid,
    line,
    range_of,
    rule,
    svg,
    ticks,
    words,
)

FRAME = Frame(480, 260, (2.0, 7.0), (-3.0, 5.0))


def test_the_corners_of_the_numbers_are_the_corners_of_the_inside() -> None:
    corners = FRAME.at(np.array([[2.0, -3.0], [7.0, 5.0]]))
    np.testing.assert_allclose(corners, [[36, 260 - 30], [480 - 10, 12]])


def test_between_and_outside_the_corners_places_are_affine() -> None:
    one, other = np.random.default_rng(0).normal(size=(2, 50, 2)) * 20
    for share in (0.3, 0.5, 4.0):
        mixed = share * FRAME.at(one) + (1 - share) * FRAME.at(other)
        np.testing.assert_allclose(FRAME.at(share * one + (1 - share) * other), mixed)


def test_a_frame_of_no_extent_has_places() -> None:
    assert np.isfinite(Frame(100, 100, (1.0, 1.0), (2.0, 2.0)).at(np.array([[1.0, 2.0]]))).all()


@pytest.mark.parametrize("scale", [(1, 1), (1e6, 1), (1, 1e6), (1e-9, 0), (0, 3), (0, 0)])
def test_a_square_frame_has_one_scale_and_room_for_all(scale: tuple[float, float]) -> None:
    points = np.random.default_rng(0).normal(size=(40, 2)) * scale + 5
    frame = Frame.square(points, 480, 300, edge=30)
    found = frame.at(points)
    assert (found >= 30 - 1e-6).all()
    assert (found <= np.array([450, 270]) + 1e-6).all()
    np.testing.assert_allclose((found.min(0) + found.max(0)) / 2, [240, 150], atol=1e-3)
    across, up = (frame.x[1] - frame.x[0]) / 420, (frame.y[1] - frame.y[0]) / 240
    assert across == pytest.approx(up)
    if any(scale):  # no larger than it must be
        room = (found.max(0) - found.min(0)) / [420, 240]
        assert room.max() == pytest.approx(1)


def test_lines_and_areas_go_through_their_places_in_order() -> None:
    given_places = np.array([[1.0, 2.0], [30.25, 4.0], [5.0, -6.0]])
    for drawn, tag in (
        (line(given_places, "a b"), "polyline"),
        (area(given_places, "c"), "polygon"),
    ):
        found = parsed(drawn)
        assert found.tag == tag
        np.testing.assert_allclose(places(found), given_places, atol=0.051)
    assert numbers(parsed(rule((1, 2), (3, 4), "d")), "x1", "y1", "x2", "y2") == [1, 2, 3, 4]


def test_all_text_is_escaped() -> None:
    chart = svg(EVIL, [dot((1, 2), "a", 3, EVIL), words(1, 2, EVIL, "b")], 10, 10)
    chart += svg("", grid(FRAME, [], [(2.0, EVIL)]), 10, 10)
    assert "<script" not in chart
    root = parsed(f"<div>{chart}</div>")
    assert root[0].get("aria-label") == EVIL
    assert [e.text for e in root.iter() if e.tag in ("text", "title")] == [EVIL] * 3


def test_a_chart_says_what_it_is_and_has_a_class_where_one_is_given() -> None:
    chart = parsed(svg("About.", ["<g/>"], 480, 260.5, "scale"))
    assert (chart.get("role"), chart.get("aria-label")) == ("img", "About.")
    assert (chart.get("viewBox"), chart.get("class")) == ("0 0 480 260.5", "scale")
    assert parsed(svg("", [], 1, 1)).get("class") is None
    assert parsed(dot((1, 2), "a", 3)).find("title") is None


def test_a_grid_has_its_lines_at_their_numbers_and_its_words_at_the_edges() -> None:
    chart = parsed(svg("", grid(FRAME, [-3, 1], [(2, "first"), (4, "mid"), (7, "last")]), 480, 260))
    heights = [numbers(e, "y1", "y2") for e in of(chart, "line", "grid")]
    assert heights == [[230, 230], [121, 121]]
    assert [e.text for e in of(chart, "text", "tick")] == ["-3", "1"]
    along = of(chart, "text", "along")
    assert [e.get("text-anchor") for e in along] == ["start", "middle", "end"]
    np.testing.assert_allclose([numbers(e, "x")[0] for e in along], [36, 36 + 434 * 0.4, 470], 0.1)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 10, [0, 2, 4, 6, 8, 10]),
        (-0.13, 0.42, [0, 0.2, 0.4]),
        (0.31, 1.29, [0.4, 0.6, 0.8, 1.0, 1.2]),
        (-1234, 4321, [0, 2000, 4000]),
        (0, 4, [0, 1, 2, 3, 4]),
        (3, 3, [3]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)


@given(st.floats(-1e5, 1e5), st.floats(1e-3, 1e5), st.integers(2, 9))
def test_ticks_lie_in_the_range_at_even_steps_of_1_2_or_5(low: float, wide: float, n: int) -> None:
    found = np.array(ticks(low, low + wide, n))
    assert len(found) <= n + 1  # n steps
    assert (found >= low - 1e-6 * wide).all()
    assert (found <= low + wide + 1e-6 * wide).all()
    if len(found) > 1:
        steps = np.diff(found)
        np.testing.assert_allclose(steps, steps[0], rtol=1e-6)
        assert f"{steps[0]:.6e}"[:8] in ("1.000000", "2.000000", "5.000000")


def test_a_range_is_that_of_all_numbers_and_some_room() -> None:
    assert range_of([np.array([1.0, 3.0]), np.array([[2.0], [5.0]])]) == pytest.approx((0.76, 5.24))
    low, high = range_of([np.full(3, 7.0)])
    assert low < 7 < high
