"""How records become documents: the pieces every reader is made of.

A reader is a ``Format``: which files it knows, how their records are found, and a function that
builds a document from one record. Whatever is wrong with a record, the builder raises
``BadRecord`` with the reason; here it becomes an error with file and line, or is counted.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from timecontrol.corpora.documents import Document, Section, Source
from timecontrol.corpora.files import BadRecord, Malformed, Record, Records, check, path_text
from timecontrol.corpora.splits import split_word, stem
from timecontrol.errors import InputError
from timecontrol.sentences import Splitter, clean, splitter

SHOWN = 20
"""So many skipped records are kept to be shown; the others are counted."""


@dataclass
class Reading:
    """The settings and the tally of one reading."""

    split_text: Splitter = field(default_factory=splitter)
    """Text to sentences."""
    encoding: str = "utf-8"
    skip_bad: bool = False
    """Count malformed records instead of stopping at the first."""
    skipped: int = 0
    """Malformed records left out."""
    unlisted: int = 0
    """Documents left out because an index file puts them in no split."""
    reasons: list[InputError] = field(default_factory=list)

    def restart(self) -> None:
        """Forget what was skipped in an earlier pass."""
        self.skipped = self.unlisted = 0
        self.reasons.clear()

    def refuse(self, error: InputError) -> None:
        """Raise ``error``, or count it when bad records are to be skipped."""
        if not self.skip_bad:
            raise error
        self.skipped += 1
        if len(self.reasons) < SHOWN:
            self.reasons.append(error)

    def section(self, tag: str | None, texts: str | Iterable[str]) -> Section:
        """Return a section of the sentences of one or several paragraphs."""
        paragraphs = [texts] if isinstance(texts, str) else texts
        return Section(tag, tuple(s for p in paragraphs for s in self.split_text(check(p))))


Build = Callable[[Record, Reading], Document]


@dataclass(frozen=True)
class Format:
    """One published file format of a corpus."""

    name: str
    patterns: tuple[str, ...]
    """Names of its files without .gz, as in ``*.jsonl``."""
    records: Records
    build: Build

    def read(self, path: Path, reading: Reading) -> Iterator[Document]:
        """Yield the documents of one file."""
        try:
            for record in self.records(path, reading.encoding):
                try:
                    if isinstance(record.value, Malformed):
                        raise BadRecord(record.value.reason)
                    document = self.build(record, reading)
                except BadRecord as bad:
                    reading.refuse(InputError(path, bad.line or record.line, str(bad)))
                else:
                    yield document
        except InputError as error:  # the file itself: damaged, unreadable
            if error.line is not None:
                raise
            reading.refuse(error)


def document(
    record: Record, name: str, sections: Iterable[Section], group: str | None = None
) -> Document:
    """Return the document of a record; empty sections vanish, an empty document is refused."""
    kept = tuple(s for s in sections if s.sentences)
    if not kept:
        raise BadRecord("the document has no text")
    for part in kept:
        for sentence in part.sentences:
            check(sentence)
    source = Source(path_text(record.file), record.line, record.index)
    return Document(check(name), kept, source, group=check(group) if group else None)


def default_name(record: Record) -> str:
    """Return an id for a record that has none: its file, with its split folder, and number."""
    folder = record.file.parent.name
    parts = [folder] if split_word(folder) else []
    return "/".join([*parts, path_text(Path(stem(record.file))), str(record.index)])


def text_of(value: Any, key: str) -> str:
    """Return the string ``value[key]``."""
    found = value.get(key)
    if not isinstance(found, str):
        raise BadRecord(f"{key!r} must be text, {_seen(value, key)}")
    return found


def list_of(value: Any, key: str, kind: type = dict) -> list[Any]:
    """Return the list ``value[key]`` of items of one kind."""
    found = value.get(key)
    words = "objects" if kind is dict else "texts" if kind is str else "items"
    if not isinstance(found, list):
        raise BadRecord(f"{key!r} must be a list of {words}, {_seen(value, key)}")
    for i, item in enumerate(found, 1):
        if not isinstance(item, kind):
            raise BadRecord(f"{key!r} must be a list of {words}, item {i} is {item!r:.40}")
    return found


def name_of(value: Any, key: str) -> str:
    """Return the id ``value[key]``, a string or a number."""
    found = value.get(key)
    if isinstance(found, bool) or not isinstance(found, str | int) or not str(found).strip():
        raise BadRecord(f"{key!r} must be an id, {_seen(value, key)}")
    return str(found).strip()


def turn(tag: str, utterance: str) -> Section:
    """Return the section that is one turn of a dialogue: its utterance is one unit."""
    unit = clean(utterance)
    return Section(tag, (unit,) if unit else ())


SPEAKERS = {"user": "USER", "assistant": "ASSISTANT", "system": "ASSISTANT"}


def speaker_tag(speaker: Any) -> str:
    """Return the tag of a speaker as TM-2, TM-3, TM-4 and SGD write them."""
    tag = SPEAKERS.get(speaker.lower()) if isinstance(speaker, str) else None
    if tag is None:
        raise BadRecord(f"speaker must be user, assistant or system, got {speaker!r}")
    return tag


def _seen(value: Any, key: str) -> str:
    if key not in value:
        keys = ", ".join(map(str, value)) or "none"
        return f"but there is none (keys: {keys[:100]})"
    return f"got {type(value[key]).__name__}"
