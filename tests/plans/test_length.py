from dataclasses import replace

import pytest

from tests.plans.examples import law
from timecontrol.errors import TimeControlError, UnknownNameError
from timecontrol.plans import plan_length

LAW = replace(law(), sentences=20.4, tokens=600.4)


@pytest.mark.parametrize(
    ("rule", "normal", "forced"),
    [
        ("best", 20, 35),  # 1024 / 600.4 * 20.4 = 34.79
        ("paper", 20, 14),  # (1024 - 600.4) / 600.4 * 20.4 = 14.39: shorter, though more is wanted
        ("released", 600, 34),
    ],
)
def test_the_three_rules(rule: str, normal: int, forced: int) -> None:
    assert plan_length(LAW, "normal", 1024, rule) == normal
    assert plan_length(LAW, "normal", rule=rule) == normal
    assert plan_length(LAW, "forced", 1024, rule) == forced
    assert plan_length(LAW, "tokens", 1024, rule) == forced


def test_twice_the_tokens_are_twice_the_sentences() -> None:
    assert plan_length(LAW, "tokens", 6004) == 204
    assert plan_length(LAW, "tokens", 12008) == 408


@pytest.mark.parametrize("rule", ["best", "paper", "released"])
def test_a_plan_has_a_start_and_a_goal(rule: str) -> None:
    assert plan_length(LAW, "tokens", 1, rule) == 2
    assert plan_length(replace(LAW, sentences=1.0, tokens=1.0), "normal", rule=rule) == 2


@pytest.mark.parametrize("budget", [None, 0, -5, float("nan"), float("inf")])
def test_a_budget_that_is_none_is_refused(budget: int | None) -> None:
    with pytest.raises(TimeControlError, match=f"at least 1 token, got {budget}"):
        plan_length(LAW, "forced", budget)


def test_unknown_names_are_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'forcd'. Did you mean 'forced'\?"):
        plan_length(LAW, "forcd", 100)
    with pytest.raises(UnknownNameError, match="Known: best, paper, released"):
        plan_length(LAW, "normal", 100, "worst")
