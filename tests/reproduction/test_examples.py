"""Ends of texts are shown where they are not copied, short, and with their tags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.corpora import synthetic
from timecontrol.corpora.documents import Section
from timecontrol.metrics.overlap import known_grams
from timecontrol.metrics.repetition import words_of
from timecontrol.reproduction.examples import LONGEST, SENTENCES, SHOWN, WORDS, examples, tail


def words(start: int, count: int) -> str:
    """Return a sentence of words that come nowhere else."""
    return " ".join(f"w{i}" for i in range(start, start + count))


def document(*sentences: str) -> list[Section]:
    """Return a document of one section without a tag."""
    return [Section(None, sentences)]


def shown(excerpt: list[tuple[str, str]]) -> list[str]:
    """Return the words of an excerpt that are the text's."""
    return [word for _, sentence in excerpt for word in sentence.split() if word != "..."]


LENGTHS = st.lists(st.lists(st.integers(1, 60), max_size=4), max_size=4)


def untagged(lengths: list[list[int]]) -> list[Section]:
    """Return sections without tags, of sentences so many words long."""
    found, start = [], 0
    for section in lengths:
        sentences = []
        for count in section:
            sentences.append(words(start, count))
            start += count
        found.append(Section(None, tuple(sentences)))
    return found


def test_tags_stand_before_the_first_sentence_of_their_section() -> None:
    sections = [
        Section("ABSTRACT", ("Zero.", "One.", "Two.")),
        Section("HISTORY", ("Three.", "Four.")),
        Section("GEOGRAPHY", ("Five.",)),
    ]
    assert tail(sections) == [
        ("", "Two."),
        ("[ HISTORY ]", "Three."),
        ("", "Four."),
        ("[ GEOGRAPHY ]", "Five."),
    ]
    assert tail(sections[:1]) == [("[ ABSTRACT ]", "Zero."), ("", "One."), ("", "Two.")]
    (found,) = examples([sections], set(), 1)
    assert found["tail"] == "Two. [ HISTORY ] Three. Four. [ GEOGRAPHY ] Five."


def test_text_before_the_first_tag_has_none() -> None:
    assert tail([Section(None, ("One.",)), Section("A", ("Two.",))]) == [
        ("", "One."),
        ("[ A ]", "Two."),
    ]


def test_a_document_of_nothing_has_no_end() -> None:
    assert tail([]) == tail([Section("A", ())]) == []
    assert examples([[], [Section("A", ())]], set()) == []


def test_what_is_too_long_is_cut_at_its_beginning() -> None:
    sections = document(words(0, 60), words(60, 50), words(110, 20))
    cut, *whole = tail(sections)
    assert whole == [("", words(60, 50)), ("", words(110, 20))]
    assert cut == ("", "... " + words(60 - (WORDS - 70), WORDS - 70))
    assert tail([Section("A", (words(0, WORDS + 1),))]) == [("", "... " + words(1, WORDS))]


@given(LENGTHS)
def test_an_excerpt_is_the_end_of_the_text_and_no_longer_than_it_may_be(
    lengths: list[list[int]],
) -> None:
    sections = untagged(lengths)
    sentences = [s for section in sections for s in section.sentences]
    whole, excerpt = " ".join(sentences).split(), shown(tail(sections))
    assert excerpt == whole[len(whole) - len(excerpt) :]
    # As much as there is room for.
    assert len(excerpt) == min(WORDS, len(" ".join(sentences[-SENTENCES:]).split()))
    assert len(tail(sections)) <= SENTENCES


def test_a_copied_excerpt_is_not_shown() -> None:
    copied, own = document(words(0, 20), words(20, 9)), document(words(500, 20))
    known = known_grams([["before", words(0, 29), "after"]])
    (found,) = examples([copied, own], known)
    assert (found["document"], found["tail"]) == (1, words(500, 20))
    assert (found["known 8-grams"], found["longest known"]) == (0, 0)


def test_only_the_excerpt_must_be_new() -> None:
    beginning = words(0, 80)
    new = [words(100 * i, 10) for i in range(1, SENTENCES + 1)]
    (found,) = examples([document(beginning, *new)], known_grams([[beginning]]))
    assert found["tail"] == " ".join(new)


@pytest.mark.parametrize(
    ("length", "new", "wanted"),
    [
        (LONGEST, 60, 1),
        (LONGEST + 1, 59, 0),  # too long a stretch, however little of the excerpt it is
        (14, 7, 1),  # 7 of 14 8-grams
        (15, 6, 0),  # 8 of 14
    ],
)
def test_a_little_may_be_known(length: int, new: int, wanted: int) -> None:
    excerpt = document(f"{words(0, length)} {words(500, new)}")
    found = examples([excerpt], known_grams([[words(0, length)]]))
    assert len(found) == wanted
    assert all(one["longest known"] == length for one in found)


def test_how_much_is_known_is_told_in_percent() -> None:
    (found,) = examples([document(words(0, 10), words(500, 9))], known_grams([[words(0, 10)]]))
    assert found["known 8-grams"] == 25  # 3 of 12
    assert found["longest known"] == 10


def test_the_first_that_may_be_shown_are() -> None:
    copied = document(words(0, 20))
    own = [document(words(1000 * i, 10)) for i in range(1, 6)]
    known = known_grams([[words(0, 20)]])
    documents = [own[0], copied, *own[1:]]
    assert [one["document"] for one in examples(documents, known, 3)] == [0, 2, 3]
    assert [one["document"] for one in examples(documents, known)] == [0, 2][:SHOWN]
    assert len(examples(documents, known, 99)) == 5


@given(LENGTHS, st.integers(0, 4), st.integers(0, 5))
def test_never_more_than_wanted(lengths: list[list[int]], wanted: int, copies: int) -> None:
    documents = [untagged(lengths)] * copies
    assert len(examples(documents, set(), wanted)) <= wanted


@pytest.mark.parametrize("kind", ["cities", "recipes", "dialogues"])
def test_of_training_documents_nothing_is_shown(kind: str) -> None:
    made = list(synthetic.documents(synthetic.Spec(kind, 20)))
    long = [d for d in made if len(words_of(d.sentences[-SENTENCES:])) > 20]
    assert long
    documents = [d.sections for d in long]
    assert examples(documents, known_grams(d.sentences for d in long)) == []
    assert len(examples(documents, set())) == SHOWN
