import time
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.coherence.examples import DOC1, SIGMA
from timecontrol.coherence import ordering
from timecontrol.coherence.bridge import bridges
from timecontrol.coherence.ordering import best_order, best_orders
from timecontrol.coherence.ragged import Ragged
from timecontrol.errors import TimeControlError

Array = NDArray[np.float64]


def densities(z: Array, orders: NDArray[np.int64], sigma: Array) -> Array:
    each = Ragged.of([len(z)] * len(orders))
    return bridges(z[orders.ravel()], each, sigma).log_likelihood


def drawn(n: int, seed: int, d: int = 3) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(d, d))
    return rng.normal(size=(n, d)), root @ root.T + 0.1 * np.eye(d)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
@pytest.mark.parametrize(("first", "last"), [(None, None), (1, None), (None, 0), (2, 1)])
def test_no_order_is_likelier(n: int, first: int | None, last: int | None) -> None:
    for seed in range(4):
        z, sigma = drawn(n, seed)
        every = np.array(list(permutations(range(n))))
        allowed = np.ones(len(every), bool)
        if first is not None:
            allowed &= every[:, 0] == first
        if last is not None:
            allowed &= every[:, -1] == last
        log_p = densities(z, every[allowed], sigma)
        found = best_order(z, sigma, first, last)
        assert found.exact
        assert found.log_density == pytest.approx(log_p.max(), abs=1e-9)
        likeliest = every[allowed][log_p > log_p.max() - 1e-9]
        assert found.order in {tuple(order) for order in likeliest.tolist()}


def test_between_each_two_ends_the_order_is_the_best() -> None:
    z, sigma = drawn(6, 9)
    found, log_p = best_orders(z, sigma)
    assert len(found) == 6 * 5 / 2
    assert (np.diff(log_p) <= 0).all()
    assert {frozenset((o[0], o[-1])) for o in found.tolist()} == {
        frozenset((i, j)) for i in range(6) for j in range(i)
    }
    every = np.array(list(permutations(range(6))))
    for order, density in zip(found, log_p, strict=True):
        same = every[(every[:, 0] == order[0]) & (every[:, -1] == order[-1])]
        assert density == pytest.approx(densities(z, same, sigma).max(), abs=1e-9)


def test_worked_example_on_a_line() -> None:
    """Steps of 1, 1 and 1 about a drift of 1: nothing is left, and log p is its constant."""
    found = best_order(np.array([[3.0], [0.0], [2.0], [1.0]]), np.eye(1))
    assert found.order in ((0, 2, 3, 1), (1, 3, 2, 0))
    assert found.log_density == pytest.approx(-np.log(2 * np.pi) + np.log(3) / 2)


def test_a_path_and_its_reverse_are_as_likely() -> None:
    forth, back = densities(DOC1, np.array([[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]]), SIGMA)
    assert forth == pytest.approx(back)


def test_the_space_may_be_turned_and_stretched() -> None:
    z, sigma = drawn(8, 3)
    turn = np.random.default_rng(4).normal(size=(3, 3))
    assert best_order(z @ turn.T, turn @ sigma @ turn.T).order == best_order(z, sigma).order


def test_twelve_are_put_in_order_at_once() -> None:
    z, sigma = drawn(12, 0, d=8)
    begun = time.perf_counter()
    assert best_order(z, sigma).exact
    assert time.perf_counter() - begun < 2


def test_more_are_searched_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(6):
        z, sigma = drawn(11, seed)
        known = best_order(z, sigma).log_density
        with monkeypatch.context() as patch:
            patch.setattr(ordering, "EXACT", 3)
            found = best_order(z, sigma)
            again = best_order(z, sigma)
        assert found == again
        assert not found.exact
        assert found.log_density == pytest.approx(known, abs=1e-9)
    z = np.cumsum(np.abs(np.random.default_rng(0).normal(size=(40, 2))), 0)
    mixed = np.random.default_rng(1).permutation(40)
    order = np.array(best_order(z[mixed], np.eye(2)).order)
    walked = mixed[order] if mixed[order[0]] < mixed[order[-1]] else mixed[order][::-1]
    assert densities(z, walked[None], np.eye(2)) >= densities(z, np.arange(40)[None], np.eye(2))


@pytest.mark.parametrize("n", [20, 60])
def test_ends_may_be_given_where_it_is_searched(n: int) -> None:
    z, sigma = drawn(n, 1)
    found = best_order(z, sigma, fixed_first=4, fixed_last=2)
    assert (found.order[0], found.order[-1]) == (4, 2)
    assert sorted(found.order) == list(range(n))
    assert best_order(z, sigma, fixed_last=7).order[-1] == 7


def test_sentences_that_are_the_same_can_be_put_in_order() -> None:
    for n in (5, 20):
        assert sorted(best_order(np.zeros((n, 2)), np.eye(2)).order) == list(range(n))


@pytest.mark.parametrize(
    ("n", "ends", "message"),
    [
        (2, {}, "2 sentences cannot be put in order: from 3 to 60"),
        (61, {}, "61 sentences cannot be put in order"),
        (5, {"fixed_first": 5}, "first sentence is number 5: from 0 to 4"),
        (5, {"fixed_last": -1}, "last sentence is number -1"),
        (5, {"fixed_first": 2, "fixed_last": 2}, "both the first and the last"),
    ],
)
def test_what_has_no_order_is_refused(n: int, ends: dict[str, int], message: str) -> None:
    with pytest.raises(TimeControlError, match=message):
        best_order(np.zeros((n, 2)), np.eye(2), **ends)
