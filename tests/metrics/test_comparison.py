"""Counting by sorting equals counting every pair; perfect is 1, constant is 1/2."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from timecontrol.metrics.comparison import accuracy, mixed_accuracy
from timecontrol.metrics.intervals import resamples

OWNER = np.repeat(np.arange(6), 4)


def wins(a: float, b: float) -> float:
    return float(a > b) + 0.5 * float(a == b)


def mixed_by_hand(
    original: NDArray[np.float64],
    corrupted: NDArray[np.float64],
    owner: NDArray[np.int64],
    weights: NDArray[np.float64] | None = None,
) -> float:
    w = np.ones(len(original)) if weights is None else weights
    top = bottom = 0.0
    for i, s in enumerate(original):
        if i not in owner:
            continue
        for c, j in zip(corrupted, owner, strict=True):
            if i != j:
                top += w[i] * w[j] * wins(s, c)
                bottom += w[i] * w[j]
    return top / bottom


def test_a_perfect_score_is_always_right() -> None:
    for measure in (accuracy, mixed_accuracy):
        found = measure(np.ones(6), np.zeros(24), OWNER)
        assert found is not None
        assert (found.value, found.low, found.high, found.error) == (1, 1, 1, 0)


def test_a_constant_score_is_right_half_the_time() -> None:
    for measure in (accuracy, mixed_accuracy):
        found = measure(np.zeros(6), np.zeros(24), OWNER)
        assert found is not None
        assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_scores_right_within_documents_may_be_wrong_between_them() -> None:
    original = np.arange(6.0)
    corrupted = original[OWNER] - 0.1
    own, mixed = accuracy(original, corrupted, OWNER), mixed_accuracy(original, corrupted, OWNER)
    assert own is not None
    assert mixed is not None
    assert own.value == 1
    assert mixed.value == 0.5


@settings(max_examples=20)
@given(st.lists(st.integers(0, 4), min_size=30, max_size=30), st.integers(0, 1000))
def test_sorting_equals_counting_every_pair(values: list[int], seed: int) -> None:
    original, corrupted = np.array(values[:8], float), np.array(values[8:], float)
    owner = np.random.default_rng(seed).integers(0, 6, len(corrupted))  # 6 and 7 have none
    if len(set(owner)) < 2:
        return
    found = mixed_accuracy(original, corrupted, owner)
    assert found is not None
    assert found.value == pytest.approx(mixed_by_hand(original, corrupted, owner))
    own = accuracy(original, corrupted, owner)
    assert own is not None
    assert own.value == pytest.approx(
        np.mean([wins(original[o], c) for o, c in zip(owner, corrupted, strict=True)])
    )
    assert own.documents == found.documents == len(set(owner))


def test_resamples_equal_counting_every_pair() -> None:
    state = np.random.default_rng(0)
    original, corrupted = state.normal(size=6) + 1, state.normal(size=24)
    by_hand = [mixed_by_hand(original, corrupted, OWNER, w) for w in resamples(6, 3)]
    found = mixed_accuracy(original, corrupted, OWNER, seed=3)
    assert found is not None
    assert found.low == pytest.approx(np.percentile(by_hand, 2.5))
    assert found.high == pytest.approx(np.percentile(by_hand, 97.5))
    assert found.error == pytest.approx(np.std(by_hand))


def test_nothing_to_compare_gives_nothing() -> None:
    none = np.empty(0, np.int64)
    assert accuracy(np.ones(3), np.empty(0), none) is None
    assert mixed_accuracy(np.ones(3), np.empty(0), none) is None
    assert mixed_accuracy(np.ones(3), np.zeros(2), np.array([1, 1])) is None


def test_scores_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        accuracy(np.array([np.nan, 1]), np.zeros(2), np.array([0, 1]))
