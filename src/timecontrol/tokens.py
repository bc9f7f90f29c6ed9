"""Documents to token ids and back.

Ours (``best``)::

    BEGIN [ TAG ] _first sentence. [ . ] _second sentence. [ . ] [ TAG ] ... [ . ] END

A space before each unit, the unit with all its characters, then the unit-end mark. Text is
tokenized apart from the marks, so a text that contains "[ HISTORY ]" or an end-of-text string
stays text. With a byte-level tokenizer ``decode(encode(document)) == document.sections``, but for
runs of white space inside sentences (only the ``legacy`` splitter leaves any).

``decided`` has a mark of its own where the section goes on, too, so that what follows a sentence is
decided by one token out of few (a tag, this mark or the end), before any word is chosen::

    BEGIN [ TAG ] _first sentence. [ . ] [ + ] _second sentence. [ . ] [ TAG ] ... [ . ] END

The paper's text form (``paper``, ``released``): the mark is the token " . " and replaces a period
and its space; spaces around added tokens are gone, so a unit begins without one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from timecontrol.bases import align_ends
from timecontrol.corpora.documents import Document, Section
from timecontrol.corpora.layout import Layout
from timecontrol.errors import pick
from timecontrol.sentences import clean
from timecontrol.vocabulary import BLANK, FILL, add_marks, grow, marks, tag_text

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


@dataclass(frozen=True)
class Style:
    """How a document is written as tokens."""

    unit_end: str
    """The text of the unit-end mark."""
    period: bool
    """Whether the mark stands for a period and is put by the layout's ``period`` rule."""
    space: str
    """What is put before each unit."""
    first_number: int
    """The number of the first section of a numbered tag."""
    both_ends: bool
    """Whether a section's length counts both its own tag and the position it ends at,
    and the last section the end token. The paper's section statistics are so: each of its
    means is one more than the tokens from a tag up to the next."""
    splitter: str
    """The splitter that goes with it."""
    go_on: str = ""
    """The text of the mark before a unit that does not begin a section; empty: there is none."""


STYLES: dict[str, Style] = {
    "best": Style("[ . ]", False, " ", 1, False, "rules"),
    "decided": Style("[ . ]", False, " ", 1, False, "rules", "[ + ]"),
    "paper": Style(" . ", True, "", 1, True, "legacy"),
    "released": Style(" . ", True, "", 0, True, "legacy"),
}
"""Presets of the text form, by name."""

LONGEST_NUMBER = 16
"""Tokens within which the number of a section stands."""


@dataclass(frozen=True)
class Piece:
    """The token ids of one sentence."""

    section: int
    """The number of its section, from 0."""
    tag: str | None
    """The section's tag."""
    first: bool
    """Whether it begins the section, so that the tag stands before it."""
    ids: list[int]
    marked: bool
    """Whether the unit-end mark follows."""
    opened: bool = False
    """Whether the mark stands before it that the section goes on."""


@dataclass(frozen=True)
class Encoded:
    """The token ids of a document."""

    ids: list[int]
    starts: list[tuple[str | None, int]]
    """Tag and first position of each section."""


class Codec:
    """A tokenizer with the marks of a layout added, and the way documents are written with it."""

    def __init__(
        self,
        tokenizer: "PreTrainedTokenizerBase",
        layout: Layout,
        preset: str = "best",
        gaps: bool = False,
    ) -> None:
        """Add the layout's marks to ``tokenizer`` (in place); with ``gaps``, those of gaps, too."""
        self.tokenizer, self.layout = tokenizer, layout
        self.style = pick(STYLES, preset, "preset")
        self._marks = marks(
            layout,
            self.style.unit_end,
            self.style.go_on if layout.tags else "",
            "." if self.style.period else "\n",
            gaps,
        )
        ids = add_marks(tokenizer, self._marks)
        self.unit_end = ids[self.style.unit_end]
        self.tag_ids = {tag: ids[tag_text(tag)] for tag in layout.tags}
        self.go_on = ids.get(self.style.go_on)
        self.blank, self.fill = ids.get(BLANK), ids.get(FILL)
        self.new_ids = sorted(ids.values())
        self.begin, self.end = int(tokenizer.bos_token_id), int(tokenizer.eos_token_id)
        known = {i for i, token in tokenizer.added_tokens_decoder.items() if token.special}
        self.foreign = sorted(known - {*self.new_ids, self.end})

    @property
    def between(self) -> list[int]:
        """Ids that stand between sentences alone, as the end does: tags, and that one goes on."""
        return sorted({*self.tag_ids.values(), *([] if self.go_on is None else [self.go_on])})

    def fit(self, model: "PreTrainedModel", distinct: float = 0.0) -> None:
        """Give a model the rows and the begin and end ids that this codec's tokens need.

        ``distinct``: how far from the words of their tags rows start (``vocabulary``).
        """
        grow(model, self.tokenizer, self._marks, distinct)
        align_ends(model, self.tokenizer)

    def encode(self, document: Document) -> Encoded:
        """Return the ids of a document, from begin to end token."""
        return self.join(self.pieces(document))

    def pieces(self, document: Document) -> list[Piece]:
        """Return the ids of a document's sentences, each apart, marks left out."""
        units = list(self._units(document))
        found = self._tokenize([text for _, _, _, text, _ in units])
        return [
            Piece(number, tag, first, ids, marked, self.go_on is not None and not first)
            for (number, tag, first, _, marked), ids in zip(units, found, strict=True)
        ]

    def join(self, pieces: Sequence[Piece]) -> Encoded:
        """Return sentences as one document, from begin to end token."""
        ids, starts = [self.begin], []
        for piece in pieces:
            if piece.first:
                starts.append((piece.tag, len(ids)))
            ids += self.written(piece)
        ids.append(self.end)
        return Encoded(ids, starts)

    def opening(self, piece: Piece) -> list[int]:
        """Return what stands before a sentence: the tag of its section, or that this goes on."""
        if piece.first:
            return [] if piece.tag is None else [self.tag_ids[piece.tag]]
        if not piece.opened:
            return []
        assert self.go_on is not None
        return [self.go_on]

    def written(self, piece: Piece) -> list[int]:
        """Return a sentence with the marks about it."""
        return [*self.opening(piece), *piece.ids, *([self.unit_end] if piece.marked else [])]

    def tokens(self, text: str) -> list[int]:
        """Return the ids of a plain text; marks in it stay text."""
        return self._tokenize([text])[0]

    def _tokenize(self, texts: list[str]) -> list[list[int]]:
        if not texts:
            return []
        found = self.tokenizer(
            texts,
            add_special_tokens=False,
            split_special_tokens=True,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )
        ids: list[list[int]] = found["input_ids"]
        return ids

    def _units(self, document: Document) -> Iterator[tuple[int, str | None, bool, str, bool]]:
        """Yield (section number, tag, is first of it, text, whether the mark follows) of units."""
        numbers = dict.fromkeys(self.layout.numbered, self.style.first_number)
        left = len(document.sentences)
        for place, section in enumerate(document.sections):
            prefix = ""
            if section.tag in numbers:
                prefix = f"{numbers[section.tag]} "
                numbers[section.tag] += 1
            for i, sentence in enumerate(section.sentences):
                left -= 1
                text, marked = self._write(sentence, is_last=left == 0)
                text = self.style.space + (prefix if i == 0 else "") + text
                yield place, section.tag, i == 0, text, marked

    def _write(self, sentence: str, is_last: bool) -> tuple[str, bool]:
        """Return a unit's text and whether the mark follows it."""
        if not self.style.period:
            return sentence, True
        match self.layout.period:
            case "no mark":
                return sentence, False
            case "then mark":
                return sentence.removesuffix(".").rstrip(), True
            case "is mark":
                if is_last or not sentence.endswith("."):
                    return sentence, False
                return sentence.removesuffix(".").rstrip(), True

    def lengths(self, encoded: Encoded) -> list[tuple[str | None, int]]:
        """Return the tag and the length in tokens of each section, its tag included."""
        close = len(encoded.ids) - (not self.style.both_ends)
        bounds = [start for _, start in encoded.starts[1:]] + [close]
        return [
            (tag, bound - start + self.style.both_ends)
            for (tag, start), bound in zip(encoded.starts, bounds, strict=True)
        ]

    def decode(self, ids: Sequence[int]) -> tuple[Section, ...]:
        """Return the sections that ids spell, up to the first end token after the beginning."""
        tags = {i: tag for tag, i in self.tag_ids.items()}
        sections: list[tuple[str | None, list[str]]] = [(None, [])]
        unit: list[int] = []

        def close(marked: bool) -> None:
            text = clean(str(self.tokenizer.decode(unit, clean_up_tokenization_spaces=False)))
            if marked and self.style.period:
                text += "."
            if text:
                sections[-1][1].append(text)
            unit.clear()

        drop = {*self.tokenizer.all_special_ids, self.go_on, self.blank, self.fill}
        drop -= {self.unit_end, *tags}
        for position, i in enumerate(ids):
            if i == self.end and position > 0:
                break
            if i in tags:
                close(False)
                sections.append((tags[i], []))
            elif i == self.unit_end:
                close(True)
            elif i not in drop:
                unit.append(i)
        close(False)
        found = (Section(tag, tuple(self._unnumber(tag, units))) for tag, units in sections)
        return tuple(section for section in found if section.sentences)

    def outline(self, ids: Sequence[int]) -> tuple[tuple[str, int | None], ...]:
        """Return every tag that ids spell, in order, with the number after a numbered one.

        Tags of empty sections are there too, which ``decode`` leaves out; but not a last one whose
        number is cut off.
        """
        tags = {i: tag for tag, i in self.tag_ids.items()}
        stops = {self.unit_end, self.end, *tags}
        found: list[tuple[str, int | None]] = []
        for position, i in enumerate(ids):
            if i == self.end and position > 0:
                break
            if i in tags:
                number = None
                if tags[i] in self.layout.numbered:
                    rest = ids[position + 1 : position + 1 + LONGEST_NUMBER]
                    unit = list(takewhile(lambda token: token not in stops, rest))
                    text = str(self.tokenizer.decode(unit, clean_up_tokenization_spaces=False))
                    if position + 1 + len(unit) == len(ids) and not text.strip(" 0123456789"):
                        break  # cut off within its number
                    known = re.match(r"\s*(\d+)(?=\s|$)", text)
                    number = int(known[1]) if known else None
                found.append((tags[i], number))
        return tuple(found)

    def _unnumber(self, tag: str | None, units: list[str]) -> list[str]:
        if tag not in self.layout.numbered or not units:
            return units
        first = re.sub(r"^\d+(\s+|$)", "", units[0])
        return [u for u in (first, *units[1:]) if u]
