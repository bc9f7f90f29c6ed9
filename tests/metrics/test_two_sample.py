"""One law is rejected as often as it should be, others are found; nothing depends on the order."""

import numpy as np
import pytest
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError
from timecontrol.metrics import two_sample
from timecontrol.metrics.two_sample import (
    SMALLEST,
    TIMES,
    energy_distance,
    energy_test,
    features,
    roughness,
    shape,
    told_apart,
)

Array = NDArray[np.float64]
UNIT = np.full(2, 2.0)
PAIRS = np.arange(30)


def walks(count: int, seed: int, lengths: tuple[int, ...] = (12,)) -> list[Array]:
    """Return Brownian paths of two coordinates, lengths in turn."""
    state = np.random.default_rng(seed)
    sizes = [lengths[i % len(lengths)] for i in range(count)]
    return [state.standard_normal((n, 2)).cumsum(0) for n in sizes]


def calmer(paths: list[Array]) -> list[Array]:
    """Return moving averages over three points, spread as far as before."""
    found = []
    for path in paths:
        wide = np.concatenate([path[:1], path, path[-1:]])
        mean = (wide[:-2] + wide[1:-1] + wide[2:]) / 3
        found.append(mean * path.std() / mean.std())
    return found


def test_features_by_hand() -> None:
    line = np.stack([np.arange(7.0), -2 * np.arange(7.0)], -1)
    scale = np.array([2.0, 4.0])
    (found,) = shape([line], scale)
    assert np.allclose(found.reshape(16, 2), np.stack([3 * TIMES, -3 * TIMES], -1) / 4)
    (steps,) = roughness([line], scale)
    first, second = np.log(SMALLEST + 0.5), np.log(SMALLEST)
    assert np.allclose(steps, [first, first, second, second])
    turns = np.array([[0.0], [1.0], [0.0], [1.0], [0.0]])
    assert np.allclose(roughness([turns], np.ones(1)), np.log(SMALLEST + np.array([1.0, 2.0])))
    both = features([line, 2 * line], scale)
    assert both.shape == (2, 36)
    assert np.allclose(both[0], np.concatenate([found, steps]))
    assert np.allclose(features([line], scale), features([10 * line], 10 * scale))


def test_a_path_counts_alike_whatever_its_length() -> None:
    times = [np.linspace(0, 1, n)[:, None] for n in (4, 31)]
    short, long = (shape([np.concatenate([t, 1 - t], 1)], UNIT) for t in times)
    assert np.allclose(short, long)


def energy_by_hand(x: Array, y: Array) -> float:
    def mean(a: Array, b: Array, own: bool) -> float:
        found = [
            float(np.linalg.norm(p - q))
            for i, p in enumerate(a)
            for j, q in enumerate(b)
            if not (own and i == j)
        ]
        return float(np.mean(found))

    return 2 * mean(x, y, False) - mean(x, x, True) - mean(y, y, True)


def test_energy_by_hand() -> None:
    state = np.random.default_rng(0)
    x, y = state.standard_normal((5, 3)), state.standard_normal((8, 3)) + 1
    assert energy_distance(x, y) == pytest.approx(energy_by_hand(x, y))
    assert energy_distance(y, x) == pytest.approx(energy_distance(x, y))
    assert energy_distance(3 * x, 3 * y) == pytest.approx(3 * energy_distance(x, y))
    assert energy_test(x, y, permutations=9).distance == pytest.approx(energy_by_hand(x, y))
    far = energy_distance(np.zeros((4, 1)), np.ones((4, 1)))
    assert far == pytest.approx(2)


def test_energy_has_no_bias() -> None:
    found = [
        energy_distance(*(shape(walks(n, 2 * seed + i), UNIT) for i, n in enumerate((4, 9))))
        for seed in range(300)
    ]
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(len(found))


@pytest.mark.parametrize("paired", [True, False])
def test_one_law_is_rejected_in_five_percent(paired: bool) -> None:
    """Of 120 seeds about 6 have p <= 0.05: within 4 standard deviations, and p is level."""
    energies, aucs = [], []
    for seed in range(120):
        x = features(walks(12, 2 * seed, (6, 9, 14)), UNIT)
        y = features(walks(24, 2 * seed + 1, (6, 9, 14)), UNIT)
        owner = np.tile(np.arange(12), 2) if paired else None
        energies.append(energy_test(x, y, owner, permutations=19, seed=seed).p)
        aucs.append(told_apart(x, y, owner, permutations=19, seed=seed).p)
    for found in (np.array(energies), np.array(aucs)):
        assert (found <= 0.05).mean() < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 120)
        assert abs((found <= 0.5).mean() - 0.5) < 4 * 0.5 / np.sqrt(120)
        assert set(np.round(20 * found)) <= set(range(1, 21))


def test_lengths_that_matter_do_not_pass_for_a_difference() -> None:
    """Paths of one law given their length, in pairs: right by pairs, too cautious freely."""
    owner = np.arange(20)
    free, paired = [], []
    for seed in range(60):
        own, other = (
            [path + 10 * (i % 2) for i, path in enumerate(walks(20, 2 * seed + side))]
            for side in (0, 1)
        )
        x, y = features(own, UNIT), features(other, UNIT)
        free.append(energy_test(x, y, permutations=19, seed=seed).p)
        paired.append(energy_test(x, y, owner, permutations=19, seed=seed).p)
    assert np.mean(free) > 0.7
    assert abs(np.mean(paired) - 0.525) < 4 * 0.3 / np.sqrt(60)


def test_other_laws_are_rejected() -> None:
    real = features(walks(30, 0), UNIT)
    others = {
        "shifted": [path + 2 for path in walks(30, 1)],
        "calmer": calmer(walks(30, 1)),
        "narrower": [0.3 * path for path in walks(30, 1)],
        "still": [np.zeros((12, 2))] * 30,
    }
    for paths in others.values():
        other = features(paths, UNIT)
        for owner in (PAIRS, None):
            assert energy_test(real, other, owner, permutations=99).p == 0.01
            found = told_apart(real, other, owner, permutations=99)
            assert found.p == 0.01
            assert found.auc.value > 0.8
            assert found.auc.low > 0.6
            assert found.auc.low <= found.auc.value <= found.auc.high <= 1


def test_only_the_spread_differs_and_it_is_found() -> None:
    """Means are the same: a linear classifier would be blind."""
    real, other = (shape([s * p for p in walks(60, i)], UNIT) for i, s in enumerate((1.0, 0.3)))
    assert told_apart(real, other, permutations=0).auc.value > 0.8
    assert energy_test(real, other, permutations=99).p == 0.01


def test_the_same_cannot_be_told_apart() -> None:
    values = []
    for seed in range(20):
        x, y = (features(walks(40, 2 * seed + i), UNIT) for i in (0, 1))
        values.append(told_apart(x, y, permutations=0, seed=seed).auc.value)
    assert np.mean(values) == pytest.approx(0.5, abs=0.06)
    x = features(walks(30, 0), UNIT)
    same = told_apart(x, x, PAIRS, permutations=99)
    assert same.auc.value == 0.5  # in pairs: whatever is said of one is said of the other
    assert same.p > 0.5
    assert energy_test(x, x, PAIRS, permutations=99).p == 1


def test_which_sample_comes_first_does_not_matter() -> None:
    x, y = features(walks(30, 0), UNIT), features([1.5 * p for p in walks(30, 1)], UNIT)
    assert energy_test(x, y).distance == pytest.approx(energy_test(y, x).distance)
    one, two = (energy_test(a, b, PAIRS).p for a, b in ((x, y), (y, x)))
    assert one == pytest.approx(two, abs=0.02)
    values = [told_apart(a, b, PAIRS, permutations=0).auc.value for a, b in ((x, y), (y, x))]
    assert values[0] == pytest.approx(values[1])


def test_scores_are_of_classifiers_that_did_not_see_them() -> None:
    """Labels at random, more features than paths: whoever had seen them would be right always."""
    state = np.random.default_rng(0)
    x, y = state.standard_normal((2, 20, 400))
    assert 0.2 < told_apart(x, y, permutations=0).auc.value < 0.8


def test_a_seed_gives_the_same_again() -> None:
    x, y = features(walks(30, 0), UNIT), features([1.1 * p for p in walks(30, 1)], UNIT)
    for test in (energy_test, told_apart):
        assert test(x, y, PAIRS, seed=3) == test(x, y, PAIRS, seed=3)
        assert test(x, y, PAIRS, seed=3).p != test(x, y, PAIRS, seed=4).p


def test_labels_change_places_within_blocks_and_evenly() -> None:
    first = np.array([True, True, False, False, False, False])
    block = np.array([1, 0, 1, 0, 0, 1])
    found = two_sample._labels(first, block, 3000, 0)
    assert (found[0] == first).all()
    for number in (0, 1):
        own = found[:, block == number]
        assert (own.sum(1) == 1).all()
        assert np.allclose(own[1:].mean(0), 1 / 3, atol=0.04)


def test_plain_data() -> None:
    x, y = features(walks(6, 0), UNIT), features(walks(6, 1), UNIT)
    assert set(energy_test(x, y).as_dict()) == {"distance", "p"}
    found = told_apart(x, y, permutations=0)
    assert found.as_dict() == {**found.auc.as_dict(), "p": 1.0}
    assert found.auc.documents == 6


def test_too_little_is_one_clear_line() -> None:
    x, y = features(walks(3, 0), UNIT), features(walks(9, 1), UNIT)
    for test in (energy_test, told_apart):
        with pytest.raises(TimeControlError, match=r"^Samples of 3 and 9 paths: at least 4 of"):
            test(x, y)
        with pytest.raises(TimeControlError, match="Samples of 9 and 3 paths"):
            test(y, x)
    with pytest.raises(TimeControlError, match=r"^A path of 2 points: 3 or more"):
        features([np.zeros((2, 2))], UNIT)
