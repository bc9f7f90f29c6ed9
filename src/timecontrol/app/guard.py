"""What every request passes first: whose it is, how much it sends, and what a browser may do.

- **Host**: a name that the server does not go by is refused, so that a page elsewhere cannot have
  its own name point here (DNS rebinding).
- **Origin**: what a browser sends from a page of another site is refused (Fetch Metadata, or the
  header Origin where there is none), links to a page excepted.
- **Size**: a body is counted while it is read, with and without Content-Length.
- **Number**: requests to the API at once are counted, from their first byte to the last one of the
  answer; a client that takes nothing for long is left.
- **Headers**: pages load nothing from elsewhere and send nothing there; the browser enforces it.
"""

import asyncio
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from timecontrol.app.answers import Left, Wrong, answer
from timecontrol.app.hosts import LOOPBACK
from timecontrol.app.limits import Limits

UPLOADS = 25_000_000
"""Bytes of a request to anything but the API: files of 20 MB, and what is sent around them."""
PREFIX = "/api/"

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
OWN_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
)
"""Of the API and its page: no script, nothing loaded."""
PAGES_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data: blob:; "
    "font-src 'self' data:; worker-src 'self' blob:; connect-src 'self' data: blob:; "
    "frame-src 'self' data: blob:; frame-ancestors 'self'; form-action 'self'; base-uri 'self'"
)
"""Of the rooms: their own scripts and styles, and no other machine."""


class _TooLarge(HTTPException):
    """A body that is longer than it may be; any framework on the way knows the code."""

    def __init__(self, most: int) -> None:
        super().__init__(413, too_large(most))


def too_large(most: int) -> str:
    """Return what is said of a body that is too long."""
    return f"The body is too long: at most {most:,} bytes here; send a shorter text."


class Guard:
    """The middleware about everything, the rooms too."""

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        hosts: Sequence[str] = LOOPBACK,
        uploads: int = UPLOADS,
    ) -> None:
        self.app, self.limits, self.uploads = app, limits, uploads
        self.hosts = {bare(host) for host in hosts}
        self.open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what may pass, and answer what may not."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        own = f"{path_of(scope)}/".startswith(PREFIX)
        wrong = self.refusal(scope)
        if scope["type"] == "websocket":
            if wrong:
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self.app(scope, receive, send)
            return
        send = with_headers(send, own)
        counted = own and scope["method"] == "POST"
        if not wrong and counted and self.open >= self.limits.requests:
            most = f"{self.open} requests are dealt with, and no more may be: try again."
            wrong = Wrong(429, most, {"Retry-After": "1"})
        if wrong:
            await answer(wrong)(scope, receive, send)
            return
        self.open += counted
        try:
            await self._pass(scope, receive, send, counted)
        finally:
            self.open -= counted

    def refusal(self, scope: Scope) -> Wrong | None:
        """Return why a request may not pass, or ``None``."""
        named = values(scope, b"host")
        if "*" not in self.hosts and (len(named) != 1 or bare(named[0]) not in self.hosts):
            return Wrong(
                400,
                "This server does not go by the name in the Host header: call it by its address, "
                "or start it with --name NAME.",
            )
        if foreign(scope, named[0] if named else ""):
            return Wrong(403, "This request comes from a page of another site: not from here.")
        for length in values(scope, b"content-length"):
            if not (length.isascii() and length.isdigit()):
                return Wrong(400, "Content-Length is no number.")
            if len(length) > 18 or int(length) > self.uploads:
                return Wrong(413, too_large(self.uploads))
        return None

    async def _pass(self, scope: Scope, receive: Receive, send: Send, counted: bool) -> None:
        """Hand a request on, count its body, and leave a client that takes nothing."""
        got, begun = 0, False

        async def read() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > self.uploads:
                raise _TooLarge(self.uploads)
            return message

        async def say(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            try:
                async with asyncio.timeout(self.limits.patience if counted else None):
                    await send(message)
            except TimeoutError:
                raise Left from None

        try:
            await self.app(scope, read, say)
        except _TooLarge as error:
            if begun:
                raise
            await answer(error)(scope, receive, send)
        except Left:
            return


def path_of(scope: Scope) -> str:
    """Return the path of a request below where the server is mounted."""
    path, root = str(scope["path"]), str(scope.get("root_path", "")).rstrip("/")
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def values(scope: Scope, name: bytes) -> list[str]:
    """Return what a header says, each time it is given."""
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key == name]


def bare(host: str) -> str:
    """Return a name without its port, as names are compared."""
    name = host.lower()
    if name.count(":") > 1 and not name.startswith("["):
        return f"[{name}]"
    head, colon, port = name.rpartition(":")
    if colon and port.isascii() and port.isdigit():
        name = head
    return name.removesuffix(".")


def foreign(scope: Scope, host: str) -> bool:
    """Return whether a browser sends this from a page of another site.

    Another port of the same machine is another site here.
    """
    origins = values(scope, b"origin")
    if any(site_of(origin) != host.lower() for origin in origins):
        return True
    sites = values(scope, b"sec-fetch-site")
    if all(site in ("same-origin", "none") for site in sites):
        return False
    link = values(scope, b"sec-fetch-mode") == ["navigate"]
    page = values(scope, b"sec-fetch-dest") == ["document"]
    return not (link and page and scope.get("method") in ("GET", "HEAD"))


def site_of(origin: str) -> str | None:
    """Return host and port of an origin; ``None``: it is no page of a site."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None


def with_headers(send: Send, own: bool) -> Send:
    """Return what adds the headers of safety that an answer does not have yet."""
    wanted: dict[str, Any] = HEADERS | {
        "content-security-policy": OWN_POLICY if own else PAGES_POLICY
    }
    if own:
        wanted |= {"cache-control": "no-store"}

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            there = {key.lower() for key, _ in headers}
            headers += [
                (key.encode(), value.encode())
                for key, value in wanted.items()
                if key.encode() not in there
            ]
            message = {**message, "headers": headers}
        await send(message)

    return sending
