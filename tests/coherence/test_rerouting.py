from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from timecontrol.coherence.rerouting import cost, improve, nearest_path, routes

Array = NDArray[np.float64]


def lengths_of(n: int, seed: int) -> tuple[Array, Array]:
    z = np.random.default_rng(seed).normal(size=(n, 2))
    squares = np.square(z[:, None] - z).sum(-1)
    return squares, squares / (n - 1)


def changes(path: list[int], free: tuple[bool, bool]) -> list[list[int]]:
    """Return all paths that one change leads to."""
    marks = range(0 if free[0] else 1, len(path) + (1 if free[1] else 0))
    found = []
    for i in marks:
        for j in (m for m in marks if m > i):
            found.append(path[:i] + path[i:j][::-1] + path[j:])
            found += [path[:i] + path[j:k] + path[i:j] + path[k:] for k in marks if k > j]
    return found


@pytest.mark.parametrize("free", [(True, True), (False, True), (True, False), (False, False)])
def test_no_change_makes_the_path_shorter(free: tuple[bool, bool]) -> None:
    for seed in range(5):
        lengths, closing = lengths_of(9, seed)
        begun = np.random.default_rng(seed).permutation(9)
        path = improve(begun, lengths, closing, free)
        assert sorted(path.tolist()) == list(range(9))
        least = min(cost(np.array(c), lengths, closing) for c in changes(path.tolist(), free))
        assert cost(path, lengths, closing) <= least + 1e-9
        assert cost(path, lengths, closing) <= cost(begun, lengths, closing)
        if not free[0]:
            assert path[0] == begun[0]
        if not free[1]:
            assert path[-1] == begun[-1]


def test_the_shortest_of_few_is_found() -> None:
    for seed in range(5):
        lengths, closing = lengths_of(6, seed)
        every = (np.array(p) for p in permutations(range(6)))
        least = min(cost(path, lengths, closing) for path in every)
        found = min(cost(path, lengths, closing) for path in routes(lengths, closing))
        assert found == pytest.approx(least)


def test_it_goes_on_to_the_nearest() -> None:
    line = np.array([0.0, 1.0, 3.0, 7.0])
    lengths = np.abs(line[:, None] - line)
    assert nearest_path(lengths, 2).tolist() == [2, 1, 0, 3]
    assert nearest_path(lengths, 0, last=1).tolist() == [0, 2, 3, 1]


def test_nothing_can_be_changed_between_two_ends_and_one_point() -> None:
    lengths, closing = lengths_of(3, 0)
    path = np.array([2, 0, 1])
    assert improve(path, lengths, closing, (False, False)).tolist() == [2, 0, 1]


def test_of_a_path_and_its_reverse_there_is_one() -> None:
    lengths, closing = lengths_of(10, 3)
    found = routes(lengths, closing)
    assert (found[:, 0] < found[:, -1]).all()
    assert len({tuple(path) for path in found.tolist()}) == len(found)
