import pytest

from timecontrol.cli.console import note, print_json, table


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
