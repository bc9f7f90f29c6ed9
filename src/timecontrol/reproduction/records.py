"""What a run left: its numbers, and all that is needed to get them again.

A record is a JSON file named by its work. Its id is a hash of its recipe: the work, the documents,
the weights of the bases and every setting. A record without id, data or command, whose id is not
the hash of its recipe, or whose recipe is of another work or other documents, counts for nothing:
its cells are blank.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from timecontrol.errors import TimeControlError
from timecontrol.reproduction.works import Work
from timecontrol.runs import write_json

FIGURES = "figures"
"""Where figures are, in the folder of a reproduction."""
FOLDER = "records"
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
        recipe = self.recipe
        same = recipe.get("work") == self.work.told() and recipe.get("data") == self.data
        return bool(same and self.data and self.command and self.id == identity(recipe))

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
    """Write a record, whole or not at all.

    Raises:
        TimeControlError: One of its numbers is none.
    """
    for name, value in record.values.items():
        if not math.isfinite(value.value):
            raise TimeControlError(f"{name} is {value.value}: no number")
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
        values = {name: _value(value) for name, value in found.pop("values").items()}
        work = Work(**found["work"])
        record = Record(**{**found, "work": work, "values": values})
        for f in fields(Work):
            if not isinstance(getattr(work, f.name), _types(f.type)):
                raise TypeError
        if not all(isinstance(getattr(record, name), str) for name in TEXTS):
            raise TypeError
        if not all(isinstance(x, dict) for x in (record.recipe, record.each, record.made)):
            raise TypeError
        if file.name != place_of(file, work).name:
            raise ValueError
        return record
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError):
        raise TimeControlError(f"{file} is no record of a run: remove it, and run again.") from None


TEXTS = ("scale", "corpus", "base", "data", "command", "id")
"""Fields that are text."""


def _value(found: Any) -> Value:
    """Return a number from plain data; an error where it is none."""
    value = Value(**found)
    for number in (value.value, value.error):
        if number is not None and (isinstance(number, bool) or not math.isfinite(number)):
            raise TypeError
    if value.value is None or not isinstance(value.n, int):
        raise TypeError
    return value


def _types(name: Any) -> tuple[type, ...]:
    """Return what a field of a work may be."""
    known: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
    named = str(getattr(name, "__name__", name)).split(" | ")
    found = tuple(known[n] for n in named if n in known)
    more: tuple[type, ...] = (int,) if float in found else ()
    return (*found, *more, *((type(None),) if "None" in named else ()))


def records(folder: Path, scale: str | None = None) -> dict[str, Record]:
    """Return the records of a folder that can be traced, by the names of their works.

    What is damaged is left out, as if it had not been run.

    Args:
        folder: Of a reproduction.
        scale: Those of this scale alone.
    """
    found = {}
    for file in sorted((folder / FOLDER).glob("*.json")):
        try:
            record = read_record(file)
        except TimeControlError:
            continue
        if record.whole and scale in (None, record.scale):
            found[record.work.name] = record
    return found
