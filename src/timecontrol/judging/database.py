"""The SQLite file of a study: its tables, and how it is opened.

Each call opens it for itself and closes it again, so that threads and processes do not get into
each other's way; a change is one transaction, and waits for another one to end.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

from timecontrol.errors import TimeControlError

FORMAT = 1
MARK = 0x54434A31
"""What tells a study from other SQLite files."""
WAIT = 30.0
"""Seconds that a call waits for another one to finish."""

SCHEMA = """
CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE systems (name TEXT PRIMARY KEY, about TEXT NOT NULL);
CREATE TABLE items (id TEXT PRIMARY KEY, shown TEXT NOT NULL);
CREATE TABLE outputs (
    system TEXT NOT NULL REFERENCES systems, example TEXT NOT NULL,
    item TEXT NOT NULL REFERENCES items, place TEXT NOT NULL, PRIMARY KEY (system, example)
);
CREATE TABLE ratings (
    number INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL REFERENCES items,
    annotator TEXT NOT NULL, rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
    seconds REAL, time TEXT NOT NULL, revised INTEGER NOT NULL DEFAULT 0, UNIQUE (item, annotator)
);
CREATE TABLE replaced (
    item TEXT NOT NULL, annotator TEXT NOT NULL, rating INTEGER NOT NULL, time TEXT NOT NULL
);
"""


@contextmanager
def making(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a new study to be filled; its file appears whole or not at all.

    Raises:
        TimeControlError: There is a file already, or none can be written.
    """
    if file.exists():
        raise TimeControlError(f"{file} is there already, with its ratings: give another name.")
    if not file.parent.is_dir():
        raise TimeControlError(f"There is no folder {file.parent} for {file.name}.")
    fresh = file.with_name(f".{file.name}.{uuid4().hex}")
    try:
        with _told(file, "written"), closing(sqlite3.connect(fresh)) as db:
            db.executescript(f"PRAGMA application_id = {MARK}; PRAGMA user_version = {FORMAT};")
            db.executescript(SCHEMA)
            with db:
                yield db
        _publish(fresh, file)
    finally:
        fresh.unlink(missing_ok=True)


def _publish(fresh: Path, file: Path) -> None:
    """Give a new file its name, unless another one has got it meanwhile."""
    try:
        os.link(fresh, file)  # fails where a file is; a rename would replace it
    except FileExistsError:
        raise TimeControlError(f"{file} is there already: give another name.") from None
    except OSError:  # a file system without links
        if file.exists():
            raise TimeControlError(f"{file} is there already: give another name.") from None
        fresh.replace(file)


def refuse_others(file: Path, db: sqlite3.Connection) -> None:
    """Refuse a file that is no study, or one of another version."""
    if db.execute("PRAGMA application_id").fetchone()[0] != MARK:
        raise TimeControlError(f"{file} is no study: timecontrol judge create makes one.")
    if (version := db.execute("PRAGMA user_version").fetchone()[0]) != FORMAT:
        raise TimeControlError(
            f"{file} is a study of format {version}, this program reads {FORMAT}: use the version "
            "of time-control that made it."
        )


@contextmanager
def _told(file: Path, what: str) -> Iterator[None]:
    """Turn what SQLite says into one line."""
    try:
        yield
    except sqlite3.OperationalError as error:
        busy = "locked" in str(error)
        next_ = "another program holds it; try again" if busy else "may it be written there?"
        hint = f": {next_}" if busy or what == "written" else ""
        raise TimeControlError(f"{file} cannot be {what}: {error}{hint}") from None
    except sqlite3.DatabaseError as error:
        raise TimeControlError(f"{file} is no study, or a damaged one: {error}.") from None


@contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a study to be read; one that has gone is not made anew."""
    with _told(file, "read"), closing(_connected(file, "ro")) as db:
        yield db


@contextmanager
def writing(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a study for one change, which is kept whole or not at all."""
    with _told(file, "written"), closing(_connected(file, "rw")) as db:
        db.execute("BEGIN IMMEDIATE")
        with db:  # commits, or takes back
            yield db


def _connected(file: Path, mode: str) -> sqlite3.Connection:
    uri = f"{file.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, timeout=WAIT, isolation_level=None, uri=True)
