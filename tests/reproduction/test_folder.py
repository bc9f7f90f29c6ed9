import json
from pathlib import Path

from timecontrol.reproduction.folder import write_report
from timecontrol.reproduction.grid import FIGURES, Asked, Grid
from timecontrol.reproduction.records import Record, Value, identity, keep
from timecontrol.reproduction.scales import SCALES
from timecontrol.reproduction.works import Work

GRID = Grid(SCALES["smoke"], Asked())


def made(work: Work, **values: float) -> Record:
    recipe = {"work": work.name}
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
    told = [line for line in data["lines"] if line["row"] == "GPT2 [paper]" and line["ours"]]
    assert told[0]["ours"]["value"] == 12


def test_figures_that_are_there_are_in_it(tmp_path: Path) -> None:
    keep(made(Work("paths", "wikisection", "TC", 8), shuffled=99.0), tmp_path)
    (tmp_path / FIGURES).mkdir()
    (tmp_path / FIGURES / "drawn.png").write_bytes(b"")
    write_report(GRID, tmp_path)
    page = (tmp_path / "report.md").read_text()
    assert f"({FIGURES}/drawn.png)" in page
    assert "gone.png" not in page
