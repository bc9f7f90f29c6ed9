"""``NAME:PATH`` to a corpus: its layout, its splits, and its documents as a stream.

Several, joined by ``+``, are one corpus: ``wikisection+sgd:FOLDER+text:NOTES``.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from timecontrol.corpora import own, synthetic
from timecontrol.corpora.catalogue import CORPORA, Entry
from timecontrol.corpora.documents import Document, Section
from timecontrol.corpora.files import path_text
from timecontrol.corpora.finding import find_files, locate
from timecontrol.corpora.layout import Layout, joined
from timecontrol.corpora.reading import Reading
from timecontrol.corpora.splits import SPLITS, Rule, choose, records_first
from timecontrol.errors import TimeControlError, unknown
from timecontrol.sentences import splitter


@dataclass
class Corpus:
    """Documents that can be streamed again and again."""

    name: str
    layout: Layout
    files: tuple[Path, ...]
    split_by: str
    """How the splits were made, in words."""
    reading: Reading
    """The settings, and how many malformed records have been skipped."""
    notes: tuple[str, ...]
    """What a user should know: other data in the folder, and the like."""
    stream: Callable[[str | None], Iterator[Document]]
    """Documents of (at least) a split, or of all, in file order."""
    listed: int | None = None
    """How many documents an index file lists, where one is used."""

    def documents(self, split: str | None = None) -> Iterator[Document]:
        """Yield the documents of a split, or of all, in file order."""
        if split is not None and split not in SPLITS:
            raise TimeControlError(f"No split named {split!r}: train, val, test.")
        self.reading.restart()
        return (d for d in self.stream(split) if split in (None, d.split))


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

    (Own data is read once, to learn its layout.)

    Args:
        spec: ``wikisection:folder``, ``text:folder``, ``jsonl:file``, ``synthetic`` ...; a path
            alone is own data. A relative path is looked up here, then under ``TIMECONTROL_DATA``.
            Several can be joined by ``+``.
        splitter_name: A key of ``sentences.SPLITTERS``.
        language: Two-letter code for the splitter.
        split_by: ``auto``, ``index``, ``published`` or ``hash``.
        encoding: Of the files.
        skip_bad: Count malformed records instead of stopping at the first.
    """
    reading = Reading(splitter(splitter_name, language), encoding, skip_bad)
    parts = _parts(spec)
    if len(parts) > 1:
        return _mixed([_one(part, reading, split_by) for part in parts], reading)
    return _one(spec, reading, split_by)


def _parts(spec: str) -> list[str]:
    """Return the corpora of a mixture: cut at each ``+`` that a corpus's name follows."""
    if Path(spec.partition(":")[2] or spec).exists():  # a name with a plus in it
        return [spec]
    names = "|".join(map(re.escape, [*CORPORA, "synthetic"]))
    return re.split(rf"\+(?=(?:{names})(?:[:+]|$))", spec)


def _mixed(parts: list[Corpus], reading: Reading) -> Corpus:
    """Return several corpora as one; ids begin with the number of the part."""

    def stream(split: str | None) -> Iterator[Document]:
        for number, part in enumerate(parts, 1):
            for document in part.stream(split):
                group = document.group and f"{number}/{document.group}"
                yield replace(document, id=f"{number}/{document.id}", group=group, part=number)

    return Corpus(
        "+".join(part.name for part in parts),
        joined([part.layout for part in parts]),
        tuple(dict.fromkeys(file for part in parts for file in part.files)),
        "; ".join(dict.fromkeys(part.split_by for part in parts)),
        reading,
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        stream,
    )


def _one(spec: str, reading: Reading, split_by: str) -> Corpus:
    name, _, place = spec.partition(":")
    if name == "synthetic":
        return _made(spec, synthetic.parse(place), reading, split_by)
    if name not in CORPORA and Path(spec).exists():  # a path alone; also C:\ on Windows
        name, place = own.kind_of(Path(spec)), spec
    if name not in CORPORA:
        if re.search(r"[/\\]|\.\w+$", spec) and ":" not in spec:
            raise TimeControlError(f"No such file or folder: {spec}.")
        known = {**dict.fromkeys(CORPORA), "synthetic": None}
        hint = "" if place else " A corpus is NAME:PATH, for example text:FOLDER."
        raise TimeControlError(unknown(name, known, "corpus") + hint)
    entry = CORPORA[name]
    root = locate(name, place, entry)
    formats, notes = find_files(name, root, entry)
    rule, more = choose(split_by, root, tuple(formats), own=entry.layout is None)
    if entry.names_split and split_by == "auto" and rule.size is None:  # an index file decides
        rule = records_first(rule)
    layout = entry.layout or own.layout_of(name, formats, reading)

    def stream(split: str | None) -> Iterator[Document]:
        for path, form in formats.items():
            if split is None or rule.may_hold(path, split):
                for document in form.read(path, reading):
                    placed = _place(document, path, root, entry, layout, rule)
                    if placed is None:
                        reading.unlisted += 1
                    elif entry.apart:
                        yield from _apart(placed)
                    elif entry.width:
                        yield from _windows(placed, entry.width)
                    else:
                        yield placed

    about = (*notes, *more)
    return Corpus(name, layout, tuple(formats), rule.words, reading, about, stream, rule.size)


def _made(spec: str, made: synthetic.Spec, reading: Reading, split_by: str) -> Corpus:
    if split_by not in ("auto", "published"):
        raise TimeControlError(f"{spec} is made with its splits: --split-by {split_by} has no use.")
    layout = synthetic.LAYOUTS[made.kind]
    return Corpus(
        spec, layout, (), "the generator", reading, (), lambda split: synthetic.documents(made)
    )


def _place(
    document: Document, path: Path, root: Path, entry: Entry, layout: Layout, rule: Rule
) -> Document | None:
    """Return a document with its split, final id and tags; ``None`` if it is in no split."""
    split = rule.split(document, path)  # before tags are settled: they depend on other documents
    if split is None:
        return None
    if entry.layout is None:
        document = own.settle(document, layout)
    name = document.id
    if entry.deep:
        name = path_text(Path(path.name) if path == root else path.relative_to(root))
    elif entry.ids_repeat:
        name = f"{split}/{name}"
    return replace(document, id=name, split=split)


def _apart(document: Document) -> Iterator[Document]:
    """Yield every section of a document as one of its own."""
    for number, section in enumerate(document.sections):
        yield replace(
            document, id=f"{document.id}/{number}", sections=(section,), group=document.id
        )


def _windows(document: Document, width: int) -> Iterator[Document]:
    """Yield the sections of a document in pieces of so many sentences; none overlap."""
    for number, section in enumerate(document.sections):
        for place in range(len(section.sentences) // width):
            kept = section.sentences[place * width : (place + 1) * width]
            yield replace(
                document,
                id=f"{document.id}/{number}/{place}",
                sections=(Section(None, kept),),
                group=document.id,
            )
