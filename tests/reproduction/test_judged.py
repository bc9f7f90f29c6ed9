"""What people say fills the cells of the paper's tables, and no others."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from timecontrol.errors import TimeControlError
from timecontrol.judging import create_study, open_study, read_outputs
from timecontrol.judging.report import report_of
from timecontrol.reproduction.folder import write_report
from timecontrol.reproduction.grid import NO_RATINGS, Asked, Grid
from timecontrol.reproduction.judged import judged, work_of
from timecontrol.reproduction.recompute import faults, recomputed
from timecontrol.reproduction.records import keep, read_record
from timecontrol.reproduction.scales import SCALES
from timecontrol.reproduction.works import Work

Found = dict[str, Any]
COMMAND = "timecontrol reproduce --scale smoke --ratings report.json"


def made(seed: int = 0, **more: Any) -> Found:
    """Return what a line says of the decoder of TC (8)."""
    recipe = {"encoder objective": "bridge", "encoder latent_dim": 8}
    own = {"method": "planned", "preset": "best", "seed": seed, "identity": f"i{seed}"}
    return {**own, "base": "tiny", "corpus": "made", "recipe": recipe, **more}


@pytest.fixture
def report(tmp_path: Path) -> Callable[..., Path]:
    """Write the report of a study of dialogues, all of whose ratings are those given."""

    def written(systems: dict[str, Found], ratings: dict[str, list[int]], n: int = 4) -> Path:
        files = []
        for name, about in systems.items():
            file = tmp_path / f"{name}.jsonl"
            lines = [{"id": i, "text": f"{name} {i}.", **about} for i in range(n)]
            file.write_text("".join(json.dumps(line) + "\n" for line in lines))
            files.append(file)
        place = tmp_path / "study.sqlite"
        place.unlink(missing_ok=True)
        study = create_study(place, read_outputs(files, "ending"))
        for output in study.outputs:
            for i, rating in enumerate(ratings.get(output.system, [])):
                study.rate(f"person {i}", output.item, rating)
        folder = tmp_path / "rated"
        folder.mkdir(exist_ok=True)
        (folder / "report.json").write_text(json.dumps(report_of(open_study(place), "c")))
        return folder

    return written


ROW = {"dataset": "tickettalk", "method": "TC", "latent_dim": 8}
PLAIN = {"dataset": "tickettalk", "method": "GPT2"}


def test_a_system_of_a_row_is_a_record(report: Callable[..., Path], tmp_path: Path) -> None:
    place = report({"tc": {**ROW, "decoder": made()}, "other": {}}, {"tc": [2, 5], "other": [1]})
    (record,) = judged(place, "smoke", COMMAND)
    assert record.work == Work("ending", "tickettalk", "TC", 8)
    assert record.whole
    assert (record.base, record.corpus, record.command) == ("tiny", "made", COMMAND)
    value = record.values["rating"]
    assert (value.value, value.error, value.n) == (3.5, 0, 4)
    assert record.values["rating, one by one"].n == 8
    keep(record, tmp_path)
    (file,) = (tmp_path / "records").iterdir()
    assert file.name == "ending_tickettalk_TC-8_best_0.json"
    again = read_record(file)
    assert recomputed(again) == {"rating": 3.5, "rating, one by one": 3.5}
    assert faults(again) == []


def test_a_number_that_was_changed_is_found(report: Callable[..., Path], tmp_path: Path) -> None:
    (record,) = judged(report({"gpt2": PLAIN}, {"gpt2": [1, 2]}), "smoke", COMMAND)
    keep(record, tmp_path)
    (file,) = (tmp_path / "records").iterdir()
    file.write_text(file.read_text().replace('"value": 1.5', '"value": 4.5'))
    assert any("computed again 1.5" in fault for fault in faults(read_record(file)))


def test_the_cell_is_filled_with_its_difference(
    report: Callable[..., Path], tmp_path: Path
) -> None:
    place = report({"tc": ROW, "gpt2": PLAIN}, {"tc": [4, 4], "gpt2": [2, 3]})
    for record in judged(place / "report.json", "smoke", COMMAND):
        keep(record, tmp_path)
    lines = write_report(Grid(SCALES["smoke"], Asked()), tmp_path)
    found = {line.cell.label: line for line in lines if line.cell.experiment == "forced_long_human"}
    assert set(found) == {"GPT2", "TC (8)", "TC (16)", "TC (32)"}
    ours = found["TC (8)"].ours
    assert ours is not None
    assert (ours.value, ours.over, ours.n, ours.commands) == (4, "documents", 4, (COMMAND,))
    assert found["TC (8)"].difference == pytest.approx(0.4)
    assert found["TC (16)"].ours is None
    assert found["TC (16)"].why == NO_RATINGS
    page = (tmp_path / "report.md").read_text()
    assert "timecontrol reproduce forced_long_human --scale smoke --dataset tickettalk " in page
    assert "--ratings report.json" in page


def test_trainings_of_one_row_are_averaged_over_seeds(
    report: Callable[..., Path], tmp_path: Path
) -> None:
    systems = {f"tc{seed}": {**ROW, "decoder": made(seed)} for seed in range(2)}
    for record in judged(report(systems, {"tc0": [4], "tc1": [2]}), "smoke", COMMAND):
        keep(record, tmp_path)
    lines = write_report(Grid(SCALES["smoke"], Asked()), tmp_path)
    (ours,) = [line.ours for line in lines if line.ours]
    assert (ours.value, ours.error, ours.over, ours.seeds) == (3, 1, "seeds", (0, 1))


def test_other_ratings_are_another_run(report: Callable[..., Path]) -> None:
    (one,) = judged(report({"tc": ROW}, {"tc": [4]}), "smoke", COMMAND)
    (other,) = judged(report({"tc": ROW}, {"tc": [3]}), "smoke", COMMAND)
    assert one.data == other.data
    assert one.id != other.id


def test_nothing_can_be_run_for_it() -> None:
    grid = Grid(SCALES["smoke"], Asked(["forced_long_human", "infilling_human"]))
    assert grid.works == []
    assert grid.hindrances == [NO_RATINGS]


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({**ROW, "dataset": "tm2"}, "has no tm2/TC-8, which 'tc' should stand for: it has tick"),
        ({**ROW, "latent_dim": 4}, "has no tickettalk/TC-4"),
        ({**ROW, "decoder": made(method="plain")}, "with method plain, not planned"),
        ({**PLAIN, "decoder": made()}, "with objective bridge, not None"),
        ({**ROW, "latent_dim": 16, "decoder": made()}, "with latent_dim 8, not 16"),
        ({**ROW, "decoder": made(preset="mine")}, "has preset 'mine' and seed 0"),
        ({**ROW, "settings": {"length": "normal"}}, "texts of forced length; 'tc' is of normal"),
    ],
)
def test_a_system_that_is_of_another_row_is_refused(
    report: Callable[..., Path], about: Found, said: str
) -> None:
    with pytest.raises(TimeControlError, match=said):
        judged(report({"tc": about}, {"tc": [3]}), "smoke", COMMAND)


def test_two_systems_of_one_run_are_refused(report: Callable[..., Path]) -> None:
    place = report({"a": ROW, "b": ROW}, {"a": [3], "b": [3]})
    with pytest.raises(TimeControlError, match="two systems stand for ending/tickettalk/TC-8"):
        judged(place, "smoke", COMMAND)


def test_a_report_that_tells_no_rows_is_refused(report: Callable[..., Path]) -> None:
    place = report({"a": {"dataset": "tickettalk"}, "b": ROW}, {"a": [3]})  # b: not rated
    with pytest.raises(TimeControlError, match="with --dataset and --row"):
        judged(place, "smoke", COMMAND)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "judging", "format": 99}'])
def test_what_is_no_report_is_said_in_a_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    with pytest.raises(TimeControlError, match="No report of ratings at"):
        judged(file, "smoke", COMMAND)
    file.write_text(text)
    with pytest.raises(TimeControlError, match="is no report of ratings"):
        judged(file, "smoke", COMMAND)


def test_rows_of_gaps_are_the_papers() -> None:
    about = {"dataset": "rocstories", "method": "ILM"}
    assert work_of("infill", "ilm", about) == Work("infill", "rocstories", "ILM")
