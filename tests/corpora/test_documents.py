from dataclasses import FrozenInstanceError

import pytest

from timecontrol.corpora import Document, Section, Source

SOURCE = Source("a.txt", 1, 0)
TWO = (Section("A", ("One.", "Two.")), Section("B", ("Three.",)))


def test_a_document_gives_its_sentences_tags_and_text() -> None:
    document = Document("x", TWO, SOURCE)
    assert document.sentences == ("One.", "Two.", "Three.")
    assert document.tags == ("A", "B")
    assert document.text == "One. Two.\nThree."


def test_nothing_of_it_can_be_changed() -> None:
    document = Document("x", TWO, SOURCE)
    with pytest.raises(FrozenInstanceError):
        document.id = "y"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        document.sections[0].tag = "C"  # type: ignore[misc]


def test_a_digest_is_of_the_characters_alone() -> None:
    here = Document("x", TWO, SOURCE, "train")
    for sections in (
        (Section("A", ("One.", "Two.", "Three.")),),
        (Section("B", ("One. Two.",)), Section(None, ("Th ree.",))),
    ):
        there = Document("y", sections, Source("b.txt", 9, 8), "test")
        assert here.digest == there.digest
    other = Document("x", (Section("A", ("One.", "Two.", "Four.")),), SOURCE)
    assert here.digest != other.digest
