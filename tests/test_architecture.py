"""The rooms import only rooms before them, and every module has its test."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "timecontrol"
ORDER = [
    "errors",
    "progress",
    "quiet",
    "sentences",
    "corpora",
    "bases",
    "vocabulary",
    "tokens",
    "statistics",
    "devices",
    "features",
    "processes",
    "objectives",
    "runs",
    "hub",
    "latents",
    "coherence",
    "encoder",
    "figures",
    "plans",
    "pretrained",
    "decoder",
    "generation",
    "infilling",
    "scoring",
    "versions",
    "pages",
    "metrics",
    "judging",
    "experiments",
    "reproduction",
    "app",
    "cli",
]
MODULES = sorted(p for p in SOURCE.rglob("*.py") if p.name not in ("__init__.py", "__main__.py"))


def imported(path: Path) -> set[str]:
    """Return the rooms a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = node.module.split(".")
            if parts[0] == "timecontrol":
                found |= {parts[1]} if len(parts) > 1 else set()
        if isinstance(node, ast.Import):
            assert not any(a.name.startswith("timecontrol") for a in node.names), (
                f"{path}: write 'from timecontrol.x import y'"
            )
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_room_imports_only_rooms_before_it(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert all(ORDER.index(used) <= ORDER.index(room) for used in imported(path))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_every_module_has_its_test_and_says_what_it_is_for(path: Path) -> None:
    inside = path.relative_to(SOURCE)
    assert (Path(__file__).parent / inside.parent / f"test_{inside.name}").is_file()
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_help_does_not_import_torch() -> None:
    code = (
        "import sys; sys.argv = ['timecontrol', '--help']\n"
        "from timecontrol.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'transformers', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_reading_a_corpus_does_not_import_torch() -> None:
    code = (
        "import sys; sys.argv = ['timecontrol', 'corpus', 'synthetic']\n"
        "from timecontrol.cli import main\n"
        "main()\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
