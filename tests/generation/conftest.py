"""Decoders that the tests of writing share; nobody changes them."""

import pytest

from tests.generation.examples import made
from timecontrol.decoder import Decoder


@pytest.fixture(scope="session")
def talker() -> Decoder:
    """A decoder that writes short sentences and short documents."""
    return made()


@pytest.fixture(scope="session")
def plain() -> Decoder:
    """The same without plans."""
    return made(plan_dim=0)
