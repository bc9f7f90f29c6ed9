import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Ran
from tests.experiments.test_choice import write

CORPUS = "synthetic:recipes,documents=40"


def test_ways_of_filling_are_compared(
    decoder_run: Path, tmp_path: Path, timecontrol: Callable[..., Ran]
) -> None:
    given = ("--model", f"{decoder_run}:latent-free", "--model", str(decoder_run), "--base", "none")
    more = ("--max-documents", "2", "--out", str(tmp_path / "out"))
    ran = timecontrol("evaluate", "infilling", CORPUS, *given, *more)
    assert ran.code == 0
    assert "Differences from the first way that draws alike" in ran.out
    found = json.loads((tmp_path / "out" / "infilling.json").read_text("utf-8"))
    assert found["command"].startswith("timecontrol evaluate infilling")
    assert "rouge l" in (tmp_path / "out" / "infilling.md").read_text("utf-8")


def test_without_a_decoder_nothing_is_compared(timecontrol: Callable[..., Ran]) -> None:
    ran = timecontrol("evaluate", "infilling", CORPUS)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "--model" in ran.err


def test_the_true_sentence_is_looked_for(
    run: Path, tmp_path: Path, timecontrol: Callable[..., Ran]
) -> None:
    (tmp_path / "stories").mkdir()
    spec = write(tmp_path / "stories", 3)
    ran = timecontrol("evaluate", "choice", spec, "--encoder", str(run), "--draws", "2")
    assert ran.code == 0
    assert "bridge - neighbours" in ran.out
