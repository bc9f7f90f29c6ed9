"""Which split a document belongs to: an index file, published files, or a hash of its text.

*Index*: ``split.json`` in the corpus folder, or ``NAME_split.json`` beside ``NAME.jsonl``, as in
``{"train": [0, 2], "val": [3], "test": [1]}``; where a corpus has several files, an entry is
``[file, index]`` with the file's split word or stem. *Published*: file or folder names say it
(train; val, valid, validation, dev; test). *Hash*: by the SHA-256 of the document, 80 / 10 / 10,
so that equal documents are on one side and nothing moves when documents are added.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from timecontrol.corpora.documents import Document
from timecontrol.errors import InputError

SPLITS = ("train", "val", "test")
WORDS = {
    "train": "train",
    "training": "train",
    "val": "val",
    "valid": "val",
    "validation": "val",
    "dev": "val",
    "test": "test",
}


def split_word(word: str) -> str | None:
    """Return the split that a word means, if it means one."""
    return WORDS.get(word.strip().lower())


def published_split(path: Path) -> str | None:
    """Return the split that a file's name, or else its folder's, says it holds."""
    for word in reversed(re.split(r"[^A-Za-z]+", path.name)):
        if split := split_word(word):
            return split
    return split_word(path.parent.name)


def stem(path: Path) -> str:
    """Return a file's name without its endings: ``a.test.jsonl.gz`` -> ``a.test``."""
    name = path.name.removesuffix(".gz")
    return name.rsplit(".", 1)[0]


def hash_split(document: Document) -> str:
    """Return the split that a document's digest puts it in: 80 / 10 / 10."""
    share = int(document.digest[:16], 16) / 16**16
    return "train" if share < 0.8 else "val" if share < 0.9 else "test"


@dataclass(frozen=True)
class Index:
    """The splits an index file lists."""

    file: Path
    places: dict[tuple[str, int], str]
    """Split of (file key, record number); the key is empty where the corpus is one file."""

    def split(self, path: Path, number: int) -> str | None:
        """Return the split of a record, or ``None`` when it is in none."""
        for key in ("", published_split(path) or "", stem(path)):
            if split := self.places.get((key, number)):
                return split
        return None

    def strangers(self, files: Iterable[Path]) -> list[str]:
        """Return the files that the index names and that are not among ``files``."""
        known = {""} | {stem(f) for f in files} | {published_split(f) for f in files}
        return sorted({key for key, _ in self.places} - known)


def find_index(folder: Path, file: Path | None) -> Path | None:
    """Return the index file of a folder, or of one file in it, where there is one."""
    candidates = [folder / "split.json"] if file is None else []
    if file is not None:
        candidates.append(folder / f"{stem(file)}_split.json")
    return next((c for c in candidates if c.is_file()), None)


def read_index(path: Path) -> Index:
    """Return the index in a file, checked: known splits, whole numbers, nothing twice."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise InputError(path, None, f"not a readable JSON file: {error}") from None
    if not isinstance(value, dict):
        raise InputError(path, None, 'wanted {"train": [...], "val": [...], "test": [...]}')
    places: dict[tuple[str, int], str] = {}
    for word, entries in value.items():
        split = split_word(word)
        if split is None or not isinstance(entries, list):
            raise InputError(path, None, f"{word!r} is no split with a list: train, val, test")
        for entry in entries:
            key, number = entry if isinstance(entry, list) and len(entry) == 2 else ("", entry)
            if not isinstance(key, str) or type(number) is not int or number < 0:
                raise InputError(
                    path, None, f"an entry must be a number or [file, number]: {entry!r:.60}"
                )
            if (other := places.get((key, number))) is not None:
                raise InputError(path, None, f"{entry} is in {other} and again in {split}")
            places[key, number] = split
    return Index(path, places)
