"""A document: sections of sentences, immutable, with an id and the place it came from."""

import hashlib
from dataclasses import dataclass, replace
from itertools import chain


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document under one tag, or one turn of a dialogue."""

    tag: str | None
    """A tag of the corpus's ``Layout``, or ``None`` for text before the first tag."""
    sentences: tuple[str, ...]
    """The units of the section: sentences, or in a dialogue the one utterance."""

    @property
    def text(self) -> str:
        """The sentences joined by spaces."""
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document was read."""

    file: str
    """The file's path as it was opened, or the generator's name."""
    line: int
    """The line its record begins on, from 1."""
    index: int
    """Its number among the records of the file, from 0; bad records count too."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader yields."""

    id: str
    """The id the corpus gives it, made unique across splits."""
    sections: tuple[Section, ...]
    source: Source
    split: str | None = None
    """``train``, ``val`` or ``test``, once that is decided."""
    group: str | None = None
    """Documents of one group (methods of one article) are never split apart."""
    part: int | None = None
    """In a mixture, the number of the corpus it is from, from 1."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """All units in order."""
        return tuple(chain.from_iterable(s.sentences for s in self.sections))

    @property
    def tags(self) -> tuple[str | None, ...]:
        """The tag of each section in order."""
        return tuple(s.tag for s in self.sections)

    @property
    def text(self) -> str:
        """The whole text without tags, one section a line."""
        return "\n".join(s.text for s in self.sections)

    @property
    def digest(self) -> str:
        """SHA-256 of the characters of the text: white space, sentences and tags do not matter."""
        text = "".join("".join(s.split()) for s in self.sentences)
        return hashlib.sha256(text.encode()).hexdigest()

    def in_split(self, split: str) -> "Document":
        """Return the same document, told which split it belongs to."""
        return replace(self, split=split)
