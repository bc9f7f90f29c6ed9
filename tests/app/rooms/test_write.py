from dataclasses import replace
from typing import Any

import pytest

from timecontrol.app.asked import Asked
from timecontrol.app.rooms.write import (
    WAYS,
    asked_of,
    fitting,
    follow,
    fresh,
    progress,
    show_plan,
    waypoints_of,
    without,
)
from timecontrol.app.service import BARE
from timecontrol.errors import TimeControlError
from timecontrol.plans import KINDS

TAIL: tuple[Any, ...] = (128.0, 0, 3.0, 1.0, 1.0, 0.95)
"""Tokens, sentences, seed, noise, temperature, top-p."""


def form(kinds: list[str], length: str = "forced") -> list[Asked]:
    return asked_of("A port. ", " ", "", kinds, "towns", length, *TAIL)


def test_a_form_is_asked_once_for_each_plan() -> None:
    first, second = form(["bridge", BARE])
    assert (first.kind, second.kind) == ("bridge", BARE)
    assert (first.start, first.goal, first.length, first.sentences) == (
        "A port.",
        None,
        "128",
        None,
    )
    assert (first.model, first.seed) == ("towns", 3)
    normal = form(["bridge"], "normal")
    assert normal[0].length == "normal"


def test_none_and_too_many_plans_are_refused() -> None:
    for kinds in ([], ["bridge"] * 5):
        with pytest.raises(TimeControlError, match="plans are chosen"):
            form(kinds)


def test_what_can_be_compared_are_kinds_of_plans() -> None:
    assert set(WAYS) - {BARE} <= set(KINDS)


def test_waypoints_are_lines() -> None:
    assert waypoints_of("50 %: the river") == ((0.5, "the river"),)
    assert waypoints_of("0.5: the river\n\n 0.8 : a bridge: old") == (
        (0.5, "the river"), (0.8, "a bridge: old"),
    )  # fmt: skip
    for bad in ("the river", "half: the river", "0.5:"):
        with pytest.raises(TimeControlError, match="A waypoint is"):
            waypoints_of(bad)


def test_what_is_shown_follows_the_events() -> None:
    way = fresh(form(["bridge", BARE])[0])
    way["state"] = "writing"
    follow(way, {"event": "plan", "plan": {"points": [[0.0]]}, "at": [[0.0, 1.0]]})
    follow(way, {"event": "sentence", "tag": "HISTORY", "text": "Once."})
    assert progress([way]) == "Writing. bridge: sentence 1 of about 1."
    follow(way, {"event": "done", "units": [0], "markdown": "Once.", "ended": False, "tokens": 9})
    assert (way["state"], way["units"], len(way["sentences"])) == ("done", [0], 1)
    assert "stopped at its length" in way["note"]
    assert progress([way]) == ""


def test_without_a_plan_none_is_shown() -> None:
    way = fresh(form(["bridge", BARE])[1])
    show_plan(way, {"plan": {"points": [[0.0]]}, "at": [[0.0, 1.0]]})
    assert (way["plan"], way["at"]) == (None, [])


def test_a_constant_plan_can_stand_beside_a_bridge_to_a_goal() -> None:
    common = Asked(goal="The end.", waypoints=((0.5, "The river."),))
    assert fitting(common, "bridge") == replace(common, kind="bridge")
    assert fitting(common, "static") == Asked(kind="static")
    assert without("static") == "Has no goal and no waypoints."
    assert without("bridge") == ""
