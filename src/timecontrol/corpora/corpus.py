"""``NAME:PATH`` to a corpus: its files, its layout, its splits, and its documents as a stream."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from timecontrol.corpora import (
    own,
    recipes,
    sgd,
    stories,
    synthetic,
    taskmaster,
    tickettalk,
    wikihow,
    wikisection,
)
from timecontrol.corpora.documents import Document
from timecontrol.corpora.layout import (
    DIALOGUE,
    EPISODES,
    HOWTO,
    RECIPE,
    SPOKEN,
    STORY,
    WIKISECTION,
    Layout,
)
from timecontrol.corpora.reading import Format, Reading
from timecontrol.corpora.splits import (
    SPLITS,
    Index,
    find_index,
    hash_split,
    published_split,
    read_index,
)
from timecontrol.errors import InputError, TimeControlError, pick, unknown
from timecontrol.sentences import splitter

DATA = "TIMECONTROL_DATA"
"""The environment variable that may name the folder in which corpora are."""


@dataclass(frozen=True)
class Entry:
    """What is known of a corpus before a file of it is seen."""

    about: str
    layout: Layout | None
    """``None``: read off the documents."""
    formats: tuple[Format, ...]
    """In a folder that holds several, the first one found is read."""
    folders: tuple[str, ...] = ()
    """Where it may lie under the data folder, besides its own name."""
    ids_repeat: bool = False
    """Whether ids are unique only within a split."""
    deep: bool = False
    """Whether folders are searched to the bottom."""


CORPORA: dict[str, Entry] = {
    "wikisection": Entry(
        "city articles: processed text, or original JSON processed alike",
        WIKISECTION,
        (wikisection.PROCESSED, wikisection.ORIGINAL),
    ),
    "wikisection-whole": Entry(
        "city articles: original JSON with nothing left out",
        WIKISECTION,
        (wikisection.WHOLE,),
        ("wikisection",),
    ),
    "wikihow": Entry(
        "how-to articles: title and steps, or one method a line",
        HOWTO,
        (wikihow.BY_ARTICLE, wikihow.BY_METHOD),
    ),
    "recipenlg": Entry(
        "recipes: RecipeNLG CSV, or JSON lines",
        RECIPE,
        (recipes.ROWS, recipes.LINES),
        ("recipes",),
    ),
    "recipes": Entry(
        "recipes: JSON lines, or RecipeNLG CSV", RECIPE, (recipes.LINES, recipes.ROWS)
    ),
    "taskmaster": Entry(
        "dialogues: Taskmaster 2, 3 and 4 as published",
        SPOKEN,
        (taskmaster.CONVERSATIONS, tickettalk.PREFIXES, tickettalk.ROWS),
    ),
    "tickettalk": Entry(
        "dialogues: TicketTalk as JSON lines, TSV or Taskmaster JSON; turns are taken",
        DIALOGUE,
        (tickettalk.PREFIXES, tickettalk.ROWS, taskmaster.CONVERSATIONS),
        ("taskmaster",),
    ),
    "sgd": Entry(
        "dialogues: Schema-Guided Dialogue, published or reduced",
        DIALOGUE,
        (sgd.REDUCED, sgd.PUBLISHED),
        ids_repeat=True,
    ),
    "rocstories": Entry("five-sentence stories: ROCStories CSV", STORY, (stories.ROC,)),
    "stories": Entry("stories in episodes: JSON lines", EPISODES, (stories.EPISODIC,)),
    "text": Entry(
        "own .txt and .md files, one or a folder", None, (own.TEXT, own.MARKDOWN), deep=True
    ),
    "jsonl": Entry("own JSON lines", None, (own.JSONL,)),
}
"""Every corpus that is read from files, by name; ``synthetic`` is made, not read."""

NO_DATA = re.compile(
    r"(?i)(^|.*[_.-])split\.json|kept_.*\.json|schema\.json|(licen[cs]e|readme)\b.*"
)
"""Names that are beside the data, not the data."""


@dataclass
class Corpus:
    """Documents that can be streamed again and again."""

    name: str
    layout: Layout
    files: tuple[Path, ...]
    split_by: str
    """How the splits were made, in words."""
    reading: Reading
    notes: tuple[str, ...] = ()
    """What a user should know: other data in the folder, and the like."""
    _entry: Entry | None = None
    _formats: dict[Path, Format] = field(default_factory=dict)
    _index: Index | None = None
    _root: Path = Path()
    _made: synthetic.Spec | None = None

    def documents(self, split: str | None = None) -> Iterator[Document]:
        """Yield the documents of a split, or of all, in file order."""
        if split is not None and split not in SPLITS:
            raise TimeControlError(f"No split named {split!r}: train, val, test.")
        if self._made is not None:
            yield from (d for d in synthetic.documents(self._made) if split in (None, d.split))
            return
        for path in self.files:
            if self.split_by == "published files" and split not in (None, published_split(path)):
                continue
            for document in self._formats[path].read(path, self.reading):
                placed = self._place(document, path)
                if placed is not None and split in (None, placed.split):
                    yield placed

    def _place(self, document: Document, path: Path) -> Document | None:
        """Return a document with its split and final id and tags; ``None`` if in no split."""
        if self._entry is not None and self._entry.layout is None:
            document = own.settle(document, self.layout)
        if self._entry is not None and self._entry.deep:
            name = path.relative_to(self._root).as_posix() if path != self._root else path.name
            document = Document(name, document.sections, document.source, document.split)
        split = document.split
        if self._index is not None:
            split = self._index.split(path, document.source.index)
            if split is None:
                return None
        elif split is None and self.split_by == "published files":
            split = published_split(path) or "train"
        elif split is None:
            split = hash_split(document)
        document = document.in_split(split)
        if self._entry is not None and self._entry.ids_repeat:
            name = f"{split}/{document.id}"
            document = Document(name, document.sections, document.source, split)
        return document


def open_corpus(
    spec: str,
    *,
    splitter_name: str = "rules",
    language: str = "en",
    split_by: str = "auto",
    encoding: str = "utf-8",
    skip_bad: bool = False,
) -> Corpus:
    """Return the corpus that ``NAME:PATH`` names; nothing but file names is read yet.

    (For own data the first documents are read, to learn the layout.)

    Args:
        spec: ``wikisection:folder``, ``text:folder``, ``jsonl:file``, ``synthetic`` ...; a path
            alone is own data. A relative path is looked up here, then under ``TIMECONTROL_DATA``.
        splitter_name: A key of ``sentences.SPLITTERS``.
        language: Two-letter code for the splitter.
        split_by: ``auto``, ``index``, ``published`` or ``hash``.
        encoding: Of the files.
        skip_bad: Count malformed records instead of stopping at the first.
    """
    if split_by not in ("auto", "index", "published", "hash"):
        raise TimeControlError(f"No split rule {split_by!r}: auto, index, published, hash.")
    reading = Reading(splitter(splitter_name, language), encoding, skip_bad)
    name, _, place = spec.partition(":")
    if name == "synthetic":
        made = synthetic.parse(place)
        return Corpus(spec, synthetic.LAYOUTS[made.kind], (), "the generator", reading, _made=made)
    if name not in CORPORA and Path(spec).exists():  # a path alone; also C:\ on Windows
        name, place = ("jsonl" if own_kind(Path(spec)) == "jsonl" else "text"), spec
    if name not in CORPORA:
        known = {**dict.fromkeys(CORPORA), "synthetic": None}
        raise TimeControlError(
            unknown(name, known, "corpus")
            + ("" if place else " A corpus is NAME:PATH, for example text:FOLDER.")
        )
    entry = pick(CORPORA, name, "corpus")
    root = locate(name, place, entry)
    formats, notes = find_files(name, root, entry)
    files = tuple(formats)
    rule, index = choose_split(split_by, root, files)
    layout = entry.layout
    corpus = Corpus(
        name, layout or STORY, files, rule, reading, tuple(notes), entry, formats, index, root
    )
    if layout is None:
        unit = own.unit_of(files[0], encoding) if name == "jsonl" else "sentence"
        trial = Reading(reading.split_text, encoding, skip_bad=True)  # errors come in the real pass
        drafts = (d for path in files for d in formats[path].read(path, trial))
        corpus.layout = own.layout_of(name, drafts, unit)
    return corpus


def own_kind(path: Path) -> str:
    """Return ``jsonl`` or ``text`` for a path given without a corpus name."""
    name = path.name.removesuffix(".gz")
    return "jsonl" if name.endswith((".jsonl", ".ndjson")) else "text"


def locate(name: str, place: str, entry: Entry) -> Path:
    """Return the file or folder a spec names: as given, or under the data folder."""
    data = Path(os.environ[DATA]) if os.environ.get(DATA) else None
    tried = []
    if place:
        tried = [Path(place).expanduser()]
        if data is not None and not tried[0].is_absolute():
            tried.append(data / place)
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
    """Return the data files under a path with their formats, and notes about the others."""
    if root.is_file():
        for form in entry.formats:
            if _fits(root, form):
                return {root: form}, []
        raise InputError(root, None, f"{name} reads {_patterns(entry)} (also .gz)")
    try:
        pattern = "**/*" if entry.deep else "*"
        inside = sorted(p for p in root.glob(pattern) if p.is_file())
        folders = sorted(p for p in root.iterdir() if p.is_dir())
    except OSError as error:
        raise InputError(root, None, f"cannot be read: {error.strerror}") from None
    if not entry.deep and any(published_split(f / "x") for f in folders):
        inside += [p for f in folders if published_split(f / "x") for p in sorted(f.iterdir())]
    if entry.deep:
        return _or_none(
            name, root, entry, {p: f for p in inside for f in entry.formats if _fits(p, f)}
        ), []
    usable = [p for p in _without_twins(inside) if not NO_DATA.fullmatch(p.name)]
    groups: list[tuple[Format, list[Path]]] = []
    for form in sorted(entry.formats, key=lambda f: -max(len(p) for p in f.patterns)):
        taken = {p for _, files in groups for p in files}
        groups.append((form, [p for p in usable if _fits(p, form) and p not in taken]))
    found = {form.name: files for form, files in groups if files}
    first = next((f for f in entry.formats if f.name in found), None)
    if first is None:
        return _or_none(name, root, entry, {}), []
    rest = [f"{p.name} ({n})" for n, files in found.items() if n != first.name for p in files]
    notes = [f"read as {first.name}; also here, to be named by itself: {r}" for r in rest]
    return dict.fromkeys(found[first.name], first), notes


def _or_none(name: str, root: Path, entry: Entry, found: dict[Path, Format]) -> dict[Path, Format]:
    """Return the files found, or say what was looked for and where it may be."""
    if found:
        return found
    below = [
        p.name
        for p in sorted(root.iterdir())
        if p.is_dir() and any(_fits(f, form) for f in p.iterdir() for form in entry.formats)
    ]
    hint = f" Perhaps one of its folders: {', '.join(below)}." if below else ""
    raise InputError(root, None, f"no {name} data here ({_patterns(entry)}, also .gz).{hint}")


def _fits(path: Path, form: Format) -> bool:
    name = path.name.removesuffix(".gz").lower()
    return any(fnmatch(name, pattern) for pattern in form.patterns)


def _patterns(entry: Entry) -> str:
    return ", ".join(dict.fromkeys(p for f in entry.formats for p in f.patterns))


def _without_twins(paths: list[Path]) -> list[Path]:
    """Leave out x.gz where x lies beside it."""
    here = set(paths)
    return [p for p in paths if p.suffix != ".gz" or p.with_suffix("") not in here]


def choose_split(split_by: str, root: Path, files: tuple[Path, ...]) -> tuple[str, Index | None]:
    """Return how documents are put into splits, in words, with the index file's content."""
    folder = root if root.is_dir() else root.parent
    found = find_index(folder, None) if root.is_dir() else None
    if found is None and len(files) == 1:
        found = find_index(folder, files[0])
    named = [published_split(f) for f in files]
    if split_by == "index" and found is None:
        raise InputError(root, None, "no split.json or NAME_split.json here")
    if split_by == "published" and not any(named):
        names = ", ".join(f.name for f in files[:3])
        raise InputError(root, None, f"no file name says train, val or test: {names}")
    if found is not None and split_by in ("auto", "index"):
        index = read_index(found)
        if not (missing := index.strangers(files)):
            return f"index file {found.name}", index
        if split_by == "index":
            raise InputError(found, None, f"names files that are not read: {', '.join(missing)}")
    if any(named) and split_by in ("auto", "published"):
        return "published files", None
    return "hash of the text, 80/10/10", None
