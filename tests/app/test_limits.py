import pytest

from timecontrol.app.limits import Limits, TooMuch
from timecontrol.errors import TimeControlError

SMALL = Limits(
    characters=10, sentences=3, ordered=3, tokens=20, candidates=2, waypoints=1, waiting=0
)


def test_what_is_at_the_limit_is_taken() -> None:
    SMALL.check_text("x" * 10)
    SMALL.check_text("")
    SMALL.check_sentences(3)
    SMALL.check_ordered(3)
    SMALL.check_tokens(20)
    SMALL.check_candidates(2)
    SMALL.check_waypoints(1)


def test_a_text_that_is_too_long_is_told_what_is_allowed_and_what_else_there_is() -> None:
    with pytest.raises(TooMuch) as caught:
        Limits().check_text("x" * 5_000_000)
    assert str(caught.value) == (
        "The text has 5,000,000 characters; at most 200,000 here: timecontrol score FILE takes "
        "any length."
    )


def test_sentences_beyond_the_limit_are_too_much() -> None:
    with pytest.raises(TooMuch, match=r"has 4 sentences; at most 3 here: timecontrol score"):
        SMALL.check_sentences(4)


def test_half_of_a_character_is_no_text() -> None:
    for half in ("a\ud800", "\udfff"):
        with pytest.raises(TimeControlError, match=r"^Sentence 2 is not UTF-8: .* character\.$"):
            SMALL.check_text(half, "Sentence 2")
    SMALL.check_text("\U0001f600\ud7ff\ue000")


@pytest.mark.parametrize(
    ("check", "count", "said"),
    [
        ("check_ordered", 4, "best order of 4 sentences is asked for; from 3 to 3 here"),
        ("check_tokens", 21, "21 tokens are asked for; at most 20 here"),
        ("check_candidates", 3, "3 candidates are asked for; from 1 to 2 here"),
        ("check_candidates", 0, "0 candidates are asked for; from 1 to 2 here"),
        ("check_waypoints", 2, "2 waypoints; at most 1 here"),
    ],
)
def test_other_numbers_beyond_the_limit_are_mistakes_in_one_line(
    check: str, count: int, said: str
) -> None:
    with pytest.raises(TimeControlError, match=said) as caught:
        getattr(SMALL, check)(count)
    assert not isinstance(caught.value, TooMuch)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong", [{"seconds": 0}, {"waiting": -1}, {"tokens": 0}, {"seconds": float("nan")}]
)
def test_limits_that_let_nothing_through_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(
        TimeControlError, match=rf"^The limit of {next(iter(wrong))} is .*: (above 0|0 or more)\.$"
    ):
        Limits(**wrong)  # type: ignore[arg-type]


def test_what_else_there_is_depends_on_what_is_asked() -> None:
    with pytest.raises(TooMuch, match=r"at most 3 here: say less\.$"):
        Limits(characters=3).check_text("abcd", "The start", "say less.")
