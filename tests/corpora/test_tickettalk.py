from pathlib import Path

from timecontrol.corpora import open_corpus
from timecontrol.corpora.tickettalk import turns_of


def test_the_latest_event_comes_after_the_earlier_dialogue() -> None:
    source = "<U>Two.<C><U>Hi.<PN>find<PAN>place<PAV>here<PR>find<PRAN>x<PRAV>y<A>One?"
    assert turns_of(source, "[A]Three.") == [
        ("user", "Hi."), ("assistant", "One?"), ("user", "Two."), ("assistant", "Three."),
    ]  # fmt: skip


def test_a_first_turn_has_no_context_mark() -> None:
    assert turns_of("<U>Hi.", "[PN]find[PAN]x") == [("user", "Hi.")]


def test_a_call_after_a_reply_and_empty_turns_are_left_out() -> None:
    assert turns_of("<U>Hi.<C><A><U>", "[A]Let me see.[PN]find[PAV]x") == [
        ("user", "Hi."), ("assistant", "Let me see."),
    ]  # fmt: skip


def test_the_longest_row_of_a_conversation_counts_in_the_place_of_its_first(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.tsv"
    path.write_bytes(
        b"<U>a1\t[A]a2\tA\r\n"
        b"<U>b1\t[A]b2\tB\r\n"
        b'"<U>a3 ""so""<C><U>a1<A>a2"\t[A]a4\tA\r\n'
        b"<U>b1\t[PN]x\tB\r\n"
    )
    a, b = open_corpus(f"tickettalk:{path}").documents()
    assert (a.id, a.source.index, a.source.line) == ("A", 0, 3)
    assert a.sentences == ("a1", "a2", 'a3 "so"', "a4")
    assert (b.id, b.source.index, b.sentences) == ("B", 1, ("b1", "b2"))
