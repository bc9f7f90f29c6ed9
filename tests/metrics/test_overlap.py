"""What is copied is known, what is new is not, and stretches are as long as they are."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.metrics.overlap import N, Overlap, known_grams, overlap
from timecontrol.metrics.repetition import words_of

SENTENCES = ["The old town lies on a wide river.", "It has three bridges, and one of them is new."]
NEW = ["Add salt to taste and stir the soup for about ten more minutes."]

TEXTS = st.lists(st.text("abc ", max_size=12), max_size=4)
DOCUMENTS = st.lists(TEXTS, max_size=3)
SIZES = st.integers(1, 4)


def by_definition(sentences: Sequence[str], documents: Sequence[Sequence[str]], n: int) -> Overlap:
    """Return the same by looking at every stretch of words."""

    def grams(words: Sequence[str]) -> list[tuple[str, ...]]:
        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]

    known = {gram for document in documents for gram in grams(words_of(document))}
    words = words_of(sentences)
    own = grams(words)
    stretches = [
        j - i
        for i in range(len(words))
        for j in range(i + n, len(words) + 1)
        if set(grams(words[i:j])) <= known
    ]
    share = sum(gram in known for gram in own) / len(own) if own else 0.0
    return Overlap(share, max(stretches, default=0))


def test_a_text_copied_whole_is_known_whole() -> None:
    assert overlap(SENTENCES, known_grams([NEW, SENTENCES])) == Overlap(1, 18)


def test_a_new_text_is_not_known() -> None:
    assert overlap(NEW, known_grams([SENTENCES])) == Overlap(0, 0)
    assert overlap(NEW, set()) == Overlap(0, 0)


def test_a_copied_stretch_worked_by_hand() -> None:
    # 4 new words, 8 known, 2 new: 12 3-grams, and 6 of them are of known words alone.
    text = ["Far in the south the old town lies on a wide river. Very nice."]
    known = known_grams([["Here the old town lies on a wide river"]], 3)
    found = overlap(text, known, 3)
    assert found.longest == 8
    assert found.share == pytest.approx(1 / 2)


def test_case_marks_and_sentence_ends_do_not_matter() -> None:
    again = [
        "the OLD town - lies on",
        "a wide river: it has 'three' bridges and one of them is new",
    ]
    assert overlap(again, known_grams([SENTENCES])) == Overlap(1, 18)


def test_grams_do_not_go_from_one_document_to_the_next() -> None:
    apart = known_grams([["a b c"], ["d e f"]], 4)
    assert apart == set()
    assert overlap(["a b c d e f"], apart, 4) == Overlap(0, 0)


def test_a_stretch_may_be_put_together_from_several_documents() -> None:
    known = known_grams([["a b c d"], ["c d e f"]], 2)
    assert overlap(["a b c d e f"], known, 2) == Overlap(1, 6)


def test_a_text_too_short_for_a_gram_is_not_known() -> None:
    short = ["one two three four five six seven"]
    assert len(words_of(short)) == N - 1
    assert overlap(short, known_grams([short])) == Overlap(0, 0)
    assert overlap([], known_grams([SENTENCES])) == Overlap(0, 0)


@given(TEXTS, DOCUMENTS, SIZES)
def test_it_is_what_its_definition_says(
    text: list[str], documents: list[list[str]], n: int
) -> None:
    assert overlap(text, known_grams(documents, n), n) == by_definition(text, documents, n)


@given(TEXTS, DOCUMENTS, SIZES)
def test_bounds(text: list[str], documents: list[list[str]], n: int) -> None:
    found, words = overlap(text, known_grams(documents, n), n), len(words_of(text))
    assert 0 <= found.share <= 1
    assert found.longest == 0 or n <= found.longest <= words
    assert (found.share > 0) == (found.longest > 0)
    assert (found.share == 1) == (found.longest == words > 0)


@given(TEXTS, DOCUMENTS, SIZES)
def test_a_text_among_the_documents_is_known_whole(
    text: list[str], documents: list[list[str]], n: int
) -> None:
    words = len(words_of(text))
    wanted = Overlap(1, words) if words >= n else Overlap(0, 0)
    assert overlap(text, known_grams([*documents, text], n), n) == wanted


@given(TEXTS, DOCUMENTS, DOCUMENTS, SIZES)
def test_more_documents_make_no_less_known(
    text: list[str], some: list[list[str]], more: list[list[str]], n: int
) -> None:
    less, all_ = (overlap(text, known_grams(d, n), n) for d in (some, [*some, *more]))
    assert less.share <= all_.share
    assert less.longest <= all_.longest
