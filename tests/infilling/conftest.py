"""Decoders that the tests of infilling share; nobody changes them."""

from pathlib import Path

import pytest

from tests.decoder.examples import CORPUS, SMALL
from timecontrol.decoder import Decoder
from timecontrol.decoder.folder import ENCODER


@pytest.fixture(scope="session")
def forward(decoder_run: Path) -> Decoder:
    """A decoder that reads from left to right, with plans."""
    return Decoder.load(decoder_run, device="cpu")


@pytest.fixture(scope="session")
def filler_run(
    tmp_path_factory: pytest.TempPathFactory, decoder_run: Path, bases: dict[str, str]
) -> Path:
    """The run of a decoder that reads what follows a gap first."""
    folder = tmp_path_factory.mktemp("fillers") / "filler"
    given = {**SMALL, "epochs": 1, "arrangement": "right-first", "smooth": 1}
    Decoder.fit(
        CORPUS,
        base=bases["writer"],
        encoder=decoder_run / ENCODER,
        device="cpu",
        out=folder,
        **given,
    )
    return folder


@pytest.fixture(scope="session")
def filler(filler_run: Path) -> Decoder:
    """A decoder that reads what follows a gap first, with plans."""
    return Decoder.load(filler_run, device="cpu")


@pytest.fixture(scope="session")
def blanks(bases: dict[str, str]) -> Decoder:
    """A decoder that reads texts with blanks, without plans."""
    given = {**SMALL, "epochs": 1, "arrangement": "blanks", "method": "plain"}
    return Decoder.fit(CORPUS, base=bases["writer"], device="cpu", **given)
