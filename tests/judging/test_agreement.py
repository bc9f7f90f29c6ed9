"""Krippendorff's alpha is what is published of it, and what it has to be at its ends."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.judging.agreement import agreement, alpha

PUBLISHED = """
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 .
"""
"""Four observers, twelve units: K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011),
section C, where alpha is .815 for ordinal and .849 for interval data (section D)."""

THREE = """
    . . . . . 3 4 1 2 1 1 3 3 . 3
    1 . 2 1 3 3 4 3 . . . . . . .
    . . 2 1 3 4 4 . 2 1 1 3 3 . 4
"""
"""Three coders, fifteen units: the computational example of Wikipedia's page on Krippendorff's
alpha, .811 for interval data."""


def units(text: str) -> list[list[int]]:
    rows = [line.split() for line in text.strip().splitlines()]
    return [[int(cell) for cell in unit if cell != "."] for unit in zip(*rows, strict=True)]


def test_a_published_example_with_missing_ratings() -> None:
    assert alpha(units(PUBLISHED), "ordinal") == pytest.approx(0.815, abs=0.0005)
    assert alpha(units(PUBLISHED), "interval") == pytest.approx(0.849, abs=0.0005)
    assert alpha(units(THREE), "interval") == pytest.approx(0.811, abs=0.0005)


def test_two_who_agree_on_all_have_1() -> None:
    own = [[1, 1], [5, 5, 5], [3, 3]]
    found = agreement(own)
    assert (found.ordinal, found.interval, found.same, found.within_one) == (1, 1, 1, 1)
    assert (found.pairs, found.items) == (5, 3)


def test_a_case_worked_by_hand() -> None:
    # o: 1-2 twice, 4-4 twice; n = 4, D_o = 2 * 1, sum n_c n_k d = 2 (1*1*1 + 1*2*9 + 1*2*4)
    found = agreement([[1, 2], [4, 4]])
    assert found.interval == pytest.approx(1 - 3 * 2 / 54)
    # ordinal: 1-2: (2 - 1)^2 = 1; 1-4: (4 - 1.5)^2; 2-4: (3 - 1.5)^2
    expected = 2 * (1 + 2 * 2.5**2 + 2 * 1.5**2)
    assert found.ordinal == pytest.approx(1 - 3 * 2 / expected)
    assert (found.same, found.within_one) == (0.5, 1.0)


def test_who_always_disagrees_is_below_0_and_chance_is_near_0() -> None:
    low = alpha([[1, 5]] * 20)
    assert low is not None
    assert low < 0
    random = Random(0)
    near = alpha([[random.randint(1, 5) for _ in range(3)] for _ in range(3000)])
    assert near is not None
    assert abs(near) < 0.03


def test_it_is_not_defined_without_pairs_or_without_any_difference() -> None:
    for own in ([], [[1], [2]], [[3, 3], [3, 3, 3]]):
        found = agreement(own)
        assert found.ordinal is found.interval is None
    assert agreement([[1], [2]]).same is None
    assert agreement([[3, 3]]).same == 1


RATINGS = st.lists(st.lists(st.integers(1, 5), max_size=4), min_size=1, max_size=8)


@given(RATINGS, st.sampled_from(["ordinal", "interval"]), st.randoms())
def test_it_does_not_matter_who_said_it_nor_single_ratings(
    own: list[list[int]], metric: str, random: Random
) -> None:
    before = alpha(own, metric)
    assert before is None or before <= 1 + 1e-12
    mixed = [random.sample(unit, len(unit)) for unit in own] + [[5], [1], []]
    random.shuffle(mixed)
    assert alpha(mixed, metric) == pytest.approx(before)
    turned = [[6 - value for value in unit] for unit in own]
    assert alpha(turned, metric) == pytest.approx(before)


@given(RATINGS)
def test_ordinal_alpha_knows_the_order_of_values_alone(own: list[list[int]]) -> None:
    stretched = [[value**3 for value in unit] for unit in own]
    assert alpha(stretched) == pytest.approx(alpha(own))
