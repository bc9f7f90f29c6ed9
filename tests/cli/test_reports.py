import pytest
from rich.cells import cell_len

from tests.reports import made, short
from timecontrol.cli import console, reports
from timecontrol.versions import Versions

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(type(console.out), "width", property(lambda self: 60))
    return 60


def test_a_document_is_shown_with_its_numbers_and_every_sentence(capsys: Capture) -> None:
    reports.show(made())
    out = capsys.readouterr().out
    assert "a.txt  3 sentences" in out
    assert "-0.50  95 % interval -1.00 to +0.00" in out
    assert "31  of 100 documents the encoder knows score lower" in out
    assert "4 %  of other orders of its sentences score as high" in out
    assert "1 ███████···  70  The town lies on a river.\n" in out
    assert "2 ··········   0  Pancakes need three eggs.  <- breaks the thread\n" in out
    assert out.endswith("Sentence 2 breaks the thread.\n  2  Pancakes need three eggs.\n")
    assert "Take care" not in out


def test_a_weak_sentence_is_marked_too(capsys: Capture) -> None:
    reports.show(made(trace_percentile=(50.0, 5.0, 50.0)))
    out = capsys.readouterr().out
    assert "<- weak link" in out
    assert "No sentence clearly breaks the thread; weak links: 2." in out


def test_a_text_of_another_kind_gets_a_warning(capsys: Capture) -> None:
    reports.show(made(trust=0.0))
    out = " ".join(capsys.readouterr().out.split())
    assert "Take care: this text is unlike those the encoder knows." in out


def test_without_shuffles_there_is_no_probability(capsys: Capture) -> None:
    reports.show(made(shuffled=None))
    assert "another order" not in capsys.readouterr().out


def test_a_short_document_is_said_to_be_one(capsys: Capture) -> None:
    reports.show(short())
    assert capsys.readouterr().out == (
        "short.txt  1 sentence\nToo short: 1 of at least 3 sentences, so there is no score.\n"
    )


@pytest.mark.parametrize("word", ["word ", "Wort", "字", "[red]x[/] "])
def test_nothing_is_wider_than_the_terminal_and_nothing_is_lost(
    word: str, narrow: int, capsys: Capture
) -> None:
    text = word * 60
    reports.show(made(sentences=[text] * 3, trace_percentile=(50.0, 0.0, 50.0)))
    out = capsys.readouterr().out
    assert max(map(cell_len, out.splitlines())) <= narrow
    assert (
        "".join(out.split()).count("".join(text.split())) == 4
    )  # the one that breaks is named again


def test_markup_and_control_characters_are_shown_not_obeyed(capsys: Capture) -> None:
    evil = "[bold]x[/] \x1b[31m"
    report = made(evil, (evil, "b", "c"), trace=(-9.0, 0.0, 0.0), trace_percentile=(0.0, 9.0, 9.0))
    reports.show(report)
    reports.row(report)
    reports.show_versions(Versions(report, report))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert out.count("[bold]x[/] \ufffd[31m") >= 6


def test_several_documents_are_rows_under_a_heading(capsys: Capture) -> None:
    reports.heading()
    reports.row(made("a.txt"))
    reports.row(short("b.txt"))
    reports.row(made("x" * 50, ("a" * 500, "b" * 500, "c")))
    head, first, second, third = capsys.readouterr().out.splitlines()
    for name, value in (("sentences", "3"), ("score", "-0.50"), ("percentile", "31")):
        assert head.index(name) + len(name) == first.index(value) + len(value)
    assert first.endswith("4 %       2 (breaks the thread) Pancakes need three eggs.")
    assert second.split()[:2] == ["b.txt", "1"]
    assert "too short: 1 of at least 3" in second
    assert third.startswith("x" * 50)  # a name is cut only where somebody watches
    assert len(third) < 150


def test_on_a_terminal_rows_are_cut_to_its_width(
    narrow: int, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(console.out), "is_terminal", property(lambda self: True))
    reports.row(made("a/long/path/that/never/seems/to/come/to/its/end.txt"))
    out = capsys.readouterr().out
    assert "…" in out
    assert "to/its/end.txt" in out
    assert out.count("\n") == 1


def test_two_versions_are_shown_side_by_side(capsys: Capture) -> None:
    old, new = made("old.txt", "abc"), made("new.txt", "bad", score=2.0)
    reports.show_versions(Versions(old, new))
    out = capsys.readouterr().out
    assert "+2.50  95 % interval" in out
    assert "The new version flows better" in out
    kinds = [line.split()[1] for line in out.splitlines() if line[:2] in ("= ", "~ ", "- ", "+ ")]
    assert sorted(kinds) == ["added", "kept", "moved", "removed"]


def test_a_version_that_is_too_short_is_said_to_be(capsys: Capture) -> None:
    reports.show_versions(Versions(short(), made(trust=0.0)))
    out = capsys.readouterr().out
    assert "1 sentence  too short" in out
    assert "The old version is too short" in out
    assert "Take care" in out


def test_a_bar_is_as_long_as_the_percentile(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [reports.bar(p).count("█") for p in (0, 4, 50, 100)] == [0, 0, 5, 10]
    monkeypatch.setattr(reports, "unicode", lambda: False)
    assert reports.bar(30) == "###......."
