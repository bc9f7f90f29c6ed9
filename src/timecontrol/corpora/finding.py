"""A path to the data files under it, each with its format."""

import os
import re
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from timecontrol.corpora.catalogue import Entry
from timecontrol.corpora.reading import Format
from timecontrol.corpora.splits import split_word
from timecontrol.errors import InputError, TimeControlError

OTHERS = {
    "text": " JSON lines are read with jsonl:PATH, published corpora by name: "
    "timecontrol corpus list.",
    "jsonl": " Texts are read with text:PATH, published corpora by name: timecontrol corpus list.",
}
"""What else to try when own data is not found."""

DATA = "TIMECONTROL_DATA"
"""The environment variable that may name the folder in which corpora are."""

BESIDE = re.compile(r"(?i)(.*[_.-])?split\.json|kept_.*\.json|schema\.json|(licen[cs]e|readme)\b.*")
"""Names that lie beside the data and are not it."""


def data_folder() -> Path | None:
    """Return the folder in which corpora are, where a user has named one."""
    return Path(os.environ[DATA]) if os.environ.get(DATA) else None


def locate(name: str, place: str, entry: Entry) -> Path:
    """Return the file or folder a corpus is in: as given, or under the data folder."""
    data = data_folder()
    if place:
        try:
            given = Path(place).expanduser()
        except RuntimeError:
            raise TimeControlError(f"No such home folder: {place}.") from None
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
    hint = f"say {name}:PATH" if not place else f"{DATA} is not set" if data is None else ""
    hint = f" ({hint})" if hint else ""
    raise TimeControlError(f"No such file or folder: {' or '.join(map(str, tried))}{hint}.")


def find_files(name: str, root: Path, entry: Entry) -> tuple[dict[Path, Format], list[str]]:
    """Return the data files at or under a path with their formats, and notes about the others."""
    try:
        if not root.is_dir():
            found = dict([(root, form) for form in entry.formats if fits(root, form)][:1])
            notes: list[str] = []
        else:
            found, notes = _all_formats(root, entry) if entry.deep else _first_format(root, entry)
        if not found:
            raise InputError(root, None, _nothing(name, root, entry) + OTHERS.get(name, ""))
    except OSError as error:
        place = Path(error.filename or root)
        raise InputError(place, None, f"cannot be read: {error.strerror}") from None
    return found, notes


def fits(path: Path, form: Format) -> bool:
    """Return whether a file's name is one of a format's."""
    name = path.name.lower().removesuffix(".gz")
    return any(fnmatch(name, pattern) for pattern in form.patterns)


def _inside(root: Path) -> list[Path]:
    """Return the files of a folder, and of folders in it that are named after splits."""
    found = sorted(p for p in root.iterdir() if p.is_file())
    for folder in sorted(p for p in root.iterdir() if p.is_dir() and split_word(p.name)):
        found += sorted(p for p in folder.iterdir() if p.is_file())
    return _untwinned(found)


def _untwinned(paths: list[Path]) -> list[Path]:
    """Leave out x.gz where x lies beside it."""
    here = set(paths)
    return [p for p in paths if p.suffix != ".gz" or p.with_suffix("") not in here]


def _all_formats(root: Path, entry: Entry) -> tuple[dict[Path, Format], list[str]]:
    """Return the files of any format, to the bottom of a folder, and what is not read there.

    Names that begin with a dot are hidden, and links to folders are not followed (they may lead
    in circles); both as usual.
    """
    found: list[Path] = []
    links: list[str] = []

    def stop(error: OSError) -> None:
        raise error

    for folder, names, files in os.walk(root, onerror=stop):
        names[:] = sorted(n for n in names if not n.startswith("."))
        links += [n for n in names if (Path(folder) / n).is_symlink()]
        found += [Path(folder) / n for n in sorted(files) if not n.startswith(".")]
    kinds = {p: f for p in _untwinned(found) for f in entry.formats if fits(p, f)}
    rest = Counter(p.suffix or p.name for p in found if p not in kinds)
    notes = []
    if rest:
        listed = ", ".join(f"{n} {suffix}" for suffix, n in rest.most_common(8))
        notes.append(f"files of other kinds are not read: {listed}")
    if links:
        notes.append(f"links to folders are not followed: {', '.join(links[:8])}")
    return kinds, notes


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
    """Return what to say where there is no data: what was looked for, where it may be."""
    if not root.is_dir():
        return f"{name} reads {_patterns(entry)}, also .gz."
    below = [
        p.name
        for p in sorted(root.iterdir())
        if p.is_dir() and any(fits(f, form) for f in p.iterdir() for form in entry.formats)
    ]
    hint = f" Perhaps one of its folders: {', '.join(below[:9])}." if below else ""
    return f"no {name} data here ({_patterns(entry)}, also .gz).{hint}"


def _patterns(entry: Entry) -> str:
    return ", ".join(dict.fromkeys(p for f in entry.formats for p in f.patterns))
