import re

import pytest

from timecontrol.cli.suggestions import show_suggestion
from timecontrol.scoring import Report, Suggestion


def report(sentences: str, score: float, trust: float = 1.0) -> Report:
    n = len(sentences)
    interval = (score - 1, score + 1)
    trace, percentile = (0.0,) * n, (50.0,) * n
    return Report(
        "a.txt", tuple(sentences), score, interval, 40.0, 0.5, trace, percentile, trust=trust
    )


def suggestion(order: tuple[int, ...], exact: bool = True, trust: float = 1.0) -> Suggestion:
    told = "".join("abc"[i] for i in order)
    return Suggestion(
        order, report("abc", -1.0, trust), report(told, 0.5, trust), -9.0, -4.0, -3.5, exact
    )


def test_old_numbers_stand_beside_new_ones(capsys: pytest.CaptureFixture[str]) -> None:
    show_suggestion(suggestion((2, 0, 1)))
    out = capsys.readouterr().out
    assert out.startswith("a.txt  3 sentences")
    assert "Suggested order (looked at: the likeliest path between each two ends)" in out
    assert re.findall(r"^(\d)    (\d)  (\w)$", out, re.MULTILINE) == [
        ("1", "3", "c"),
        ("2", "1", "a"),
        ("3", "2", "b"),
    ]
    assert re.search(r"^now +-1\.00 .* -9\.0$", out, re.MULTILINE)
    assert re.search(r"^suggested +\+0\.50 .* -4\.0$", out, re.MULTILINE)
    assert "Take care" not in out


def test_a_search_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    show_suggestion(suggestion((2, 0, 1), exact=False))
    assert "(looked at: some likely paths)" in capsys.readouterr().out


def test_what_stands_well_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    show_suggestion(suggestion((0, 1, 2)))
    out = " ".join(capsys.readouterr().out.split())
    assert "scores higher (looked at: the likeliest path between each two ends)." in out
    assert "Suggested" not in out


def test_unknown_texts_come_with_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    show_suggestion(suggestion((2, 0, 1), trust=0.1))
    assert "can hardly tell the order" in capsys.readouterr().out
