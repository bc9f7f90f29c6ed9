import asyncio
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.app.calls import WAIT, call, error_of
from timecontrol.app.guard import Guard, bare
from timecontrol.app.hosts import LOOPBACK
from timecontrol.app.limits import Limits


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Tell how much was sent."""
    body = await Request(scope, receive).body()
    await PlainTextResponse(str(len(body)))(scope, receive, send)


def guarded(app: ASGIApp = echo, **rest: Any) -> Guard:
    given: dict[str, Any] = {"limits": Limits(), "uploads": 1_000} | rest
    return Guard(app, **given)


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:7860", "localhost.", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:80"],
)
def test_a_server_goes_by_the_names_of_this_machine(host: str) -> None:
    assert call(guarded(), "GET", "/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "evil.example:7860",
        "127.0.0.1.evil.example",
        "localhost:x",
        "localhost@evil.example",
        "localhost, evil.example",
        "127.0.0.2",
        "::1:80",
        "",
    ],
)
def test_another_name_is_refused(host: str) -> None:
    for method, path in (("GET", "/"), ("POST", "/api/score")):
        found = call(guarded(), method, path, headers={"host": host})
        assert found.status_code == 400
        assert "does not go by the name in the Host header" in error_of(found)


def test_a_name_given_twice_or_not_at_all_is_refused() -> None:
    for hosts in ([], [b"localhost", b"localhost"], [b"localhost", b"evil.example"]):
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/",
            "headers": [(b"host", h) for h in hosts],
        }
        wrong = guarded().refusal(scope)
        assert wrong is not None
        assert wrong.code == 400


def test_own_names_can_be_given_and_any_can_be_allowed() -> None:
    app = guarded(hosts=("lab.example", "::1", "fe80::1"))
    for host in ("lab.example:80", "[::1]:80", "[fe80::1]"):
        assert call(app, "GET", "/", headers={"host": host}).status_code == 200
    assert call(app, "GET", "/").status_code == 400  # localhost is none of them
    assert call(guarded(hosts=("*",)), "GET", "/", headers={"host": "any"}).status_code == 200


def test_a_name_is_compared_without_its_port() -> None:
    assert [bare(name) for name in ("a:1", "A.", "[::1]:1", "::1", "a:b", "a")] == [
        *("a", "a", "[::1]", "[::1]", "a:b", "a")
    ]
    assert {bare(name) for name in LOOPBACK} == {"localhost", "127.0.0.1", "[::1]"}


OWN = {"host": "localhost:7860"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://localhost:7860"},
        {"origin": "https://LOCALHOST:7860", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
    ],
)
def test_own_pages_and_no_pages_may_ask(headers: dict[str, str]) -> None:
    for method in ("GET", "POST"):
        assert call(guarded(), method, "/", headers=OWN | headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://localhost:8000"},
        {"origin": "http://localhost"},
        {"origin": "null"},
        {"origin": "file://localhost:7860"},
        {"origin": "http://[localhost:7860"},
        {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
    ],
)
def test_pages_of_other_sites_may_not(headers: dict[str, str]) -> None:
    for method in ("GET", "POST"):
        found = call(guarded(), method, "/", headers=OWN | headers)
        assert found.status_code == 403
        assert "a page of another site" in error_of(found)


def test_a_link_from_another_site_may_lead_here_but_no_form() -> None:
    link = {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
    }
    assert call(guarded(), "GET", "/", headers=link).status_code == 200
    assert call(guarded(), "POST", "/", headers=link).status_code == 403


def test_a_socket_from_another_site_is_closed_before_it_opens() -> None:
    passed = []

    async def room(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["type"])

    async def talk(origin: bytes) -> list[Message]:
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        async def receive() -> Message:
            return {"type": "websocket.connect"}

        headers = [(b"host", b"localhost"), (b"origin", origin)]
        scope = {"type": "websocket", "path": "/", "headers": headers}
        await guarded(room)(scope, receive, send)
        return sent

    assert asyncio.run(talk(b"http://evil.example")) == [{"type": "websocket.close", "code": 1008}]
    assert passed == []
    assert asyncio.run(talk(b"http://localhost")) == []
    assert passed == ["websocket"]


async def pieces(n: int) -> Any:
    for _ in range(n):
        yield b"x" * 100


def test_a_body_is_counted_with_and_without_its_length() -> None:
    for right in (b"x" * 1_000, pieces(10)):
        assert call(guarded(), "POST", "/upload", content=right).text == "1000"
    for wrong in (b"x" * 1_001, pieces(11), pieces(10_000)):
        found = call(guarded(), "POST", "/upload", content=wrong)
        assert found.status_code == 413
        assert "at most 1,000 bytes" in error_of(found)


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "", "٣", "9" * 400])
def test_a_length_that_is_none_is_refused(length: str) -> None:
    headers = [(b"host", b"localhost"), (b"content-length", length.encode())]
    wrong = guarded().refusal({"type": "http", "method": "POST", "path": "/", "headers": headers})
    assert wrong is not None
    assert wrong.code == (413 if length.isascii() and length.isdigit() else 400)


def test_answers_carry_the_headers_of_safety() -> None:
    for path, policy in (("/api/x", "default-src 'none'"), ("/", "default-src 'self'")):
        for host in ("localhost", "evil.example"):
            headers = call(guarded(), "GET", path, headers={"host": host}).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["content-security-policy"].startswith(policy)
            assert headers.get("cache-control") == ("no-store" if path == "/api/x" else None)


def test_a_header_that_is_there_stays() -> None:
    app = guarded(Response("x", headers={"Referrer-Policy": "same-origin"}))
    assert call(app, "GET", "/").headers.get_list("referrer-policy") == ["same-origin"]


def test_no_more_requests_to_the_api_than_may_be_are_dealt_with_at_once() -> None:
    async def all_of_them() -> None:
        inside, free = 0, asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal inside
            inside += 1
            if scope["path"].startswith("/api") and scope["method"] == "POST":
                await free.wait()
            await PlainTextResponse("done")(scope, receive, send)

        app = guarded(slow, limits=Limits(requests=2))
        codes: list[int] = []

        async def one(method: str, path: str) -> None:
            async def send(message: Message) -> None:
                if message["type"] == "http.response.start":
                    codes.append(message["status"])

            async def receive() -> Message:
                return {"type": "http.request", "body": b""}

            scope = {"type": "http", "method": method, "path": path, "root_path": ""}
            await app(scope | {"headers": [(b"host", b"localhost")]}, receive, send)

        first = [asyncio.create_task(one("POST", "/api/score")) for _ in range(2)]
        while inside < 2:
            await asyncio.sleep(0)
        await one("POST", "/api/plan")
        assert codes == [429]
        await one("GET", "/api/health")
        await one("POST", "/rooms")
        assert codes == [429, 200, 200]
        free.set()
        await asyncio.gather(*first)
        await one("POST", "/api/plan")
        assert codes == [429] + [200] * 5

    asyncio.run(asyncio.wait_for(all_of_them(), WAIT))


def test_a_client_that_takes_nothing_is_left() -> None:
    async def stuck() -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        async def send(message: Message) -> None:
            await asyncio.Event().wait()

        app = guarded(limits=Limits(patience=0.01))
        scope = {"type": "http", "method": "POST", "path": "/api/score"}
        await app(scope | {"headers": [(b"host", b"localhost")]}, receive, send)
        assert app.open == 0

    asyncio.run(asyncio.wait_for(stuck(), WAIT))
