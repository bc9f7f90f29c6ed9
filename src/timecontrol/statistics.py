"""Documents to counts and section lengths, in one pass and constant memory."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from timecontrol.corpora.documents import Document

Lengths = Callable[[Document], tuple[int, list[tuple[str | None, int]]]]
"""A document to its length and to the tag and length of each section."""


@dataclass
class Spread:
    """Mean and standard error of a stream of numbers (Welford).

    se = sqrt(sum (x - mean)^2 / (n - 1)) / sqrt(n)
    """

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0
    least: float = math.inf
    most: float = -math.inf

    def add(self, x: float) -> None:
        """Take in a number."""
        self.n += 1
        step = x - self.mean
        self.mean += step / self.n
        self.squares += step * (x - self.mean)
        self.least, self.most = min(self.least, x), max(self.most, x)

    @property
    def se(self) -> float | None:
        """The standard error of the mean; ``None`` below two numbers."""
        return math.sqrt(self.squares / (self.n - 1) / self.n) if self.n > 1 else None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain numbers."""
        if not self.n:
            return {"n": 0, "mean": None, "se": None, "min": None, "max": None}
        se = None if self.se is None else round(self.se, 4)
        whole = {"min": self.least, "max": self.most}
        return {"n": self.n, "mean": round(self.mean, 4), "se": se, **whole}


@dataclass
class Statistics:
    """What a stream of documents amounts to."""

    documents: int = 0
    sentences: int = 0
    tokens: int = 0
    too_long: int = 0
    """Documents left out because they have too many tokens."""
    misfits: int = 0
    """Documents whose tags are not as the layout says."""
    faults: Counter[str] = field(default_factory=Counter)
    """What is wrong with them, and how often."""
    first_misfit: str | None = None
    """The id of one of them."""
    document_sentences: Spread = field(default_factory=Spread)
    document_tokens: Spread = field(default_factory=Spread)
    sections: dict[str, Spread] = field(default_factory=dict)
    """Length of one section, by tag."""
    totals: dict[str, Spread] = field(default_factory=dict)
    """Length of all sections of a tag in a document that has any, by tag."""

    def add(self, document: Document, tokens: int, lengths: list[tuple[str | None, int]]) -> None:
        """Take in a document."""
        n = len(document.sentences)
        self.documents += 1
        self.sentences += n
        self.tokens += tokens
        self.document_sentences.add(n)
        self.document_tokens.add(tokens)
        totals: dict[str, int] = {}
        for tag, length in lengths:
            name = tag or ""
            self.sections.setdefault(name, Spread()).add(length)
            totals[name] = totals.get(name, 0) + length
        for name, length in totals.items():
            self.totals.setdefault(name, Spread()).add(length)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "documents": self.documents,
            "too_long": self.too_long,
            "misfits": self.misfits,
            "faults": dict(self.faults),
            "first_misfit": self.first_misfit,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "sentences_per_document": self.document_sentences.as_dict(),
            "tokens_per_document": self.document_tokens.as_dict(),
            "sections": {tag: s.as_dict() for tag, s in self.sections.items()},
            "totals": {tag: s.as_dict() for tag, s in self.totals.items()},
        }


SPACELESS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
"""A run of other characters, or one character of Chinese or Japanese, which have no spaces."""


def words(document: Document) -> tuple[int, list[tuple[str | None, int]]]:
    """Return lengths in words, for when no tokenizer is named."""
    lengths = [(s.tag, sum(_words(x) for x in s.sentences)) for s in document.sections]
    return sum(n for _, n in lengths), lengths


def _words(text: str) -> int:
    return len(text.split()) if text.isascii() else len(WORD.findall(text))


def gather(
    documents: Iterable[Document],
    lengths: Lengths = words,
    most: int | None = None,
    faults: Callable[[Document], Sequence[str]] = lambda document: (),
    keep: Callable[[Document], object] = lambda document: None,
) -> dict[str, Statistics]:
    """Return the statistics of each split.

    Args:
        documents: A stream.
        lengths: How long a document and its sections are.
        most: Leave out documents with this many tokens or more.
        faults: What is wrong with a document, in words.
        keep: Called with every document that is not left out.
    """
    found: dict[str, Statistics] = {}
    for document in documents:
        statistics = found.setdefault(document.split or "", Statistics())
        total, sections = lengths(document)
        if most is not None and total >= most:
            statistics.too_long += 1
            continue
        statistics.add(document, total, sections)
        if wrong := faults(document):
            statistics.misfits += 1
            statistics.faults.update(wrong)
            statistics.first_misfit = statistics.first_misfit or document.id
        keep(document)
    return found
