import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.types import Message

from tests.app.calls import WAIT
from timecontrol.app.answers import Left
from timecontrol.app.limits import Limits
from timecontrol.app.turns import Turns
from timecontrol.app.working import NDJSON, SSE, Hands, Streamed, as_line

Check = Callable[[], None]


class Client:
    """Who asks: takes what is sent, and goes when told to."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.leaves = asyncio.Event()

    async def receive(self) -> Message:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    @property
    def lines(self) -> list[Any]:
        body = b"".join(m.get("body", b"") for m in self.sent)
        return [json.loads(line) for line in body.splitlines()]


def streamed(work: Callable[[Check], Iterator[Any]], leave_after: int | None = None) -> Any:
    """Return what a client gets of events, and the queue's counts."""
    turns = Turns(Limits())

    async def run() -> Client:
        client = Client()

        async def send(message: Message) -> None:
            client.sent.append(message)
            if len(client.sent) == leave_after:
                client.leaves.set()

        response = Streamed(Hands(turns, 4), work, NDJSON)
        await asyncio.wait_for(response({"type": "http"}, client.receive, send), WAIT)
        return client

    return asyncio.run(run()), turns.counts()


def test_events_are_sent_as_they_come() -> None:
    taken = threading.Event()

    def work(check: Check) -> Iterator[Any]:
        yield {"event": "a"}
        assert taken.wait(WAIT)  # the first is out before the second is there
        yield {"event": "b"}

    async def run() -> list[Any]:
        client = Client()

        async def send(message: Message) -> None:
            client.sent.append(message)
            if b'"a"' in message.get("body", b""):
                taken.set()

        await Streamed(Hands(Turns(Limits()), 1), work, NDJSON)({}, client.receive, send)
        return client.lines

    assert asyncio.run(run()) == [{"event": "a"}, {"event": "b"}]


def test_work_ends_when_its_client_goes() -> None:
    closed = []

    def work(check: Check) -> Iterator[Any]:
        try:
            yield {"event": "a"}
            for _ in range(10**9):
                check()
        finally:
            closed.append(threading.current_thread().name)

    client, counts = streamed(work, leave_after=2)
    assert (counts["working"], counts["cancelled"]) == (0, 1)
    assert client.lines[0] == {"event": "a"}
    assert closed[0].startswith("timecontrol-api")


def test_an_error_before_the_first_event_has_its_code() -> None:
    def work(check: Check) -> Iterator[Any]:
        raise ZeroDivisionError
        yield

    client, counts = streamed(work)
    assert client.sent[0]["status"] == 500
    assert list(client.lines[0]) == ["error"]
    assert counts["failed"] == 1


def test_no_events_are_none() -> None:
    client, counts = streamed(lambda check: iter(()))
    assert (client.sent[0]["status"], counts["done"]) == (200, 1)


def test_a_cancelled_request_lets_its_work_go() -> None:
    turns, begun = Turns(Limits()), threading.Event()

    async def run() -> None:
        client = Client()

        def work(check: Check) -> None:
            begun.set()
            while True:
                check()

        class Asks:
            receive = staticmethod(client.receive)

        task = asyncio.create_task(Hands(turns, 1).do(Asks(), work))  # type: ignore[arg-type]
        while not begun.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while turns.counts()["working"]:
            await asyncio.sleep(0.001)

    asyncio.run(asyncio.wait_for(run(), WAIT))
    assert turns.counts()["cancelled"] == 1


def test_an_event_is_one_line_of_ascii() -> None:
    event = {"event": "a", "text": "é\n\r\u2028\ud800", "number": float("inf")}
    for form in (NDJSON, SSE):
        line = as_line(event, form)
        assert line.isascii()
        data = line.decode().strip().removeprefix("event: a\ndata: ")
        assert data.splitlines() == [data]
        assert json.loads(data) == {"event": "a", "text": "é\n\r\u2028?", "number": None}


def test_a_client_that_takes_nothing_is_left_and_not_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sent = 0

    async def run() -> None:
        client = Client()

        async def send(message: Message) -> None:
            nonlocal sent
            sent += 1
            raise Left

        response = Streamed(Hands(Turns(Limits()), 4), lambda check: iter([{"event": "a"}]), NDJSON)
        await asyncio.wait_for(response({"type": "http"}, client.receive, send), WAIT)

    with pytest.raises(Left):
        asyncio.run(run())
    assert sent == 1
    assert not caplog.records
