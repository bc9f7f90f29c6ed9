"""A text with gaps: which sentences are there, and where some are missing.

A gap is marked ``[ ... ]``, one of three sentences ``[ ...3 ]``; marks side by side are one gap.
Tags of the layout, as in ``[ HISTORY ]``, begin a section, as they do in texts that are written.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from timecontrol.errors import TimeControlError
from timecontrol.sentences import clean, paragraphs, splitter

MARK = re.compile(r"\[\s*(?:\.\.\.|…)\s*(\d*)\s*\]")
DIGITS = 9
"""Of the number in a mark, at most: no number of sentences is longer."""
MOST = 20
"""Sentences of a gap, at most."""


@dataclass(frozen=True)
class Slot:
    """A sentence of a text, or the place of a missing one."""

    text: str | None
    """``None``: it is missing."""
    tag: str | None = None
    """The tag of its section."""
    first: bool = False
    """Whether it begins the section."""
    parted: bool = False
    """Whether a blank line stands before it."""


@dataclass(frozen=True)
class Gapped:
    """A text with gaps."""

    slots: tuple[Slot, ...]

    @property
    def gaps(self) -> list[range]:
        """The places of the missing sentences, a range for each gap."""
        found: list[range] = []
        for i, slot in enumerate(self.slots):
            if slot.text is None:
                if found and found[-1].stop == i:
                    found[-1] = range(found[-1].start, i + 1)
                else:
                    found.append(range(i, i + 1))
        return found

    def filled(self, gap: range, sentences: Sequence[str]) -> "Gapped":
        """Return the text with one gap filled."""
        slots = list(self.slots)
        for i, sentence in zip(gap, sentences, strict=True):
            old = slots[i]
            slots[i] = Slot(sentence, old.tag, old.first, old.parted)
        return Gapped(tuple(slots))

    @property
    def text(self) -> str:
        """The text; gaps that are left are marked again, paragraphs and sections are kept."""
        found = ""
        for i, slot in enumerate(self.slots):
            if slot.text is None and i and self.slots[i - 1].text is None and not slot.first:
                continue  # told by the mark before
            before = "\n\n" if slot.parted else "\n" if slot.first else " "
            tag = f"[ {slot.tag} ] " if slot.first and slot.tag is not None else ""
            missing = 0
            while i + missing < len(self.slots) and self.slots[i + missing].text is None:
                missing += 1
            own = slot.text
            if own is None:
                own = "[ ... ]" if missing == 1 else f"[ ...{missing} ]"
            elif not own and not tag:
                continue  # nothing was found for it
            found += (before if found else "") + tag + own
        return found


def read_gaps(text: str, tags: Sequence[str] = (), utterances: bool = False) -> Gapped:
    """Return a text with its gaps.

    Args:
        text: With at least one gap in it.
        tags: Of the layout.
        utterances: Whether what stands under a tag is one unit, however many sentences it has.

    Raises:
        TimeControlError: There is no gap, one of no sentences, or nothing besides gaps.
    """
    if not MARK.search(text):
        raise TimeControlError(
            "There is no gap in the text: mark one as [ ... ], or [ ...3 ] for three sentences."
        )
    split: Callable[[str], list[str]] = splitter("rules", "en")
    if utterances:
        split = lambda part: [clean(part)] if clean(part) else []  # noqa: E731
    names = "|".join(re.escape(tag) for tag in sorted(tags, key=len, reverse=True))
    tagged = rf"|\[\s*(?P<tag>{names})\s*\]" if names else ""
    parts = re.compile(MARK.pattern + tagged)
    slots: list[Slot] = []
    tag: str | None = None
    first, parted = False, False

    def add(own: str | None) -> None:
        nonlocal first, parted
        slots.append(Slot(own, tag, first, parted and bool(slots)))
        first = parted = False

    def plain(stretch: str) -> None:
        nonlocal parted
        for number, paragraph in enumerate(paragraphs(stretch)):
            parted = parted or number > 0
            for sentence in split(paragraph):
                add(sentence)

    at = 0
    for match in parts.finditer(text):
        plain(text[at : match.start()])
        at = match.end()
        if names and match["tag"] is not None:
            tag, first = match["tag"], True
            continue
        count = int(match[1] or 1) if len(match[1]) <= DIGITS else MOST + 1
        if not 1 <= count <= MOST:
            raise TimeControlError(
                f"A gap marked {match[0][:40]!r}: from 1 to {MOST} sentences in one gap."
            )
        for _ in range(count):
            add(None)
    plain(text[at:])
    if all(slot.text is None for slot in slots):
        raise TimeControlError(
            "There is nothing but the gap: it is filled from the sentences before or after it, so "
            "give at least one."
        )
    return Gapped(tuple(slots))
