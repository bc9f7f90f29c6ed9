import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import pytest

from timecontrol.app.desk import BROKEN, Desk, News, said
from timecontrol.app.limits import Limits
from timecontrol.app.turns import Turns
from timecontrol.errors import TimeControlError


@pytest.fixture
def desk() -> Desk:
    studio: Any = None
    return Desk(studio, Turns(Limits(waiting=1)))


def test_what_work_yields_is_told_in_order(desk: Desk) -> None:
    found = list(desk.run("me", "score", lambda check: [1, 2]))
    assert found == [News("event", 1), News("event", 2), News("done")]
    assert not desk.stops


def test_a_mistake_is_told_in_its_own_words(desk: Desk) -> None:
    def work(check: Any) -> Iterator[int]:
        yield 1
        raise TimeControlError("The text is empty: give one.")

    found = list(desk.run("me", "score", work))
    assert found[-1] == News("failed", "The text is empty: give one.")


def test_a_defect_is_told_without_its_insides(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    def work(check: Any) -> Iterator[int]:
        raise KeyError("inside")

    assert list(desk.run("me", "score", work)) == [News("failed", BROKEN)]
    assert "KeyError at " in caplog.text
    assert "inside" not in caplog.text  # it may quote a text
    assert list(desk.run("me", "score", lambda check: [1]))[-1].kind == "done"


def test_stop_ends_the_work_of_its_session_and_room_alone(desk: Desk) -> None:
    def forever(check: Any) -> Iterator[int]:
        while True:
            check()
            yield 0

    running = desk.run("me", "write", forever)
    assert next(running).kind == "event"
    desk.stop("you", "write")
    desk.stop("me", "score")
    assert next(running).kind == "event"
    desk.stop("me", "write")
    assert list(running)[-1].kind == "stopped"


def test_asking_again_ends_what_was_going_on(desk: Desk) -> None:
    def forever(check: Any) -> Iterator[int]:
        while True:
            check()
            yield 0

    first = desk.run("me", "write", forever)
    next(first)
    second = list(desk.run("me", "write", lambda check: ["second"]))
    assert [n.kind for n in second if n.kind != "waiting"] == ["event", "done"]
    assert list(first)[-1].kind == "stopped"


def test_closing_the_page_frees_the_worker(desk: Desk) -> None:
    over = threading.Event()

    def forever(check: Any) -> Iterator[int]:
        try:
            while True:
                check()
                yield 0
        finally:
            over.set()

    running = desk.run("me", "write", forever)
    next(running)
    running.close()  # type: ignore[attr-defined]
    assert over.wait(5)
    assert list(desk.run("you", "write", lambda check: [1]))[-1].kind == "done"


def test_who_waits_is_told_their_place_and_too_many_are_sent_away(desk: Desk) -> None:
    free = threading.Event()

    def slow(check: Any) -> Iterator[int]:
        yield 0
        while not free.wait(0.01):
            check()

    one = desk.run("a", "score", slow)
    next(one)
    two = desk.run("b", "score", lambda check: [2])
    assert next(two) == News("waiting", 1)
    three = list(desk.run("c", "score", lambda check: [3]))
    assert three[-1].kind == "failed"
    assert "wait for their turn" in three[-1].value
    free.set()
    assert [n.kind for n in list(one) + list(two)] == ["done", "event", "done"]


def test_news_become_words() -> None:
    assert said(News("waiting", 1)) == ("Waiting: 1 piece of work is before this one.", "note")
    assert said(News("waiting", 3))[0].startswith("Waiting: 3 pieces")
    assert said(News("failed", "No."))[1] == "failed"
    assert said(News("stopped"))[0] == "Stopped."


def test_sessions_do_not_get_into_each_other_s_way(desk: Desk) -> None:
    def many(session: str) -> None:
        for i in range(300):
            list(islice(desk.run(session, f"room {i % 5}", lambda check: [1]), 1))
            desk.stop(session)

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(many, f"session {i}") for i in range(4)]:
            done.result()  # raises what went wrong there
    assert not desk.stops
