from pathlib import Path

import pytest

from timecontrol.errors import InputError, UnknownNameError, brief, pick


def test_pick_returns_the_entry() -> None:
    assert pick({"a": 1}, "a", "thing") == 1


def test_an_unknown_name_is_answered_with_the_nearest_and_with_all() -> None:
    with pytest.raises(UnknownNameError) as caught:
        pick({"wikisection": 1, "sgd": 2}, "wikisektion", "corpus")
    assert str(caught.value) == (
        "No corpus named 'wikisektion'. Did you mean 'wikisection'? Known: wikisection, sgd."
    )


def test_a_name_like_none_gets_no_suggestion() -> None:
    with pytest.raises(UnknownNameError, match=r"^No thing named 'zzz'. Known: wikisection.$"):
        pick({"wikisection": 1}, "zzz", "thing")


def test_an_input_error_says_file_line_and_reason() -> None:
    assert str(InputError(Path("a.csv"), 7, "too short")) == "a.csv:7: too short"
    assert str(InputError(Path("a.csv"), None, "too short")) == "a.csv: too short"


def test_an_error_in_brief_is_one_line_and_names_the_file(tmp_path: Path) -> None:
    assert brief(ValueError("a\n  b")) == "a b"
    assert brief(ValueError("x" * 500)) == "x" * 160
    assert brief(KeyError()) == "KeyError"
    with pytest.raises(OSError, match="No such file") as caught:
        (tmp_path / ("deep" * 40) / "metrics.json").read_text()
    assert brief(caught.value) == "metrics.json: No such file or directory"
