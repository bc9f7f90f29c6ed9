"""The studies a studio has: files it was started with, and those that are made in the browser."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from timecontrol.errors import TimeControlError, pick
from timecontrol.judging import Study, create_study, open_study, read_outputs
from timecontrol.judging.items import Material

ENDING = ".sqlite"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,59}")
MOST_FILES = 20


def without_folders(material: Material) -> Material:
    """Return material whose outputs say of their files the names alone."""
    outputs = [replace(o, place=Path(o.place).name) for o in material.outputs]
    return replace(material, outputs=tuple(outputs))


@dataclass
class Studies:
    """Studies by name."""

    files: dict[str, Path] = field(default_factory=dict)
    folder: Path = Path("timecontrol-studies")
    """Where new ones are kept; made with the first."""

    @classmethod
    def of(cls, files: Sequence[Path], folder: Path | None = None) -> "Studies":
        """Return the studies in files, and those in a folder.

        Raises:
            TimeControlError: A file is no study.
        """
        found = cls() if folder is None else cls(folder=folder)
        if found.folder.exists() and not found.folder.is_dir():
            raise TimeControlError(f"{found.folder} is a file: give a folder for studies.")
        for file in files:
            open_study(file)
            found._add(file)
        for file in sorted(found.folder.glob(f"*{ENDING}")):
            if file.resolve() not in {known.resolve() for known in found.files.values()}:
                found._add(file)
        return found

    def open(self, name: str | None) -> Study:
        """Return a study."""
        if not name:
            raise TimeControlError("No study is chosen: make one below, or choose one.")
        return open_study(pick(self.files, name, "study"))

    def make(self, name: str, outputs: Sequence[Path], task: str) -> str:
        """Make a study of uploaded files, and return its name.

        Args:
            name: Of its file.
            outputs: JSON lines, a file for each system, which is called by its file's name.
            task: A key of ``judging.TASKS``.

        Raises:
            TimeControlError: The name or the files will not do, or there is such a study.
        """
        name = name.strip()
        if not NAME.fullmatch(name):
            raise TimeControlError(
                f"A study named {name[:60]!r}: letters, digits, spaces, - and _, up to 60."
            )
        if not 1 <= len(outputs) <= MOST_FILES:
            raise TimeControlError(
                f"{len(outputs)} files: from 1 to {MOST_FILES}, one for each system."
            )
        for file in outputs:
            if file.suffix.lower() not in (".jsonl", ".json"):
                raise TimeControlError(f"{file.name} is no file of JSON lines (.jsonl).")
        if name in self.files:
            raise TimeControlError(f"There is a study named {name!r} already: choose another name.")
        file = self.folder / f"{name}{ENDING}"
        try:
            material = read_outputs(list(outputs), task)
            self.folder.mkdir(parents=True, exist_ok=True)
            create_study(file, without_folders(material))
        except TimeControlError as error:
            said = str(error)
            for place in (*outputs, file):  # whoever reads this may not be of this machine
                said = said.replace(str(place), place.name)
            raise TimeControlError(said) from None
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise TimeControlError(
                f"The study cannot be written here ({why}): start the studio with --studies FOLDER."
            ) from None
        self.files[name] = file
        return name

    def _add(self, file: Path) -> None:
        name, n = file.stem, 2
        while name in self.files:
            name, n = f"{file.stem} ({n})", n + 1
        self.files[name] = file
