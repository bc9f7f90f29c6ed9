"""From files of outputs to a study, its report, its ratings and the paper's cells, as typed."""

import json
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran
from timecontrol.judging import Study, open_study

PAGE = Path(__file__).parents[2] / "docs" / "judging.md"
Command = Callable[..., Ran]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the texts of two systems."""
    monkeypatch.chdir(tmp_path)
    for system in ("tc", "gpt2"):
        texts = [{"text": f"One. Two of {system.upper()}. Three {i}."} for i in range(7)]
        Path(f"{system}.jsonl").write_text("".join(json.dumps(t) + "\n" for t in texts))
    return tmp_path


def rate(study: Study, name: str, better: str = "TC") -> None:
    """Rate all that is shown."""
    while (seen := study.next_item(name)) is not None:
        study.rate(name, seen.item, 4 if f"of {better}." in str(seen.texts) else 2, 3.0)


@pytest.fixture
def rated(timecontrol: Command) -> Path:
    """A study that two people have rated."""
    ran = timecontrol("judge", "create", "s.sqlite", "tc.jsonl", "gpt2.jsonl", "--task", "ending")
    assert ran.code == 0, ran.err
    for name in ("anna", "ben"):
        rate(open_study(Path("s.sqlite")), name)
    return Path("s.sqlite")


def test_a_study_is_made_and_what_is_next_is_said(timecontrol: Command) -> None:
    ran = timecontrol("judge", "create", "s.sqlite", "tc.jsonl", "gpt2.jsonl", "--task", "ending")
    assert ran.out.splitlines() == [
        "s.sqlite: 14 items to judge, Could this be a reasonable ending?",
        "  tc: 7 outputs",
        "  gpt2: 7 outputs",
        "Next: timecontrol app --study s.sqlite",
    ]
    again = timecontrol("judge", "create", "s.sqlite", "tc.jsonl", "--task", "ending")
    assert again.code == 2
    assert "is there already" in again.err


def test_options_reach_the_study(timecontrol: Command) -> None:
    files = ("tc.jsonl", "gpt2.jsonl", "--system", "a", "--system", "b")
    more = ("--tail", "2", "--per-item", "3", "--examples", "4", "--seed", "9")
    rows = ("--dataset", "tickettalk", "--row", "a=TC-8", "--row", "b=GPT2")
    told = ("--introduction", "An assistant  helps.", "--json")
    ran = timecontrol(
        "judge", "create", "s.sqlite", "--task", "ending", *files, *more, *rows, *told
    )
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert (found["systems"], found["items"], found["shared"]) == ({"a": 4, "b": 4}, 8, 0)
    study = open_study(Path("s.sqlite"))
    assert (study.seed, study.wanted, study.tail, study.digest) == (9, 3, 2, found["digest"])
    assert study.introduction == "An assistant helps."
    assert study.systems == {
        "a": {"dataset": "tickettalk", "method": "TC", "latent_dim": 8},
        "b": {"dataset": "tickettalk", "method": "GPT2"},
    }
    (lines,) = {len(texts["lines"]) for texts in study.texts().values()}
    assert lines == 2


def test_words_of_two_systems_are_said_to_be_judged_once(timecontrol: Command) -> None:
    Path("x.jsonl").write_text('{"text": "Bye."}\n{"text": "Well, bye."}\n')
    Path("y.jsonl").write_text('{"text": "Bye."}\n{"text": "Go."}\n')
    ran = timecontrol("judge", "create", "s.sqlite", "x.jsonl", "y.jsonl", "--task", "ending")
    assert "1 output is the same as another one: judged once, counted for each" in ran.out


def test_a_report_says_what_came_out(timecontrol: Command, rated: Path) -> None:
    ran = timecontrol("judge", "report", str(rated), "--out", "folder")
    assert ran.code == 0, ran.err
    assert re.search(r"^tc +4\.00 ± 0\.00 .* 7 +14 +2 +0 +0 +0 +14 +0$", ran.out, re.MULTILINE)
    assert re.search(r"gpt2 - tc +-2\.00 +\[-2\.00, -2\.00\] +worse", ran.out)
    assert "Alpha 1.00 (ordinal), 1.00 (interval)" in ran.out
    assert "Written to folder/report.md and .json." in ran.err
    assert "| tc | 4.00 ± 0.00 |" in Path("folder/report.md").read_text()
    found = json.loads(Path("folder/report.json").read_text())
    assert found["command"] == "timecontrol judge report s.sqlite --out folder"
    as_json = json.loads(timecontrol("judge", "report", str(rated), "--json").out)
    assert as_json["systems"] == found["systems"]


def test_who_is_noticed_is_told(timecontrol: Command, rated: Path) -> None:
    study = open_study(rated)
    while (seen := study.next_item("cleo")) is not None:
        study.rate("cleo", seen.item, 3, 0.2)
    out = timecontrol("judge", "report", str(rated)).out
    assert re.search(r"^3 +14 +3\.00 +0\.2 +every rating is the same; half of", out, re.MULTILINE)
    assert "cleo" not in out


def test_every_rating_is_exported(timecontrol: Command, rated: Path) -> None:
    printed = [
        json.loads(line) for line in timecontrol("judge", "export", str(rated)).out.splitlines()
    ]
    assert len(printed) == 28
    ran = timecontrol("judge", "export", str(rated), "--out", "r.jsonl")
    assert ran.out == "Written to r.jsonl: 28 lines.\n"
    lines = [json.loads(line) for line in Path("r.jsonl").read_text().splitlines()]
    assert lines == printed
    first = lines[0]
    assert (first["annotator"], first["name"], first["seconds"]) == (1, "anna", 3.0)
    assert first["system"].upper() in str(first["lines"])
    assert first["rating"] == (4 if first["system"] == "tc" else 2)


def test_what_generate_and_infill_write_can_be_judged(
    timecontrol: Command, decoder_run: Path
) -> None:
    model = ("--model", str(decoder_run))
    for seed in ("0", "1"):
        out = ("--out", f"made{seed}.jsonl", "--seed", seed)
        ran = timecontrol("generate", *model, "-n", "2", "--sentences", "6", *out)
        assert ran.code == 0, ran.err
    files = ("made0.jsonl", "made1.jsonl")
    ran = timecontrol("judge", "create", "e.sqlite", *files, "--task", "ending", "--tail", "2")
    assert ran.code == 0, ran.err
    study = open_study(Path("e.sqlite"))
    assert {o.example for o in study.outputs} == {"0/0", "0/1", "1/0", "1/1"}
    assert study.systems["made0"]["decoder"]["latent_dim"] == 3
    assert study.systems["made0"]["length"] == "normal"
    Path("t.txt").write_text("Heat the oven. [ ... ] Bake it for an hour. [ ... ]")
    ran = timecontrol("infill", "t.txt", *model, "--words", "4", "--json")
    Path("filled.json").write_text(ran.out)
    ran = timecontrol("judge", "create", "f.sqlite", "filled.json", "--task", "infill")
    assert ran.code == 0, ran.err
    first, second = open_study(Path("f.sqlite")).texts().values()
    assert (first["left"], first["right"]) == ("Heat the oven.", "Bake it for an hour.")
    assert second["left"] == f"Heat the oven. {first['fill']} Bake it for an hour."


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("create", "s.sqlite", "none.jsonl", "--task", "ending"), "none.jsonl: cannot be read"),
        (("create", "s.sqlite", "tc.jsonl", "--task", "infill"), "tc.jsonl:1: 'fill' must be text"),
        (("create", "s.sqlite", "tc.jsonl", "--task", "both"), "No task named 'both'"),
        (("create", "s.sqlite", "tc.jsonl"), "Missing option '--task'"),
        (("create", "x/s.sqlite", "tc.jsonl", "--task", "ending"), "There is no folder x"),
        (("create", "s.sqlite", "tc.jsonl", "--task", "ending", "--tail", "0"), "1 line or more"),
        (("create", "s.sqlite", "tc.jsonl", "--task", "ending", "--per-item", "0"), "at least 1"),
        (("create", "s.sqlite", "tc.jsonl", "--task", "ending", "--examples", "8"), "and 7 have"),
        (("create", "s.sqlite", "tc.jsonl", "--task", "ending", "--row", "tc=GPT-8"), "SYSTEM=ROW"),
        (("create", "s.sqlite", "tc.jsonl", "--task", "ending", "--row", "tc=TC-x"), "SYSTEM=ROW"),
        (("create", "s.sqlite", "tc.jsonl", "--task", "ending", "--row", "a=TC-8"), "named 'a'"),
        (("create", "s.sqlite", "tc.jsonl", "--task", "ending", "--dataset", "x"), "named 'x'"),
        (("report", "none.sqlite"), "No study at none.sqlite"),
        (("report", "tc.jsonl"), "tc.jsonl is no study"),
        (("export", "."), "is a folder"),
    ],
)
def test_mistakes_are_said_in_a_line(
    timecontrol: Command, given: tuple[str, ...], said: str
) -> None:
    ran = timecontrol("judge", *given)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert not Path("s.sqlite").exists()


def test_places_that_cannot_be_written_are_said(timecontrol: Command, rated: Path) -> None:
    for verb, out, said in (
        ("report", "tc.jsonl", "a file; give a folder"),
        ("export", ".", "give a file in a folder"),
        ("export", "x/y.jsonl", "give a file in a folder"),
    ):
        ran = timecontrol("judge", verb, str(rated), "--out", out)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert said in ran.err


def test_a_study_without_ratings_has_nothing_to_report(timecontrol: Command) -> None:
    timecontrol("judge", "create", "s.sqlite", "tc.jsonl", "--task", "ending")
    ran = timecontrol("judge", "report", "s.sqlite")
    assert (ran.code, ran.out) == (2, "")
    assert "timecontrol app --study s.sqlite" in ran.err
    assert timecontrol("judge", "export", "s.sqlite").out == ""


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="its user may write anywhere")
def test_a_folder_that_may_not_be_written_is_said(timecontrol: Command, here: Path) -> None:
    (here / "closed").mkdir(mode=0o500)
    ran = timecontrol("judge", "create", "closed/s.sqlite", "tc.jsonl", "--task", "ending")
    assert ran.code == 2
    assert "cannot be written" in ran.err


def shown() -> list[str]:
    """Return the commands that the page on judging shows, but for those of a browser."""
    found = re.findall(r"^    (timecontrol .*?)(?:  +#.*)?$", PAGE.read_text("utf-8"), re.MULTILINE)
    return [line for line in found if not line.startswith("timecontrol app")]


def test_the_commands_of_its_page_work(timecontrol: Command) -> None:
    commands = shown()
    assert len(commands) == 5
    for command in commands:
        ran = timecontrol(*shlex.split(command)[1:])
        assert ran.code == 0, (command, ran.err)
        if " create " in command:
            rate(open_study(Path("endings.sqlite")), "anna")
    data: dict[str, Any] = json.loads(Path("reproduction/small/report.json").read_text())
    cells = [line for line in data["lines"] if line["experiment"] == "forced_long_human"]
    assert [line["ours"] and line["ours"]["value"] for line in cells] == [2, 4, None, None]


def test_its_python_runs(timecontrol: Command, capsys: pytest.CaptureFixture[str]) -> None:
    timecontrol("judge", "create", "endings.sqlite", "tc.jsonl", "--task", "ending")
    (block,) = re.findall(r"^```py\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    exec(compile(block, "judging.md", "exec"), {})
    out = capsys.readouterr().out
    assert "Could this be a reasonable ending?" in out
    assert "Progress(done=1, left=6, total=7)" in out


def test_ratings_are_taken_in_alone(timecontrol: Command, rated: Path) -> None:
    ran = timecontrol("reproduce", "--ratings", "s.sqlite", "--check")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    ran = timecontrol("reproduce", "--ratings", "s.sqlite")
    assert "is no report of ratings" in ran.err
    assert ran.code == 2


def test_judging_does_not_import_torch(rated: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; sys.argv = ['timecontrol', 'judge', 'report', 's.sqlite', '--out', 'o']\n"
        "from timecontrol.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
