from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran


def test_it_says_where_the_run_is(
    timecontrol: Callable[..., Ran], run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def push(folder: Path, repo: str, private: bool) -> str:
        asked.extend((folder, repo, private))
        return f"https://hub.example/{repo}"

    monkeypatch.setattr("timecontrol.hub.push", push)
    ran = timecontrol("push", str(run), "anna/towns", "--private")
    assert ran.code == 0
    assert ran.out.strip().endswith("is at https://hub.example/anna/towns")
    assert asked == [run, "anna/towns", True]


def test_a_folder_that_is_none_is_told(timecontrol: Callable[..., Ran], tmp_path: Path) -> None:
    ran = timecontrol("push", str(tmp_path), "anna/towns")
    assert ran.code == 2
    assert "neither a finished run nor an exported model" in ran.err
    assert timecontrol("push", str(tmp_path), "towns").code == 2
