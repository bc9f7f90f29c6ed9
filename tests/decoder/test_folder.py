from pathlib import Path

import pytest

from timecontrol.decoder.folder import (
    CARD,
    CHECKPOINTS,
    EVALUATIONS,
    IDENTITY,
    LAW,
    METRICS,
    MODEL,
    clear,
    make_ready,
    refuse_others,
)
from timecontrol.errors import TimeControlError
from timecontrol.runs import CONFIG, FORMAT, is_finished, write_json


def finished(folder: Path, identity: str, kind: str = "decoder") -> None:
    """Make a folder look like a finished run."""
    (folder / MODEL).mkdir(parents=True)
    for name in (f"{MODEL}/model.safetensors", LAW, METRICS, CARD, EVALUATIONS):
        (folder / name).write_text("x")
    write_json(folder / CONFIG, {"format": FORMAT, "kind": kind, "identity": identity})


def test_a_new_folder_is_made_and_says_whose_it_is(tmp_path: Path) -> None:
    place = tmp_path / "runs" / "new"
    assert not make_ready(place, "a", overwrite=False)
    assert (place / CHECKPOINTS / IDENTITY).read_text() == "a"
    assert not is_finished(place)


def test_this_very_run_is_opened_and_another_is_refused(tmp_path: Path) -> None:
    finished(tmp_path, "a")
    assert make_ready(tmp_path, "a", overwrite=False)
    with pytest.raises(TimeControlError, match="finished run of other data or settings"):
        make_ready(tmp_path, "b", overwrite=False)
    assert (tmp_path / MODEL / "model.safetensors").exists()


@pytest.mark.parametrize("identity", ["a", "b"])
def test_overwriting_takes_the_old_run_out(identity: str, tmp_path: Path) -> None:
    finished(tmp_path, "a")
    (tmp_path / "notes.txt").write_text("mine")
    assert not make_ready(tmp_path, identity, overwrite=True)
    left = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*")}
    assert left == {"notes.txt", CHECKPOINTS, f"{CHECKPOINTS}/{IDENTITY}"}


def test_an_unfinished_run_is_gone_on_with(tmp_path: Path) -> None:
    make_ready(tmp_path, "a", overwrite=False)
    (tmp_path / CHECKPOINTS / "checkpoint-3").mkdir()
    for overwrite in (False, True):
        assert not make_ready(tmp_path, "a", overwrite)
        assert (tmp_path / CHECKPOINTS / "checkpoint-3").is_dir()
    with pytest.raises(TimeControlError, match="unfinished run of other data or settings"):
        make_ready(tmp_path, "b", overwrite=False)
    assert (tmp_path / CHECKPOINTS / "checkpoint-3").is_dir()
    make_ready(tmp_path, "b", overwrite=True)
    assert not (tmp_path / CHECKPOINTS / "checkpoint-3").exists()
    assert (tmp_path / CHECKPOINTS / IDENTITY).read_text() == "b"


def test_what_is_not_of_a_run_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    for overwrite in (False, True):
        with pytest.raises(TimeControlError, match="holds other files than those of a run"):
            make_ready(tmp_path, "a", overwrite)
    with pytest.raises(TimeControlError, match="holds other files"):
        refuse_others(tmp_path)
    clear(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"
    with pytest.raises(TimeControlError, match="is a file: give a folder"):
        make_ready(tmp_path / "thesis.tex", "a", overwrite=True)
    (tmp_path / "thesis.tex").rename(tmp_path / ".hidden")
    refuse_others(tmp_path)  # what file managers leave is no matter


def test_notes_beside_a_run_that_was_begun_are_in_nobody_s_way(tmp_path: Path) -> None:
    make_ready(tmp_path, "a", overwrite=False)
    (tmp_path / "notes.txt").write_text("mine")
    assert not make_ready(tmp_path, "a", overwrite=False)
    refuse_others(tmp_path)
    make_ready(tmp_path, "b", overwrite=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_run_of_another_kind_is_refused(tmp_path: Path) -> None:
    finished(tmp_path, "a", kind="encoder")
    for overwrite in (False, True):
        with pytest.raises(TimeControlError, match="kind 'encoder', not 'decoder'"):
            make_ready(tmp_path, "a", overwrite)
    assert is_finished(tmp_path)
