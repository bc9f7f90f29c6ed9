import sys

import pytest

from timecontrol.cli import console
from timecontrol.cli.console import counted, note, plural, print_json, shown, table


def test_results_go_to_stdout_and_notes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": "ü"})
    note("by the way")
    captured = capsys.readouterr()
    assert captured.out == '{\n "a": "ü"\n}\n'
    assert captured.err == "by the way\n"


def test_a_table_shows_every_cell(capsys: pytest.CaptureFixture[str]) -> None:
    table(["name", "n"], [["one", "1"], ["a longer name", "22"]])
    assert capsys.readouterr().out.splitlines() == [
        "name            n", "one             1", "a longer name  22",
    ]  # fmt: skip
    table(["name", "what"], [["a", "x"], ["b", "y" * 300]], numbers=False)
    assert "y" * 300 in capsys.readouterr().out


def test_text_is_shown_as_it_is_without_what_steers_a_terminal() -> None:
    assert shown("[bold]x[/] \x1b[31m\u202e") == r"\[bold]x\[/] " + "\ufffd[31m\ufffd"


def test_numbers_agree_with_their_words() -> None:
    assert (plural(1, "document"), plural(2000, "document")) == ("1 document", "2,000 documents")


@pytest.mark.parametrize("watched", [True, False])
def test_counting_passes_everything_on_and_writes_only_where_somebody_watches(
    watched: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: watched)
    assert list(counted(iter("abc"), "letters")) == ["a", "b", "c"]
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ("3 letters" in captured.err) == watched


def test_counting_to_a_known_number_tells_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "LINE_EVERY", 0.0)
    assert list(counted(iter("ab"), "letters", 2)) == ["a", "b"]
    assert capsys.readouterr().err.startswith("letters: 1/2 ")


def test_results_that_are_piped_stay_on_stdout_while_somebody_watches(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for letter in counted(iter("ab"), "letters", 2):
        print_json({"found": letter}, line=True)
    captured = capsys.readouterr()
    assert captured.out == '{"found": "a"}\n{"found": "b"}\n'
    assert "2/2 letters" in captured.err


def test_long_work_says_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "LINE_EVERY", 0.0)
    with console.progress("features", 100, 20, "sentences") as advance:
        advance(30)
        advance(50, loss=0.25)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("features: 50/100 sentences, ")
    assert "/s, " in lines[0]
    assert "left" in lines[0]
    assert lines[1].startswith("features: 100/100 sentences")
    assert lines[1].endswith("loss 0.250")


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with console.progress("training", 3, unit="epochs") as advance:
        advance(3)
    assert capsys.readouterr().err == ""
