import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from timecontrol.cli.evaluate import numbers
from timecontrol.errors import TimeControlError

CORPUS = "synthetic:recipes,documents=40"


def test_shuffles_are_printed_and_written(
    timecontrol: Callable[..., Ran], run: Path, bases: dict[str, str], tmp_path: Path
) -> None:
    ran = timecontrol(
        "evaluate", "shuffle", CORPUS, "--encoder", str(run), "--split", "val", "--blocks", "1,2",
        "--windows", "", "--shuffles", "2", "--entity-grid", "--likelihood", bases["gpt2"],
        "--out", str(tmp_path / "out"), "--device", "cpu",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = json.loads((tmp_path / "out" / "shuffle.json").read_text())
    assert found["command"].startswith("timecontrol evaluate shuffle synthetic:recipes")
    page = (tmp_path / "out" / "shuffle.md").read_text()
    for row, cells in found["rows"].items():
        assert list(cells) == ["block 1", "mixed 1", "block 2", "mixed 2"]
        value = f"{100 * cells['block 1']['value']:.1f} ["
        for text in (ran.out, page):
            assert any(row in line and value in line for line in text.splitlines())


def test_intruders_as_json(timecontrol: Callable[..., Ran], run: Path) -> None:
    ran = timecontrol(
        "evaluate", "intruder", CORPUS, "--encoder", str(run), "--split", "val", "--draws", "3",
        "--max-documents", "3", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["documents"] == 3
    assert found["rows"]["trace"]["top-1"]["versions"] == 9


def test_the_order_probe_has_a_row_for_each_kind(
    timecontrol: Callable[..., Ran], run: Path, bases: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ran = timecontrol(
        "evaluate", "discourse", CORPUS, "--encoder", str(run), "--features", bases["bert"],
        "--k", "1,3", "--definition", "released", "--probe-seeds", "2", "--split", "val",
        "--out", str(out),
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = json.loads((out / "discourse.json").read_text())
    assert list(found["rows"]["bridge, d = 3"]) == ["k = 1", "k = 3"]
    assert len(found["rows"]["bridge, d = 3"]["k = 1"]["runs"][0]) == 2
    assert "bridge, d = 3" in ran.out
    assert "±" in (out / "discourse.md").read_text()


def test_numbers_are_read_from_a_list() -> None:
    assert numbers("1, 2,5,2", "--k") == [1, 2, 5]
    assert numbers("", "--k") == []
    with pytest.raises(TimeControlError, match="--k is '1,x'"):
        numbers("1,x", "--k")


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("shuffle", ["--blocks", "0"], "--blocks is '0': whole numbers from 1"),
        ("shuffle", ["--blocks", "", "--windows", ""], "Nothing to shuffle"),
        ("shuffle", ["--split", "dev2"], "No split named 'dev2'"),
        ("shuffle", ["--encoder", "nobody"], "No encoder named 'nobody'"),
        ("shuffle", ["--likelihood", "gpt5"], "No base named 'gpt5'"),
        ("intruder", ["--draws", "0"], "--draws"),
        ("intruder", ["--out", "FILE"], "a file; give a folder"),
        ("discourse", ["--k", ""], "--k is empty"),
        ("discourse", ["--definition", "papr"], "No definition named 'papr'"),
        ("discourse", ["--train", "bridges"], "No objective named 'bridges'"),
        ("discourse", ["--train", "bridge", "--dims", ""], "--dims is empty"),
        ("discourse", ["--k", "500"], "No training document has sentences 500 apart"),
    ],
)
def test_mistakes_get_one_line(
    timecontrol: Callable[..., Ran],
    run: Path,
    tmp_path: Path,
    task: str,
    options: list[str],
    message: str,
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    chosen = {"--encoder": str(run), "--out": str(tmp_path / "out")}
    chosen |= dict(zip(options[::2], options[1::2], strict=True))
    given = [str(file) if part == "FILE" else part for pair in chosen.items() for part in pair]
    ran = timecontrol("evaluate", task, CORPUS, *given)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
