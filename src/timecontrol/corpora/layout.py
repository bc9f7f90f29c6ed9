"""What a domain looks like, as data.

A ``Layout`` is the only thing that differs between domains: which tags there are and in which
order, which repeat, what a unit is. Tokens, plans and metrics are driven by it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
        for field in ("repeats", "optional", "numbered"):
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
        if self.alternates:
            if any(a == b for a, b in pairwise(found)):
                faults.append("the same tag twice in a row")
        elif len(self.repeats) < 2:  # several repeating tags may interleave: no order to check
            places = [self.tags.index(t) for t in found if t in self.tags]
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
DIALOGUE = Layout(
    "dialogue",
    ("USER", "ASSISTANT"),
    repeats=frozenset({"USER", "ASSISTANT"}),
    optional=frozenset({"ASSISTANT"}),
    unit="utterance",
    alternates=True,
    period="no mark",
)
SPOKEN = Layout(
    "spoken dialogue",  # as DIALOGUE, but nobody promises that turns are taken, or who begins
    ("USER", "ASSISTANT"),
    repeats=frozenset({"USER", "ASSISTANT"}),
    optional=frozenset({"USER", "ASSISTANT"}),
    unit="utterance",
    period="no mark",
)
EPISODES = Layout("episodes", ("EPISODE",), repeats=frozenset({"EPISODE"}))
STORY = Layout("story")


HEADING = "SECTION"
"""The tag of a section whose heading is not common enough to be a tag of its own."""
TITLE = "TITLE"
"""The tag of a document's title."""
COMMON = 0.5
"""The share of documents a heading must occur in to become a tag of its own."""
MOST_TAGS = 32
"""A layout read off own documents has at most this many tags."""


LONGEST_TAG = 40
"""Longer headings, in characters, are sentences rather than tags."""


def heading_tag(heading: str) -> str:
    """Return the tag a heading would be: ``"2.1 Related *work*:"`` -> ``RELATED WORK``.

    Empty where a heading cannot be a tag: no letter or digit in it, or too long.
    """
    words = re.sub(r"^\W*\d[\d.]*[.)]?(?=\s)", "", heading)  # "2.1 ", "3) "
    words = " ".join(re.sub(r"[^\w\s'&/-]", " ", words).split()).upper()
    return words if re.search(r"\w", words) and len(words) <= LONGEST_TAG else ""


def infer(
    name: str, documents: Iterable[Sequence[str]], unit: Literal["sentence", "utterance"]
) -> Layout:
    """Return the layout of own documents, from the headings each of them has, in order.

    A heading becomes a tag when at least half of the documents have it; the others share the
    repeating tag ``SECTION``. Tags are ordered by where they stand on average.

    Args:
        name: The name of the layout.
        documents: For each document its headings as tags (``heading_tag``), titles as ``TITLE``.
        unit: What a unit of these documents is.
    """
    n, found, repeated, places = 0, Counter[str](), set[str](), dict[str, float]()
    for headings in documents:
        n += 1
        counts = Counter(headings)
        found.update(counts.keys())
        repeated |= {h for h, k in counts.items() if k > 1}
        for tag in counts:
            share = (headings.index(tag) + 0.5) / len(headings)
            places[tag] = places.get(tag, 0.0) + share
    enough = 1 if n == 1 or unit == "utterance" else max(2, COMMON * n)
    usual = [t for t, k in found.most_common() if k >= enough and t not in ("", HEADING, TITLE)]
    usual = usual[: MOST_TAGS - 2] + [TITLE] * (TITLE in found)  # a title is one in any number
    usual.sort(key=lambda t: (t != TITLE, places[t] / found[t], t))
    others = set(found) - set(usual)
    tags = (*usual, HEADING) if others else tuple(usual)
    return Layout(
        name,
        tags,
        repeats=frozenset(repeated & set(usual)) | ({HEADING} if others else set()),
        optional=frozenset(t for t in tags if found[t] < n or t == HEADING),
        unit=unit,
        period="no mark" if unit == "utterance" else "is mark",
    )
