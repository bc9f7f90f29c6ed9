"""wikiHow articles: a title and numbered steps.

Two forms, both JSON lines. *By article*: ``title`` and ``steps[{headline, text}]``, where ``text``
is a list that may be empty. Many titles carry the mark of the first method, a ``1`` glued to the
last word ("Grill Bacon1"); it is taken off, real numbers ("Ford F150") are not.
*By method*: ``url`` and ``step_texts[{text}]``, one method of an article a line, without its
name; the title comes from the address.
"""

import re
from urllib.parse import unquote, urlparse

from timecontrol.corpora.documents import Document, Section
from timecontrol.corpora.files import BadRecord, Record, json_lines
from timecontrol.corpora.reading import Format, Reading, document, list_of, name_of, text_of
from timecontrol.sentences import clean


def tidy_title(title: str) -> str:
    """Return a title without the stray mark of a first method."""
    return clean(re.sub(r"(?<=[^\W\d_]|[)\]!?'\"])1$", "", title.strip()))


def title_of(address: str) -> str:
    """Return the title that an article's address holds."""
    path = unquote(urlparse(address).path).strip("/")
    title = clean(path.split("/")[-1].replace("-", " "))
    if not title:
        raise BadRecord(f"no title in the address {address!r:.80}")
    return f"How to {title}"


def build(record: Record, reading: Reading) -> Document:
    """Build the document of an article, or of one method of it."""
    article = record.value
    if "step_texts" in article:
        title = title_of(text_of(article, "url"))
        steps = [
            reading.section("STEP", text_of(s, "text")) for s in list_of(article, "step_texts")
        ]
        name, group = name_of(article, "doc_id"), text_of(article, "url")
    else:
        title = tidy_title(text_of(article, "title"))
        steps = [
            reading.section("STEP", [text_of(s, "headline"), *list_of(s, "text", str)])
            for s in list_of(article, "steps")
        ]
        name, group = name_of(article, "id"), None
    if not title or not any(s.sentences for s in steps):
        raise BadRecord("'title' is empty" if not title else "no step has text")
    return document(record, name, [Section("TITLE", (title,)), *steps], group)


BY_METHOD = Format("wikiHow by method", ("*by_method*.jsonl",), json_lines, build)
BY_ARTICLE = Format("wikiHow by article", ("*.jsonl",), json_lines, build)
