from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from timecontrol.encoder.evaluations import count

CORPUS = "synthetic:recipes,documents=40"


def test_three_figures_are_drawn(
    timecontrol: Callable[..., Ran], run: Path, tmp_path: Path
) -> None:
    ran = timecontrol("plot", CORPUS, "--encoder", str(run), "--out", str(tmp_path / "plots"))
    assert ran.code == 0, ran.err
    assert "4 documents of val drawn" in ran.out
    names = sorted(p.name for p in (tmp_path / "plots").iterdir())
    assert names == ["band.png", "plane.png", "trajectories.png"]
    assert count(run) == 0


def test_a_look_at_test_documents_is_counted(
    timecontrol: Callable[..., Ran], run: Path, tmp_path: Path
) -> None:
    out = str(tmp_path / "plots")
    ran = timecontrol(
        "plot", CORPUS, "--encoder", str(run), "--out", out, "--split", "test", "--format", "svg"
    )
    assert ran.code == 0
    assert count(run) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "gif"], "No format named 'gif': png, svg, pdf"),
        (["--split", "dev2"], "No split named 'dev2'"),
        (["--documents", "0"], "--documents"),
    ],
)
def test_mistakes_get_one_line(
    timecontrol: Callable[..., Ran], run: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    out = tmp_path / "plots"
    ran = timecontrol("plot", CORPUS, "--encoder", str(run), "--out", str(out), *options)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not out.exists()
