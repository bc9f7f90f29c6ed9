import sys

import pytest

from timecontrol.cli.console import counted, note, print_json, table


def test_results_go_to_stdout_and_notes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": "ü"})
    note("by the way")
    captured = capsys.readouterr()
    assert captured.out == '{\n "a": "ü"\n}\n'
    assert captured.err == "by the way\n"


def test_a_table_shows_every_cell(capsys: pytest.CaptureFixture[str]) -> None:
    table(["name", "n"], [["one", "1"], ["a longer name", "22"]])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [["name", "n"], ["one", "1"], ["a", "longer", "name", "22"]]


@pytest.mark.parametrize("watched", [True, False])
def test_counting_passes_everything_on_and_writes_only_where_somebody_watches(
    watched: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: watched)
    assert list(counted(iter("abc"), "letters")) == ["a", "b", "c"]
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ("3 letters" in captured.err) == watched
