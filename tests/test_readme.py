"""What the README says is so."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_its_commands_print_what_it_shows(timecontrol: Callable[..., Ran]) -> None:
    shown = [part for block in blocks("console") for part in block.split("$ timecontrol ")[1:]]
    assert shown
    for part in shown:
        command, _, output = part.partition("\n")
        ran = timecontrol(*command.split())
        assert ran.code == 0
        assert [line.rstrip() for line in ran.out.splitlines()] == output.splitlines()


def test_its_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})
    assert "cities/0/9 ('ABSTRACT'" in capsys.readouterr().out


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


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


def test_ci_runs_the_tests_and_nothing_else() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text()
