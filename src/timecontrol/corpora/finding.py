"""A path to the data files under it, each with its format."""

import os
import re
from fnmatch import fnmatch
from pathlib import Path

from timecontrol.corpora.catalogue import Entry
from timecontrol.corpora.reading import Format
from timecontrol.corpora.splits import split_word
from timecontrol.errors import InputError, TimeControlError

DATA = "TIMECONTROL_DATA"
"""The environment variable that may name the folder in which corpora are."""

BESIDE = re.compile(r"(?i)(.*[_.-])?split\.json|kept_.*\.json|schema\.json|(licen[cs]e|readme)\b.*")
"""Names that lie beside the data and are not it."""


def locate(name: str, place: str, entry: Entry) -> Path:
    """Return the file or folder a corpus is in: as given, or under the data folder."""
    data = Path(os.environ[DATA]) if os.environ.get(DATA) else None
    if place:
        given = Path(place).expanduser()
        tried = [given] if data is None or given.is_absolute() else [given, data / place]
    elif data is not None:
        tried = [data / folder for folder in (name, *entry.folders)]
    else:
        raise TimeControlError(
            f"{name!r} needs a path: {name}:PATH, or {DATA} set to a folder that holds {name}/."
        )
    for path in tried:
        if path.exists():
            return path
    hint = "" if data is not None else f" ({DATA} is not set)"
    raise TimeControlError(f"No such file or folder: {' or '.join(map(str, tried))}{hint}.")


def find_files(name: str, root: Path, entry: Entry) -> tuple[dict[Path, Format], list[str]]:
    """Return the data files at or under a path with their formats, and notes about the others."""
    try:
        if not root.is_dir():
            found = dict([(root, form) for form in entry.formats if fits(root, form)][:1])
            reason = f"{name} reads {_patterns(entry)}, also .gz"
            notes: list[str] = []
        elif entry.deep:
            found = {p: f for p in _inside(root, deep=True) for f in entry.formats if fits(p, f)}
            reason, notes = _nothing(name, root, entry), []
        else:
            found, notes = _first_format(root, entry)
            reason = _nothing(name, root, entry)
    except OSError as error:
        raise InputError(root, None, f"cannot be read: {error.strerror}") from None
    if not found:
        raise InputError(root, None, reason)
    return found, notes


def fits(path: Path, form: Format) -> bool:
    """Return whether a file's name is one of a format's."""
    name = path.name.lower().removesuffix(".gz")
    return any(fnmatch(name, pattern) for pattern in form.patterns)


def _inside(root: Path, deep: bool = False) -> list[Path]:
    """Return the files of a folder, and of folders in it that are named after splits."""
    found = sorted(p for p in root.glob("**/*" if deep else "*") if p.is_file())
    if not deep:
        folders = sorted(p for p in root.iterdir() if p.is_dir() and split_word(p.name))
        found += [p for f in folders for p in sorted(f.iterdir()) if p.is_file()]
    here = set(found)  # x.gz is left out where x lies beside it
    return [p for p in found if p.suffix != ".gz" or p.with_suffix("") not in here]


def _first_format(root: Path, entry: Entry) -> tuple[dict[Path, Format], list[str]]:
    """Return the files of the first format that a folder has, and a note about the others."""
    files = [p for p in _inside(root) if not BESIDE.fullmatch(p.name)]
    # *by_method*.jsonl claims its files before *.jsonl does.
    narrow_first = sorted(entry.formats, key=lambda f: -max(map(len, f.patterns)))
    kinds = {p: f for p in files for f in reversed(narrow_first) if fits(p, f)}
    first = next((f for f in entry.formats if f in kinds.values()), None)
    rest = [p.name for p, f in kinds.items() if f is not first]
    notes = [f"also here, read when named by itself: {', '.join(rest)}"] if rest else []
    return {p: f for p, f in kinds.items() if f is first}, notes


def _nothing(name: str, root: Path, entry: Entry) -> str:
    """Return what to say of a folder without data: what was looked for, where it may be."""
    below = [
        p.name
        for p in sorted(root.iterdir())
        if p.is_dir() and any(fits(f, form) for f in p.iterdir() for form in entry.formats)
    ]
    hint = f" Perhaps one of its folders: {', '.join(below[:9])}." if below else ""
    return f"no {name} data here ({_patterns(entry)}, also .gz).{hint}"


def _patterns(entry: Entry) -> str:
    return ", ".join(dict.fromkeys(p for f in entry.formats for p in f.patterns))
