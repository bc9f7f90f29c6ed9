"""What a user points at to its texts: files, folders, standard input or a corpus, as a stream.

Own files are read once, one after the other: a text or Markdown file is one text, a line of JSON
lines is one. Only prose counts: titles, headings, code and tables are left out.
"""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from timecontrol.corpora.catalogue import CORPORA, Entry
from timecontrol.corpora.corpus import Corpus, open_corpus
from timecontrol.corpora.documents import Document
from timecontrol.corpora.files import Record, lines, path_text
from timecontrol.corpora.finding import find_files, fits
from timecontrol.corpora.layout import HEADING, TITLE
from timecontrol.corpora.own import JSONL, MARKDOWN, TEXT, build_text
from timecontrol.corpora.reading import Format, Reading, default_name
from timecontrol.errors import InputError, TimeControlError
from timecontrol.sentences import splitter

STANDARD_INPUT = "-"
OWN = Entry("own files", None, (TEXT, MARKDOWN, JSONL), deep=True)
Place = Corpus | tuple[Path, Format]
"""A corpus, or a file and how it is read."""


class Text(NamedTuple):
    """One document, as prose."""

    id: str
    """The path, the id a record has, or the path and line of a record without one."""
    sentences: tuple[str, ...]
    split: str | None = None
    """Where a corpus has splits: train, val or test."""


@dataclass
class Texts:
    """A stream of texts; what is looked up is looked up before the first is read."""

    sources: list[Place]
    reading: Reading
    """The settings, and what was skipped in files."""
    split: str | None = None
    """Of corpora, only this one."""
    notes: tuple[str, ...] = ()
    """What a user should know: files that are not read, and the like."""

    def __iter__(self) -> Iterator[Text]:
        """Yield the texts in order, each file read as its turn comes."""
        self.reading.restart()
        for source in self.sources:
            if isinstance(source, Corpus):
                own = source.name in ("text", "jsonl") and source.layout.unit == "sentence"
                for document in source.documents(self.split):
                    yield Text(document.id, prose(document, headed=own), document.split)
            else:
                path, form = source
                if form is not JSONL and _is_blank(path):
                    yield Text(path_text(path), ())
                    continue
                for document in form.read(path, self.reading):
                    yield Text(_name(document, path, form), prose(document))

    def count(self) -> int | None:
        """Return how many texts there are at most, or ``None`` where only reading would tell."""
        found = 0
        for source in self.sources:
            if isinstance(source, Corpus):
                return None
            path, form = source
            if form is not JSONL:
                found += 1
                continue
            with suppress(InputError):  # said when the file itself is read
                found += sum(1 for _ in lines(path, self.reading.encoding))
        return found

    @property
    def skipped(self) -> int:
        """Malformed records left out so far."""
        return sum(r.skipped for r in self._readings())

    @property
    def reasons(self) -> list[InputError]:
        """Why, for the first of them."""
        return [reason for r in self._readings() for reason in r.reasons]

    @property
    def corpora(self) -> list[str]:
        """Names of the corpora among the sources."""
        return [s.name for s in self.sources if isinstance(s, Corpus)]

    def _readings(self) -> list[Reading]:
        return [self.reading, *(s.reading for s in self.sources if isinstance(s, Corpus))]


def open_texts(
    inputs: Sequence[str],
    *,
    splitter_name: str = "rules",
    language: str = "en",
    encoding: str = "utf-8",
    skip_bad: bool = False,
    split: str | None = None,
) -> Texts:
    """Return the texts that are at some places; nothing but file names is read yet.

    Args:
        inputs: Each a file, a folder (searched to the bottom for .txt, .md and .jsonl), ``-`` for
            standard input, or ``NAME:PATH`` for a corpus.
        splitter_name: A key of ``sentences.SPLITTERS``.
        language: Two-letter code for the splitter.
        encoding: Of the files.
        skip_bad: Count malformed records instead of stopping at the first.
        split: Of corpora, only this one.
    """
    reading = Reading(splitter(splitter_name, language), encoding, skip_bad)
    sources: list[Place] = []
    notes: list[str] = []
    for given in inputs:
        path = Path(given)
        if given == STANDARD_INPUT:
            sources.append((Path("standard input"), PIPED))
        elif given and path.is_dir():
            files, more = find_files("readable", path, OWN)
            sources += files.items()
            notes += [f"{path_text(path)}: {note}" for note in more]
        elif given and path.exists():
            sources.append((path, format_of(path)))
        elif given.partition(":")[0] in {*CORPORA, "synthetic"}:
            corpus = open_corpus(
                given,
                splitter_name=splitter_name,
                language=language,
                encoding=encoding,
                skip_bad=skip_bad,
            )
            sources.append(corpus)
            notes += corpus.notes
        else:
            raise TimeControlError(f"No such file or folder: {given or 'an empty name'}.")
    if split is not None and not any(isinstance(s, Corpus) for s in sources):
        raise TimeControlError("--split is for a corpus, NAME:PATH; files and folders have none.")
    return Texts(sources, reading, split, tuple(notes))


def format_of(path: Path) -> Format:
    """Return how a file that is named by itself is read; any other kind is read as text."""
    return next((form for form in (JSONL, MARKDOWN) if fits(path, form)), TEXT)


def prose(document: Document, headed: bool = False) -> tuple[str, ...]:
    """Return the sentences of a document without its title and its headings.

    Args:
        document: Of any corpus.
        headed: Whether sections without a tag of their own begin with their heading (own files
            read as a corpus).
    """
    found: list[str] = []
    titled = False
    for section in document.sections:
        if section.tag == TITLE and not titled:
            titled = True
        else:
            found += section.sentences[int(headed and section.tag == HEADING) :]
    return tuple(found)


def _name(document: Document, path: Path, form: Format) -> str:
    """Return the id of an own document: one it has itself, else where it was found."""
    if form is not JSONL:
        return path_text(path)
    source = document.source
    nameless = default_name(Record(path, source.line, source.index, None))
    return document.id if document.id != nameless else f"{path_text(path)}:{source.line}"


def _piped(path: Path, encoding: str) -> Iterator[Record]:
    """Yield standard input as one record."""
    wanted = "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
    try:
        text = sys.stdin.buffer.read().decode(wanted, "surrogateescape")
    except (LookupError, UnicodeError) as error:
        raise InputError(path, None, f"not {encoding}: {error}; try --encoding utf-8") from None
    yield Record(path, 1, 0, io.IncrementalNewlineDecoder(None, True).decode(text, True))


PIPED = Format("standard input", (), _piped, build_text)


def _is_blank(path: Path) -> bool:
    """Return whether a file has nothing but white space in it; such a text is merely short."""
    try:
        return path.is_file() and path.stat().st_size < 4096 and not path.read_bytes().strip()
    except OSError:
        return False  # said when the file itself is read
