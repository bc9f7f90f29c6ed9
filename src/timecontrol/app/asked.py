"""What a plan, or a text along one, is asked for: the same from a room and over HTTP."""

import math
from dataclasses import dataclass

from timecontrol.app.limits import Limits
from timecontrol.errors import TimeControlError

LENGTHS = ("normal", "forced")
SEEDS = 2**31
LOUDEST, HOTTEST = 100.0, 10.0
"""What the noise of a plan is multiplied by, and the temperature, at most."""
LONGEST_NAME = 200
SHOWN = 40
"""Characters of a mistake that are repeated."""


@dataclass(frozen=True)
class Asked:
    """A plan, and how a text is written along it."""

    model: str | None = None
    """A decoder by name; ``None``: the first there is."""
    kind: str | None = None
    """Of plan; ``None``: the decoder's own."""
    start: str | None = None
    """What the first sentence is about."""
    goal: str | None = None
    """What the last sentence is about."""
    waypoints: tuple[tuple[float, str], ...] = ()
    """A share of the document, and what is to be said there."""
    sentences: int | None = None
    """Of the plan; ``None``: as many as usual."""
    length: str = "normal"
    """``normal``, ``forced``, or a number of tokens."""
    noise: float = 1.0
    """What the noise of the plan is multiplied by; 0: none."""
    seed: int = 0
    top_p: float | None = None
    """Mass of the tokens that are drawn from; ``None``: the decoder's own."""
    temperature: float = 1.0
    """0: the most probable token."""

    def checked(self, limits: Limits) -> "Asked":
        """Return what is asked for, or say what of it cannot be.

        Raises:
            TimeControlError: A number is out of its range, or a text is too long.
        """
        for name in ("model", "kind"):
            value = getattr(self, name)
            if value is not None and not 1 <= len(value) <= LONGEST_NAME:
                raise TimeControlError(
                    f"{name} is {value[:SHOWN]!r}: a name, up to {LONGEST_NAME}."
                )
        limits.check_waypoints(len(self.waypoints))
        texts = [t for t in (self.start, self.goal) if t is not None]
        texts += [text for _, text in self.waypoints]
        limits.check_text("".join(texts), "Start, goal and waypoints together", "say less.")
        for text in texts:  # halves of characters that would be one side by side
            limits.check_text(text)
        for share, _ in self.waypoints:
            if not 0 < share < 1:
                raise TimeControlError(
                    f"A waypoint is at {share:g}: a share of the document, between 0 and 1."
                )
        if self.sentences is not None and not 1 <= self.sentences <= limits.sentences:
            raise TimeControlError(
                f"{self.sentences:,} sentences are asked for: from 1 to {limits.sentences:,}."
            )
        self._check_length(limits)
        _check("noise", self.noise, 0, LOUDEST)
        _check("temperature", self.temperature, 0, HOTTEST)
        if not 0 <= self.seed < SEEDS:
            raise TimeControlError(f"seed is {self.seed}: from 0, below {SEEDS}.")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise TimeControlError(f"top_p is {self.top_p:g}: above 0, at most 1.")
        return self

    def _check_length(self, limits: Limits) -> None:
        """Check the length: a word, or a number of tokens that is allowed."""
        if self.length in LENGTHS:
            return
        number = self.length.isascii() and self.length.isdigit() and len(self.length) <= 9
        if not number or int(self.length) < 2:
            raise TimeControlError(
                f"length is {self.length[:SHOWN]!r}: {', '.join(LENGTHS)}, or a number of tokens."
            )
        limits.check_tokens(int(self.length))


def _check(name: str, value: float, least: float, most: float) -> None:
    if math.isnan(value) or not least <= value <= most:
        raise TimeControlError(f"{name} is {value:g}: from {least:g} to {most:g}.")
