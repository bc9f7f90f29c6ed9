"""Models are worked with one at a time, in the order of arrival.

    with turns.take(alive=lambda: not gone, tell=print) as check:
        for sentence in text:
            check()  # raises, where nobody waits any more or the time is over
            ...

Used by the threads of the HTTP API and of the rooms alike. A turn may be taken in one thread and
left in another, as generators do whose steps run here and there. Leaving the context makes room for
the next, whatever has happened.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from timecontrol.app.limits import Limits
from timecontrol.errors import TimeControlError

POLL = 0.05
"""Seconds after which one who waits is asked again whether they are still there."""
LONGEST_WAIT = 60
"""Seconds after which one who was refused is told to come again, at most."""


class Busy(TimeControlError):
    """Too many wait already."""

    def __init__(self, message: str, after: int) -> None:
        super().__init__(message)
        self.after = after
        """Seconds after which there may be room."""


class OutOfTime(TimeControlError):
    """A piece of work took longer than it may."""


class Cancelled(Exception):
    """Nobody waits for the result any more. No mistake of anybody."""


def always() -> bool:
    """Return that somebody is there."""
    return True


class Turns:
    """A queue for one worker."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._changed = threading.Condition()
        self._line: deque[object] = deque()
        self._worker: object | None = None
        self._closed = False
        self._usual = 1.0  # seconds of a piece of work, of late
        self._counts = dict.fromkeys(("done", "refused", "cancelled", "overdue", "failed"), 0)

    @contextmanager
    def take(
        self, alive: Callable[[], bool] = always, tell: Callable[[int], None] | None = None
    ) -> Iterator[Callable[[], None]]:
        """Wait for a turn, and give what the work calls often.

        Args:
            alive: Whether somebody still waits for the result; asked while waiting, and by each
                check.
            tell: Is told the place in the queue, from 1 for the next, each time it changes.

        Raises:
            Busy: The queue is full.
            Cancelled: Nobody waits any more.
        """
        try:
            mine = self._join()
            self._wait(mine, alive, tell)
        except Busy:
            self._count("refused")
            raise
        except Cancelled:
            self._count("cancelled")
            raise
        begun = self._clock()

        def check() -> None:
            if self._closed or not alive():
                raise Cancelled("Nobody waits for this any more.")
            if self._clock() - begun > self._limits.seconds:
                raise OutOfTime(
                    f"This took longer than {self._limits.seconds:g} seconds, which is the most "
                    "here: give a shorter text, or ask for less."
                )

        outcome = "failed"
        try:
            yield check
            outcome = "done"
        except (Cancelled, GeneratorExit):
            outcome = "cancelled"
            raise
        except OutOfTime:
            outcome = "overdue"
            raise
        except TimeControlError:  # the answer is that something else has to be asked
            outcome = "done"
            raise
        finally:
            self._leave(outcome, self._clock() - begun)

    def counts(self) -> dict[str, int]:
        """Return how many wait, work, and how those before them ended."""
        with self._changed:
            now = {"waiting": len(self._line), "working": int(self._worker is not None)}
            return now | self._counts

    def close(self) -> None:
        """Send everybody away, now and from now on: the server stops."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _join(self) -> object:
        """Return a ticket at the end of the line."""
        with self._changed:
            if self._closed:
                raise Cancelled("The server is stopping.")
            busy = self._worker is not None or bool(self._line)
            if busy and len(self._line) >= self._limits.waiting:
                n, usual = len(self._line), self._usual
                after = min(max(round(usual * (n + 1)), 1), LONGEST_WAIT)
                raise Busy(
                    f"{n} requests wait for their turn, and no more than {self._limits.waiting} "
                    f"may: try again in {after} s.",
                    after,
                )
            mine = object()
            self._line.append(mine)
            return mine

    def _wait(
        self, mine: object, alive: Callable[[], bool], tell: Callable[[int], None] | None
    ) -> None:
        """Wait until it is the turn of a ticket; it is out of the line then, in any case."""
        told = 0
        try:
            while True:
                here = alive()
                with self._changed:
                    if self._closed or not here:
                        raise Cancelled("Nobody waits for this any more.")
                    place = self._line.index(mine) + 1
                    if place == 1 and self._worker is None:
                        self._worker = mine
                        return
                    if place == told or tell is None:
                        self._changed.wait(POLL)
                        continue
                told = place
                tell(place)
        finally:
            with self._changed:
                self._line.remove(mine)
                self._changed.notify_all()

    def _leave(self, outcome: str, seconds: float) -> None:
        with self._changed:
            self._worker = None
            self._usual += 0.2 * (seconds - self._usual)
            self._counts[outcome] += 1
            self._changed.notify_all()

    def _count(self, outcome: str) -> None:
        with self._changed:
            self._counts[outcome] += 1
