"""Folders in which what README and docs show can be run: the reader's texts, runs from before."""

import shutil
from collections.abc import Mapping, Set
from pathlib import Path

from timecontrol.corpora import open_corpus

ROOT = Path(__file__).parents[1]
ESSAY = (
    "Anna had never baked a cake before. Her grandmother wrote the recipe on a card. "
    "On Saturday Anna bought flour, butter and eggs. She mixed everything in a bowl. "
    "The price of copper fell again in the second quarter. "
    "After forty minutes the kitchen smelled of vanilla.\n"
)
GAP = "She packed a bag. [ ... ] The train left at noon.\n"
TEXTS = {
    "essay.txt": ESSAY,
    "old.txt": ESSAY,
    "new.txt": ESSAY.replace("The price of copper fell again in the second quarter. ", ""),
    "notes.md": f"# Notes\n\n{ESSAY}",
    "docs/a.txt": ESSAY,
    "docs/b.txt": ESSAY,
    "FILE": GAP,
}
FOLDERS = ("FOLDER", "my-texts", "towns")
"""A reader's own documents."""
DOCUMENTS = 24


def prepare(folder: Path, runs: Mapping[str, Path], made: Set[str] = frozenset()) -> None:
    """Put into a folder what a page takes for granted.

    Args:
        folder: An empty one.
        runs: Run folders, by the name that the page has for them.
        made: What the page makes itself.
    """
    for name, text in TEXTS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for name in FOLDERS:
        if name not in made:
            write_towns(folder / name)
    for name, run in runs.items():
        if name not in made:
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copytree(run, folder / name)
    (folder / "results").symlink_to(ROOT / "results")


def write_towns(folder: Path) -> None:
    """Write made articles: Markdown with sections, and the same as plain text."""
    folder.mkdir()
    spec = f"synthetic:cities,documents={DOCUMENTS}"
    for number, document in enumerate(open_corpus(spec).documents()):
        parts = [f"## {str(s.tag).capitalize()}\n\n{s.text}\n" for s in document.sections]
        (folder / f"{number}.md").write_text("\n".join(parts), encoding="utf-8")
