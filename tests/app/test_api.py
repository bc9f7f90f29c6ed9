import asyncio
import json
import logging
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.calls import WAIT, call, error_of, served
from tests.app.fake import Fake
from timecontrol.app.answers import CODES
from timecontrol.app.api import api
from timecontrol.app.asked import Asked
from timecontrol.app.examples import EXAMPLES
from timecontrol.app.limits import Limits
from timecontrol.app.turns import Turns
from timecontrol.errors import TimeControlError

POSTS = ("/api/score", "/api/order", "/api/plan", "/api/generate", "/api/infill")
LIMITS = Limits(
    characters=1_000, sentences=20, body=5_000, waiting=1, ordered=3, candidates=4, tokens=100
)
JSON = {"content-type": "application/json"}


class Place:
    """An API with a studio that has no models."""

    def __init__(self, limits: Limits = LIMITS, **rest: Any) -> None:
        self.studio, self.turns = Fake(limits), Turns(limits)
        self.app: FastAPI = api(self.studio, self.turns, limits, **rest)

    def post(self, path: str, body: Any = None, **rest: Any) -> httpx.Response:
        return call(self.app, "POST", path, json=body, **rest)

    def get(self, path: str, **rest: Any) -> httpx.Response:
        return call(self.app, "GET", path, **rest)


@pytest.fixture
def place() -> Place:
    return Place()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.002)


# what is asked, and answered


def test_a_text_is_scored(place: Place) -> None:
    found = place.post("/api/score", {"text": "Höhe. \U0001f600", "encoder": "own"})
    assert found.status_code == 200, found.text
    assert found.json() == {
        "score": None,  # not a number is no JSON
        "sentences": ["Höhe", " \U0001f600"],
        "encoder": "own",
    }
    assert place.post("/api/score", {"sentences": ["a", "b"]}).json()["sentences"] == ["a", "b"]


def test_an_order_is_found(place: Place) -> None:
    assert place.post("/api/order", {"sentences": ["b", "c", "a"]}).json() == {"order": [2, 0, 1]}


def test_a_plan_is_asked_for_with_all_that_was_said(place: Place) -> None:
    body = {
        "model": "towns",
        "kind": "bridge",
        "start": "A port.",
        "goal": "Few left.",
        "waypoints": [{"at": 0.5, "text": "A fire."}],
        "sentences": 7,
        "length": 80,
        "noise": 0,
        "seed": 3,
        "top_p": 0.9,
        "temperature": 0.5,
    }
    assert place.post("/api/plan", body).json() == {"plan": {"kind": "bridge", "seed": 3}}
    own = body | {"waypoints": ((0.5, "A fire."),), "length": "80"}
    assert place.studio.asked == [Asked(**own)]  # type: ignore[arg-type]


def test_a_text_is_written_whole(place: Place) -> None:
    found = place.post("/api/generate", {"seed": 4}).json()
    assert found == {"plan": {"seed": 4}, "text": "One two. One two.", "tokens": 6}


def test_a_text_is_written_a_line_at_a_time(place: Place) -> None:
    for how in (
        {"json": {"stream": True}},
        {"json": {}, "headers": {"accept": "application/x-ndjson"}},
    ):
        found = call(place.app, "POST", "/api/generate", **how)
        assert found.headers["content-type"] == "application/x-ndjson"
        lines = found.content.split(b"\n")
        assert lines.pop() == b""
        assert found.text.splitlines() == [line.decode() for line in lines]
        events = [json.loads(line) for line in lines]
        assert [e["event"] for e in events] == ["plan", "sentence", "sentence", "done"]
        assert events[1] == {"event": "sentence", "number": 0, "tag": None, "text": "One\u2028two."}


def test_a_text_is_written_as_server_sent_events(place: Place) -> None:
    found = place.post("/api/generate", {}, headers={"accept": "text/event-stream"})
    assert found.headers["content-type"].startswith("text/event-stream")
    assert found.headers["cache-control"] == "no-store"
    parts = found.text.removesuffix("\n\n").split("\n\n")
    assert len(parts) == 4
    for part, name in zip(parts, ("plan", "sentence", "sentence", "done"), strict=True):
        event, data = part.split("\n")
        assert event == f"event: {name}"
        assert json.loads(data.removeprefix("data: "))["event"] == name


def test_a_gap_is_filled(place: Place) -> None:
    body = {"text": "a [ ... ] b", "model": "towns", "candidates": 2, "words": 5, "first": "It"}
    assert place.post("/api/infill", body).json()["text"] == "a It rained. b"
    assert place.studio.asked[0][1] == {
        "model": "towns",
        "candidates": 2,
        "words": 5,
        "first": "It",
        "seed": 0,
        "temperature": 0.7,
    }


def test_it_says_what_there_is_and_how_it_fares(place: Place) -> None:
    about = place.get("/api/about").json()
    assert about["encoders"] == ["general", "own"]
    assert about["limits"]["characters"] == 1_000
    place.post("/api/score", {"text": "a"})
    place.post("/api/score", {"text": "mistake"})
    place.post("/api/score", {"text": "defect"})
    health = place.get("/api/health").json()
    assert health == {"status": "ok"} | dict.fromkeys(health, 0) | {
        "status": "ok",
        "done": 2,
        "failed": 1,
    }


def test_every_example_is_taken() -> None:
    place = Place(Limits())
    place.studio.about = lambda: EXAMPLES["/api/about"]["answer"]  # type: ignore[method-assign]
    for path in POSTS:
        found = place.post(path, EXAMPLES[path]["request"])
        assert found.status_code == 200, found.text


# mistakes


@pytest.mark.parametrize(
    ("path", "body", "code", "said"),
    [
        ("score", {}, 422, "Give text or sentences, one of them."),
        ("score", {"text": "a", "sentences": ["a"]}, 422, "Give text or sentences"),
        ("score", {"text": 5}, 422, "text is 5: input should be a valid string"),
        ("score", {"text": "a", "path": "x"}, 422, "path: there is no such field"),
        ("score", {"text": "a", "encoder": "/etc"}, 422, "No encoder named '/etc'. Known: general"),
        ("score", {"text": "a", "encoder": "../own"}, 422, "No encoder named '../own'"),
        ("score", {"text": "a", "encoder": "towns"}, 422, "No encoder named 'towns'"),
        ("score", {"text": "mistake"}, 422, "The text is no text: give another."),
        ("score", {"text": "weights"}, 503, "timecontrol bases install minilm"),
        ("score", {"text": "a" * 1001}, 413, "1,001 characters; at most 1,000 here"),
        ("score", {"sentences": ["a" * 600] * 2}, 413, "1,200 characters; at most 1,000"),
        ("score", {"sentences": ["a"] * 21}, 413, "21 sentences; at most 20"),
        ("score", [], 422, "The body has to be an object"),
        ("score", "a", 422, "The body has to be an object"),
        ("order", {}, 422, "sentences: this field is needed"),
        ("order", {"sentences": ["a"]}, 422, "at least 3 items"),
        ("order", {"sentences": ["a"] * 4}, 422, "best order of 4 sentences"),
        ("order", {"sentences": ["a", 1]}, 422, "sentences.1 is 1: input should be a valid str"),
        ("plan", {"model": "general"}, 422, "No decoder named 'general'"),
        ("plan", {"seed": -1}, 422, "seed is -1: input should be greater than or equal to 0"),
        ("plan", {"seed": True}, 422, "seed is True: input should be a valid integer"),
        ("plan", {"seed": 1.5}, 422, "seed is 1.5: input should be a valid integer"),
        ("plan", {"noise": "1"}, 422, "noise is '1': input should be a valid number"),
        ("plan", {"noise": -1, "top_p": 2}, 422, "(1 more)"),
        ("plan", {"length": 101}, 422, "101 tokens are asked for; at most 100"),
        ("plan", {"length": None}, 422, "normal, forced, or a number of tokens"),
        ("plan", {"length": 1.5}, 422, "length is 1.5: normal, forced, or a number of tokens"),
        ("plan", {"sentences": 21}, 422, "21 sentences are asked for: from 1 to 20"),
        ("plan", {"waypoints": [{"at": 1, "text": "x"}]}, 422, "waypoints.0.at is 1: input should"),
        ("plan", {"waypoints": [{"at": 0.5, "text": "x"}] * 17}, 422, "17 waypoints; at most 16"),
        ("plan", {"start": "a" * 600, "goal": "a" * 600}, 413, "1,200 characters"),
        ("generate", {"start": "mistake"}, 422, "No such start: give another."),
        ("generate", {"start": "mistake", "stream": True}, 422, "No such start: give another."),
        ("generate", {"stream": "yes"}, 422, "stream is 'yes': input should be a valid boolean"),
        (
            "infill",
            {"text": "a", "model": "x/y"},
            422,
            "No filler named 'x/y'. Known: stories, tow",
        ),
        ("infill", {"text": "a", "candidates": 5}, 422, "5 candidates are asked for; from 1 to 4"),
        ("infill", {"text": "a", "words": 0}, 422, "words is 0"),
        ("infill", {"text": None}, 422, "text: input should be a valid string"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    place: Place, path: str, body: Any, code: int, said: str
) -> None:
    found = place.post(f"/api/{path}", body)
    assert (found.status_code, said in error_of(found)) == (code, True), found.text
    assert found.status_code in CODES
    assert place.turns.counts()["working"] == 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", 400),
        (b"{", 400),
        (b'{"text": NaN}', 400),
        (b'{"text": "\\ud800"}', 400),
        (b'{"\\udfff": 1}', 400),
        (b"[" * 4_000, 400),
        (b'{"seed": ' + b"9" * 4_500 + b"}", 400),
        (b'{"text": "\xff"}', 400),
        (b'{"text": "a", "text": "b"}', 400),
        (b"null", 422),
    ],
)
def test_a_body_that_is_no_plain_json_is_refused(place: Place, body: bytes, code: int) -> None:
    for path in POSTS:
        found = call(place.app, "POST", path, content=body, headers=JSON)
        assert found.status_code == code, found.text
        error_of(found)


def test_only_json_is_taken(place: Place) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "x"):
        headers = {"content-type": kind}
        found = call(place.app, "POST", "/api/score", content=b'{"text": "a"}', headers=headers)
        assert found.status_code == 415
        assert "Content-Type: application/json" in error_of(found)
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert call(
        place.app, "POST", "/api/score", content=b'{"text": "a"}', headers=headers
    ).is_success


def test_a_body_that_is_too_long_is_refused_told_or_not_told_how_long(place: Place) -> None:
    async def pieces() -> Any:
        for _ in range(100):
            yield b" " * 100

    for body in (b" " * 10_000, pieces()):
        found = call(place.app, "POST", "/api/score", content=body, headers=JSON)
        assert found.status_code == 413
        assert "at most 5,000 bytes" in error_of(found)


def test_a_body_that_does_not_arrive_is_not_waited_for() -> None:
    place = Place(Limits(patience=0.02))

    async def never() -> Any:
        yield b"{"
        await asyncio.sleep(WAIT)

    found = call(place.app, "POST", "/api/score", content=never(), headers=JSON)
    assert found.status_code == 408
    assert "Nothing of the body came" in error_of(found)


def test_a_body_that_comes_slowly_is_waited_for_but_not_for_ever() -> None:
    async def drops() -> Any:
        for part in (b'{"text"', b": ", b'"a"', b"}"):
            yield part
            await asyncio.sleep(0.05)

    slow = Place(Limits(patience=0.15))
    assert call(slow.app, "POST", "/api/score", content=drops(), headers=JSON).status_code == 200
    short = Place(Limits(patience=0.15, seconds=0.1))
    assert call(short.app, "POST", "/api/score", content=drops(), headers=JSON).status_code == 408


def test_paths_and_methods_that_there_are_not_are_told(place: Place) -> None:
    for path in ("/api/", "/api/nothing", "/api/score/", "/api/score/x", "/api/%2e%2e/x"):
        found = place.get(path)
        assert found.status_code == 404
        assert error_of(found) == "There is no such path: GET /api/docs lists what there is."
    for method, path in (("GET", "/api/score"), ("PUT", "/api/score"), ("POST", "/api/docs")):
        found = call(place.app, method, path)
        assert found.status_code == 405
        assert found.headers["allow"] == ("GET" if path == "/api/docs" else "POST")
        error_of(found)


def test_other_paths_are_left_to_the_rooms(place: Place) -> None:
    from starlette.responses import PlainTextResponse

    place.app.mount("/", PlainTextResponse("a room"))
    for path in ("/", "/rooms", "/apis", "/gradio_api/queue"):
        assert place.get(path).text == "a room"
        assert place.post(path).text == "a room"
    assert place.get("/api/nothing").status_code == 404
    assert place.get("/api/score").status_code == 405
    assert place.post("/api/score", {"text": "a"}).status_code == 200


def test_a_defect_is_logged_without_the_text_and_told_without_a_traceback(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        found = place.post("/api/score", {"text": "defect"})
        assert found.status_code == 500
        assert error_of(found) == "The server made a mistake; its log says where."
        streamed = place.post("/api/generate", {"start": "defect", "stream": True})
    last = json.loads(streamed.text.splitlines()[-1])
    assert last == {"event": "error", "error": "The server made a mistake; its log says where."}
    logged = [r.getMessage() for r in caplog.records if r.name == "timecontrol.app"]
    assert len(logged) == 2
    assert all(line.startswith("KeyError at ") and "fake.py" in line for line in logged)
    assert "secret" not in caplog.text
    assert place.turns.counts()["working"] == 0


# the queue


def test_when_the_queue_is_full_one_is_told_to_come_again(place: Place) -> None:
    with ThreadPoolExecutor(2) as threads:
        works = [threads.submit(place.post, "/api/score", {"text": "wait"}) for _ in range(2)]
        until(lambda: place.turns.counts()["waiting"] == 1)
        for path in POSTS[:1] * 2 + POSTS[3:4]:
            body = {"text": "a"} if path == "/api/score" else {"stream": True}
            found = place.post(path, body)
            assert found.status_code == 429
            assert int(found.headers["retry-after"]) >= 1
            assert "try again" in error_of(found)
        assert place.get("/api/health").json()["refused"] == 3
        place.studio.free.set()
        assert [work.result(WAIT).status_code for work in works] == [200, 200]


def test_work_that_takes_too_long_ends_with_a_line() -> None:
    place = Place()
    now = iter(range(0, 10**6, 200))
    place.turns._clock = lambda: float(next(now))
    found = place.post("/api/score", {"text": "wait"})
    assert found.status_code == 504
    assert "longer than 300 seconds" in error_of(found)
    found = place.post("/api/generate", {"start": "wait", "stream": True})
    assert "longer than 300 seconds" in json.loads(found.text.splitlines()[-1])["error"]
    assert place.turns.counts()["overdue"] == 2


def test_when_the_server_stops_work_is_cancelled(place: Place) -> None:
    with ThreadPoolExecutor(1) as threads:
        work = threads.submit(place.post, "/api/score", {"text": "wait"})
        assert place.studio.begun.wait(WAIT)
        place.turns.close()
        assert work.result(WAIT).status_code == 503


def gone(address: str, path: str, body: dict[str, Any]) -> socket.socket:
    """Send a request and return its connection."""
    parts = urlsplit(address)
    data = json.dumps(body).encode()
    line = socket.create_connection((parts.hostname, parts.port or 0), WAIT)
    head = f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
    line.sendall(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
    return line


def test_a_client_that_goes_frees_the_worker() -> None:
    place = Place()
    with served(place.app) as address, httpx.Client(base_url=address, timeout=WAIT) as client:
        # in the middle of a stream
        with client.stream(
            "POST", "/api/generate", json={"start": "wait", "stream": True}
        ) as found:
            lines = found.iter_lines()
            assert [json.loads(next(lines))["event"] for _ in range(2)] == ["plan", "sentence"]
            assert client.get("/api/health").json()["working"] == 1
        until(lambda: place.turns.counts()["working"] == 0)
        assert place.studio.ended == ["closed"]
        # while it is worked for, and while it waits
        place.studio.begun.clear()
        first = gone(address, "/api/score", {"text": "wait"})
        assert place.studio.begun.wait(WAIT)
        second = gone(address, "/api/generate", {"stream": True})
        until(lambda: place.turns.counts()["waiting"] == 1)
        assert client.post("/api/score", json={"text": "a"}).status_code == 429
        second.close()
        until(lambda: place.turns.counts()["waiting"] == 0)
        first.close()
        until(lambda: place.turns.counts()["working"] == 0)
        assert client.post("/api/score", json={"text": "a"}).status_code == 200
        health = client.get("/api/health").json()
        assert (health["cancelled"], health["done"], health["failed"]) == (3, 1, 0)


def test_a_client_that_reads_nothing_does_not_keep_the_worker() -> None:
    place = Place(Limits(body=3_000_000, characters=3_000_000))
    with served(place.app) as address:
        slow = gone(address, "/api/score", {"text": "a" * 2_900_000})
        until(lambda: place.turns.counts()["done"] == 1)
        assert httpx.post(f"{address}/api/score", json={"text": "a"}, timeout=WAIT).is_success
        slow.close()


def test_a_client_that_sends_too_much_hears_why() -> None:
    with served(Place().app) as address:
        found = httpx.post(
            f"{address}/api/score", content=b" " * 3_000_000, headers=JSON, timeout=WAIT
        )
        assert found.status_code == 413
        assert "at most 5,000 bytes" in error_of(found)


# the token, and the page


def test_with_a_token_all_that_works_needs_it() -> None:
    place = Place(token="s3cret")
    for path in ("/api/health", "/api/docs", "/api/openapi.json"):
        assert place.get(path).status_code == 200
    wrong = ["", "Bearer", "Bearer s3cre", "Bearer s3crets", "Basic s3cret", "s3cret", "Bearer é"]
    for said in wrong:
        headers = [(b"authorization", said.encode("latin-1"))] if said else []
        for path in (*POSTS, "/api/about", "/api/nothing"):
            found = call(place.app, "POST" if path in POSTS else "GET", path, headers=headers)
            assert found.status_code == 401, (said, path)
            assert found.headers["www-authenticate"] == "Bearer"
            error_of(found)
    assert place.studio.asked == []
    right = {"authorization": "bearer s3cret"}
    assert place.post("/api/score", {"text": "a"}, headers=right).status_code == 200
    assert place.get("/api/about", headers=right).status_code == 200


@pytest.mark.parametrize("token", ["", "a\nb", "ü", "secret "])
def test_a_token_that_cannot_be_sent_is_refused(token: str) -> None:
    with pytest.raises(TimeControlError, match=r"^The token is empty, begins or ends with"):
        Place(token=token)


def test_the_schema_names_every_path_field_and_code(place: Place) -> None:
    schema = place.get("/api/openapi.json").json()
    assert set(schema["paths"]) == {*POSTS, "/api/about", "/api/health"} == set(EXAMPLES)
    codes = set(schema["paths"]["/api/score"]["post"]["responses"])
    assert codes == {"200", *map(str, CODES)}
    seed = schema["components"]["schemas"]["PlanForm"]["properties"]["seed"]
    assert (seed["minimum"], seed["exclusiveMaximum"]) == (0, 2**31)


def test_the_page_lists_every_path_and_loads_nothing(place: Place) -> None:
    found = place.get("/api/docs")
    assert found.headers["content-type"].startswith("text/html")
    for path in EXAMPLES:
        assert f"curl http://localhost{path}" in found.text
    assert "<script" not in found.text
    assert "src=" not in found.text
    assert "default-src 'none'" in found.headers["content-security-policy"]


# anything


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from(["mistake", "weights", "general", "towns", "normal", "a [ ... ] b"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
FIELDS = sorted(
    {"text", "sentences", "encoder", "model", "kind", "start", "goal", "waypoints", "length"}
    | {"noise", "seed", "top_p", "temperature", "stream", "candidates", "words", "first"}
)
BODIES = VALUES | st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4)


@settings(max_examples=60)
@given(body=BODIES)
def test_whatever_json_comes_it_is_answered_or_refused_in_one_line(place: Place, body: Any) -> None:
    async def all_of_them() -> list[httpx.Response]:
        way = httpx.ASGITransport(place.app)
        content = json.dumps(body).encode()
        async with httpx.AsyncClient(transport=way, base_url="http://localhost") as client:
            return [await client.post(path, content=content, headers=JSON) for path in POSTS]

    for found in asyncio.run(all_of_them()):
        assert found.status_code in (200, 400, 413, 422, 503), found.text
        if found.status_code != 200:
            error_of(found)
    assert place.turns.counts()["failed"] == 0
