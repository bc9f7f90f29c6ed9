"""A plan: its points, and where they come from."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError
from timecontrol.plans.track import Track

Array = NDArray[np.float64]

GIVEN = "given"
"""The kind of a plan that was not drawn."""
DOCUMENT = "document"
"""The kind of a plan that is the path of a document, as the encoder gave it."""


@dataclass(frozen=True)
class Plan:
    """The path of latents of one document."""

    points: Array
    """One a sentence, (n, d)."""
    kind: str = GIVEN
    """Key of ``kinds.KINDS``, or another word where it was not drawn."""
    seed: int = 0
    number: int = 0
    """Which document of that seed."""
    about: dict[str, Any] = field(default_factory=dict)
    """Plain data: the texts of start, goal and waypoints, the rule for its length."""
    starts: tuple[int, ...] = ()
    """The points at which its stages begin, each with a tag; empty where it knows of none."""
    pace: tuple[float, ...] = ()
    """Tokens that each sentence is likely to have; empty where it does not know."""
    track: Track | None = field(default=None, compare=False, repr=False)
    """What it was drawn from, where the rest can be drawn again; not kept in files."""

    def __len__(self) -> int:
        return len(self.points)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        parts = {name: value for name, value in vars(self).items() if name != "track"}
        whole = {"points": self.points.tolist(), "starts": list(self.starts)}
        return parts | whole | {"pace": list(self.pace)}

    @classmethod
    def from_dict(cls, found: Any) -> "Plan":
        """Return the plan that ``as_dict`` gave; of its parts only the points must be there.

        Raises:
            TimeControlError: A part is missing, or is not what it should be.
        """
        if not isinstance(found, dict) or "points" not in found:
            raise TimeControlError('A plan is an object with "points", one a sentence.')
        parts: dict[str, Any] = {}
        for name, kind in (("kind", str), ("seed", int), ("number", int), ("about", dict)):
            if name in found:
                if not isinstance(found[name], kind) or isinstance(found[name], bool):
                    what = f"{kind.__name__}, not {found[name]!r:.40}"
                    raise TimeControlError(f'"{name}" of a plan must be of type {what}.')
                parts[name] = found[name]
        points = check(found["points"])
        parts["starts"] = check_starts(found.get("starts", ()), len(points))
        return cls(points, pace=check_pace(found.get("pace", ()), len(points)), **parts)

    def due(self, budget: float) -> Array:
        """Return how many tokens there are when each point but the first is due, and the end, (n,).

        With w_i the pace, sentences are stretched to the budget; a point is due when the text is
        nearer to where it begins than to where the one before it began::

            b_i = budget (w_1 + .. + w_i) / sum of w,     due_i = (b_{i-1} + b_i) / 2
        """
        w = np.array(self.pace or [1.0] * len(self))
        begins = budget * np.concatenate([[0.0], w.cumsum()]) / w.sum()
        return np.asarray((begins[:-1] + begins[1:]) / 2)


def check_starts(starts: Any, n: int) -> tuple[int, ...]:
    """Return where the sections of a plan of n points begin, if it can be so.

    Raises:
        TimeControlError: These are not rising numbers of its points.
    """
    whole = isinstance(starts, list | tuple) and all(type(i) is int for i in starts)
    if not whole or any(a >= b for a, b in pairwise([-1, *starts, n])):
        raise TimeControlError(
            f'"starts" of a plan must be rising numbers of its points, 0 to {n - 1}, '
            f"not {starts!r:.40}."
        )
    return tuple(starts)


def check_pace(pace: Any, n: int) -> tuple[float, ...]:
    """Return the tokens of the sentences of a plan of n points, if it can be so.

    Raises:
        TimeControlError: These are not n numbers above 0.
    """
    whole = isinstance(pace, list | tuple) and all(type(w) in (int, float) for w in pace)
    if not whole or (pace and len(pace) != n) or not all(0 < w < 1e9 for w in pace):
        raise TimeControlError(
            f'"pace" of a plan must be {n} numbers above 0, one a point, not {pace!r:.40}.'
        )
    return tuple(float(w) for w in pace)


def check(
    points: Any, dim: int | None = None, most: int | None = None, window: int | None = None
) -> Array:
    """Return the points of a plan as numbers, (n, d), if a model can follow them.

    Args:
        points: Anything; rows are points.
        dim: Numbers of a point that the model reads; any without.
        most: Sentences that fit in its window; any without.
        window: That window in tokens, for the message.

    Raises:
        TimeControlError: They are not, in one line.
    """
    try:
        found = np.asarray(points)
    except ValueError:
        raise TimeControlError("The points of a plan must be rows of the same length.") from None
    if found.shape[:1] == (0,):
        raise TimeControlError("The plan has no points: it needs at least 1.")
    if found.dtype.kind not in "iuf":
        raise TimeControlError("The points of a plan must be numbers and nothing else.")
    if found.ndim != 2:
        raise TimeControlError(
            f"A plan is a table, one row of numbers a sentence; this has {found.ndim} dimensions."
        )
    bad = ~(np.abs(found) <= np.finfo(np.float32).max).all(1)  # models reckon in float32
    if bad.any():
        row = int(bad.argmax())
        raise TimeControlError(
            f"Point {row + 1} of the plan's {len(found)} holds NaN, infinity or too large a number."
        )
    if dim is not None and found.shape[1] != dim:
        raise TimeControlError(
            f"The plan's points have {found.shape[1]} numbers; this model reads points of {dim}."
        )
    if most is not None and len(found) > most:
        tokens = "" if window is None else f" of {window} tokens"
        raise TimeControlError(
            f"The plan has {len(found)} points; the window{tokens} allows about {most} sentences."
        )
    return found.astype(np.float64)
