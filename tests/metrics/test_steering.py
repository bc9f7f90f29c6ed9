"""Texts that come to their goals win, those that do not are at a half."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.metrics.steering import (
    distances,
    gained,
    margin,
    nearer,
    sentence_at,
    sentences_about,
    steered,
)

STATE = np.random.default_rng(0)
GOALS = STATE.normal(size=(40, 3))
OWN = np.arange(40)


def test_worked_by_hand() -> None:
    goals = np.array([[0.0], [1.0], [5.0]])
    found = np.array([[0.2], [2.0], [4.0]])
    own = np.array([0, 2, 1])
    apart = distances(found, goals)
    np.testing.assert_allclose(apart, [[0.2, 0.8, 4.8], [2.0, 1.0, 3.0], [4.0, 3.0, 1.0]])
    np.testing.assert_allclose(nearer(apart, own), [1.0, 0.0, 0.5])
    np.testing.assert_allclose(margin(apart, own), [2.6, -1.5, -0.5])
    told = steered(found, goals, own)
    assert told["nearer"]["value"] == pytest.approx(0.5)
    assert told["rank"]["value"] == pytest.approx((1 + 3 + 2) / 3)
    assert told["margin"]["value"] == pytest.approx((2.6 - 1.5 - 0.5) / 3)
    assert told["nearer"]["documents"] == 3


def test_a_text_that_is_at_its_goal_beats_all_others() -> None:
    told = steered(GOALS, GOALS, OWN)
    assert (told["nearer"]["value"], told["nearer"]["low"]) == (1, 1)
    assert told["rank"]["value"] == 1
    assert told["margin"]["low"] > 0


def test_texts_that_know_nothing_of_goals_are_at_a_half() -> None:
    """Over all ways to deal out the goals exactly so, wherever the texts are."""
    found = STATE.normal(size=(7, 3)) + 2
    apart = distances(found, GOALS)
    dealt = [nearer(apart, np.full(7, j)) for j in range(len(GOALS))]
    assert np.mean(dealt) == pytest.approx(0.5)
    told = steered(STATE.normal(size=(40, 3)), GOALS, OWN)
    assert told["nearer"]["low"] < 0.5 < told["nearer"]["high"]
    assert told["margin"]["low"] < 0 < told["margin"]["high"]
    assert told["rank"]["low"] < 41 / 2 < told["rank"]["high"]


def test_one_text_for_all_is_exactly_at_a_half() -> None:
    """Goals that are near to everything are nobody's gain: each is asked for once."""
    same = np.tile(STATE.normal(size=3), (40, 1))
    told = steered(same, GOALS, OWN)
    assert told["nearer"]["value"] == pytest.approx(0.5)
    assert told["margin"]["value"] == pytest.approx(0)


def test_equal_goals_count_half() -> None:
    goals = np.array([[0.0], [0.0]])
    np.testing.assert_array_equal(nearer(distances(np.ones((2, 1)), goals), np.array([0, 1])), 0.5)


@given(st.floats(0, 2 * np.pi), st.floats(-5, 5))
def test_turning_and_moving_the_space_changes_nothing(angle: float, step: float) -> None:
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    found, goals = GOALS[:9, :2] + 0.3 * GOALS[9:18, :2], GOALS[:9, :2]
    one = margin(distances(found, goals), OWN[:9])
    two = margin(distances(found @ turn + step, goals @ turn + step), OWN[:9])
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_the_gain_is_that_of_the_same_document() -> None:
    noise = STATE.normal(size=(40, 3))
    found = noise + 0.5 * GOALS
    gain = gained(found, noise, GOALS, OWN)
    one, two = (steered(x, GOALS, OWN)["nearer"]["value"] for x in (found, noise))
    assert gain["value"] == pytest.approx(one - two)
    assert gain["low"] > 0
    assert gained(noise, noise, GOALS, OWN)["high"] == 0


def test_texts_of_one_goal_are_drawn_together() -> None:
    found = GOALS + 0.8 * STATE.normal(size=GOALS.shape)
    once = steered(found, GOALS, OWN)["nearer"]
    often = steered(np.repeat(found, 9, 0), GOALS, np.repeat(OWN, 9))["nearer"]
    assert often["value"] == pytest.approx(once["value"])
    assert often["error"] == pytest.approx(once["error"])


def test_a_single_goal_tells_nothing() -> None:
    with pytest.raises(ValueError, match="no other goals"):
        nearer(np.ones((2, 1)), np.zeros(2, np.int64))


@pytest.mark.parametrize(
    ("n", "share", "sentences"),
    [
        (9, 1.0, [6, 7, 8]),
        (9, 0.0, [0, 1, 2]),
        (9, 0.5, [3, 4, 5]),
        (9, 0.9, [6, 7, 8]),
        (3, 0.5, [0, 1, 2]),
        (2, 1.0, [0, 1]),
        (1, 0.5, [0]),
        (0, 0.5, []),
    ],
)
def test_what_is_read_about_a_place(n: int, share: float, sentences: list[int]) -> None:
    assert list(sentences_about(share, n)) == sentences


@given(st.floats(0, 1), st.integers(1, 20))
def test_the_sentence_at_a_place_is_among_those_about_it(share: float, n: int) -> None:
    assert sentence_at(share, n) in sentences_about(share, n)
    assert len(sentences_about(share, n)) == min(3, n)
    assert abs(sentence_at(share, n) - share * (n - 1)) <= 0.5
