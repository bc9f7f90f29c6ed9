from itertools import permutations

import numpy as np
import pytest

from timecontrol.metrics.kendall import NUMBERS, agreement, by_chance


def test_worked_example() -> None:
    """2 0 1 3: of six pairs two are wrong; 0 1 stand side by side, 2 3 do not."""
    found = agreement(np.array([2, 0, 1, 3]))
    assert found == {
        "tau": pytest.approx(2 / 6),
        "either": pytest.approx(2 / 6),
        "exact": 0,
        "neighbours": pytest.approx(1 / 3),
    }


def test_the_truth_and_the_truth_told_backwards() -> None:
    assert agreement(np.arange(9)) == dict.fromkeys(NUMBERS, 1.0)
    back = {"tau": -1.0, "either": 1.0, "exact": 0.0, "neighbours": 1.0}
    assert agreement(np.arange(9)[::-1]) == back


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_chance_is_the_mean_over_all_orders(n: int) -> None:
    every = [agreement(np.array(order)) for order in permutations(range(n))]
    for name, value in by_chance(n).items():
        assert value == pytest.approx(np.mean([found[name] for found in every])), name
