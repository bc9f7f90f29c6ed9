"""Two versions of a document: did the change help, and what became of each sentence?

The difference of two scores has the error ::

    e^2 = e_old^2 + e_new^2 - 2 r e_old e_new

where r is the share of sentences that both have in the same order: what they share, they share the
error of. Two versions that are the same differ by 0, for certain.
"""

import math
from collections import defaultdict, deque
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any, Literal

from timecontrol.scoring import Report

Kind = Literal["kept", "moved", "removed", "added"]


@dataclass(frozen=True)
class Change:
    """What became of one sentence."""

    kind: Kind
    sentence: str
    old: int | None = None
    """Its number in the old version, from 0."""
    new: int | None = None
    """Its number in the new version, from 0."""
    old_fit: float | None = None
    new_fit: float | None = None

    @property
    def gain(self) -> float | None:
        """How much better it fits than before, where it is in both."""
        if self.old_fit is None or self.new_fit is None:
            return None
        return self.new_fit - self.old_fit

    def as_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        names = ("kind", "sentence", "old", "new", "old_fit", "new_fit", "gain")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Versions:
    """An old and a new version, judged."""

    old: Report
    new: Report

    @property
    def difference(self) -> float | None:
        """New score less old score; ``None`` where a version is too short."""
        if self.old.score is None or self.new.score is None:
            return None
        return self.new.score - self.old.score

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the difference."""
        if self.difference is None or not self.old.interval or not self.new.interval:
            return None
        old, new = ((high - low) / 2 for low, high in (self.old.interval, self.new.interval))
        kept = sum(change.kind == "kept" for change in self.changes)
        shared = kept / max(len(self.old.sentences), len(self.new.sentences))
        half = math.sqrt(max(0.0, old**2 + new**2 - 2 * shared * old * new))
        return self.difference - half, self.difference + half

    @property
    def same(self) -> bool:
        """Whether both have the same sentences in the same order."""
        return self.old.sentences == self.new.sentences

    @property
    def clear(self) -> bool:
        """Whether the difference is larger than its uncertainty."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Every sentence of both versions, in reading order."""
        return match(self.old, self.new)

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {
            "old": self.old.as_dict(),
            "new": self.new.as_dict(),
            "difference": self.difference,
            "interval": list(self.interval) if self.interval else None,
            "clear": self.clear,
            "same": self.same,
            "changes": [change.as_dict() for change in self.changes],
        }


def match(old: Report, new: Report) -> tuple[Change, ...]:
    """Return what became of each sentence, in reading order.

    A sentence that is taken out in one place and put in at another is moved.
    """
    steps = SequenceMatcher(None, old.sentences, new.sentences, autojunk=False).get_opcodes()
    gone: defaultdict[str, deque[int]] = defaultdict(deque)
    for step, a, b, _, _ in steps:
        for i in range(a, b) if step != "equal" else ():
            gone[old.sentences[i]].append(i)
    origin: dict[int, int] = {}
    for step, _, _, a, b in steps:
        for j in range(a, b) if step != "equal" else ():
            if places := gone[new.sentences[j]]:
                origin[j] = places.popleft()
    moved = set(origin.values())
    found = []
    for step, a, b, c, d in steps:
        if step == "equal":
            pairs = zip(range(a, b), range(c, d), strict=True)
            found += [_change("kept", old, new, i, j) for i, j in pairs]
            continue
        found += [_change("removed", old, new, i, None) for i in range(a, b) if i not in moved]
        for j in range(c, d):
            kind: Kind = "moved" if j in origin else "added"
            found.append(_change(kind, old, new, origin.get(j), j))
    return tuple(found)


def _change(kind: Kind, old: Report, new: Report, i: int | None, j: int | None) -> Change:
    sentence = new.sentences[j] if j is not None else old.sentences[i or 0]
    return Change(kind, sentence, i, j, _fit(old, i), _fit(new, j))


def _fit(report: Report, number: int | None) -> float | None:
    return report.trace[number] if number is not None and report.trace else None
