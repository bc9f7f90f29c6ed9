"""A request's work: in its turn, in a thread of its own, and only while its client is there.

The event loop stays free. A watcher waits for the client to go; then ``alive`` is false, the work
ends at its next check, and the worker is free. What is written is handed over as it comes; a client
that reads slowly does not keep the worker.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, suppress
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from timecontrol.app.answers import Json, Left, answer, tidy
from timecontrol.app.turns import Turns

T = TypeVar("T")
Check = Callable[[], None]
Event = dict[str, Any]

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
"""How events are sent: as server-sent events, or a line of JSON each."""


class Hands:
    """The threads of the API, as many as there can be requests at once."""

    def __init__(self, turns: Turns, requests: int) -> None:
        self.turns = turns
        self._threads = ThreadPoolExecutor(requests, "timecontrol-api")

    async def do(self, request: Request, work: Callable[[Check], T]) -> T:
        """Return what work gives, when its turn has come."""

        def run(gone: threading.Event) -> T:
            with self.turns.take(alive=lambda: not gone.is_set()) as check:
                return work(check)

        async with _watched(request.receive) as gone:
            return await asyncio.get_running_loop().run_in_executor(self._threads, run, gone)

    async def events(
        self, receive: Receive, work: Callable[[Check], Iterator[Event]]
    ) -> AsyncIterator[Event]:
        """Yield the events of work as they come."""
        loop = asyncio.get_running_loop()
        found: asyncio.Queue[Event | None] = asyncio.Queue()

        def hand(event: Event | None) -> None:
            with suppress(RuntimeError):  # the loop is closed: the server has stopped
                loop.call_soon_threadsafe(found.put_nowait, event)

        def run(gone: threading.Event) -> None:
            try:
                with (
                    self.turns.take(alive=lambda: not gone.is_set()) as check,
                    closing(_steps(work, check)) as events,
                ):
                    for event in events:
                        check()
                        hand(event)
            finally:
                hand(None)

        async with _watched(receive) as gone:
            done = loop.run_in_executor(self._threads, run, gone)
            done.add_done_callback(lambda d: d.cancelled() or d.exception())  # nobody may ask
            while (event := await found.get()) is not None:
                yield event
            await done  # raises what the work has raised


class Streamed(Response):
    """Events that are sent as they come. An error before the first has a code of its own."""

    def __init__(
        self, hands: Hands, work: Callable[[Check], Iterator[Event]], media_type: str
    ) -> None:
        super().__init__(media_type=media_type, headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self.hands, self.work = hands, work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Do the work, and send what comes of it."""
        begun = False

        async def say(event: Event) -> None:
            nonlocal begun
            if not begun:
                head = {"status": 200, "headers": self.raw_headers}
                await send({"type": "http.response.start", **head})
            begun = True
            line = as_line(event, self.media_type or NDJSON)
            await send({"type": "http.response.body", "body": line, "more_body": True})

        try:
            async with _closed(self.hands.events(receive, self.work)) as events:
                async for event in events:
                    await say(event)
        except Left:
            raise
        except Exception as error:
            response = answer(error)
            if not begun:
                await response(scope, receive, send)
                return
            await say({"event": "error", **json.loads(bytes(response.body))})
        if begun:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            await Json([])(scope, receive, send)


def _steps(work: Callable[[Check], Iterator[Event]], check: Check) -> Generator[Event, None, None]:
    """Yield what work yields; closed, so is the work."""
    yield from work(check)


def as_line(event: Event, form: str) -> bytes:
    """Return an event as it is sent; ASCII, so that no character of a text breaks a line."""
    data = json.dumps(tidy(event), allow_nan=False)
    if form == SSE:
        return f"event: {event['event']}\ndata: {data}\n\n".encode("ascii")
    return f"{data}\n".encode("ascii")


@asynccontextmanager
async def _closed(events: AsyncIterator[Event]) -> AsyncIterator[AsyncIterator[Event]]:
    """Close a generator when it is left, not when somebody collects it."""
    try:
        yield events
    finally:
        await events.aclose()  # type: ignore[attr-defined]


@asynccontextmanager
async def _watched(receive: Receive) -> AsyncIterator[threading.Event]:
    """Give an event that is set when the client has gone, or the request is over."""
    gone = threading.Event()

    async def watch() -> None:
        try:
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            gone.set()

    watcher = asyncio.create_task(watch())
    try:
        yield gone
    finally:
        gone.set()
        watcher.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await watcher
