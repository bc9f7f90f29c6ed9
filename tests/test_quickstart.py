"""The notebook: it is one, its names exist, and its cells run in order."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.shown import ROOT
from tests.test_snippets import imports_exist
from timecontrol import TimeControl
from timecontrol.decoder import Decoder

NOTEBOOK: dict[str, Any] = json.loads((ROOT / "docs" / "quickstart.ipynb").read_text("utf-8"))
CODE = ["".join(c["source"]) for c in NOTEBOOK["cells"] if c["cell_type"] == "code"]


def run_cells(names: dict[str, Any]) -> None:
    for number, cell in enumerate(CODE):
        exec(compile(cell, f"cell {number}", "exec"), names)


def test_it_is_a_notebook_without_outputs() -> None:
    assert NOTEBOOK["nbformat"] == 4
    assert len({cell["id"] for cell in NOTEBOOK["cells"]}) == len(NOTEBOOK["cells"])
    for cell in NOTEBOOK["cells"]:
        assert cell["cell_type"] in ("code", "markdown")
        assert isinstance(cell["source"], list)
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_its_names_exist() -> None:
    for cell in CODE:
        imports_exist(cell, "quickstart.ipynb")


def test_its_cells_run_with_a_small_model_in_the_place_of_those_of_the_package(
    decoder_run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    opened, load = TimeControl.from_pretrained, Decoder.load
    monkeypatch.setattr(TimeControl, "from_pretrained", lambda name: opened(decoder_run, "cpu"))
    monkeypatch.setattr(Decoder, "load", lambda *_: load(decoder_run, "cpu"))
    names: dict[str, Any] = {}
    run_cells(names)
    assert names["report"].id == "anna"
    assert names["town"].plan.about == names["plans"][0].about
    assert "score" in capsys.readouterr().out


@pytest.mark.slow
def test_it_finds_the_stranger_and_writes_of_a_town(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {}
    run_cells(names)
    assert names["report"].worst == 4
    assert names["report"].breaks == (4,)
    assert names["town"].tags[0] == "ABSTRACT"
