"""A cell and the records of its runs to one line: paper, ours, difference.

Over runs that differ in their seed alone, with x_r the number of run r of R::

    ours = mean_r x_r,    error = sqrt(sum_r (x_r - ours)^2 / (R - 1) / R)

With one run the error is that within it, over documents or probes; ``over`` says which it is.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from timecontrol.reproduction.cells import Cell
from timecontrol.reproduction.printed import Printed
from timecontrol.reproduction.records import Record, Value
from timecontrol.reproduction.works import Work

NOT_RUN, NOT_MEASURED = "not run yet", "not measured where it was run"


@dataclass(frozen=True)
class Ours:
    """Our number of a cell."""

    value: float
    error: float | None
    over: str
    """What the error is over: ``seeds``, or ``documents`` (of one run)."""
    seeds: tuple[int, ...]
    n: int
    """Documents, or pairs of sentences, of a run."""
    base: str
    corpus: str
    scale: str
    ids: tuple[str, ...]
    """Of the runs."""
    commands: tuple[str, ...]
    """What makes them again."""
    released: float | None = None
    """The same by the released definition."""
    given: str = ""
    """The decoder, where it was not trained for this."""
    others: int = 0
    """Runs that are there and were left out, because more than their seeds differs."""


@dataclass(frozen=True)
class Line:
    """A cell, and what we have for it."""

    cell: Cell
    ours: Ours | None
    why: str = ""
    """Why it is blank."""

    @property
    def paper(self) -> Printed | None:
        """What ours is compared with: the corrected number, or the original one."""
        return self.cell.corrected or self.cell.original

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        if self.ours is None or self.paper is None:
            return None
        return self.ours.value - self.paper.value

    def as_dict(self) -> dict[str, Any]:
        """Return the line as plain data."""
        cell, ours = self.cell, self.ours
        return {
            "experiment": cell.experiment,
            "dataset": cell.dataset,
            "row": cell.label,
            "column": cell.column,
            "unit": cell.about.unit,
            "paper": _told(cell.corrected),
            "original": _told(cell.original),
            "ours": None if ours is None else dict(vars(ours)),
            "difference": self.difference,
            "blank": self.why,
        }


def _told(p: Printed | None) -> dict[str, Any] | None:
    return None if p is None else {"value": p.value, "spread": p.spread, "note": p.note}


def lines(
    cells: Sequence[Cell], found: Mapping[str, Record], hindrance: Callable[[Work], str]
) -> list[Line]:
    """Return a line for every cell; none is left out.

    Args:
        cells: Which.
        found: Records by the names of their works; only those that can be traced.
        hindrance: Why a work cannot run here; empty where it can.
    """
    made = []
    for cell in cells:
        ours = ours_of(cell, found)
        why = ""
        if ours is None:
            why = cell.reason or _why(cell, found, hindrance)
        made.append(Line(cell, ours, why))
    return made


def _why(cell: Cell, found: Mapping[str, Record], hindrance: Callable[[Work], str]) -> str:
    if any(work.name in found for work in cell.works):
        return NOT_MEASURED
    reasons = [hindrance(work) for work in cell.works]
    return reasons[0] if reasons and all(reasons) else NOT_RUN


def ours_of(cell: Cell, found: Mapping[str, Record]) -> Ours | None:
    """Return our number of a cell: over those of its runs that are there; ``None``: none is."""
    every = [found[work.name] for work in cell.works if work.name in found]
    every = [record for record in every if cell.measure in record.values]
    own = alike(every)
    if not own:
        return None
    both = [(record, record.values[cell.measure]) for record in own]
    value, error, over = over_runs([value for _, value in both])
    released = [r.values[cell.beside].value for r in own if cell.beside in r.values]
    return Ours(
        value,
        error,
        over,
        tuple(r.work.seed for r in own),
        min(value.n for _, value in both),
        _joined(r.base for r in own),
        _joined(r.corpus for r in own),
        _joined(r.scale for r in own),
        tuple(r.id for r in own),
        tuple(r.command for r in own),
        float(np.mean(released)) if released else None,
        _joined(str(r.made.get("given", "")) for r in own),
        len(every) - len(own),
    )


def alike(own: Sequence[Record]) -> list[Record]:
    """Return those records that differ in their seeds alone: the most there are, the first of two.

    Runs of other settings (fewer documents, another base, a decoder that was given) are no seeds.
    """
    groups: dict[str, list[Record]] = {}
    for record in own:
        groups.setdefault(json.dumps(unseeded(record.recipe), sort_keys=True), []).append(record)
    return max(groups.values(), key=len, default=[])


def unseeded(recipe: Any) -> Any:
    """Return a recipe without its seeds, and without what follows from them."""
    if isinstance(recipe, Mapping):
        left = ("seed", "identity", "weights")
        return {k: unseeded(v) for k, v in recipe.items() if k not in left}
    return [unseeded(v) for v in recipe] if isinstance(recipe, list | tuple) else recipe


def over_runs(values: Sequence[Value]) -> tuple[float, float | None, str]:
    """Return the mean of runs, its standard error, and what that is over."""
    if len(values) == 1:
        return values[0].value, values[0].error, "documents"
    numbers = np.array([v.value for v in values])
    return float(numbers.mean()), float(numbers.std(ddof=1) / np.sqrt(len(numbers))), "seeds"


def _joined(words: Any) -> str:
    return "; ".join(dict.fromkeys(word for word in words if word))
