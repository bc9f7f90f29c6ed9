import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran

CORPUS = "synthetic:recipes,documents=40"


def test_orders_are_printed_and_written(
    timecontrol: Callable[..., Ran], run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ran = timecontrol(
        "evaluate", "order", CORPUS, "--encoder", str(run), "--sentences", "5", "--out", str(out)
    )
    assert ran.code == 0, ran.err
    found = json.loads((out / "order.json").read_text())
    assert found["command"].startswith("timecontrol evaluate order synthetic:recipes")
    page = (out / "order.md").read_text()
    value = f"{found['rows']['suggested']['tau']['value']:.3f} ["
    for text in (ran.out, page):
        assert any("suggested" in line and value in line for line in text.splitlines())
        assert "suggested - density" in text
    assert found["note"] in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sentences", "13"], "--sentences"),
        (["--sentences", "12"], "no document of 12 or more sentences in split 'val'"),
        (["--split", "dev2"], "No split named 'dev2'"),
        (["--out", "FILE"], "a file; give a folder"),
    ],
)
def test_mistakes_get_one_line(
    timecontrol: Callable[..., Ran], run: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    (tmp_path / "file").write_text("")
    given = [str(tmp_path / "file") if part == "FILE" else part for part in options]
    ran = timecontrol("evaluate", "order", CORPUS, "--encoder", str(run), *given)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
