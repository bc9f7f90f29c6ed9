"""Wikisection: English city articles with four sections (Arnold et al., TACL 2019).

Two published forms. *Processed*: one article a line, ``[ ABSTRACT ] ... [ HISTORY ] ...
[ GEOGRAPHY ] ... [ DEMOGRAPHICS ] ...``. *Original*: a JSON array of articles with ``abstract``,
``text`` and annotations that give each section's heading and its offsets into ``text``.

The processed text was made from the original by the paper's authors in a way that changes it:
a section is cut at ". " (and at a period before a line end), its last piece is dropped unless it
is the only one, every other piece gets a period, and line ends are deleted without a space.
``processed`` repeats that, so that both forms give the very same documents; the corpus name
``wikisection-whole`` reads the original without it.
"""

import re

from timecontrol.corpora.documents import Document
from timecontrol.corpora.files import BadRecord, Record, json_array, lines
from timecontrol.corpora.layout import WIKISECTION
from timecontrol.corpora.reading import (
    Format,
    Reading,
    default_name,
    document,
    list_of,
    name_of,
    text_of,
)

TAG = re.compile(r"\[ (" + "|".join(WIKISECTION.tags) + r") \]")


def processed(section: str) -> str:
    """Return a section of the original as the processed text has it, up to white space."""
    pieces = section.replace(".\n", ". ").split(". ")
    kept = pieces[:-1] or [pieces[0].removesuffix(".")]
    return " ".join(piece.replace("\n", "") + "." for piece in kept)


def build_line(record: Record, reading: Reading) -> Document:
    """Build the document of a processed line."""
    before, *parts = TAG.split(record.value)
    tags, texts = parts[0::2], parts[1::2]
    if before.strip():
        raise BadRecord(f"text before the first tag: {before.strip()[:40]!r}")
    if faults := WIKISECTION.faults(tags):
        raise BadRecord("; ".join(faults))
    sections = [reading.section(tag, text) for tag, text in zip(tags, texts, strict=True)]
    return document(record, default_name(record), sections)


def _build_article(record: Record, reading: Reading, whole: bool) -> Document:
    article = record.value
    text = text_of(article, "text")
    texts = {"ABSTRACT": text_of(article, "abstract")}
    for note in list_of(article, "annotations"):
        tag = str(note.get("sectionHeading", "")).upper()
        begin, length = note.get("begin"), note.get("length")
        if tag not in WIKISECTION.tags or tag in texts:
            continue
        if not isinstance(begin, int) or not isinstance(length, int) or begin < 0 or length < 0:
            raise BadRecord(f"annotation {tag!r} needs whole numbers 'begin' and 'length' >= 0")
        if begin + length > len(text):
            raise BadRecord(f"annotation {tag!r} ends at {begin + length}, text at {len(text)}")
        texts[tag] = text[begin : begin + length]
    ordered = [tag for tag in WIKISECTION.tags if tag in texts]
    if faults := WIKISECTION.faults(ordered):
        raise BadRecord("; ".join(faults))
    read = (lambda s: s) if whole else processed
    sections = [reading.section(tag, read(texts[tag])) for tag in ordered]
    return document(record, name_of(article, "id"), sections)


def build_article(record: Record, reading: Reading) -> Document:
    """Build the document of an original article as the processed text has it."""
    return _build_article(record, reading, whole=False)


def build_whole(record: Record, reading: Reading) -> Document:
    """Build the document of an original article with all its text."""
    return _build_article(record, reading, whole=True)


PROCESSED = Format("processed text", ("*.txt",), lines, build_line)
ORIGINAL = Format("original JSON", ("*.json",), json_array, build_article)
WHOLE = Format("original JSON, whole sections", ("*.json",), json_array, build_whole)
