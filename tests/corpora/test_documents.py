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


def test_equal_documents_have_equal_digests_wherever_they_stand() -> None:
    here = Document("x", TWO, SOURCE, "train")
    there = Document("y", TWO, Source("b.txt", 9, 8), "test")
    assert here.digest == there.digest


@pytest.mark.parametrize(
    "sections",
    [
        (Section("A", ("One.", "Two.", "Three.")),),
        (Section("A", ("One.",)), Section("B", ("Two.", "Three."))),
        (Section("A", ("One. Two.",)), Section("B", ("Three.",))),
        (Section("B", ("One.", "Two.")), Section("B", ("Three.",))),
    ],
)
def test_a_digest_sees_tags_and_boundaries(sections: tuple[Section, ...]) -> None:
    assert Document("x", sections, SOURCE).digest != Document("x", TWO, SOURCE).digest
