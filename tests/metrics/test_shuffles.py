"""No draw is the identity, blocks stay whole, windows small, and documents on their own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.metrics.shuffles import block_orders, other_order, random_state, window_orders


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 5))
def test_blocks_are_permuted_whole_and_never_stay(n: int, block: int, seed: int) -> None:
    orders = block_orders(n, block, 4, random_state(seed, "a", "block"))
    if n <= block:
        assert orders.shape == (0, n)
        return
    blocks = {tuple(range(s, min(s + block, n))) for s in range(0, n, block)}
    assert orders.shape == (4, n)
    for order in orders:
        assert sorted(order) == list(range(n))
        assert (order != np.arange(n)).any()
        found, rest = set(), order.tolist()
        while rest:
            size = min(block, n - rest[0])  # a block begins at a multiple of its size
            assert rest[0] % block == 0
            found.add(tuple(rest[:size]))
            rest = rest[size:]
        assert found == blocks


@given(st.integers(1, 40), st.integers(1, 3), st.integers(0, 5))
def test_each_window_of_three_is_moved_and_nothing_else(n: int, windows: int, seed: int) -> None:
    orders = window_orders(n, windows, 4, random_state(seed, "a", "windows"))
    assert len(orders) == (4 if n > 10 else 0)
    for order in orders:
        assert sorted(order) == list(range(n))
        moved = np.flatnonzero(order != np.arange(n))
        assert 2 * windows <= len(moved) <= 3 * windows
        assert (abs(order - np.arange(n)) < 3).all()


def test_windows_stand_everywhere_and_do_not_overlap() -> None:
    orders = window_orders(11, 3, 2000, random_state(0, "a", "windows"))
    moved = (orders != np.arange(11)).mean(0)
    assert (moved > 0.4).all()  # 3 windows of 11 sentences leave two that stay


def test_every_other_order_is_as_probable() -> None:
    state = np.random.default_rng(0)
    drawn = [tuple(other_order(3, state)) for _ in range(5000)]
    counts = [drawn.count(order) for order in set(drawn)]
    assert len(counts) == 5
    assert min(counts) > 900


def test_a_draw_depends_on_seed_document_and_kind_alone() -> None:
    def drawn(seed: int, document: str, kind: str) -> list[int]:
        return list(block_orders(30, 1, 1, random_state(seed, document, kind))[0])

    assert drawn(0, "a", "block 1") == drawn(0, "a", "block 1")
    others = [(1, "a", "block 1"), (0, "b", "block 1"), (0, "a", "block 2")]
    assert all(drawn(*other) != drawn(0, "a", "block 1") for other in others)


@pytest.mark.parametrize("windows", [4, 5])
def test_windows_that_do_not_fit_give_none(windows: int) -> None:
    assert len(window_orders(11, windows, 3, np.random.default_rng(0))) == 0
