"""Calls to an application without a server: each in an event loop of its own."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from starlette.types import ASGIApp

WAIT = 10.0
"""Seconds a test waits for what happens at once."""


def call(app: ASGIApp, method: str, path: str, **rest: Any) -> httpx.Response:
    """Return what an application answers."""

    async def one() -> httpx.Response:
        way = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=way, base_url="http://localhost") as client:
            return await client.request(method, path, **rest)

    return asyncio.run(one())


def error_of(response: httpx.Response) -> str:
    """Return the one line of an error."""
    told = response.json()
    assert list(told) == ["error"], told
    line = told["error"]
    assert line
    assert "\n" not in line
    assert "Traceback" not in line
    return str(line)


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """Serve an application on a free port of this machine, and give its address."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            app, log_config=None, log_level="critical", ws="none", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                thread.join(0.005)
            yield f"http://127.0.0.1:{place.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(WAIT)
            assert not thread.is_alive()
