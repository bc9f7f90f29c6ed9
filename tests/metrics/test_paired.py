"""Differences of paired samples: laws, a slow loop beside them, and how often they are right."""

from collections.abc import Sequence
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from timecontrol.metrics import paired
from timecontrol.metrics.lengths import deviation_of_means, lengths, mean_lengths, own_means
from timecontrol.metrics.paired import (
    ALIKE,
    BETTER,
    FEWEST,
    RESAMPLES,
    WORSE,
    Difference,
    Pair,
    Sample,
    Statistic,
    counts,
    deviation_of,
    differences,
    mean_of,
    pairs_of,
    verdict,
)

Array = NDArray[np.float64]
GOAL = {"A": 10.0, "B": 20.0, "C": 5.0}
Document = list[tuple[str | None, float]]


def sample(values: Sequence[float] | Array, seed: int = 0) -> Sample:
    return Sample(seed, range(len(values)), {"share": mean_of(values)})


def difference(
    first: Sequence[Sample], other: Sequence[Sample], seed: int = 0, larger: bool = True
) -> Difference:
    pairs = pairs_of(first, other)
    return differences(pairs, {"share"} if larger else set(), seed)["share"]


def documents(state: np.random.Generator, n: int) -> list[Document]:
    """Return tags and lengths of documents, in some of which a tag is missing, or twice there."""
    return [
        [
            (tag, float(state.integers(1, 40)))
            for tag in "AABBC"
            if state.random() < (0.2 if tag == "C" else 0.6)
        ]
        for _ in range(n)
    ]


def test_no_difference_between_identical_samples() -> None:
    values = np.random.default_rng(0).random(20)
    found = difference([sample(values, r) for r in range(3)], [sample(values, r) for r in range(3)])
    assert found == Difference(0, 0, 0, ALIKE)


def test_a_large_difference_is_found_and_which_side_is_better() -> None:
    state = np.random.default_rng(0)
    low, high = (
        [sample((state.random(60) < share).astype(float), r) for r in range(3)]
        for share in (0.2, 0.8)
    )
    for larger, more, less in ((True, BETTER, WORSE), (False, WORSE, BETTER)):
        found = difference(low, high, larger=larger)
        assert 0.3 < found.low < found.value < found.high < 0.9
        assert found.verdict == more
        assert difference(high, low, larger=larger).verdict == less


def test_a_verdict_by_hand() -> None:
    assert [verdict(*ends, True) for ends in ((1, 2), (-2, -1), (-1, 1))] == [BETTER, WORSE, ALIKE]
    assert [verdict(*ends, False) for ends in ((1, 2), (-2, -1), (-1, 1))] == [WORSE, BETTER, ALIKE]
    assert verdict(0, 1, True) == verdict(-1, 0, True) == ALIKE


def test_of_a_handful_of_documents_nothing_is_told_apart() -> None:
    for n, words in ((FEWEST - 1, ALIKE), (FEWEST, BETTER)):
        found = difference([sample(np.zeros(n))], [sample(np.ones(n))])
        assert (found.value, found.verdict) == (1, words)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.floats(0, 9)), min_size=2, max_size=12),
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_antisymmetric_reproducible_and_within_reach(
    pairs: list[tuple[int, float]], seeds: int, seed: int
) -> None:
    x, y = (np.array(side, float) for side in zip(*pairs, strict=True))
    first = [sample(x * (r + 1), r) for r in range(seeds)]
    other = [sample(y, r) for r in range(seeds)]
    found, back = difference(first, other, seed), difference(other, first, seed)
    assert back.value == pytest.approx(-found.value)
    assert (back.low, back.high) == pytest.approx((-found.high, -found.low))
    swapped = {BETTER: WORSE, WORSE: BETTER, ALIKE: ALIKE}
    assert back.verdict == swapped[found.verdict]
    assert difference(first, other, seed) == found
    each = np.concatenate([y - x * (r + 1) for r in range(seeds)])
    assert each.min() - 1e-9 <= found.low <= found.high <= each.max() + 1e-9


def test_another_seed_is_another_draw() -> None:
    state = np.random.default_rng(0)
    one, two = sample(state.random(30)), sample(state.random(30))
    found = [difference([one], [two], seed) for seed in (0, 1)]
    assert found[0].value == found[1].value
    assert found[0].low != found[1].low
    assert found[0].low == pytest.approx(found[1].low, abs=0.02)


def test_seeds_are_drawn_as_pairs() -> None:
    """Levels that both decoders of a seed have cancel, however far apart seeds are."""
    levels = (0.0, 5.0, 90.0)
    first = [sample(np.full(8, level), r) for r, level in enumerate(levels)]
    other = [sample(np.full(8, level + 0.5), r) for r, level in enumerate(levels)]
    found = difference(first, other)
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_documents_are_drawn_as_pairs() -> None:
    values = np.arange(50.0)
    found = difference([sample(values)], [sample(values + 1)])
    assert (found.low, found.high) == pytest.approx((1, 1))
    other = difference([sample(values)], [sample(values[::-1] + 1)])
    assert other.value == 1
    assert other.low < -5
    assert other.high > 7


def test_seeds_are_drawn_where_there_are_several() -> None:
    """Constant documents: what is left is the seeds, two of which have 0, 1/2 or 1 in the mean."""
    first = [sample(np.zeros(8), r) for r in range(2)]
    found = difference(first, [sample(np.full(8, float(r)), r) for r in range(2)])
    assert (found.value, found.low, found.high) == (0.5, 0, 1)
    one = difference(first[:1], [sample(np.ones(8))])
    assert (one.low, one.high) == (1, 1)


def test_decoders_of_one_seed_are_drawn_together() -> None:
    first = [sample(np.zeros(8), 4) for _ in range(2)]
    found = difference(first, [sample(np.zeros(8), 4), sample(np.ones(8), 4)])
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_one_seed_is_a_bootstrap_of_documents() -> None:
    state = np.random.default_rng(3)
    x, y = state.random(200), state.random(200)
    found = difference([sample(x)], [sample(y)])
    error = np.std(y - x) / np.sqrt(200)
    assert found.value == pytest.approx(np.mean(y - x))
    assert (found.low, found.high) == pytest.approx(
        (found.value - 1.96 * error, found.value + 1.96 * error), abs=0.15 * error
    )


def draw_pairs(
    state: np.random.Generator, seeds: int, n: int, shares: tuple[float, float], alike: float
) -> list[Pair]:
    """Return binary outcomes; a document has the same luck in both ways with a probability."""
    found = []
    for r in range(seeds):
        luck = state.random((2, n))
        luck[1] = np.where(state.random(n) < alike, luck[0], luck[1])
        x, y = ((own < share).astype(float) for own, share in zip(luck, shares, strict=True))
        found.append((sample(x, r), sample(y, r)))
    return found


def test_the_interval_holds_the_truth_in_about_95_of_100_cases() -> None:
    state = np.random.default_rng(0)
    for seeds, alike, least, most in (
        (1, 0.0, 0.9, 0.985),
        (1, 0.7, 0.9, 0.985),
        (3, 0.5, 0.94, 1),
    ):
        held = 0
        for trial in range(200):
            pairs = draw_pairs(state, seeds, 80, (0.7, 0.8), alike)
            found = differences(pairs, {"share"}, trial)["share"]
            held += found.low - 1e-9 <= 0.1 <= found.high + 1e-9
        assert least <= held / 200 <= most


def test_a_statistic_of_all_documents_is_that_of_lengths() -> None:
    own = documents(np.random.default_rng(0), 12)
    found = deviation_of([own_means(d) for d in own], GOAL)
    assert found.value == pytest.approx(lengths(own, GOAL)["MM"]["value"])
    assert mean_of([1, 0, 0, 1]).value == 0.5
    assert mean_of([True, False]).value == 0.5
    none = deviation_of([{}, {"A": 10.0}], GOAL)
    assert none.value == pytest.approx((0 + 100 + 100) / 3)  # tags that nobody wrote
    assert len(none) == 2


def test_chosen_documents_are_those_alone() -> None:
    own = documents(np.random.default_rng(1), 6)
    chosen = np.array([4, 1, 1])
    whole = deviation_of([own_means(d) for d in own], GOAL)
    part = deviation_of([own_means(own[i]) for i in chosen], GOAL)
    assert whole[chosen].value == part.value
    assert float(whole.of(np.array([[0, 2, 0, 0, 1, 0.0]]))[0]) == pytest.approx(part.value)


def test_resamples_equal_a_slow_loop_over_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paired, "RESAMPLES", 40)
    state = np.random.default_rng(2)
    sizes = (5, 4, 6)
    written = [[documents(state, n) for n in sizes] for _ in range(2)]
    first, other = (
        [
            Sample(r, range(len(d)), {"MM": deviation_of([own_means(i) for i in d], GOAL)})
            for r, d in enumerate(side)
        ]
        for side in written
    )
    found = differences(pairs_of(first, other), set(), seed=7)["MM"]

    def off(own: list[Document], drawn: Array) -> float:
        again = [own[i] for i in np.repeat(np.arange(len(own)), drawn.astype(int))]
        return deviation_of_means(mean_lengths(again), GOAL)[0]

    source = np.random.default_rng(7)
    times = counts(source, 40, 3)
    apart: list[list[float]] = [[] for _ in range(40)]
    for r, n in enumerate(sizes):
        for b in range(40):
            for _ in range(int(times[b, r])):
                drawn = counts(source, 1, n)[0]
                apart[b].append(off(written[1][r], drawn) - off(written[0][r], drawn))
    assert [len(own) for own in apart] == [3] * 40
    low, high = np.percentile([np.mean(own) for own in apart], [2.5, 97.5])
    assert (found.low, found.high) == pytest.approx((low, high))
    each = [
        off(y, np.ones(n)) - off(x, np.ones(n)) for x, y, n in zip(*written, sizes, strict=True)
    ]
    assert found.value == pytest.approx(np.mean(each))


def test_counts_add_up() -> None:
    found = counts(np.random.default_rng(0), 500, 7)
    assert found.shape == (500, 7)
    assert (found.sum(1) == 7).all()
    assert found.mean(0) == pytest.approx(np.ones(7), abs=0.2)
    assert (counts(np.random.default_rng(0), 5, 1) == 1).all()
    assert counts(np.random.default_rng(0), 0, 4).shape == (0, 4)  # a seed that is never drawn


def test_partners_have_one_seed_and_the_documents_of_both() -> None:
    def numbered(seed: int | None, *numbers: int) -> Sample:
        return Sample(seed, numbers, {"share": mean_of([100.0 * (seed or 0) + n for n in numbers])})

    first = [numbered(1, 0, 1, 2), numbered(2, 0, 1), numbered(None, 5)]
    other = [numbered(3, 0), numbered(2, 7, 1, 0), numbered(1, 2, 3, 1), numbered(1, 0)]
    found = pairs_of(first, other)
    assert [(x.seed, list(x.numbers), list(y.numbers)) for x, y in found] == [
        (1, [1, 2], [1, 2]),
        (2, [0, 1], [0, 1]),
    ]
    for x, y in found:  # in the order of their numbers, on both sides
        assert (x.statistics["share"].top == y.statistics["share"].top).all()
    assert pairs_of(first, [numbered(9, 0), numbered(2, 8)]) == []
    twice = pairs_of([numbered(1, 0), numbered(1, 1)], [numbered(1, 0), numbered(1, 1)])
    assert [list(x.numbers) for x, _ in twice] == [[0], [1]]


def test_numbers_as_plain_data() -> None:
    found = Difference(1.0, 0.5, 2.0, BETTER).as_dict()
    assert found == {"value": 1.0, "low": 0.5, "high": 2.0, "verdict": "better"}


def test_three_seeds_of_512_documents_take_seconds() -> None:
    state, n = np.random.default_rng(0), 512
    made = [
        {
            "share": mean_of(state.random(n)),
            "MM": Statistic(state.random((n, 4)), np.ones((n, 4)), np.full(4, 0.6)),
        }
        for _ in range(6)
    ]
    pairs = [(Sample(r, range(n), made[r]), Sample(r, range(n), made[r + 3])) for r in range(3)]
    start = perf_counter()
    assert set(differences(pairs, {"share"})) == {"share", "MM"}
    assert perf_counter() - start < 10
    assert RESAMPLES == 2000
