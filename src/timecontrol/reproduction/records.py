"""What a run left: its numbers, and all that is needed to get them again.

A record is a JSON file named by its work. Its id is a hash of its recipe: the work, the documents,
the weights of the bases and every setting. A record without id, data or command, or whose id is not
the hash of its recipe, counts for nothing: its cells are blank.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from timecontrol.errors import TimeControlError
from timecontrol.reproduction.works import Work
from timecontrol.runs import write_json

FOLDER = "runs"
"""Where records are, in the folder of a reproduction."""


@dataclass(frozen=True)
class Value:
    """A measured number."""

    value: float
    error: float | None
    """Standard error within the run: over documents."""
    n: int
    """Documents, or pairs of sentences."""


@dataclass(frozen=True)
class Record:
    """What one work came to."""

    work: Work
    scale: str
    corpus: str
    """What it is called in results."""
    base: str
    """The same of the base."""
    recipe: Mapping[str, Any]
    """All that decides the numbers: what the id is a hash of."""
    data: str
    """A hash of the documents."""
    command: str
    """What makes it again."""
    values: Mapping[str, Value]
    each: Mapping[str, Any] = field(default_factory=dict)
    """What of every document the numbers can be computed from again, where that is little."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """Which encoder and decoder it was, and with what they were made."""
    id: str = ""

    @property
    def whole(self) -> bool:
        """Whether its numbers can be traced."""
        return bool(self.data and self.command and self.id and self.id == identity(self.recipe))

    def as_dict(self) -> dict[str, Any]:
        """Return the record as plain data."""
        return asdict(self)


def identity(recipe: Mapping[str, Any]) -> str:
    """Return the id of a run: a hash of all that decides it."""
    return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()[:16]


def place_of(folder: Path, work: Work) -> Path:
    """Return where the record of a work is kept."""
    return folder / FOLDER / f"{work.name.replace('/', '_')}.json"


def keep(record: Record, folder: Path) -> None:
    """Write a record, whole or not at all."""
    file = place_of(folder, record.work)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_json(file, record.as_dict())


def read_record(file: Path) -> Record:
    """Return a record from its file.

    Raises:
        TimeControlError: It is none.
    """
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        values = {name: Value(**value) for name, value in found.pop("values").items()}
        return Record(**{**found, "work": Work(**found["work"]), "values": values})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise TimeControlError(f"{file} is no record of a run: remove it, and run again.") from None


def records(folder: Path) -> dict[str, Record]:
    """Return all records of a folder that can be traced, by the names of their works."""
    files = sorted((folder / FOLDER).glob("*.json"))
    found = [read_record(file) for file in files]
    return {record.work.name: record for record in found if record.whole}
