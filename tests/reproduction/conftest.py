"""A small workshop that the tests of the reproduction share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from timecontrol.experiments.evaluate import Place
from timecontrol.reproduction.scales import scale_named
from timecontrol.reproduction.workshop import Workshop


@pytest.fixture(scope="package")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """A workshop of the smallest scale. What is made in it is made once."""
    folder = tmp_path_factory.mktemp("workshop")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMECONTROL_CACHE", str(folder / "cache"))
        yield Workshop(scale_named("smoke", documents=2), folder / "work", Place("cpu"), batch=2)


@pytest.fixture
def cache(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of that workshop, in use."""
    folder = shop.folder.parent / "cache"
    monkeypatch.setenv("TIMECONTROL_CACHE", str(folder))
    return folder
