"""What the README says is so, and what the pages in docs show."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from tests.shown import PAGES, ROOT, TODAY, fenced, label

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return [b for page in TODAY for b in fenced(page.read_text(encoding="utf-8"), language)]


def test_commands_print_what_is_shown(timecontrol: Callable[..., Ran]) -> None:
    shown = [part for block in blocks("console") for part in block.split("$ timecontrol ")[1:]]
    assert shown
    for part in shown:
        command, _, output = part.partition("\n")
        ran = timecontrol(*command.split())
        assert ran.code == 0
        assert [line.rstrip() for line in ran.out.splitlines()] == output.splitlines()


def test_python_that_needs_no_weights_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks("python"):
        exec(compile(block, "python block", "exec"), {})
    assert "cities/0/9 ('ABSTRACT'" in capsys.readouterr().out
    assert len(list(Path("my-texts").glob("*.md"))) == 80


def test_the_readme_is_short() -> None:
    whole = README.splitlines()
    map_ = [line for line in whole if line.startswith("| `")]
    assert len(whole) - len(map_) < 200


def test_its_make_targets_exist() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    wanted = {"help", "install", "demo", "test", "check", "fix", "slow", "browser", "bench"}
    assert wanted <= set(targets)
    assert set(re.findall(r"make ([a-z]+)\b", README)) <= set(targets)


def test_its_map_shows_every_room() -> None:
    source = ROOT / "src" / "timecontrol"
    rooms = {p.name + ("/" if p.is_dir() else "") for p in source.iterdir()
             if not p.name.startswith("_") and p.name != "py.typed"}  # fmt: skip
    assert rooms <= set(re.findall(r"^\| `([a-z_.]+/?)` \|", README, re.MULTILINE))


def anchors(page: Path) -> set[str]:
    """Return the names of a page's headings, as links to them have them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
        place = page.parent / link if link else page
        assert place.exists(), link
        if anchor and place.suffix == ".md":
            assert anchor in anchors(place), f"{link}#{anchor}"


def test_every_page_is_in_the_list_of_pages() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {p.name for p in (ROOT / "docs").iterdir() if p.suffix in (".md", ".ipynb")}
    assert pages - {"README.md"} <= set(re.findall(r"\]\((\S+?)\)", index))


def test_ci_runs_the_tests_and_nothing_else() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text()
