"""Which split a document belongs to: an index file, published files, or a hash of its text.

*Index*: ``split.json`` in the corpus folder, or ``NAME_split.json`` beside ``NAME.jsonl``, as in
``{"train": [0, 2], "val": [3], "test": [1]}``; where a corpus has several files, an entry is
``[file, index]`` with the file's name (or its stem, or the split it is named after).
*Published*: file or folder names say it (train; val, valid, validation, dev; test). *Hash*: by the
SHA-256 of the document, 80 / 10 / 10, so that equal documents are on one side and nothing moves
when documents are added (methods of one article stay together).
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from timecontrol.corpora.documents import Document
from timecontrol.errors import InputError, TimeControlError

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


def exact_split(path: Path, root: Path) -> str | None:
    """Return the split that own data is named after: ``train.jsonl``, ``a.dev.txt``, ``test/b``.

    Stricter than for published files: "my test.txt" is no test set, "test-00000-of-2" is one.
    """
    inside = path.relative_to(root).parts[:-1] if path != root else ()
    name = re.sub(r"[-_.]\d[\w-]*$", "", stem(path))
    words = [name, name.rsplit(".", 1)[-1], *reversed(inside)]
    return next((split for w in words if (split := split_word(w))), None)


def stem(path: Path) -> str:
    """Return a file's name without its endings: ``a.test.jsonl.gz`` -> ``a.test``."""
    name = path.name.removesuffix(".gz")
    return name.rsplit(".", 1)[0]


def hash_split(document: Document) -> str:
    """Return the split that a document's digest puts it in: 80 / 10 / 10."""
    key = document.digest
    if document.group is not None:
        key = hashlib.sha256(document.group.encode()).hexdigest()
    share = int(key[:16], 16) / 16**16
    return "train" if share < 0.8 else "val" if share < 0.9 else "test"


@dataclass(frozen=True)
class Index:
    """The splits an index file lists."""

    file: Path
    places: dict[tuple[str, int], str]
    """Split of (file key, record number); the key is empty where the corpus is one file."""

    def strangers(self, files: Sequence[Path]) -> list[str]:
        """Return what the index names and cannot mean among these files."""
        known = Counter(key for f in files for key in set(keys(f)))
        found = []
        for key in sorted({key for key, _ in self.places}):
            if known[key] != 1:
                name = repr(key) if key else "a number without a file"
                found.append(f"{name} ({known[key]} files)" if known[key] else name)
        return found

    def resolve(self, files: Sequence[Path]) -> dict[tuple[Path, int], str]:
        """Return the split of each record by its file; refuse a record in two splits."""
        named = {key: f for f in files for key in keys(f)}
        found: dict[tuple[Path, int], str] = {}
        for (key, number), split in self.places.items():
            place = named[key], number
            if place in found:
                raise InputError(
                    self.file, None, f"record {number} of {place[0].name} is in it twice"
                )
            found[place] = split
        return found


def keys(path: Path) -> list[str]:
    """Return what a file may be called in an index; "" where it is the only one."""
    plain = path.name.removesuffix(".gz")
    return ["", path.name, plain, stem(path), published_split(path) or ""]


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


@dataclass(frozen=True)
class Rule:
    """How documents are put into splits."""

    words: str
    """What a user is told."""
    split: Callable[[Document, Path], str | None]
    """A document and its file to its split, or to ``None`` when it is in none."""
    may_hold: Callable[[Path, str], bool] = lambda path, split: True
    """Whether a file may hold documents of a split: others need not be read."""
    size: int | None = None
    """How many documents the rule knows of, where it is a list."""


HASH = Rule("hash of the text, 80/10/10", lambda document, path: hash_split(document))


def by_name(name: Callable[[Path], str | None]) -> Rule:
    """Return the rule of files named after splits; a file that is not is training data."""
    return Rule(
        "published files",
        lambda document, path: name(path) or "train",
        lambda path, split: (name(path) or "train") == split,
    )


def by_index(index: Index, files: Sequence[Path]) -> Rule:
    """Return the rule of an index file."""
    places = index.resolve(files)
    return Rule(
        f"index file {index.file.name}",
        lambda document, path: places.get((path, document.source.index)),
        size=len(places),
    )


def records_first(rule: Rule) -> Rule:
    """Return the rule by which a record may name its own split."""
    return Rule(
        f"'split' of a record, else {rule.words}",
        lambda document, path: document.split or rule.split(document, path),
    )


RULES = ("auto", "index", "published", "hash")


def choose(
    split_by: str, root: Path, files: Sequence[Path], own: bool = False
) -> tuple[Rule, list[str]]:
    """Return the rule that a corpus is split by, and notes on what could not be used.

    Args:
        split_by: One of ``RULES``; ``auto`` takes the first of the others that can be had.
        root: The file or folder that the corpus was said to be.
        files: Its data files.
        own: Whether file names are a user's own, and mean a split only when they are nothing else.
    """
    if split_by not in RULES:
        raise TimeControlError(f"No split rule {split_by!r}: {', '.join(RULES)}.")
    notes: list[str] = []
    if split_by in ("auto", "index"):
        candidates = [root / "split.json"] if root.is_dir() else []
        candidates += [f.with_name(f"{stem(f)}_split.json") for f in files if len(files) == 1]
        for path in filter(Path.is_file, candidates):
            index = read_index(path)
            if not (missing := index.strangers(files)):
                return by_index(index, files), notes
            reason = f"names what is not read: {', '.join(missing[:5])}"
            if split_by == "index":
                raise InputError(path, None, reason)
            notes.append(f"{path.name} is not used: it {reason}")
        if split_by == "index":
            raise InputError(root, None, "no split.json or NAME_split.json here")
    if split_by == "hash":
        return HASH, notes
    name = (lambda path: exact_split(path, root)) if own else published_split
    if any(name(f) for f in files):
        return by_name(name), notes
    if own and (vague := [f.name for f in files if published_split(f)]):
        notes.append(f"not taken for a split by its name: {', '.join(vague[:5])}")
    if split_by == "published":
        names = ", ".join(f.name for f in files[:3])
        raise InputError(root, None, f"no file name says train, val or test: {names}")
    return HASH, notes
