import pytest

from tests.reports import made, short
from timecontrol.pages import words
from timecontrol.versions import Versions


def test_a_sentence_breaks_is_weak_or_fits() -> None:
    trace, percentile = (-4.0, -1.3, 0.0, 0.1, 0.2, -0.9), (1.0, 5.0, 50.0, 55.0, 60.0, 12.0)
    report = made(sentences=tuple("abcdef"), trace=trace, trace_percentile=percentile)
    found = [words.level(report, i) for i in range(6)]
    assert found == ["breaks", "weak", "fits", "fits", "fits", "fits"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        (0.0, "under 1"),
        (0.99, "under 1"),
        (1.0, "1"),
        (31.4, "31"),
        (99.0, "99"),
        (99.1, "over 99"),
        (100.0, "over 99"),
    ],
)
def test_no_share_is_all_or_none(value: float | None, expected: str) -> None:
    assert words.share(value) == expected


def test_numbers_are_short() -> None:
    assert words.signed(-0.123) == "-0.12"
    assert words.signed(-0.001) == "+0.00"
    assert words.signed(None) == words.chance(None) == words.between(None) == ""
    assert words.chance(0.35) == "35 %"
    assert words.between((-1, 2)) == "-1.00 to +2.00"


@pytest.mark.parametrize(
    ("percentile", "shuffled", "flow", "order"),
    [
        (0.5, 0.01, "less well than nearly all", "clearly better than chance"),
        (15, 0.1, "less well than most", "perhaps better than chance"),
        (50, 0.5, "as well as", "might stand in another order"),
        (90, None, "better than most", "knows."),
    ],
)
def test_the_meaning_follows_the_numbers(
    percentile: float, shuffled: float | None, flow: str, order: str
) -> None:
    said = words.meaning(made(percentile=percentile, shuffled=shuffled))
    assert flow in said
    assert order in said
    assert said.endswith(".")


def test_a_short_text_has_no_score() -> None:
    expected = "Too short: 1 of at least 3 sentences, so there is no score."
    assert words.meaning(short()) == expected


def test_sentences_that_break_are_named_by_number_from_one() -> None:
    assert words.breaking(made()) == "Sentence 2 breaks the thread."
    several = made(
        sentences=tuple("abcdefg"),
        trace=(0.0, -4.0, 0.0, -5.0, 0.0, -3.0, 0.0),
        trace_percentile=(50.0, 0.5, 50.0, 0.1, 50.0, 0.9, 50.0),
    )
    assert words.breaking(several) == "Sentences 2, 4 and 6 break the thread."
    none = made(trace_percentile=(50.0, 50.0, 50.0))
    assert words.breaking(none) == "No sentence clearly breaks the thread."


def test_the_verdict_on_two_versions() -> None:
    low, high = made(score=-3.0), made(score=3.0, sentences=("One.", "Two.", "Three."))
    assert "flows better" in words.verdict(Versions(low, high))
    assert "flows worse" in words.verdict(Versions(high, low))
    other = made(score=-2.9, sentences=("Four.", "Five.", "Six."))
    assert "neither version" in words.verdict(Versions(low, other))
    assert "the same sentences" in words.verdict(Versions(low, low))
    assert words.verdict(Versions(short(), high)).startswith("The old version is too short")
    assert words.verdict(Versions(short(), short())).startswith("Both versions are too short")
