"""The smoke grid, end to end: every number of the report comes from its run."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran
from timecontrol.cli import main
from timecontrol.reproduction.cells import experiments
from timecontrol.reproduction.printed import printed
from timecontrol.reproduction.records import FOLDER, read_record, records

SMOKE = ("reproduce", "--scale", "smoke", "--seeds", "1", "--device", "cpu")


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a smoke grid that was run whole. Only to be read, or copied."""
    out = tmp_path_factory.mktemp("reproduction") / "smoke"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMECONTROL_CACHE", str(out.parent / "cache"))
        patch.delenv("TIMECONTROL_DATA", raising=False)
        patch.setattr(sys, "argv", ["timecontrol", *SMOKE, "--out", str(out)])
        with pytest.raises(SystemExit) as stop:
            main()
        assert stop.value.code == 0
        yield out


@pytest.fixture
def cached(grid: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, for commands that go on with it."""
    monkeypatch.setenv("TIMECONTROL_CACHE", str(grid.parent / "cache"))
    return grid


def lines(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "report.json").read_text())["lines"]
    return found


def test_every_number_of_the_paper_is_in_the_report(grid: Path) -> None:
    found = lines(grid)
    values = [line[which]["value"] for line in found for which in ("paper", "original")
              if line[which] is not None]  # fmt: skip
    assert sorted(values) == sorted(p.value for p in printed())
    assert {line["experiment"] for line in found} == set(experiments())
    page = (grid / "report.md").read_text()
    for p in printed():
        assert f"{p.value:g}" in page or f"{p.value:.1f}" in page


def test_a_cell_has_a_run_or_says_why_not(grid: Path) -> None:
    runs = {record.id: record for record in records(grid).values()}
    filled = 0
    for line in lines(grid):
        if line["ours"] is None:
            assert line["blank"]
            assert line["difference"] is None
            continue
        filled += 1
        assert not line["blank"]
        assert line["ours"]["ids"]
        for own in line["ours"]["ids"]:
            assert runs[own].data
            assert runs[own].command.startswith("timecontrol reproduce --scale smoke --only ")
    assert filled > 300


def test_all_kinds_of_runs_are_there(grid: Path) -> None:
    kinds = {record.work.kind for record in records(grid).values()}
    assert kinds == {"counts", "probe", "paths", "texts", "adherence", "perplexity"}


def test_nothing_is_run_twice(timecontrol: Callable[..., Ran], cached: Path) -> None:
    before = {f: f.read_bytes() for f in (cached / FOLDER).iterdir() if f.suffix == ".json"}
    ran = timecontrol(*SMOKE, "--out", str(cached), "--method", "TC", "--kind", "probe")
    assert ran.code == 0, ran.err
    assert " of " not in ran.err
    assert all(file.read_bytes() == text for file, text in before.items())


def copy(grid: Path, tmp_path: Path) -> Path:
    """Return a folder with the records of a grid alone."""
    (tmp_path / "copy" / FOLDER).mkdir(parents=True)
    for file in (grid / FOLDER).glob("*.json"):
        (tmp_path / "copy" / FOLDER / file.name).write_bytes(file.read_bytes())
    return tmp_path / "copy"


def test_another_run_gives_another_number(
    timecontrol: Callable[..., Ran], cached: Path, tmp_path: Path
) -> None:
    """A text is changed where it was written: order and length in the report change with it."""
    name = "texts/wikisection/GPT2/best/0/forced"
    work, out = tmp_path / "work", copy(cached, tmp_path)
    record = out / FOLDER / f"{name.replace('/', '_')}.json"
    own = read_record(record)
    (work / "texts").mkdir(parents=True)
    for made in ("decoders", "encoders"):
        (work / made).symlink_to(cached / "work" / made)
    text = (cached / "work" / "texts" / f"{own.id}.jsonl").read_text()
    tags = ["ABSTRACT", "HISTORY", "GEOGRAPHY", "DEMOGRAPHICS"]
    good = [{"tag": tag, "sentences": ["It is so."]} for tag in tags]
    changed = [
        {**json.loads(line), "sections": good, "outline": [[tag, None] for tag in tags],
         "units": None}
        for line in text.splitlines()
    ]  # fmt: skip
    other = "\n".join(json.dumps(line) for line in changed) + "\n"
    (work / "texts" / f"{own.id}.jsonl").write_text(other)
    record.unlink()
    ran = timecontrol(*SMOKE, "--only", name, "--out", str(out), "--work", str(work))
    assert ran.code == 0, ran.err
    place = ("forced_long_ordering", "wikisection", "GPT2", "")
    before, after = (
        next(line["ours"] for line in lines(folder)
             if (line["experiment"], line["dataset"], line["row"], line["column"]) == place)
        for folder in (cached, out)
    )  # fmt: skip
    assert before["value"] != 100
    assert after["value"] == 100
    assert "100.0 ± 0.0°" in (out / "report.md").read_text()


def test_a_record_that_cannot_be_traced_leaves_its_cell_blank(
    timecontrol: Callable[..., Ran], cached: Path, tmp_path: Path
) -> None:
    out = copy(cached, tmp_path)
    file = out / FOLDER / "probe_wikisection_TC-8_best_0.json"
    for change in ({"command": ""}, {"data": ""}, {"id": "0" * 16}):
        whole = (cached / FOLDER / file.name).read_text()
        file.write_text(json.dumps({**json.loads(whole), **change}))
        assert timecontrol(*SMOKE, "--report", "--out", str(out)).code == 0
        cells = [line for line in lines(out) if line["row"] == "TC (8)"
                 and line["experiment"] == "discourse_coherence"
                 and line["dataset"] == "wikisection"]  # fmt: skip
        assert len(cells) == 2
        assert all(cell["ours"] is None for cell in cells)


def test_numbers_are_computed_again_and_a_wrong_one_is_found(
    timecontrol: Callable[..., Ran], cached: Path, tmp_path: Path
) -> None:
    out = copy(cached, tmp_path)
    ran = timecontrol(*SMOKE, "--check", "--out", str(out))
    assert ran.code == 0, ran.out
    assert re.search(r"\d+ records, [\d,]{3,} numbers computed again, 0 wrong", ran.out)
    file = out / FOLDER / "texts_tm2_GPT2_best_0_forced.json"
    found = json.loads(file.read_text())
    found["values"]["order"]["value"] += 1
    file.write_text(json.dumps(found))
    ran = timecontrol(*SMOKE, "--check", "--out", str(out))
    assert ran.code == 1
    assert f"{file.name}: order is" in ran.out


def test_a_run_is_made_again_by_its_own_command(
    timecontrol: Callable[..., Ran], cached: Path, tmp_path: Path
) -> None:
    name = "probe/wikisection/BM-8/best/0"
    old = records(cached)[name]
    ran = timecontrol(*old.command.split()[1:], "--out", str(tmp_path / "o"), "--device", "cpu")
    assert ran.code == 0, ran.err
    new = records(tmp_path / "o")
    assert list(new) == [name]
    assert new[name].values == old.values
    assert new[name].id == old.id


def test_figures_and_the_ends_of_texts_are_in_the_page(grid: Path) -> None:
    page = (grid / "report.html").read_text()
    for file in re.findall(r'<img src="([^"]+)"', page):
        assert (grid / file).is_file()
    assert "figures/wikisection_TC-8_best_0-trajectories.png" in page
    assert "figures/discourse_coherence.png" in page
    assert "<script" not in page
    tails = [e["tail"] for r in records(grid).values() for e in r.each.get("examples", ())]
    if tails:
        assert "Ends of texts" in page


def test_what_can_run_is_listed(timecontrol: Callable[..., Ran], tmp_path: Path) -> None:
    ran = timecontrol("reproduce", "--list", "--scale", "smoke", "--out", str(tmp_path), "--json")
    assert ran.code == 0, ran.err
    found = {row["experiment"]: row for row in json.loads(ran.out)["experiments"]}
    assert list(found) == experiments()
    assert found["infilling_bleu"]["can run"] == 0
    assert found["infilling_bleu"]["why not"]
    assert 0 < found["discourse_coherence"]["can run"] < found["discourse_coherence"]["runs"]
    told = timecontrol("reproduce", "--list", "--scale", "smoke", "--out", str(tmp_path))
    assert "no base stands for BERT at scale smoke" in told.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "experiment"),
        (["--scale", "huge"], "scale"),
        (["--method", "XX"], "method"),
        (["--dataset", "brown"], "dataset"),
        (["--kind", "poems"], "kind"),
        (["--preset", "worst"], "preset"),
        (["--corpus", "tm2"], "DATASET=NAME:PATH"),
        (["--corpus", "poems=text:x"], "the paper's corpora"),
        (["--decoder", "x"], "DATASET/ROW=RUN"),
        (["--decoder", "tm2/TC-8=nowhere"], "nowhere"),
        (["--only", "texts/none/*"], "Nothing of that can run here"),
        (["--check"], "No records"),
        (["--check", "--list"], "One of --list, --report and --check"),
        (["--dim", "7"], "the paper's sizes are 8, 16 and 32"),
        (["--device", "abacus"], "abacus"),
        (["--dtype", "float7"], "float7"),
    ],
)
def test_what_is_asked_wrongly_is_said_in_a_line(
    timecontrol: Callable[..., Ran], tmp_path: Path, arguments: list[str], said: str
) -> None:
    scale = [] if "--scale" in arguments else ["--scale", "smoke"]
    ran = timecontrol("reproduce", *scale, "--out", str(tmp_path / "o"), *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "o").exists()


def test_a_file_is_no_folder_for_results(timecontrol: Callable[..., Ran], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    ran = timecontrol(*SMOKE, "--out", str(file))
    assert ran.code == 2
    assert "a file; give a folder" in ran.err


def test_a_run_that_fails_is_told_at_the_end_and_the_rest_is_there(
    timecontrol: Callable[..., Ran], cached: Path, tmp_path: Path
) -> None:
    out, work = copy(cached, tmp_path), tmp_path / "work"
    name = "texts/tm2/GPT2/best/0/forced"
    file = out / FOLDER / f"{name.replace('/', '_')}.json"
    (work / "texts").mkdir(parents=True)
    (work / "texts" / f"{read_record(file).id}.jsonl").write_text("")
    file.unlink()
    ran = timecontrol(*SMOKE, "--only", name, "--out", str(out), "--work", str(work))
    assert ran.code == 1
    assert f"failed  {name}: " in ran.err
    assert ran.err.splitlines()[-1] == (
        "timecontrol: 1 run failed, see above; the others are there."
    )
    assert len(records(out)) == len(records(cached)) - 1


def test_damaged_records_are_found_and_do_no_harm(
    timecontrol: Callable[..., Ran], cached: Path, tmp_path: Path
) -> None:
    out = copy(cached, tmp_path)
    files = sorted((out / FOLDER).glob("probe_*.json"))
    whole = json.loads(files[0].read_text())
    for file, text in zip(files, ["", "{}", "[1]", '{"values": 1}'], strict=False):
        file.write_text(text)
    some = next(iter(whole["values"]))
    for change in (
        {"values": {some: {"value": "x", "error": None, "n": 1}}},
        {"values": {some: {"value": None, "error": None, "n": 1}}},
        {"each": [1]},
        {"made": None},
        {"work": {**whole["work"], "seed": "1"}},
        {"work": {**whole["work"], "dataset": "tm2"}},
    ):
        files[0].write_text(json.dumps({**whole, **change}))
        ran = timecontrol(*SMOKE, "--report", "--out", str(out))
        assert ran.code == 0, ran.err
        ran = timecontrol(*SMOKE, "--check", "--out", str(out), "--json")
        assert ran.code == 1
        assert len(json.loads(ran.out)["wrong"]) >= 4
