import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from timecontrol.app.limits import Limits
from timecontrol.app.turns import Busy, Cancelled, OutOfTime, Turns
from timecontrol.errors import TimeControlError

WAIT = 10
"""Seconds a test waits for what happens at once."""
NONE = {"waiting": 0, "working": 0, "done": 0, "refused": 0, "cancelled": 0, "overdue": 0}


@pytest.fixture
def turns() -> Turns:
    return Turns(Limits(waiting=3))


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as found:
        yield found


def until(true: Callable[[], bool]) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


class Work:
    """A piece of work that goes on until it is let go."""

    def __init__(self, turns: Turns, threads: ThreadPoolExecutor) -> None:
        self.alive, self.free, self.begun = True, threading.Event(), threading.Event()
        self.places: list[int] = []
        before = turns.counts()["waiting"] + turns.counts()["working"]
        self.result: Future[None] = threads.submit(self.run, turns)
        until(lambda: sum(map(turns.counts().get, ("waiting", "working"))) == before + 1)  # type: ignore[arg-type]

    def run(self, turns: Turns) -> None:
        with turns.take(lambda: self.alive, self.places.append) as check:
            self.begun.set()
            while not self.free.wait(0.002):
                check()

    def end(self) -> None:
        self.free.set()
        self.result.result(WAIT)


def test_turns_come_in_the_order_of_arrival(turns: Turns, threads: ThreadPoolExecutor) -> None:
    works = [Work(turns, threads) for _ in range(4)]
    for i, work in enumerate(works):
        assert work.begun.wait(WAIT)
        assert not any(later.begun.is_set() for later in works[i + 1 :])
        work.end()
    assert turns.counts() == NONE | {"done": 4, "failed": 0}


def test_no_two_work_at_once_however_many_come(threads: ThreadPoolExecutor) -> None:
    turns, inside, most = Turns(Limits(waiting=100)), 0, 0

    def work() -> None:
        nonlocal inside, most
        with turns.take() as check:
            inside += 1
            most = max(most, inside)
            time.sleep(0.0002)
            check()
            inside -= 1

    for done in [threads.submit(work) for _ in range(100)]:
        done.result(WAIT)
    assert most == 1
    assert turns.counts()["done"] == 100


def test_one_more_than_may_wait_is_refused_and_told_when_to_come_again(
    turns: Turns, threads: ThreadPoolExecutor
) -> None:
    works = [Work(turns, threads) for _ in range(4)]
    said = r"^3 requests wait .* no more than 3 may: try again in"
    with pytest.raises(Busy, match=said) as full, turns.take():
        pass
    assert full.value.after >= 1
    assert turns.counts() == NONE | {"waiting": 3, "working": 1, "refused": 1, "failed": 0}
    for work in works:
        work.end()
    with turns.take():
        pass


def test_with_no_room_to_wait_one_at_a_time_is_served(threads: ThreadPoolExecutor) -> None:
    turns = Turns(Limits(waiting=0))
    work = Work(turns, threads)
    with pytest.raises(Busy), turns.take():
        pass
    work.end()
    with turns.take():
        pass


def test_one_who_has_gone_leaves_the_queue_and_the_others_move_up(
    turns: Turns, threads: ThreadPoolExecutor
) -> None:
    first, second, third = (Work(turns, threads) for _ in range(3))
    second.alive = False
    with pytest.raises(Cancelled):
        second.result.result(WAIT)
    assert not second.begun.is_set()
    assert turns.counts()["cancelled"] == 1
    until(lambda: third.places == [2, 1])
    assert (first.places, second.places) == ([], [1])
    first.end()
    assert third.begun.wait(WAIT)
    third.end()


def test_one_who_goes_while_worked_for_frees_the_worker(
    turns: Turns, threads: ThreadPoolExecutor
) -> None:
    first, second = Work(turns, threads), Work(turns, threads)
    first.alive = False
    assert second.begun.wait(WAIT)
    with pytest.raises(Cancelled):
        first.result.result(WAIT)
    second.end()
    assert turns.counts() == NONE | {"done": 1, "cancelled": 1, "failed": 0}


def test_work_that_takes_too_long_is_told_so_and_frees_the_worker() -> None:
    now = 0.0
    turns = Turns(Limits(seconds=5), lambda: now)

    def work() -> None:
        nonlocal now
        with turns.take() as check:
            now = 5.0
            check()
            now = 5.1
            check()

    with pytest.raises(OutOfTime, match=r"longer than 5 seconds, which is the most here: give"):
        work()
    assert turns.counts() == NONE | {"overdue": 1, "failed": 0}
    with turns.take() as check:  # its own time has just begun
        check()


@pytest.mark.parametrize(
    ("error", "counted"),
    [
        (KeyError("x"), "failed"),
        (TimeControlError("x"), "done"),
        (KeyboardInterrupt(), "failed"),
        (GeneratorExit(), "cancelled"),
    ],
)
def test_an_error_frees_the_worker(turns: Turns, error: BaseException, counted: str) -> None:
    with pytest.raises(type(error)), turns.take():
        raise error
    assert turns.counts() == NONE | {"failed": 0} | {counted: 1}
    with turns.take():
        pass


@pytest.mark.parametrize("which", ["alive", "tell"])
def test_an_error_while_waiting_leaves_the_queue(
    turns: Turns, threads: ThreadPoolExecutor, which: str
) -> None:
    def fail(*_: int) -> bool:
        raise ZeroDivisionError

    work = Work(turns, threads)
    with pytest.raises(ZeroDivisionError), turns.take(**{which: fail}):  # type: ignore[arg-type]
        pass
    assert turns.counts()["waiting"] == 0
    work.end()


def test_a_turn_may_be_taken_in_one_thread_and_left_in_another(
    turns: Turns, threads: ThreadPoolExecutor
) -> None:
    turn = turns.take()
    check = threads.submit(turn.__enter__).result(WAIT)
    check()
    threads.submit(turn.__exit__, None, None, None).result(WAIT)
    assert turns.counts()["done"] == 1


def test_when_the_server_stops_everybody_is_sent_away(
    turns: Turns, threads: ThreadPoolExecutor
) -> None:
    works = [Work(turns, threads) for _ in range(2)]
    turns.close()
    for work in works:
        with pytest.raises(Cancelled):
            work.result.result(WAIT)
    with pytest.raises(Cancelled), turns.take():
        pass
    assert turns.counts() == NONE | {"cancelled": 3, "failed": 0}
