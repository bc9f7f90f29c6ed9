"""What ``timecontrol evaluate infilling --out`` keeps, put back into the documents of its gaps.

A kept line has the key of a gap, ``DOCUMENT#PLACE``, and the candidates that were written for it,
but none of the document's text. The corpus has that.
"""

from collections.abc import Iterable
from typing import Any

from timecontrol.corpora import Document, open_corpus
from timecontrol.corpora.files import BadRecord
from timecontrol.corpora.reading import list_of, text_of
from timecontrol.errors import TimeControlError
from timecontrol.judging.lines import Told, gap_of, plain
from timecontrol.sentences import clean

Texts = dict[str, tuple[str, ...]]
"""The sentences of documents, by id."""


def is_kept(value: dict[str, Any]) -> bool:
    """Return whether a line is one of these."""
    return "gap" in value and "candidates" in value


def document_of(value: dict[str, Any]) -> str:
    """Return the id of the document of a kept line.

    Raises:
        BadRecord: It names none.
    """
    return _key(value)[0]


def texts_of(spec: str, wanted: Iterable[str]) -> Texts:
    """Return the sentences of those documents of a corpus that are wanted.

    Raises:
        TimeControlError: There is no such corpus, or not with these documents.
    """
    names = set(wanted)

    def kept(document: Document) -> bool:
        return document.id in names

    found = {d.id: d.sentences for d in filter(kept, open_corpus(spec).documents())}
    if missing := sorted(names - found.keys()):
        raise TimeControlError(
            f"The corpus {spec} has no document {missing[0]!r} ({len(missing)} of {len(names)} are "
            "missing): give the one that the gaps were made of as --corpus."
        )
    return found


def told_of(value: dict[str, Any], texts: Texts, most: int) -> Told:
    """Return the best candidate of a kept line, with what is about its gap.

    Args:
        value: The line.
        texts: Of the documents.
        most: Sentences that are shown on each side.

    Raises:
        BadRecord: The document has no such sentence, or there is nothing in the gap.
    """
    name, place = _key(value)
    sentences = texts[name]
    if not 0 <= place < len(sentences):
        raise BadRecord(f"document {name!r} has {len(sentences)} sentences, none at {place}")
    fill = clean(plain(best(list_of(value, "candidates"))))
    if not fill:
        raise BadRecord("nothing was written into the gap: there is nothing to judge")
    left, right = sentences[:place], sentences[place + 1 :]
    example = f"{name}#{place}"
    return gap_of(clean(" ".join(left)), fill, clean(" ".join(right)), most, value, example)


def best(candidates: list[dict[str, Any]]) -> str:
    """Return the text of the best candidate, by the usual weights; empty where there is none."""
    if len(candidates) < 2:
        return text_of(candidates[0], "text") if candidates else ""
    from timecontrol.infilling.ranking import Measured, Weights

    def score(one: dict[str, Any]) -> tuple[bool, bool, float]:
        try:
            known = Measured(one["likely"], one["near"], one["follows"], None)
            return bool(text_of(one, "text").strip()), not one["cut"], known.score(Weights())
        except (KeyError, TypeError):
            raise BadRecord("a candidate lacks its numbers: likely, near, follows, cut") from None

    return text_of(max(candidates, key=score), "text")


def _key(value: dict[str, Any]) -> tuple[str, int]:
    name, sign, place = text_of(value, "gap").rpartition("#")
    if not sign or not place.isdecimal():
        raise BadRecord(f"'gap' must be DOCUMENT#PLACE, got {value['gap']!r:.60}")
    return name, int(place)
