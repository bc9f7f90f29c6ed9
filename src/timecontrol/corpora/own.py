"""Own documents: text files, Markdown files and JSON lines, in any language.

**Text** (``.txt``): paragraphs between blank lines. **Markdown** (``.md``): headings open sections;
the only heading of level 1 is the title; code, tables, HTML, front matter and the numbers of
lists are no prose and are left out.
**JSON lines**: an object a line with one of

    ``text``        a text
    ``sentences``   a list of texts, taken as they are
    ``sections``    a list of {``heading``, ``text`` or ``sentences``}
    ``turns``       a list of [speaker, text] or {``speaker``, ``text``}

and optionally ``id``, ``title`` and ``split`` (train, val or test), which then decides.

Which headings become tags is not known until all documents are seen. So a builder leaves the
heading as it is written in the section's tag, ``layout_of`` reads a ``Layout`` off the documents
(a pass of its own, without splitting sentences), and ``settle`` gives every section its tag: a
heading that most documents share is a tag of its own; any other section is a ``SECTION`` whose
first sentence is the heading. Text under a title is ``TEXT``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from timecontrol.corpora.documents import Document, Section, Source
from timecontrol.corpora.files import (
    BadRecord,
    Record,
    check,
    check_lines,
    json_lines,
    open_text,
    path_text,
)
from timecontrol.corpora.layout import HEADING, TITLE, Layout, heading_tag, infer
from timecontrol.corpora.layout import TEXT as TEXT_TAG
from timecontrol.corpora.reading import (
    Format,
    Reading,
    default_name,
    list_of,
    name_of,
    text_of,
    turn,
)
from timecontrol.corpora.splits import split_word
from timecontrol.errors import InputError
from timecontrol.sentences import clean, paragraphs

FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(?=[\w-]+[ \t]*:)(?:(?!\s*\n|---|\.\.\.).*\n)*(?:---|\.\.\.)[ \t]*\n"
)
"""Settings before a Markdown text: ``key: value`` lines, no blank one, between marks."""


def whole(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """Yield a file as one record."""
    with open_text(path, encoding, newline=None) as stream:
        yield Record(path, 1, 0, stream.read())


def build_text(record: Record, reading: Reading) -> Document:
    """Build the document of a text file."""
    text = check_lines(record.value)
    return _document(record, None, [reading.section(None, paragraphs(text))])


def build_markdown(record: Record, reading: Reading) -> Document:
    """Build the document of a Markdown file."""
    blocks = list(markdown_blocks(check_lines(record.value)))
    single = sum(level == 1 for level, _ in blocks) == 1
    parts: list[tuple[str | None, list[str]]] = [(None, [])]
    for level, text in blocks:
        if level == 1 and single:
            parts += [(TITLE, [text]), (TEXT_TAG, [])]
        elif level:
            parts.append((text, []))
        else:
            parts[-1][1].append(text)
    sections = (
        Section(tag, tuple(texts)) if tag == TITLE else reading.section(tag, texts)
        for tag, texts in parts
    )
    return _document(record, None, sections)


def markdown_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield (level, text) of headings and (0, text) of paragraphs and list items."""
    text = FRONT_MATTER.sub("", text, count=1)
    level, in_table = 0, False
    for token in MarkdownIt("commonmark", {"maxNesting": 100}).enable("table").parse(text):
        if token.type in ("table_open", "table_close"):
            in_table = token.type == "table_open"
        elif token.type == "heading_open":
            level = int(token.tag[1])
        elif token.type == "inline" and not in_table and (plain := clean(_plain(token))):
            yield level, plain
        elif token.type == "heading_close":
            level = 0


def _plain(token: Token) -> str:
    """Return the words of an inline token, without emphasis, links and images."""
    words = []
    for child in token.children or []:
        if child.type in ("text", "code_inline"):
            words.append(child.content)
        elif child.type in ("softbreak", "hardbreak") or child.content.lower().startswith("<br"):
            words.append(" ")
    return "".join(words)


def build_json(record: Record, reading: Reading) -> Document:
    """Build the document of a JSON line."""
    value = record.value
    name = name_of(value, "id") if value.get("id") is not None else None
    parts: list[Section] = []
    if value.get("title") and (title := clean(text_of(value, "title"))):
        parts.append(Section(TITLE, (title,)))
    if "turns" in value:
        parts += [t for item in list_of(value, "turns", object) if (t := _turn(item)).sentences]
    elif "sections" in value:
        for item in list_of(value, "sections"):
            heading = next((item[k] for k in ("heading", "tag", "title") if item.get(k)), None)
            if heading is not None and not isinstance(heading, str):
                raise BadRecord(f"a section's heading must be text, got {heading!r:.40}")
            parts.append(_body(item, heading or (TEXT_TAG if parts else None), reading))
    elif "text" in value or "sentences" in value:
        parts.append(_body(value, TEXT_TAG if parts else None, reading))
    else:
        keys = ", ".join(map(str, value)) or "none"
        raise BadRecord(
            f"wanted one of text, sentences, sections, turns; keys: {keys:.80} "
            "(a published corpus is read by its name: timecontrol corpus list)"
        )
    found = _document(record, name, parts)
    if (split := value.get("split")) is not None:
        word = split_word(split) if isinstance(split, str) else None
        if word is None:
            raise BadRecord(f"'split' must be train, val or test, got {split!r:.40}")
        found = found.in_split(word)
    return found


def _body(value: Any, heading: str | None, reading: Reading) -> Section:
    if "sentences" in value:
        given = (clean(s) for s in list_of(value, "sentences", str))
        return Section(heading, tuple(s for s in given if s))
    return reading.section(heading, paragraphs(text_of(value, "text")))


def _turn(item: Any) -> Section:
    if isinstance(item, dict):
        item = [item.get("speaker"), item.get("text", item.get("utterance"))]
    if not isinstance(item, list) or len(item) != 2 or not all(isinstance(x, str) for x in item):
        raise BadRecord(f"a turn must be [speaker, text], got {item!r:.60}")
    return turn(item[0], item[1])


def _document(record: Record, name: str | None, parts: Iterable[Section]) -> Document:
    """Return a document whose tags are still headings."""
    kept = tuple(s for s in parts if s.sentences or s.tag not in (None, TEXT_TAG))
    if not any(s.sentences for s in kept):
        raise BadRecord("the document has no text")
    for part in kept:
        for text in (part.tag or "", *part.sentences):
            check(text)
    source = Source(path_text(record.file), record.line, record.index)
    return Document(check(name) if name else default_name(record), kept, source)


def layout_of(name: str, formats: Mapping[Path, Format], reading: Reading) -> Layout:
    """Return the layout that the headings of all documents show."""
    # Sentences do not matter here, and errors are for the reading itself.
    trial = Reading(lambda text: [text] if text.strip() else [], reading.encoding, skip_bad=True)
    unit = unit_of([p for p, form in formats.items() if form is JSONL], reading.encoding)
    drafts = (d for path, form in formats.items() for d in form.read(path, trial))
    return infer(name, (_headings(d) for d in drafts), unit)


def _tag(heading: str) -> str:
    """Return the tag of a heading as written; the tags that are none of its kind are kept apart."""
    if heading in (TITLE, TEXT_TAG):
        return heading
    tag = heading_tag(heading)
    return "" if tag in (TITLE, TEXT_TAG, HEADING) else tag


def _headings(document: Document) -> Sequence[str]:
    # A heading with nothing under it is text: it counts, but not towards a tag.
    return [_tag(s.tag) if s.sentences else "" for s in document.sections if s.tag is not None]


def settle(document: Document, layout: Layout) -> Document:
    """Return a document with its headings made tags of the layout."""
    sections: list[Section] = []
    for section in document.sections:
        heading, sentences = section.tag, section.sentences
        tag = _tag(heading) if heading is not None and sentences else ""
        if heading is None or tag in layout.tags:
            sections.append(Section(tag or None, sentences))
        elif layout.unit == "utterance":  # a speaker too rare for a tag: still one unit
            named = tuple(f"{clean(heading)}: {s}" for s in sentences)
            sections.append(Section(HEADING, named))
        else:
            words = (clean(heading),) if heading.strip() else ()
            sections.append(Section(HEADING, words + sentences))
    return replace(document, sections=tuple(s for s in sections if s.sentences))


def unit_of(paths: Sequence[Path], encoding: str) -> Literal["sentence", "utterance"]:
    """Return what a unit of JSON lines files is, by the first readable record."""
    for path in paths:
        with suppress(InputError):  # said when the file itself is read
            for record in json_lines(path, encoding):
                if isinstance(record.value, dict):
                    return "utterance" if "turns" in record.value else "sentence"
    return "sentence"


def kind_of(path: Path) -> str:
    """Return the corpus name for a path given without one."""
    names = [path.name] if path.is_file() else [p.name for p in path.iterdir()]
    lines = [n.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")) for n in names]
    texts = [n.lower().removesuffix(".gz").endswith((".txt", ".md", ".markdown")) for n in names]
    return "jsonl" if any(lines) and not any(texts) else "text"


TEXT = Format("text", ("*.txt",), whole, build_text)
MARKDOWN = Format("Markdown", ("*.md", "*.markdown"), whole, build_markdown)
JSONL = Format("JSON lines", ("*.jsonl", "*.ndjson"), json_lines, build_json)
