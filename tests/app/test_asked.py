from dataclasses import replace
from typing import Any

import pytest

from timecontrol.app.asked import Asked
from timecontrol.app.limits import Limits, TooMuch
from timecontrol.errors import TimeControlError

LIMITS = Limits(characters=20, sentences=30, tokens=100, waypoints=2)


def test_what_is_asked_by_default_can_be() -> None:
    assert Asked().checked(LIMITS) == Asked()


def test_what_is_within_its_bounds_comes_back_as_it_is() -> None:
    asked = Asked(
        model="towns",
        kind="bridge",
        start="A port.",
        goal="Few left.",
        waypoints=((0.5, "x"), (0.9, "y")),
        sentences=30,
        length="100",
        noise=0.0,
        seed=2**31 - 1,
        top_p=1.0,
        temperature=0.0,
    )
    assert asked.checked(LIMITS) is asked


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("model", "", "model is ''"),
        ("kind", "x" * 300, "kind is 'xxx"),
        ("waypoints", ((0.0, "x"),), "waypoint is at 0: a share"),
        ("waypoints", ((float("nan"), "x"),), "waypoint is at nan: a share"),
        ("waypoints", ((0.5, "x"),) * 3, "3 waypoints; at most 2"),
        ("start", "\ud800", "not UTF-8"),
        ("sentences", 0, "0 sentences are asked for: from 1 to 30"),
        ("sentences", 31, "31 sentences are asked for: from 1 to 30"),
        ("length", "long", "length is 'long': normal, forced, or a number"),
        ("length", "1", "length is '1': normal, forced, or a number"),
        ("length", "-5", "length is '-5'"),
        ("length", "٣٣", "length is '٣٣'"),
        ("length", "9" * 5000, "length is '9999"),
        ("length", "101", "101 tokens are asked for; at most 100"),
        ("noise", -0.1, "noise is -0.1: from 0 to 100"),
        ("noise", float("inf"), "noise is inf"),
        ("temperature", float("nan"), "temperature is nan: from 0 to 10"),
        ("temperature", 11.0, "temperature is 11: from 0 to 10"),
        ("seed", -1, "seed is -1: from 0, below 2147483648"),
        ("seed", 2**31, "seed is 2147483648"),
        ("top_p", 0.0, "top_p is 0: above 0"),
        ("top_p", float("nan"), "top_p is nan"),
    ],
)
def test_what_is_out_of_its_bounds_is_told_in_a_line(field: str, value: Any, said: str) -> None:
    with pytest.raises(TimeControlError) as caught:
        replace(Asked(), **{field: value}).checked(LIMITS)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_all_texts_together_are_within_the_limit() -> None:
    Asked(start="x" * 10, goal="x" * 10).checked(LIMITS)
    with pytest.raises(TooMuch, match=r"together has 21 characters; at most 20"):
        Asked(start="x" * 10, goal="x" * 10, waypoints=((0.5, "x"),)).checked(LIMITS)


def test_two_halves_of_a_character_in_two_texts_are_no_character() -> None:
    with pytest.raises(TimeControlError, match="not UTF-8"):
        Asked(start="\ud83d", goal="\ude00").checked(LIMITS)
