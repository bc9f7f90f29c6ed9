"""The Python that README and docs show: it compiles, imports what is there, and runs.

```python blocks need no weights and run in ``test_readme.py``; ```py blocks run by ``make slow``,
those of a page one after the other.
"""

import ast
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran
from tests.shown import ROOT, TODAY, fenced, label
from tests.stage import ESSAY, prepare

BLOCKS = {
    label(page): blocks
    for page in TODAY
    if (blocks := fenced(page.read_text(encoding="utf-8"), "py"))
}
ELSEWHERE = {"docs/http.md"}
"""Pages whose Python is run by a test of their own: it wants a server."""
FIRST = {
    "docs/ecosystem.md": (
        "export wikisection --to cities-st",
        "export wikisection-decoder --to cities-lm",
    )
}
"""Commands of a page that its Python takes for run."""
READS = {"README.md", "docs/decoder.md"}
"""Pages whose Python opens runs that were made before; those of the others are made there."""


def imports(tree: ast.AST) -> list[tuple[str, str]]:
    """Return the modules and names that a piece of code imports from this package."""
    found = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module]
    ours = [n for n in found if str(n.module).partition(".")[0] == "timecontrol"]
    return [(str(n.module), alias.name) for n in ours for alias in n.names]


def imports_exist(code: str, page: str) -> None:
    """Fail where a piece of code does not compile, or imports what is not there."""
    for module, name in imports(ast.parse(code)):
        assert hasattr(importlib.import_module(module), name), f"{page}: {module}.{name}"


@pytest.mark.parametrize("page", BLOCKS)
def test_it_compiles_and_imports_what_is_there(page: str) -> None:
    for block in BLOCKS[page]:
        imports_exist(block, page)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in BLOCKS if page not in ELSEWHERE])
def test_it_runs(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Path,
    decoder_run: Path,
    timecontrol: Callable[..., Ran],
) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    prepare(folder, {"runs/mine": run, "runs/writer": decoder_run} if page in READS else {})
    monkeypatch.chdir(folder)
    for command in FIRST.get(page, ()):
        assert f"timecontrol {command}\n" in (ROOT / page).read_text(encoding="utf-8")
        assert timecontrol(*command.split()).code == 0
    names: dict[str, Any] = {"text": ESSAY, "files": [Path("essay.txt"), Path("new.txt")]}
    for block in BLOCKS[page]:
        exec(compile(block, page, "exec"), names)
