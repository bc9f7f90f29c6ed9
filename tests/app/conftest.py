"""A studio of tiny models that the tests of the service share; nobody changes it."""

from pathlib import Path

import pytest

from timecontrol.app.models import Models
from timecontrol.app.service import Studio
from timecontrol.decoder.folder import ENCODER


@pytest.fixture(scope="session")
def studio(decoder_run: Path) -> Studio:
    """A studio that was started with a small decoder and the encoder of it."""
    return Studio(Models.of([str(decoder_run / ENCODER), str(decoder_run)], device="cpu"))
