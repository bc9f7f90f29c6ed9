from pathlib import Path

import pytest
import torch

from timecontrol.encoder.folder import CHECKPOINT, HEAD, clear, is_of, make_ready, refuse_others
from timecontrol.errors import TimeControlError
from timecontrol.runs import CONFIG, FORMAT, write_json, write_tensors


def finished(folder: Path, identity: str) -> None:
    write_tensors(folder / HEAD, {"x": torch.zeros(1)})
    write_json(folder / CONFIG, {"format": FORMAT, "kind": "encoder", "identity": identity})


def test_a_finished_run_is_opened_kept_or_replaced(tmp_path: Path) -> None:
    assert not make_ready(tmp_path / "new", "a", overwrite=False)
    assert (tmp_path / "new").is_dir()
    finished(tmp_path / "new", "a")
    assert make_ready(tmp_path / "new", "a", overwrite=False)
    with pytest.raises(TimeControlError, match="a finished run of other data or settings"):
        make_ready(tmp_path / "new", "b", overwrite=False)
    assert (tmp_path / "new" / HEAD).exists()
    assert not make_ready(tmp_path / "new", "b", overwrite=True)
    assert list((tmp_path / "new").iterdir()) == []


def test_an_unfinished_run_is_gone_on_with_even_where_another_may_be_replaced(
    tmp_path: Path,
) -> None:
    write_tensors(tmp_path / CHECKPOINT, {"x": torch.zeros(1)}, {"identity": "a"})
    assert is_of(tmp_path / CHECKPOINT, "a")
    assert not is_of(tmp_path / CHECKPOINT, "b")
    assert not is_of(tmp_path / "none", "a")
    make_ready(tmp_path, "a", overwrite=True)
    assert (tmp_path / CHECKPOINT).exists()
    make_ready(tmp_path, "b", overwrite=True)
    assert not (tmp_path / CHECKPOINT).exists()


def test_what_is_not_of_a_run_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(TimeControlError, match="holds other files than those of a run"):
            make_ready(tmp_path, "a", overwrite)
    with pytest.raises(TimeControlError, match="holds other files"):
        refuse_others(tmp_path)
    finished(tmp_path, "a")  # beside a run
    assert make_ready(tmp_path, "a", overwrite=False)
    for identity in ("a", "b"):
        with pytest.raises(TimeControlError, match="holds other files than those of a run"):
            make_ready(tmp_path, identity, overwrite=True)
    assert (tmp_path / HEAD).exists()
    assert (tmp_path / CONFIG).exists()
    clear(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "mine"
