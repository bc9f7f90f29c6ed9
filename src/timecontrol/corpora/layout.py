"""What a domain looks like, as data.

A ``Layout`` is the only thing that differs between domains: which tags there are and in which
order, which repeat, what a unit is. Tokens, plans and metrics are driven by it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from timecontrol.errors import TimeControlError


@dataclass(frozen=True)
class Layout:
    """The form of a corpus's documents."""

    name: str
    tags: tuple[str, ...] = ()
    """In the order in which they come; written ``[ TAG ]``. Empty: plain sentences."""
    repeats: frozenset[str] = frozenset()
    """Tags that may occur more than once."""
    optional: frozenset[str] = frozenset()
    """Tags that may be missing."""
    numbered: frozenset[str] = frozenset()
    """Tags whose sections carry a running number, as in ``[ STEP ] 2``."""
    floating: frozenset[str] = frozenset()
    """Tags that may stand anywhere; the others come in the order of ``tags``."""
    unit: Literal["sentence", "utterance"] = "sentence"
    """What one latent stands for; the unit-end mark follows each."""
    alternates: bool = False
    """Whether neighbouring sections always have different tags (turns are taken)."""
    period: Literal["is mark", "then mark", "no mark"] = "is mark"
    """How the paper's text form ends a unit with " . ": a period and space *is* the mark
    (Wikisection), every unit gets one (recipes, how-to), or none does (dialogue)."""

    def __post_init__(self) -> None:
        if len({t.upper() for t in self.tags}) != len(self.tags):
            raise TimeControlError(f"layout {self.name!r} has a tag twice: {', '.join(self.tags)}")
        for tag in self.tags:
            if not re.search(r"\w", tag) or tag != tag.strip() or "]" in tag or "[" in tag:
                raise TimeControlError(
                    f"layout {self.name!r} has a bad tag {tag!r}: it needs a letter or digit, "
                    "and no brackets or outer spaces"
                )
        for field in ("repeats", "optional", "numbered", "floating"):
            if extra := getattr(self, field) - set(self.tags):
                raise TimeControlError(
                    f"layout {self.name!r}: {field} names {sorted(extra)[0]!r}, not a tag of it"
                )

    def faults(self, tags: Sequence[str | None]) -> list[str]:
        """Return what is wrong with a document's tags, in words; empty when nothing is.

        Args:
            tags: One a section; ``None`` (text before the first tag) may only come first.
        """
        found = [t for t in tags if t is not None]
        counts = Counter(found)
        faults = [f"unknown tag {t!r}" for t in counts if t not in self.tags]
        if None in tags[1:]:
            faults.append("text without a tag after the first section")
        for tag in self.tags:
            if not counts[tag] and tag not in self.optional:
                faults.append(f"no [ {tag} ]")
            if counts[tag] > 1 and tag not in self.repeats:
                faults.append(f"[ {tag} ] {counts[tag]} times")
        if self.alternates and any(a == b for a, b in pairwise(found)):
            faults.append("the same tag twice in a row")
        fixed = [t for t in found if t in self.tags and t not in self.floating]
        places = [self.tags.index(t) for t in fixed]
        if places != sorted(places):
            faults.append("tags out of order")
        return faults


WIKISECTION = Layout("wikisection", ("ABSTRACT", "HISTORY", "GEOGRAPHY", "DEMOGRAPHICS"))
RECIPE = Layout("recipe", ("TITLE", "INGREDIENTS", "DIRECTIONS"), period="then mark")
HOWTO = Layout(
    "howto",
    ("TITLE", "METHOD", "STEP"),
    repeats=frozenset({"STEP"}),
    optional=frozenset({"METHOD"}),
    numbered=frozenset({"STEP"}),
    period="then mark",
)
TURNS = frozenset({"USER", "ASSISTANT"})
DIALOGUE = Layout(
    "dialogue",
    ("USER", "ASSISTANT"),
    repeats=TURNS,
    optional=TURNS,
    floating=TURNS,
    unit="utterance",
    alternates=True,
    period="no mark",
)
SPOKEN = replace(DIALOGUE, name="spoken dialogue", alternates=False)
EPISODES = Layout("episodes", ("EPISODE",), repeats=frozenset({"EPISODE"}))
STORY = Layout("story")


HEADING = "SECTION"
"""The tag of a section whose heading is not common enough to be a tag of its own."""
TITLE = "TITLE"
"""The tag of a document's title."""
TEXT = "TEXT"
"""The tag of what follows a title and has no heading."""
COMMON = 0.5
"""The share of documents a heading must occur in to become a tag of its own."""
MOST_TAGS = 32
"""A layout read off own documents has at most about this many tags."""
MOST_HEADINGS = 100_000
"""So many different headings are counted; beyond, those seen once so far are forgotten."""
LONGEST_TAG = 40
"""Longer headings, in characters, are sentences rather than tags."""


def heading_tag(heading: str) -> str:
    """Return the tag a heading would be: ``"2.1 Related *work*:"`` -> ``RELATED WORK``.

    Empty where a heading cannot be a tag: no letter or digit in it, or too long.
    """
    words = re.sub(r"^\W*\d[\d.]*[.)]?(?=\s)", "", unicodedata.normalize("NFC", heading))
    kept = (c if c in "'&/-_" or unicodedata.category(c)[0] in "LMN" else " " for c in words)
    words = " ".join("".join(kept).split()).upper()
    return words if re.search(r"\w", words) and len(words) <= LONGEST_TAG else ""


def infer(
    name: str, documents: Iterable[Sequence[str]], unit: Literal["sentence", "utterance"]
) -> Layout:
    """Return the layout of own documents, from the headings each of them has, in order.

    A heading becomes a tag when at least half of the documents have it (a speaker always); the
    others share the tag ``SECTION``, which may stand anywhere. Tags are ordered by where they
    stand on average.

    Args:
        name: The name of the layout.
        documents: For each document its headings as tags (``heading_tag``), in order; ``""`` is
            a heading that cannot be a tag.
        unit: What a unit of these documents is.
    """
    n, found, repeated, places = 0, Counter[str](), set[str](), Counter[str]()
    for headings in documents:
        n += 1
        counts = Counter(headings)
        found.update(counts.keys())
        repeated |= {h for h, k in counts.items() if k > 1}
        for tag in counts:
            places[tag] += round(1e6 * (headings.index(tag) + 0.5) / len(headings))
        if len(found) > MOST_HEADINGS:
            found = Counter({h: k for h, k in found.items() if k > 1 or not h} | {"": 1})
            places = Counter({h: places[h] for h in found})
            repeated &= set(found)
    enough = 1 if n == 1 or unit == "utterance" else max(2, COMMON * n)
    fixed = {"", HEADING, TITLE, TEXT}
    usual = [t for t, k in found.most_common() if k >= enough and t not in fixed]
    usual = usual[:MOST_TAGS] + [t for t in (TITLE, TEXT) if t in found]
    usual.sort(key=lambda t: (t != TITLE, places[t] / found[t], t))
    others = set(found) - set(usual)
    tags = (*usual, HEADING) if others else tuple(usual)
    floating = set(tags) if unit == "utterance" else {HEADING} & set(tags)
    return Layout(
        name,
        tags,
        repeats=frozenset(repeated & set(usual) | {HEADING} & set(tags)),
        optional=frozenset(t for t in tags if found[t] < n or t == HEADING),
        floating=frozenset(floating),
        unit=unit,
        period="no mark" if unit == "utterance" else "is mark",
    )


def joined(layouts: Sequence[Layout]) -> Layout:
    """Return the layout of documents of several kinds: any tag of any of them, anywhere."""
    tags = tuple(dict.fromkeys(tag for layout in layouts for tag in layout.tags))
    units = {layout.unit for layout in layouts}
    return Layout(
        "+".join(dict.fromkeys(layout.name for layout in layouts)),
        tags,
        repeats=frozenset(tags),
        optional=frozenset(tags),
        floating=frozenset(tags),
        numbered=frozenset(tag for layout in layouts for tag in layout.numbered),
        unit="utterance" if units == {"utterance"} else "sentence",
        period=layouts[0].period if len({x.period for x in layouts}) == 1 else "is mark",
    )
