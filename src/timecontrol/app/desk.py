"""One piece of work of a browser session: its turn, its stop button, its errors as words.

A session does one thing a room at a time. The work runs in a thread of its own and is watched from
the page, so that waiting, progress and errors can be shown, and so that it ends when somebody
presses stop, closes the page, or asks for something else.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from timecontrol.app.answers import record
from timecontrol.app.service import Studio
from timecontrol.app.turns import Cancelled, Turns
from timecontrol.errors import TimeControlError

POLL = 0.5
"""Seconds after which it is looked whether anybody still waits."""
BROKEN = "Something went wrong here, and it is a defect of ours. The terminal has the details."

Work = Callable[[Callable[[], None]], Iterable[Any]]
"""What is done: given a check to be called on the way, it yields what is to be shown."""


@dataclass(frozen=True)
class News:
    """What there is to tell about a piece of work."""

    kind: str
    """``waiting`` (value: the place in the queue), ``event``, ``done``, ``stopped``, ``failed``."""
    value: Any = None


@dataclass
class Desk:
    """Where the rooms bring their work."""

    studio: Studio
    turns: Turns
    stops: dict[tuple[str, str], threading.Event] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def stop(self, session: str, room: str | None = None) -> None:
        """End what a session does in a room, or everywhere."""
        with self.lock:
            keys = [k for k in self.stops if k[0] == session and room in (None, k[1])]
            for over in [self.stops.pop(key) for key in keys]:
                over.set()

    def run(self, session: str, room: str, work: Work) -> Iterator[News]:
        """Do a piece of work when its turn comes, and yield what there is to tell.

        Args:
            session: Of a browser.
            room: Where it was asked for; what was going on there is ended.
            work: What is done.
        """
        self.stop(session, room)
        over = threading.Event()
        with self.lock:
            self.stops[session, room] = over
        news: SimpleQueue[News] = SimpleQueue()

        def tell(place: int) -> None:
            news.put(News("waiting", place))

        def body() -> None:
            try:
                with self.turns.take(alive=lambda: not over.is_set(), tell=tell) as check:
                    for found in work(check):
                        news.put(News("event", found))
                        check()
                news.put(News("done"))
            except Cancelled:
                news.put(News("stopped"))
            except TimeControlError as error:
                news.put(News("failed", str(error)))
            except Exception as error:
                record(error)  # without its message, which may quote a text
                news.put(News("failed", BROKEN))

        thread = threading.Thread(target=body, name=f"work in {room}", daemon=True)
        thread.start()
        try:
            while True:
                try:
                    found = news.get(timeout=POLL)
                except Empty:
                    if not thread.is_alive() and news.empty():
                        return
                    continue
                yield found
                if found.kind in ("done", "stopped", "failed"):
                    return
        finally:
            over.set()
            with self.lock:
                if self.stops.get((session, room)) is over:
                    del self.stops[session, room]


def said(found: News) -> tuple[str, str]:
    """Return what to write about a piece of news, and how (``parts.words``)."""
    if found.kind == "waiting":
        ahead = "1 piece of work is" if found.value == 1 else f"{found.value} pieces of work are"
        return f"Waiting: {ahead} before this one.", "note"
    if found.kind == "stopped":
        return "Stopped.", "note"
    return (str(found.value), "failed") if found.kind == "failed" else ("", "note")
