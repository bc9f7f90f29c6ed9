import pytest

from timecontrol.errors import TimeControlError
from timecontrol.infilling.gaps import MOST, Gapped, read_gaps

TEXT = "Ann packed a bag. She ran to the station. [ ... ] The train was gone. She walked home."


def texts(found: Gapped) -> list[str | None]:
    return [slot.text for slot in found.slots]


def test_a_gap_is_a_missing_sentence_between_others() -> None:
    found = read_gaps(TEXT)
    assert found.gaps == [range(2, 3)]
    assert texts(found)[1:4] == ["She ran to the station.", None, "The train was gone."]


@pytest.mark.parametrize(
    ("mark", "n"),
    [("[ ... ]", 1), ("[...]", 1), ("[ …]", 1), ("[ ...3 ]", 3), ("[...2]", 2), ("[ ... 4 ]", 4)],
)
def test_a_mark_may_say_how_many_sentences_are_missing(mark: str, n: int) -> None:
    assert read_gaps(f"One came. {mark} Two left.").gaps == [range(1, 1 + n)]


@pytest.mark.parametrize(
    ("text", "gaps"),
    [
        ("[ ... ] It rained.", [range(0, 1)]),
        ("It rained. [ ... ]", [range(1, 2)]),
        ("[ ... ] It rained. [ ...2 ] It was dry. [ ... ]", [range(1), range(2, 4), range(5, 6)]),
        ("It rained. [ ... ] [ ... ] It was dry.", [range(1, 3)]),
    ],
)
def test_gaps_may_be_anywhere_and_neighbours_are_one(text: str, gaps: list[range]) -> None:
    assert read_gaps(text).gaps == gaps


@pytest.mark.parametrize("text", [TEXT, "A came. [ ...3 ] B left.\n\nC slept. [ ... ]"])
def test_a_text_with_gaps_is_written_as_it_was_read(text: str) -> None:
    assert read_gaps(text).text == text
    assert read_gaps(read_gaps(text).text) == read_gaps(text)


def test_a_filled_gap_is_gone_and_the_others_stay() -> None:
    found = read_gaps("A came. [ ... ] B left. [ ...2 ]").filled(range(1, 2), ["He sat down."])
    assert found.text == "A came. He sat down. B left. [ ...2 ]"
    assert found.gaps == [range(3, 5)]


def test_a_gap_for_which_nothing_was_found_leaves_no_mark() -> None:
    found = read_gaps("A came. [ ... ] B left.")
    assert found.filled(range(1, 2), [""]).text == "A came. B left."


def test_tags_begin_sections() -> None:
    found = read_gaps("[ TITLE ] Soup [ DIRECTIONS ] [ ... ] Serve it.", ("TITLE", "DIRECTIONS"))
    assert [(s.text, s.tag, s.first) for s in found.slots] == [
        ("Soup", "TITLE", True), (None, "DIRECTIONS", True), ("Serve it.", "DIRECTIONS", False),
    ]  # fmt: skip
    assert found.text == "[ TITLE ] Soup\n[ DIRECTIONS ] [ ... ] Serve it."


def test_an_utterance_is_one_unit() -> None:
    found = read_gaps("[ USER ] Hi. I am hungry. [ ... ]", ("USER",), utterances=True)
    assert texts(found) == ["Hi. I am hungry.", None]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Nothing is missing here.", "no gap"),
        ("", "no gap"),
        (" [ ... ] ", "nothing but the gap"),
        ("A came. [ ...0 ]", "0 ]"),
        (f"A came. [ ...{'9' * 5000} ]", f"from 1 to {MOST}"),
        (f"A came. [ ...{MOST + 1} ]", f"from 1 to {MOST}"),
    ],
)
def test_what_cannot_be_filled_is_said_in_a_line(text: str, said: str) -> None:
    with pytest.raises(TimeControlError, match=said) as caught:
        read_gaps(text)
    assert "\n" not in str(caught.value)
