import shutil
from pathlib import Path

import pytest

from timecontrol.app.models import Models, fills
from timecontrol.decoder.folder import ENCODER
from timecontrol.errors import TimeControlError


def test_the_models_of_the_package_are_there_without_loading_any() -> None:
    known = Models.of()
    assert list(known.encoders) == ["general", "wikisection", "dialogue"]
    assert (list(known.decoders), list(known.fillers)) == (["wikisection"], ["stories"])
    assert not known.loaded


def test_own_run_folders_come_first_by_their_names(decoder_run: Path) -> None:
    known = Models.of([str(decoder_run), str(decoder_run / ENCODER)])
    assert list(known.decoders) == ["run", "wikisection"]
    assert next(iter(known.encoders)) == "encoder"


def test_two_folders_of_one_name_are_told_apart(decoder_run: Path, tmp_path: Path) -> None:
    other = tmp_path / "run"
    shutil.copytree(decoder_run, other)
    known = Models.of([str(decoder_run), str(other)])
    assert list(known.decoders)[:2] == ["run", "run (2)"]
    assert known.decoders["run (2)"] == str(other)


def test_a_model_is_opened_once(decoder_run: Path) -> None:
    known = Models.of([str(decoder_run), str(decoder_run / ENCODER)], device="cpu")
    assert known.decoder() is known.decoder("run")
    assert known.encoder() is known.encoder("encoder")
    assert known.decoder()._decoder() is known.decoder()._decoder()
    assert len(known.loaded) == 2


def test_a_decoder_that_writes_can_fill_gaps_too(decoder_run: Path) -> None:
    known = Models.of([str(decoder_run)], device="cpu")
    assert known.filler("run") is known.decoder("run")
    assert not fills(decoder_run)


def test_nothing_else_can_be_named(decoder_run: Path, tmp_path: Path) -> None:
    known = Models.of(device="cpu")
    for name in (str(decoder_run), "../weights/general", "", "wikisectoin"):
        with pytest.raises(TimeControlError, match="No decoder named"):
            known.decoder(name)
        with pytest.raises(TimeControlError, match="No encoder named"):
            known.encoder(name)
    with pytest.raises(TimeControlError, match="no finished run folder"):
        Models.of([str(tmp_path)])


def test_a_decoder_named_as_one_of_the_package_hides_none(
    decoder_run: Path, tmp_path: Path
) -> None:
    for name in ("stories", "wikisection"):
        shutil.copytree(decoder_run, tmp_path / name)
    known = Models.of([str(tmp_path / "stories"), str(tmp_path / "wikisection")])
    assert list(known.decoders) == ["stories", "wikisection", "wikisection (2)"]
    assert known.decoders["wikisection (2)"] == "wikisection"
    assert dict(known.fillers) == {"stories (2)": "stories"}
