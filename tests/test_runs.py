import json
from pathlib import Path

import pytest
import torch

from timecontrol.errors import TimeControlError
from timecontrol.runs import (
    FORMAT,
    is_done,
    is_finished,
    kind_of,
    read_config,
    read_tensors,
    refuse_strangers,
    write_json,
    write_tensors,
    write_text,
)


def test_tensors_and_what_is_said_of_them_come_back(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    tensors = {"x": torch.arange(6.0).view(2, 3).T, "n": torch.tensor(3)}  # one not contiguous
    write_tensors(file, tensors, {"epoch": 4, "word": "ü"})
    found, about = read_tensors(file)
    assert about == {"epoch": 4, "word": "ü"}
    assert all(torch.equal(found[name], tensors[name]) for name in tensors)
    assert [p.name for p in tmp_path.iterdir()] == ["a.safetensors"]
    assert file.stat().st_mode & 0o044 == 0o044


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    write_json(file, {"good": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(file, {"bad": float("nan")})
    assert json.loads(file.read_text()) == {"good": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    file.write_bytes(b"not tensors at all")
    with pytest.raises(TimeControlError, match=r"a\.safetensors cannot be read"):
        read_tensors(file)


def test_a_run_is_finished_once_it_has_its_config(tmp_path: Path) -> None:
    assert not is_finished(tmp_path)
    with pytest.raises(TimeControlError, match="holds no finished encoder"):
        read_config(tmp_path, "encoder")
    write_json(tmp_path / "config.json", {"format": FORMAT, "kind": "encoder"})
    assert is_finished(tmp_path)
    assert read_config(tmp_path, "encoder")["kind"] == "encoder"
    with pytest.raises(TimeControlError, match="of kind 'encoder', not 'decoder'"):
        read_config(tmp_path, "decoder")


def test_other_configs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TimeControlError, match="no such folder"):
        read_config(tmp_path / "none", "encoder")
    write_json(tmp_path / "config.json", {"format": FORMAT + 1, "kind": "encoder"})
    with pytest.raises(TimeControlError, match="made by a later version"):
        read_config(tmp_path, "encoder")
    for text in ("{", "[]", "{}", '"x"'):
        write_text(tmp_path / "config.json", text)
        with pytest.raises(TimeControlError, match="not the configuration"):
            read_config(tmp_path, "encoder")


def test_a_run_is_done_only_where_it_is_this_very_one(tmp_path: Path) -> None:
    assert not is_done(tmp_path / "new", "decoder", "a", False)
    write_json(tmp_path / "config.json", {"format": 1, "kind": "decoder", "identity": "a"})
    assert is_done(tmp_path, "decoder", "a", False)
    assert not is_done(tmp_path, "decoder", "a", True)
    assert not is_done(tmp_path, "decoder", "b", True)
    with pytest.raises(TimeControlError, match="finished run of other data"):
        is_done(tmp_path, "decoder", "b", False)
    with pytest.raises(TimeControlError, match="not 'encoder'"):
        is_done(tmp_path, "encoder", "a", True)
    with pytest.raises(TimeControlError, match="is a file"):
        is_done(tmp_path / "config.json", "decoder", "a", False)


def test_strangers_are_refused_but_hidden_files_are_not(tmp_path: Path) -> None:
    (tmp_path / ".hidden").touch()
    (tmp_path / "ours").touch()
    refuse_strangers(tmp_path, {"ours", "not there"})
    with pytest.raises(TimeControlError, match="holds other files than those of a run"):
        refuse_strangers(tmp_path, {"others"})


def test_the_kind_of_a_run(tmp_path: Path) -> None:
    assert kind_of(tmp_path) is None
    write_json(tmp_path / "config.json", {"format": 1, "kind": "decoder"})
    assert kind_of(tmp_path) == "decoder"
    (tmp_path / "config.json").write_text("[]")
    assert kind_of(tmp_path) is None
