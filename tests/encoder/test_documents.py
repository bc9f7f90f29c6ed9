import pytest

from timecontrol.corpora import Document, Section, Source, open_corpus
from timecontrol.encoder.documents import choose, choose_from, texts_of
from timecontrol.errors import TimeControlError


def document(name: str, *sentences: str) -> Document:
    return Document(name, (Section(None, sentences),), Source("made", 1, 0))


def long(name: str) -> Document:
    return document(name, f"{name} begins.", f"{name} goes on.", f"{name} ends.")


def test_documents_need_three_sentences() -> None:
    found = choose([long("a"), document("b", "One.", "Two."), long("c")], [long("d")], "x")
    assert [d.id for d in found.train] == ["a", "c"]
    assert found.notes == ["1 training documents under 3 sentences left out"]


def test_repeated_documents_are_used_once_and_never_validate() -> None:
    found = choose([long("a"), long("b"), long("a")], [long("b"), long("c")], "x")
    assert [d.id for d in found.train] == ["a", "b"]
    assert [d.id for d in found.val] == ["c"]
    assert found.notes == [
        "1 repeated training documents left out",
        "1 repeated validation documents left out",
    ]


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_are_refused(n: int) -> None:
    with pytest.raises(TimeControlError, match=f"x: {n} training documents of 3 or more .*least 2"):
        choose([long("a"), long("a"), document("b", "One.")][: 3 * n], [long("c")], "x")


def test_without_validation_some_are_held_out() -> None:
    names = [f"town {i}" for i in range(25)]
    found = choose([long(n) for n in names], [], "x")
    assert (len(found.train), len(found.val)) == (23, 2)
    assert {d.id for d in found.train} | {d.id for d in found.val} == set(names)
    assert found.notes == ["no validation documents: 2 training documents held out instead"]
    again = choose([long(n) for n in reversed(names)], [], "x")
    assert {d.id for d in again.val} == {d.id for d in found.val}  # whatever their order


def test_two_documents_are_trained_on_without_validation() -> None:
    found = choose([long("a"), long("b")], [], "x")
    assert (len(found.train), len(found.val)) == (2, 0)
    assert "last weights kept" in found.notes[0]


def test_tags_are_read_with_the_first_sentence_of_a_section() -> None:
    made = Document(
        "a",
        (Section(None, ("Zero.",)), Section("HISTORY", ("One.", "Two."))),
        Source("made", 1, 0),
    )
    assert texts_of([made]) == ["Zero.", "One.", "Two."]
    assert texts_of([made], tags=True) == ["Zero.", "[ HISTORY ] One.", "Two."]


def test_the_digest_tells_splits_and_texts_apart() -> None:
    a, b, c = long("a"), long("b"), long("c")
    digests = {
        choose(train, val, "x").digest
        for train, val in (([a, b], [c]), ([a, c], [b]), ([b, a], [c]), ([a, b, c], []))
    }
    assert len(digests) == 4


def test_a_corpus_gives_its_own_splits() -> None:
    found = choose_from(open_corpus("synthetic:recipes,documents=20"))
    assert (len(found.train), len(found.val), found.notes) == (16, 2, [])
