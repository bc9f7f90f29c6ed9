import json
from pathlib import Path

import numpy as np
import pytest

from timecontrol import pretrained
from timecontrol.decoder import Decoder
from timecontrol.decoder.card import card
from timecontrol.decoder.folder import ENCODER
from timecontrol.errors import TimeControlError
from timecontrol.generation import Writing, write
from timecontrol.generation.request import plans_for
from timecontrol.pretrained import (
    DECODERS,
    SHIPPED,
    decoder_folder,
    folder_of,
    looks_folder,
    open_encoder,
)
from timecontrol.runs import CONFIG, read_config, read_tensors
from timecontrol.scoring import TimeControl


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


def test_looks_with_an_encoder_and_a_decoder_of_one_name_are_told_apart(tmp_path: Path) -> None:
    assert looks_folder("wikisection").name == "wikisection"
    assert looks_folder("wikisection", "decoder").name == "wikisection-decoder"
    (tmp_path / CONFIG).write_text("{}")
    assert looks_folder(tmp_path, "decoder") == tmp_path


ROWS = {"wikisection": 6, "stories": 3}
"""Rows of new tokens: four tags and two marks; one mark, and two of gaps."""


@pytest.mark.parametrize("name", DECODERS)
def test_shipped_decoders_are_small_licensed_and_described(name: str) -> None:
    folder = decoder_folder(name)
    licence = (folder.parent / "LICENSE.md").read_text(encoding="utf-8")
    assert f"`{folder.name}`" in licence
    files = [f for f in folder.rglob("*") if f.is_file()]
    assert sum(f.stat().st_size for f in files) < 12_000_000
    assert not any(b"/tmp/" in f.read_bytes() or b"/home/" in f.read_bytes() for f in files)
    config = read_config(folder, "decoder")
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    assert (folder / "README.md").read_text(encoding="utf-8") == card(config, metrics)
    assert len(metrics["measured"]["values"]) > 3
    corpus = config["corpus"]["name"]
    assert not {"recipes", "recipenlg", "wikihow"} & set(corpus.replace("+", " ").split())
    own = open_encoder(config["encoder"]["shipped"] or folder / ENCODER)
    assert config["encoder"]["identity"] == own.config["identity"]
    weights, _ = read_tensors(folder / "adapter" / "adapter_model.safetensors")
    tables = [t for n, t in weights.items() if "embed_tokens" in n]
    assert [len(t) for t in tables] == [ROWS[name]]  # and no others
    law, _ = read_tensors(folder / "law.safetensors")
    assert law["paths"].shape[1] == config["encoder"]["latent_dim"]


@pytest.mark.slow
def test_the_shipped_filler_fills_gaps() -> None:
    tc = TimeControl.from_pretrained("stories", device="cpu", dtype="float32")
    left = "The old fisherman lived alone by the sea. One morning his net was heavy."
    found = tc.infill(left, "In the net lay a small golden chest.", candidates=4)
    assert found.text.startswith(left)
    assert len({c.text for c in found.gaps[0].candidates}) > 1
    assert all(c.measured.near is not None for c in found.gaps[0].candidates)
    with pytest.raises(TimeControlError, match="fills gaps"):
        tc.generate()


@pytest.mark.slow
def test_the_shipped_decoder_writes_documents_of_its_kind() -> None:
    decoder = Decoder.load("wikisection", device="cpu", dtype="float32")
    writing = Writing(length="forced", budget=300)
    plans = plans_for(decoder, 3, writing, kind="mean")
    together = list(write(decoder, plans, writing, batch=3))
    alone = next(write(decoder, plans[2:], writing, first=2, batch=1))
    assert alone.ids == together[2].ids
    tags = decoder.codec.layout.tags
    found = [[section.tag for section in text.sections] for text in together]
    assert all(t[0] == tags[0] for t in found)
    assert sum(tuple(t) == tags for t in found) >= 1
    assert not any(mark in text.text for text in together for mark in ("[ . ]", "<|"))
