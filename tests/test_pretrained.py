import json
from pathlib import Path

import numpy as np
import pytest

from timecontrol import pretrained
from timecontrol.errors import TimeControlError
from timecontrol.pretrained import SHIPPED, decoder_folder, folder_of, open_encoder
from timecontrol.runs import CONFIG


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_opens_without_its_base(name: str) -> None:
    encoder = open_encoder(name)
    assert encoder.config["base"]["name"] == "minilm"
    assert not encoder.settings.tags
    assert encoder.latents(np.zeros((2, 384), np.float32)).shape == (2, 8)


def test_shipped_folders_are_small_licensed_and_hold_no_paths() -> None:
    weights = folder_of("general").parent
    licence = (weights / "LICENSE.md").read_text(encoding="utf-8")
    for name in SHIPPED:
        folder = weights / name
        assert f"`{name}`" in licence
        assert sum(f.stat().st_size for f in folder.iterdir()) < 1_000_000
        config = (folder / CONFIG).read_text(encoding="utf-8")
        corpus = json.loads(config)["corpus"]["name"]
        assert not {"recipes", "recipenlg", "wikihow"} & set(corpus.replace("+", " ").split())
        for file in folder.iterdir():
            assert b"/tmp/" not in file.read_bytes()


def test_a_folder_comes_before_a_shipped_name_and_nothing_else_is_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert folder_of("general").parent.name == "weights"
    (tmp_path / "general").mkdir()
    assert folder_of("general").parent.name == "weights"  # an empty folder is no run
    (tmp_path / "general" / CONFIG).write_text("{}")
    assert folder_of("general") == Path("general")
    with pytest.raises(
        TimeControlError, match=r"No encoder named 'generl'. Did you mean 'general'"
    ):
        open_encoder("generl")
    with pytest.raises(TimeControlError, match="no such folder"):
        open_encoder("runs/nothing")


def test_a_decoder_is_a_run_folder_or_comes_with_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pretrained, "DECODERS", {"towns": "encyclopedic articles about towns"})
    assert decoder_folder(tmp_path / "run") == tmp_path / "run"
    assert decoder_folder("runs/mine") == Path("runs/mine")
    shipped = decoder_folder("towns")
    assert (shipped.parent.name, shipped.name) == ("weights", "towns-decoder")
    (tmp_path / "towns").mkdir()
    assert decoder_folder("towns") == shipped  # an empty folder is no run
    (tmp_path / "towns" / CONFIG).write_text("{}")
    assert decoder_folder("towns") == Path("towns")
    with pytest.raises(TimeControlError) as found:
        decoder_folder("town")
    assert str(found.value) == (
        "No decoder named 'town'. Did you mean 'towns'? Known: towns. Or a run folder."
    )
    monkeypatch.setattr(pretrained, "DECODERS", {})
    assert decoder_folder("town") == Path("town")  # there are no names to choose from
    monkeypatch.setattr(pretrained, "DECODERS", {"towns": ""})
    (tmp_path / "town").mkdir()
    assert decoder_folder("town") == Path("town")  # what is there is looked at


def test_decoders_that_come_with_the_package_are_there() -> None:
    for name in pretrained.DECODERS:
        assert (decoder_folder(name) / CONFIG).is_file()
