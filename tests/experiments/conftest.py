"""Decoders and encoders that the tests of evaluations share."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from timecontrol.corpora import Corpus, open_corpus
from timecontrol.decoder import Decoder
from timecontrol.encoder import Encoder


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """The documents of the shared decoder."""
    return open_corpus("synthetic:recipes,documents=40")


@pytest.fixture
def model(decoder_run: Path, tmp_path: Path) -> str:
    """A copy of the shared decoder, in which looks can be written down."""
    return str(shutil.copytree(decoder_run, tmp_path / "planned"))


@pytest.fixture(scope="session")
def section_run(tmp_path_factory: pytest.TempPathFactory, bases: dict[str, str]) -> str:
    """A decoder that is told of sections. Only to be read."""
    out, spec = tmp_path_factory.mktemp("dense") / "dense", "synthetic:recipes,documents=20"
    options: dict[str, Any] = {"method": "section-dense", "epochs": 1, "window": 256, "batch": 16}
    Decoder.fit(spec, base=bases["writer"], out=out, device="cpu", **options)
    return str(out)


@pytest.fixture(scope="session")
def judge(tmp_path_factory: pytest.TempPathFactory, bases: dict[str, str]) -> str:
    """Another encoder than the one that planned. Only to be read."""
    out, spec = tmp_path_factory.mktemp("judge") / "judge", "synthetic:recipes,documents=40"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMECONTROL_CACHE", str(out.parent / "cache"))
        Encoder.fit(spec, base=bases["bert"], epochs=2, latent_dim=8, seed=5, out=out, device="cpu")
    return str(out)
