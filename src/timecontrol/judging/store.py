"""A study: one SQLite file with what is judged, for which systems, and every rating.

Several people may rate at once (``database.py``). There is one rating of an item by an annotator:
sent twice, as by a double click, it is one still, and only the last one given can be changed.
"""

import json
import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from timecontrol import __version__
from timecontrol.corpora.files import BadRecord, check
from timecontrol.errors import TimeControlError, pick
from timecontrol.judging.database import making, reading, refuse_others, writing
from timecontrol.judging.items import Material, Output
from timecontrol.judging.session import next_of, order
from timecontrol.judging.tasks import HIGHEST, LOWEST, TASKS, Task
from timecontrol.sentences import clean

LONGEST_NAME = 60


@dataclass(frozen=True)
class Shown:
    """What an annotator sees: nothing of it tells the system."""

    item: str
    task: Task
    texts: dict[str, Any]
    """The task's fields."""


@dataclass(frozen=True)
class Rating:
    """One rating."""

    item: str
    annotator: str
    rating: int
    seconds: float | None
    """That the item was seen before it was rated, where that is known."""
    time: str
    revised: int
    """How often it was changed."""


@dataclass(frozen=True)
class Progress:
    """How far an annotator is."""

    done: int
    left: int
    total: int
    """Items of the study; more than done and left where others have rated some often enough."""


@dataclass(frozen=True)
class Study:
    """A study in its file."""

    file: Path
    task: Task
    seed: int
    wanted: int | None
    """Ratings of each item; ``None``: everybody rates all."""
    tail: int
    introduction: str
    """What annotators are told first."""
    created: str
    digest: str
    """A hash of what is judged, and for which systems."""
    systems: Mapping[str, dict[str, Any]]
    """What is known of each."""
    outputs: tuple[Output, ...]

    @property
    def examples(self) -> dict[str, str]:
        """The example of each item; of one that is in several, the first."""
        found: dict[str, str] = {}
        for output in self.outputs:
            found.setdefault(output.item, output.example)
        return found

    def shown(self, item: str) -> Shown:
        """Return an item as it is seen.

        Raises:
            TimeControlError: There is none of that id.
        """
        with reading(self.file) as db:
            row = db.execute("SELECT shown FROM items WHERE id = ?", (item,)).fetchone()
        if row is None:
            raise TimeControlError(f"{self.file} has no item {item!r}.")
        return Shown(item, self.task, json.loads(row[0]))

    def texts(self) -> dict[str, dict[str, Any]]:
        """Return what is seen of every item."""
        with reading(self.file) as db:
            rows = db.execute("SELECT id, shown FROM items").fetchall()
        return {item: json.loads(shown) for item, shown in rows}

    def next_item(self, annotator: str) -> Shown | None:
        """Return what an annotator sees next; ``None``: nothing is left."""
        with reading(self.file) as db:
            item = self._next(db, name_of(annotator))
        return None if item is None else self.shown(item)

    def last_item(self, annotator: str) -> tuple[Shown, int] | None:
        """Return what an annotator rated last, and how: it can still be changed."""
        with reading(self.file) as db:
            row = _last(db, name_of(annotator))
        return None if row is None else (self.shown(row[0]), row[1])

    def rate(self, annotator: str, item: str, rating: int, seconds: float | None = None) -> None:
        """Keep a rating; the same one again does nothing.

        Args:
            annotator: By name.
            item: Its id.
            rating: From 1 to 5.
            seconds: That it was seen before.

        Raises:
            TimeControlError: There is no such rating or item, or it is an earlier one than the last
                and would be changed.
        """
        name = name_of(annotator)
        if isinstance(rating, bool) or rating not in range(LOWEST, HIGHEST + 1):
            raise TimeControlError(f"A rating is {rating!r}: {LOWEST} to {HIGHEST}.")
        if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
            seconds = None
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with writing(self.file) as db:
            if db.execute("SELECT 1 FROM items WHERE id = ?", (item,)).fetchone() is None:
                raise TimeControlError(f"{self.file} has no item {item!r}.")
            old = db.execute(
                "SELECT rating FROM ratings WHERE item = ? AND annotator = ?", (item, name)
            ).fetchone()
            if old is None:
                db.execute(
                    "INSERT INTO ratings (item, annotator, rating, seconds, time) "
                    "VALUES (?, ?, ?, ?, ?)",
                    (item, name, int(rating), seconds, now),
                )
            elif old[0] != rating:
                last = _last(db, name)
                if last is None or last[0] != item:
                    raise TimeControlError("Only the rating that was given last can be changed.")
                db.execute("INSERT INTO replaced VALUES (?, ?, ?, ?)", (item, name, old[0], now))
                db.execute(
                    "UPDATE ratings SET rating = ?, revised = revised + 1 "
                    "WHERE item = ? AND annotator = ?",
                    (int(rating), item, name),
                )

    def progress(self, annotator: str) -> Progress:
        """Return how far an annotator is."""
        with reading(self.file) as db:
            rated = _rated(db, name_of(annotator))
            counts = _counts(db)
        total = len(self.examples)
        enough = self.wanted or math.inf
        full = sum(n >= enough for item, n in counts.items() if item not in rated)
        return Progress(len(rated), total - len(rated) - full, total)

    def ratings(self) -> list[Rating]:
        """Return all ratings in the order they were given."""
        columns = "item, annotator, rating, seconds, time, revised"
        with reading(self.file) as db:
            rows = db.execute(f"SELECT {columns} FROM ratings ORDER BY number").fetchall()
        return [Rating(*row) for row in rows]

    def _next(self, db: sqlite3.Connection, name: str) -> str | None:
        examples, last = self.examples, _last(db, name)
        line = _order(tuple(examples.items()), self.seed, name)
        before = None if last is None else last[0]
        return next_of(line, examples, _rated(db, name), _counts(db), self.wanted, before)


def create_study(
    file: Path,
    material: Material,
    *,
    seed: int = 0,
    wanted: int | None = None,
    introduction: str = "",
) -> Study:
    """Write a study, whole or not at all, and return it.

    Args:
        file: A new one.
        material: What is judged.
        seed: Of the orders in which items are seen.
        wanted: Ratings of each item; ``None``: everybody rates all.
        introduction: What annotators are told first.

    Raises:
        TimeControlError: There is a file already, or none can be written.
    """
    if wanted is not None and wanted < 1:
        raise TimeControlError(f"Ratings of each item: {wanted}, at least 1.")
    try:
        introduction = clean(check(introduction))
    except BadRecord as bad:
        raise TimeControlError(f"The introduction {bad}.") from None
    told = {
        "task": material.task,
        "seed": str(seed),
        "wanted": "" if wanted is None else str(wanted),
        "tail": str(material.tail),
        "introduction": introduction,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "digest": material.digest,
        "timecontrol": __version__,
    }
    with making(file) as db:
        db.executemany("INSERT INTO study VALUES (?, ?)", told.items())
        systems = [(k, json.dumps(v)) for k, v in material.systems.items()]
        db.executemany("INSERT INTO systems VALUES (?, ?)", systems)
        items = [(k, json.dumps(v)) for k, v in material.items.items()]
        db.executemany("INSERT INTO items VALUES (?, ?)", items)
        outputs = [(o.system, o.example, o.item, o.place) for o in material.outputs]
        db.executemany("INSERT INTO outputs VALUES (?, ?, ?, ?)", outputs)
    return open_study(file)


def open_study(file: Path) -> Study:
    """Return the study in a file.

    Raises:
        TimeControlError: There is none, or it is of another version.
    """
    if file.is_dir():
        raise TimeControlError(f"{file} is a folder: give the file of a study.")
    if not file.is_file():
        raise TimeControlError(
            f"No study at {file}: timecontrol judge create {file} --task ending FILE makes one."
        )
    with reading(file) as db:
        refuse_others(file, db)
        try:
            told = dict(db.execute("SELECT name, value FROM study").fetchall())
            found = db.execute("SELECT name, about FROM systems ORDER BY rowid").fetchall()
            columns = "system, example, item, place"
            rows = db.execute(f"SELECT {columns} FROM outputs ORDER BY rowid").fetchall()
            return Study(
                file,
                pick(TASKS, told["task"], "task"),
                int(told["seed"]),
                int(told["wanted"]) if told["wanted"] else None,
                int(told["tail"]),
                told["introduction"],
                told["created"],
                told["digest"],
                {name: json.loads(about) for name, about in found},
                tuple(Output(*row) for row in rows),
            )
        except (KeyError, ValueError, TypeError):
            raise TimeControlError(f"{file} is a damaged study.") from None


def name_of(annotator: str) -> str:
    """Return an annotator's name as it is kept: ``Anna`` and ``anna `` are one.

    Raises:
        TimeControlError: It is none.
    """
    try:
        name = clean(check(annotator)).casefold()
    except BadRecord as bad:
        raise TimeControlError(f"The name {bad}.") from None
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise TimeControlError(f"A name has 1 to {LONGEST_NAME} characters, got {annotator!r:.80}.")
    return name


@lru_cache(maxsize=64)
def _order(examples: tuple[tuple[str, str], ...], seed: int, name: str) -> Sequence[str]:
    return order(dict(examples), seed, name)


def _rated(db: sqlite3.Connection, name: str) -> set[str]:
    """Return the items that an annotator has rated."""
    rows = db.execute("SELECT item FROM ratings WHERE annotator = ?", (name,)).fetchall()
    return {row[0] for row in rows}


def _counts(db: sqlite3.Connection) -> dict[str, int]:
    """Return how often each item has been rated."""
    return dict(db.execute("SELECT item, count(*) FROM ratings GROUP BY item").fetchall())


def _last(db: sqlite3.Connection, name: str) -> tuple[str, int] | None:
    """Return the item that an annotator rated last, and its rating."""
    row = db.execute(
        "SELECT item, rating FROM ratings WHERE annotator = ? ORDER BY number DESC LIMIT 1", (name,)
    ).fetchone()
    return None if row is None else (row[0], row[1])
