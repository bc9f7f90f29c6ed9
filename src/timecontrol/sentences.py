"""Text to sentences.

A splitter returns the sentences of a text in order. Whatever a library does inside, one law
holds for all of ours: **no character is lost**, that is, joining the sentences gives the text
back up to white space. It holds because a splitter only says where the text is cut; the cutting
is done here.

``docs/log.md`` compares the libraries on hand-labelled boundaries; ``make bench`` repeats it.
"""

import re
from collections.abc import Callable, Iterable

import sentencex

from timecontrol.errors import TimeControlError, pick

Splitter = Callable[[str], list[str]]
"""A text to its sentences, each stripped; all but ``legacy`` leave single spaces inside."""


def clean(text: str) -> str:
    """Return ``text`` with every run of white space as one space and none at the ends."""
    return " ".join(text.split())


def cut(text: str, positions: Iterable[int]) -> list[str]:
    """Cut ``text`` at the given positions; pieces are stripped, empty ones vanish.

    Args:
        text: Any text.
        positions: Character offsets in any order; those outside the text do nothing.
    """
    inside = sorted({p for p in positions if 0 < p < len(text)})
    pieces = (text[a:b] for a, b in zip([0, *inside], [*inside, len(text)], strict=True))
    return [sentence for piece in pieces if (sentence := piece.strip())]


ENUMERATOR = re.compile(r"\s*\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]\s*")


WINDOW = 32_768
"""So many characters are handed to the library at a time: its time grows with their square in
texts full of certain quotes."""


def rule_cuts(text: str, language: str = "en") -> list[int]:
    """Return sentence starts by sentencex's rules, which know about 240 languages.

    A long text is read in windows; the last sentence of one is read again at the start of the
    next, so no window ends a sentence. A number or letter that opens a list item ("1. Preheat the
    oven.") stays with its item.
    """
    # A lone surrogate cannot be handed over; to find a cut, "?" in its place is as good.
    safe = text if text.isascii() else text.encode(errors="replace").decode()
    starts, at = [0], 0
    while at < len(text):
        found = sentencex.get_sentence_boundaries(language, safe[at : at + WINDOW])
        inside = [at + b["start_index"] for b in found[1:]]
        starts += inside
        if at + WINDOW >= len(text):
            break
        at = inside[-1] if inside else at + WINDOW  # nothing to cut: go on behind it
    pieces = zip(starts, [*starts[1:], len(text)], strict=True)
    alone = [bool(ENUMERATOR.fullmatch(text, a, b)) for a, b in pieces]
    return [s for s, before in zip(starts[1:], alone, strict=False) if not before]


def legacy_cuts(text: str) -> list[int]:
    """Return sentence starts by the paper's rule: after each period and space.

    It cuts "U.S. Routes" and "E. P. Moran" too. Kept because the paper's corpora,
    and so its numbers, are made with it.
    """
    return [m.end() for m in re.finditer(r"\. ", text)]


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, for texts that are written one sentence a line."""
    return [sentence for line in text.splitlines() if (sentence := clean(line))]


def paragraphs(text: str) -> list[str]:
    """Return the stretches of a text between blank lines."""
    return re.split(r"\n\s*\n", text)


SPLITTERS: dict[str, Callable[[str, str], list[str]]] = {
    "rules": lambda text, language: cut(flat := clean(text), rule_cuts(flat, language)),
    "legacy": lambda text, language: cut(text, legacy_cuts(text)),
    "lines": lambda text, language: split_lines(text),
}
"""Text and language to sentences, by name."""


def splitter(name: str = "rules", language: str = "en") -> Splitter:
    """Return the splitter called ``name``: ``rules`` (default), ``legacy`` or ``lines``.

    Args:
        name: A key of ``SPLITTERS``.
        language: Code such as ``en``; only ``rules`` looks at it, and has general rules for one
            it does not know.
    """
    split = pick(SPLITTERS, name, "splitter")
    if not re.fullmatch(r"[a-z]{2,3}", language):
        raise TimeControlError(f"The language must be a code such as en or de, got {language!r}.")
    return lambda text: split(text, language)
