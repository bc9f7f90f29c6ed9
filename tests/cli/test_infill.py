import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import Ran
from timecontrol.cli.infill import _read
from timecontrol.errors import TimeControlError

TEXT = "[ DIRECTIONS ] Heat the oven. [ ... ] Bake it for an hour."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def test_a_gap_is_filled(
    file: Path, decoder_run: Path, timecontrol: Callable[..., Ran], tmp_path: Path
) -> None:
    ran = timecontrol("infill", str(file), "--model", str(decoder_run), "--words", "4")
    assert ran.code == 0
    assert ran.out.startswith("[ DIRECTIONS ] Heat the oven.")
    assert "[ ... ]" not in ran.out
    out = tmp_path / "filled.txt"
    more = ("--words", "4", "--out", str(out))
    ran = timecontrol("infill", str(file), "--model", str(decoder_run), *more)
    assert out.read_text("utf-8").startswith("[ DIRECTIONS ] Heat the oven.")
    assert ran.out == ""


def test_candidates_are_listed_with_their_numbers(
    file: Path, decoder_run: Path, timecontrol: Callable[..., Ran]
) -> None:
    given = ("infill", str(file), "--model", str(decoder_run), "--words", "4", "--candidates", "3")
    shown = timecontrol(*given, "--show").out
    assert shown.count("\n") >= 5
    found = json.loads(timecontrol(*given, "--json").out)
    [gap] = found["gaps"]
    assert len(gap["candidates"]) == 3
    assert {"likely", "near", "follows", "score", "latents"} <= set(gap["candidates"][0])
    assert gap["candidates"][0]["text"] in found["text"]
    assert ("cut off" in timecontrol(*given).err) == gap["candidates"][0]["cut"]
    assert found["decoder"]["identity"]


@pytest.mark.parametrize(
    ("text", "said"),
    [("Nothing is missing.", "no gap"), ("[ ... ]", "nothing but the gap"), ("", "no gap")],
)
def test_a_text_that_cannot_be_filled_is_refused_before_a_model_is_loaded(
    text: str, said: str, tmp_path: Path, timecontrol: Callable[..., Ran]
) -> None:
    path = tmp_path / "x.txt"
    path.write_text(text)
    ran = timecontrol("infill", str(path), "--model", "nowhere")
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_other_mistakes_are_said_in_a_line(
    file: Path, decoder_run: Path, tmp_path: Path, timecontrol: Callable[..., Ran]
) -> None:
    model = ("--model", str(decoder_run))
    binary = tmp_path / "b.txt"
    binary.write_bytes(b"\xff\xfe [ ... ]")
    for given in (
        (str(tmp_path / "none.txt"), *model),
        (str(binary), *model),
        (str(file), "--model", "nowhere"),
        (str(file), *model, "--candidates", "0"),
        (str(file), *model, "--first", " "),
        (str(file), *model, "--context", "0"),
        (str(file), *model, "--out", str(tmp_path)),
    ):
        ran = timecontrol("infill", *given)
        assert ran.code == 2
        assert ran.err.count("\n") == 1


def test_standard_input_that_is_no_text_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped = io.TextIOWrapper(io.BytesIO(b"\xff A. [ ... ] B."), errors="surrogateescape")
    monkeypatch.setattr("sys.stdin", wrapped)
    with pytest.raises(TimeControlError, match=r"Standard input is not UTF-8 text \(byte 0\)"):
        _read("-")


def test_it_shows_how_far_it_is(
    file: Path,
    decoder_run: Path,
    timecontrol: Callable[..., Ran],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps: list[int] = []
    totals: list[int] = []

    @contextmanager
    def progress(what: str, total: int, unit: str) -> Iterator[Callable[..., None]]:
        totals.append(total)
        yield lambda n=1: steps.append(n)

    monkeypatch.setattr("timecontrol.cli.infill.progress", progress)
    assert timecontrol("infill", str(file), "--model", str(decoder_run), "--words", "4").code == 0
    assert 0 < sum(steps) <= totals[0]
