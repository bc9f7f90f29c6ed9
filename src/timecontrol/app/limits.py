"""What the studio takes at most, so that no request fills the memory or the day.

A check raises a ``TimeControlError`` that says what is too much, what is allowed, and what else
there is. What is too long is a ``TooMuch``; the HTTP API answers it with another code (413).
"""

import math
from dataclasses import dataclass, fields

from timecontrol.coherence.bridge import SHORTEST
from timecontrol.errors import TimeControlError


class TooMuch(TimeControlError):
    """A text that is longer than is taken here."""


@dataclass(frozen=True)
class Limits:
    """What is taken at most."""

    characters: int = 200_000
    """Of a text, or of all texts of a request."""
    sentences: int = 2_000
    """Of a text, and of a plan."""
    body: int = 2_000_000
    """Bytes of a request to the HTTP API."""
    waiting: int = 8
    """Requests that wait for their turn."""
    requests: int = 64
    """Requests to the HTTP API at once, those that still arrive among them."""
    seconds: float = 300
    """A piece of work, from the beginning of its turn."""
    patience: float = 30
    """Seconds that a client of the HTTP API is waited for, each time it sends or takes nothing."""
    tokens: int = 1_024
    """To be written."""
    candidates: int = 32
    """For a gap."""
    ordered: int = 12
    """Sentences whose best order is sought."""
    waypoints: int = 16
    """Of a plan."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value, none = getattr(self, field.name), field.name == "waiting"
            if not 0 <= value < math.inf or (value == 0 and not none):
                least = "0 or more" if none else "above 0"
                raise TimeControlError(f"The limit of {field.name} is {value}: {least}.")

    def check_text(
        self,
        text: str,
        what: str = "The text",
        longer: str = "timecontrol score FILE takes any length.",
    ) -> None:
        """Check that a text is one, and not too long.

        Args:
            text: It.
            what: It is called.
            longer: What else there is where it is too long.
        """
        if len(text) > self.characters:
            raise TooMuch(
                f"{what} has {len(text):,} characters; at most {self.characters:,} here: {longer}"
            )
        if any("\ud800" <= c <= "\udfff" for c in text):
            raise TimeControlError(f"{what} is not UTF-8: it holds half of a character.")

    def check_sentences(self, count: int) -> None:
        """Check the number of sentences of a text."""
        if count > self.sentences:
            raise TooMuch(
                f"The text has {count:,} sentences; at most {self.sentences:,} here: "
                "timecontrol score FILE takes any number."
            )

    def check_ordered(self, count: int) -> None:
        """Check the number of sentences whose best order is sought."""
        if not SHORTEST <= count <= self.ordered:
            raise TimeControlError(
                f"The best order of {count:,} sentences is asked for; from {SHORTEST} to "
                f"{self.ordered} here: give a part of the text."
            )

    def check_tokens(self, count: int) -> None:
        """Check the number of tokens that are to be written."""
        if count > self.tokens:
            raise TimeControlError(
                f"{count:,} tokens are asked for; at most {self.tokens:,} here: "
                "timecontrol generate --length writes more."
            )

    def check_candidates(self, count: int) -> None:
        """Check the number of candidates for a gap."""
        if not 1 <= count <= self.candidates:
            raise TimeControlError(
                f"{count:,} candidates are asked for; from 1 to {self.candidates} here: "
                "timecontrol infill --candidates draws more."
            )

    def check_waypoints(self, count: int) -> None:
        """Check the number of waypoints of a plan."""
        if count > self.waypoints:
            raise TimeControlError(
                f"The plan has {count:,} waypoints; at most {self.waypoints} here: "
                "timecontrol generate --waypoint takes more."
            )
