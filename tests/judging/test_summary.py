"""Means, their errors, and differences are what a hand computes."""

import math
from random import Random

import pytest

from timecontrol.judging.summary import (
    FEWEST,
    NO_VARIANCE,
    TOO_FAST,
    Said,
    annotators,
    compared,
    numbers,
)

SAID: list[Said] = [("x", "a", 1), ("x", "b", 3), ("y", "a", 4), ("z", "c", 5), ("other", "a", 1)]


def test_a_mean_over_items_and_its_error_worked_by_hand() -> None:
    found = numbers(["x", "y", "z", "unrated"], SAID)
    m = [2.0, 4.0, 5.0]  # each item's own mean
    mean = 11 / 3
    assert found.mean == pytest.approx(mean)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in m) / 2)
    assert found.error == pytest.approx(deviation / math.sqrt(3))
    assert (found.items, found.ratings, found.annotators, found.unrated) == (3, 4, 3, 1)
    assert found.counts == (1, 0, 1, 1, 1)


def test_the_naive_error_takes_ratings_one_by_one() -> None:
    found = numbers(["x", "y", "z"], SAID)
    x, mean = [1, 3, 4, 5], 13 / 4
    assert found.plain_mean == mean
    deviation = math.sqrt(sum((value - mean) ** 2 for value in x) / 3)
    assert found.naive == pytest.approx(deviation / 2)


def test_what_a_system_gave_twice_counts_twice() -> None:
    found = numbers(["x", "x", "y"], SAID)
    assert found.mean == pytest.approx((2 + 2 + 4) / 3)
    assert found.error == pytest.approx(math.sqrt(2 * ((2 / 3 * (2 - 8 / 3)) ** 2
                                                       + (1 / 3 * (4 - 8 / 3)) ** 2)))  # fmt: skip
    assert (found.items, found.ratings) == (2, 3)


def test_the_error_over_items_is_right_where_people_agree_on_items_and_the_naive_one_is_not() -> (
    None
):
    random, off, errors, naive = Random(0), [], [], []
    for _ in range(300):
        said: list[Said] = []
        for item in range(20):
            quality = random.gauss(3, 1)  # items differ, ten people say nearly the same of each
            said += [
                (str(item), str(who), round(min(5, max(1, quality + random.gauss(0, 0.3)))))
                for who in range(10)
            ]
        found = numbers([str(i) for i in range(20)], said)
        assert found.mean is not None
        assert found.error is not None
        assert found.naive is not None
        off.append((found.mean - 3) ** 2)
        errors.append(found.error)
        naive.append(found.naive)
    truth = math.sqrt(sum(off) / len(off))
    assert sum(errors) / len(errors) == pytest.approx(truth, rel=0.1)
    assert sum(naive) / len(naive) < 0.5 * truth


def test_of_too_little_nothing_is_told() -> None:
    none = numbers(["unrated"], SAID)
    assert none.mean is none.error is none.plain_mean is none.naive is None
    assert (none.items, none.ratings, none.unrated) == (0, 0, 1)
    single = numbers(["y"], SAID)
    assert (single.mean, single.error, single.naive) == (4, None, None)


def test_two_systems_are_compared_on_the_examples_that_both_have() -> None:
    n = 12
    outputs = {
        "a": {str(i): f"a{i}" for i in range(n)},
        "b": {str(i): f"b{i}" for i in range(n + 3)},
        "c": {"0": "c0"},
    }
    said: list[Said] = [(f"a{i}", "p", 1 + i % 3) for i in range(n)]
    said += [(f"b{i}", "p", 2 + i % 3) for i in range(n)] + [(f"b{n}", "p", 5)]
    rows = {(row["first"], row["other"]): row for row in compared(outputs, said)}
    assert set(rows) == {("a", "b"), ("a", "c"), ("b", "c")}
    row = rows["a", "b"]
    assert row["examples"] == n
    assert row["value"] == row["low"] == row["high"] == pytest.approx(1)  # of pairs, no spread
    assert row["verdict"] == "better"
    assert rows["a", "c"] == {"first": "a", "other": "c", "examples": 0}


def test_the_interval_holds_the_difference() -> None:
    random = Random(1)
    outputs = {s: {str(i): f"{s}{i}" for i in range(40)} for s in "ab"}
    said: list[Said] = [
        (item, "p", random.randint(1, 5)) for own in outputs.values() for item in own.values()
    ]
    (row,) = compared(outputs, said)
    assert row["low"] < row["value"] < row["high"]
    assert compared(outputs, said) == [row]


def test_the_same_item_of_two_systems_is_no_difference() -> None:
    outputs = {"a": {"0": "x", "1": "y"}, "b": {"0": "x", "1": "y"}}
    (row,) = compared(outputs, SAID)
    assert (row["value"], row["low"], row["high"]) == (0, 0, 0)
    assert row["verdict"] == "not told apart"


def test_who_says_always_the_same_or_in_no_time_is_noticed_and_not_left_out() -> None:
    said: list[Said] = []
    for i in range(FEWEST):
        said += [(str(i), "same", 3), (str(i), "fast", 1 + i % 2), (str(i), "good", 1 + i % 3)]
    seconds = {"fast": [0.4, 0.5, 0.6, 9, 9][:FEWEST], "good": [3.0] * FEWEST}
    found = {one.name: one for one in annotators(said, seconds)}
    assert list(found) == ["same", "fast", "good"]
    assert found["same"].flags == (NO_VARIANCE,)
    assert found["fast"].flags == (TOO_FAST,)
    assert found["good"].flags == ()
    assert found["same"].seconds is None
    assert all(one.ratings == FEWEST for one in found.values())


def test_of_a_few_ratings_nothing_is_noticed() -> None:
    few: list[Said] = [(str(i), "a", 3) for i in range(FEWEST - 1)]
    (one,) = annotators(few, {"a": [0.1] * (FEWEST - 1)})
    assert one.flags == ()
