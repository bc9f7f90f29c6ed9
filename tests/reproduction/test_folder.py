import json
from pathlib import Path

import pytest

from timecontrol.errors import TimeControlError
from timecontrol.reproduction.folder import write_report
from timecontrol.reproduction.grid import Asked, Grid
from timecontrol.reproduction.printed import printed
from timecontrol.reproduction.records import FIGURES, Record, Value, identity, keep
from timecontrol.reproduction.report import summary
from timecontrol.reproduction.scales import SCALES
from timecontrol.reproduction.works import Work

GRID = Grid(SCALES["smoke"], Asked())


def made(work: Work, **values: float) -> Record:
    recipe = {"work": work.told(), "data": "data"}
    numbers = {name.replace("_", " "): Value(value, 1.0, 9) for name, value in values.items()}
    return Record(work, "smoke", "made", "base", recipe, "data", "command", numbers,
                  made={"figures": ["drawn.png", "gone.png"]}, id=identity(recipe))  # fmt: skip


def test_a_report_is_made_of_nothing(tmp_path: Path) -> None:
    found = write_report(GRID, tmp_path / "new")
    assert all(line.ours is None for line in found)
    assert {f.name for f in (tmp_path / "new").iterdir()} == {
        "report.md", "report.html", "report.json",
    }  # fmt: skip


def test_presets_and_seeds_that_were_run_are_in_it(tmp_path: Path) -> None:
    work = Work("texts", "wikisection", "GPT2", preset="paper", seed=4, length="forced")
    keep(made(work, order=12.0), tmp_path)
    found = [line for line in write_report(GRID, tmp_path) if line.ours is not None]
    labels = {line.cell.label for line in found}
    assert "GPT2 [paper]" in labels
    assert all(line.ours and line.ours.seeds == (4,) for line in found)
    data = json.loads((tmp_path / "report.json").read_text())
    told = [line for line in data["lines"] if line["row"] == "GPT2 [paper]"]
    assert {line["ours"]["value"] for line in told} == {12}  # rows of it that have no run are none
    rows = summary(write_report(GRID, tmp_path)).rows
    assert sum(int(row[1]) for row in rows) == len(printed())


def test_records_of_another_scale_are_not_looked_at(tmp_path: Path) -> None:
    keep(made(Work("texts", "wikisection", "GPT2", length="forced"), order=12.0), tmp_path)
    small = Grid(SCALES["small"], Asked())
    assert all(line.ours is None for line in write_report(small, tmp_path / "new"))
    found = write_report(small, tmp_path)
    assert all(line.ours is None for line in found)


def test_a_report_is_not_replaced_by_nothing(tmp_path: Path) -> None:
    keep(made(Work("texts", "wikisection", "GPT2", length="forced"), order=12.0), tmp_path)
    write_report(GRID, tmp_path)
    before = (tmp_path / "report.json").read_bytes()
    for file in (tmp_path / "records").iterdir():
        file.unlink()
    with pytest.raises(TimeControlError, match="the report there is left as it is"):
        write_report(GRID, tmp_path)
    assert (tmp_path / "report.json").read_bytes() == before


def test_figures_that_are_there_are_in_it(tmp_path: Path) -> None:
    keep(made(Work("paths", "wikisection", "TC", 8), shuffled=99.0), tmp_path)
    (tmp_path / FIGURES).mkdir()
    (tmp_path / FIGURES / "drawn.png").write_bytes(b"")
    write_report(GRID, tmp_path)
    page = (tmp_path / "report.md").read_text()
    assert f"({FIGURES}/drawn.png)" in page
    assert "gone.png" not in page
