"""What comes twice is counted; what does not, is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.metrics.repetition import (
    distinct,
    longest_cycle,
    measures,
    repeated_sentences,
    repetition,
    tail_repeated,
    words_of,
)


def test_words_are_runs_of_letters_and_digits_in_one_case() -> None:
    assert words_of(["The Straße, built 1204!", "the END"]) == [
        "the",
        "strasse",
        "built",
        "1204",
        "the",
        "end",
    ]
    assert words_of(["...", ""]) == []


@pytest.mark.parametrize(
    ("n", "expected"), [(1, 3 / 6), (2, 3 / 5), (3, 3 / 4), (4, 3 / 3), (6, 1), (7, None)]
)
def test_distinct_worked_by_hand(n: int, expected: float | None) -> None:
    assert distinct(list("abcabc"), n) == expected


def test_n_grams_run_across_sentences() -> None:
    assert measures(["a b", "a b", "a"])["distinct_2"] == 2 / 4  # ab ba ab ba


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["One.", "Two.", "Three."], 0),
        (["One.", "Two.", "ONE. "], 1 / 3),
        (["One.", "One.", "One."], 2 / 3),
        (["One.", "One!"], 0),
        (["", " "], None),
        (["One.", ""], 0),
    ],
)
def test_repeated_sentences_worked_by_hand(sentences: list[str], expected: float | None) -> None:
    assert repeated_sentences(sentences) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b c d", 0),
        ("a b b b c d", 3 / 6),
        ("x a b a b a y", 5 / 7),  # two and a half times through the cycle
        ("a b a", 0),  # not twice through
        ("a b c a b d", 0),
        ("a b c a b c", 1),
        ("a a b c d b c d b", 7 / 9),  # the longest counts, not the first
        ("1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8", 1),
        ("1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9", 0),  # longer than what is looked for
        ("a a", 1),
        ("a", 0),
        ("", None),
    ],
)
def test_the_longest_cycle_worked_by_hand(text: str, expected: float | None) -> None:
    assert longest_cycle(text.split()) == pytest.approx(expected)


def cycle_by_hand(words: list[str], longest: int) -> int:
    """Return the longest stretch that goes through a cycle twice or more, by trying them all."""
    return max(
        (
            j - i
            for i in range(len(words))
            for j in range(i + 2, len(words) + 1)
            for p in range(1, min(longest, (j - i) // 2) + 1)
            if words[i : j - p] == words[i + p : j]
        ),
        default=0,
    )


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=14), st.integers(1, 4))
def test_the_longest_cycle_is_the_longest(words: list[str], longest: int) -> None:
    assert longest_cycle(words, longest) == cycle_by_hand(words, longest) / len(words)


@given(st.lists(st.sampled_from("abc"), min_size=5, max_size=20))
def test_longer_n_grams_are_more_distinct(words: list[str]) -> None:
    shares = [distinct(words, n) for n in range(1, 5)]
    known = [share for share in shares if share is not None]
    assert len(known) == 4
    assert known == sorted(known)


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["a b c d.", "e f.", "g h.", "A B C D."], 1.0),  # as at the beginning
        (["a b c d.", "a b c d.", "g h.", "i j k l."], 0.0),  # what comes twice is not in the tail
        (["a b.", "c d.", "e f.", "x y x y x y x."], 2 / 4),  # inside the tail: xyxy yxyx twice
        (["a b c d.", "e f g h.", "i.", "j.", "c d e f g.", ""], 2 / 3),  # 5 sentences: 2 are tail
        (["a b c d.", "e.", "f.", "a b c."], None),  # three words
        (["", " "], None),
    ],
)
def test_the_tail_worked_by_hand(sentences: list[str], expected: float | None) -> None:
    assert tail_repeated(sentences) == pytest.approx(expected)


@given(st.lists(st.sampled_from("ab"), min_size=4, max_size=20))
def test_a_tail_that_is_all_repeats_what_is_not_distinct(words: list[str]) -> None:
    share, all_of_it = distinct(words, 4), tail_repeated(words, share=1)
    assert share is not None
    assert all_of_it == pytest.approx(1 - share)
    assert tail_repeated([" ".join(words)]) == pytest.approx(1 - share)


@given(
    st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=5), min_size=1, max_size=9),
)
def test_the_tail_by_trying_all(sentences: list[list[str]]) -> None:
    words = [word for sentence in sentences for word in sentence]
    start = len([w for s in sentences[: 3 * len(sentences) // 4] for w in s])
    again = [
        any(words[j : j + 4] == words[i : i + 4] for j in range(i))
        for i in range(start, len(words) - 3)
    ]
    expected = np.mean(again) if again else None
    assert tail_repeated([" ".join(s) for s in sentences]) == pytest.approx(expected)


def test_the_tail_is_among_the_measures() -> None:
    documents = [["a b c d e", "f", "g", "a b c d e"], ["a b c d e", "f", "g", "h i j k"]]
    found = repetition(documents)["tail_repeated_4_grams"]
    assert (found["value"], found["documents"]) == (0.5, 2)


def test_the_summary_is_a_mean_over_documents_that_are_long_enough() -> None:
    documents = [["a b c d e"], ["a b c d", "A B C D"], ["a b"], []]
    found = repetition(documents)
    assert found["n"] == 4
    assert found["distinct_1"]["value"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert found["distinct_1"]["documents"] == 3
    assert found["distinct_4"]["documents"] == 2
    assert found["distinct_4"]["value"] == pytest.approx((1 + 4 / 5) / 2)
    assert found["repeated_4_grams"]["value"] == pytest.approx(0.1)
    assert found["repeated_sentences"]["value"] == pytest.approx(0.5 / 3)
    assert found["longest_cycle"]["value"] == pytest.approx(1 / 3)


def test_the_error_is_that_of_a_mean_over_documents() -> None:
    documents = [["stuck stuck"], ["well said"]] * 50
    found = repetition(documents)["longest_cycle"]
    assert found["value"] == 0.5
    assert found["error"] == pytest.approx(0.5 / np.sqrt(100), rel=0.1)


def test_nothing_said_is_no_number_and_no_documents_are_refused() -> None:
    assert repetition([[]])["distinct_1"] is None
    with pytest.raises(ValueError, match="no documents"):
        repetition([])
