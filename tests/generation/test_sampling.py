import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from torch import Tensor
from transformers import TopPLogitsWarper

from timecontrol.generation.sampling import (
    BLOCK,
    MOST,
    NEVER,
    _fused,
    choose,
    draws_for,
    guided,
    inverse,
    nucleus,
)

LAST = 1 - 2**-24
"""The largest number below 1 in float32."""

TOP_P = [0.01, 0.2, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0]


def sorted_nucleus(logits: Tensor, top_p: float) -> Tensor:
    """Return the law of a nucleus as transformers has it, (vocabulary,)."""
    ids = torch.zeros(1, 1, dtype=torch.long)
    kept = TopPLogitsWarper(top_p)(ids, logits[None].double())
    return torch.softmax(kept[0], -1)


def example(size: int = 12, seed: int = 0) -> Tensor:
    return 2 * torch.randn(size, generator=torch.Generator().manual_seed(seed))


def grid(n: int) -> Tensor:
    """Return the middles of n equal parts of [0, 1), (n, 1)."""
    return ((torch.arange(n, dtype=torch.float64) + 0.5) / n).float().unsqueeze(-1)


def shares(chosen: Tensor, size: int) -> np.ndarray:
    return np.asarray(torch.bincount(chosen, minlength=size).double() / len(chosen))


@pytest.mark.parametrize("top_p", [0.01, 0.2, 0.5, 1.0])
def test_one_number_draws_exactly_from_the_nucleus(top_p: float) -> None:
    """Every part of the grid goes where the inverse of the distribution function says."""
    n, logits = 20_000, example()
    assert draws_for(top_p) == 1
    found = shares(choose(logits.expand(n, -1), grid(n), top_p), 12)
    np.testing.assert_allclose(found, sorted_nucleus(logits, top_p), atol=1.5 / n)


@pytest.mark.parametrize("top_p", [0.6, 0.8, 0.95])
def test_several_candidates_follow_their_law_exactly(top_p: float) -> None:
    """Two candidates over all of a square grid: p_i (1 + q) inside, q^2 for the most probable."""
    side, logits = 400, example()
    line = grid(side).flatten()
    pairs = torch.stack(torch.meshgrid(line, line, indexing="ij"), -1).reshape(-1, 2)
    found = shares(choose(logits.expand(len(pairs), -1), pairs, top_p), 12)
    p = torch.softmax(logits.double(), -1)
    inside = sorted_nucleus(logits, top_p) > 0
    outside = float(p[~inside].sum())
    expected = torch.where(inside, p * (1 + outside), 0)
    expected[p.argmax()] += outside**2
    assert 0 < outside < 1 - top_p
    np.testing.assert_allclose(found, expected, atol=4 / side)
    assert (found[~inside.numpy()] == 0).all()


@pytest.mark.parametrize("top_p", TOP_P)
@pytest.mark.parametrize("seed", [0, 1])
def test_many_draws_have_the_law_of_the_sorted_nucleus(top_p: float, seed: int) -> None:
    n, logits = 40_000, example(30, seed)
    state = np.random.default_rng(seed)
    u = torch.from_numpy(state.random((n, draws_for(top_p)), np.float32))
    counts = torch.bincount(choose(logits.expand(n, -1), u, top_p), minlength=30).numpy()
    law = sorted_nucleus(logits, top_p).numpy()
    assert counts[law == 0].sum() == 0
    if (law > 0).sum() > 1:
        expected = n * law[law > 0]
        assert stats.chisquare(counts[law > 0], expected * n / expected.sum()).pvalue > 1e-3
    else:
        assert counts.max() == n


@pytest.mark.parametrize("top_p", [0.95, 0.3])
def test_a_large_vocabulary_is_drawn_from_evenly(top_p: float) -> None:
    """In float32 the sum over 50,000 tokens must not lose its end."""
    size, n = 50_000, 64
    logits = torch.zeros(1, size)
    u = grid(n).expand(n, draws_for(top_p))
    found = choose(logits.expand(n, -1), u, top_p)
    np.testing.assert_allclose(found / size, grid(n).flatten(), atol=1e-4)


finite = st.floats(-30, 30, width=32)
logits_ = st.lists(st.one_of(finite, st.just(-math.inf)), min_size=1, max_size=8).filter(
    lambda found: max(found) > -math.inf
)
numbers = st.one_of(st.sampled_from([0.0, LAST]), st.floats(0, LAST, width=32))


@given(logits_, st.sampled_from(TOP_P), st.sampled_from([0.0, 1e-30, 0.3, 1.0, 3.0]), st.data())
def test_nothing_outside_the_nucleus_is_ever_chosen(
    values: list[float], top_p: float, temperature: float, data: st.DataObject
) -> None:
    draws = draws_for(top_p)
    u = torch.tensor([data.draw(st.lists(numbers, min_size=draws, max_size=draws))])
    logits = torch.tensor([values])
    token = int(choose(logits, u, top_p, temperature))
    p = torch.softmax(logits[0].double() / max(temperature, 1e-3), -1)
    above = float(p[p > p[token] * (1 + 1e-5)].sum())
    assert values[token] > -math.inf
    assert above < top_p + 1e-5


@pytest.mark.parametrize("top_p", TOP_P)
@pytest.mark.parametrize("u", [0.0, 0.5, LAST])
def test_forbidden_tokens_at_either_end_stay_forbidden(top_p: float, u: float) -> None:
    never = [-math.inf] * 3
    logits = torch.tensor([[*never, 1.0, -math.inf, 1.0, *never]])
    token = int(choose(logits, torch.full((1, draws_for(top_p)), u), top_p))
    assert token in (3, 5)
    assert token == (3 if u == 0 else 5)


FEW = [BLOCK + 1, BLOCK + 2, 3 * BLOCK - 1]
"""The only tokens that may be chosen, of five blocks: none in the first, third, fourth, fifth."""


@pytest.mark.parametrize("top_p", TOP_P)
@pytest.mark.parametrize("size", [5 * BLOCK, 5 * BLOCK - 3])
@pytest.mark.parametrize("u", [0.0, 0.3, 0.9, LAST, 1.0])
def test_blocks_without_any_probability_are_passed_over(size: int, top_p: float, u: float) -> None:
    """Also by 1, which no number is, but which a sum that was rounded may come to."""
    logits = torch.full((1, size), -math.inf)
    logits[0, FEW] = torch.tensor([1.0, 3.0, 2.0])
    token = int(choose(logits, torch.full((1, draws_for(top_p)), u), top_p))
    assert token in FEW
    if top_p == 1:
        assert token == {0.0: FEW[0], 0.3: FEW[1], 0.9: FEW[2], LAST: FEW[2], 1.0: FEW[1]}[u]


@pytest.mark.parametrize("size", [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_what_fills_the_last_block_is_never_chosen(size: int) -> None:
    logits = torch.full((1, size), -300.0)
    for u in (0.5, LAST):
        token = int(choose(logits, torch.tensor([[u]])))
        assert token < size
        assert token == pytest.approx(u * size, abs=1)


def test_tokens_are_found_within_their_block() -> None:
    p = torch.rand(3, 4 * BLOCK, generator=torch.Generator().manual_seed(0))
    p[1, BLOCK : 2 * BLOCK] = 0
    u = torch.rand(3, 50, generator=torch.Generator().manual_seed(1))
    found, total = inverse(p, u)
    torch.testing.assert_close(total, p.sum(-1, keepdim=True))
    exact = p.double().cumsum(-1)
    expected = torch.searchsorted(exact, u.double() * exact[:, -1:], right=True)
    assert (found - expected).abs().max() <= 1
    assert float((found != expected).float().mean()) < 0.02
    assert inverse(p, torch.ones(3, 1))[0].tolist() == [[4 * BLOCK - 1]] * 3


def test_the_kernel_is_taken_where_it_works_and_only_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(p: Tensor, height: Tensor) -> Tensor:
        raise RuntimeError("Failed to find C compiler")

    def working(p: Tensor, height: Tensor) -> Tensor:
        return height

    cpu = torch.device("cpu")
    for found, expected in ((broken, None), (working, working)):
        kernel = SimpleNamespace(sum_above=found)
        monkeypatch.setitem(sys.modules, "timecontrol.generation.kernel", kernel)
        assert _fused.__wrapped__(cpu) is expected
    monkeypatch.setitem(sys.modules, "timecontrol.generation.kernel", None)
    assert _fused.__wrapped__(cpu) is None


def test_a_token_of_no_probability_is_not_chosen_by_0() -> None:
    logits = torch.tensor([[-200.0, 0.0, -200.0]])  # exp(-200) is 0 in float32
    for u in (0.0, LAST):
        assert int(choose(logits, torch.tensor([[u]]))) == 1


def test_where_all_candidates_lie_outside_the_most_probable_is_taken() -> None:
    logits = torch.tensor([[0.05, 0.9, 0.05]]).log()
    assert int(choose(logits, torch.tensor([[0.01, 0.99]]), 0.8)) == 1
    assert int(choose(logits, torch.tensor([[0.01, 0.5]]), 0.8)) == 1
    assert int(choose(logits, torch.tensor([[0.99, 0.01]]), 0.96)) == 2  # the first that is inside


def test_temperature() -> None:
    n, logits = 1000, example()
    u = grid(n)
    rows = logits.expand(n, -1)
    assert set(choose(rows, u, temperature=0).tolist()) == {int(logits.argmax())}
    assert set(choose(rows, u, temperature=1e-40).tolist()) == {int(logits.argmax())}
    for t in (0.5, 2.0):
        assert torch.equal(choose(rows, u, 0.4, t), choose(rows / t, u, 0.4))
    warm = [shares(choose(rows, u, temperature=t), 12).max() for t in (0.5, 1.0, 2.0)]
    assert warm == sorted(warm, reverse=True)
    assert len(set(warm)) == 3


@pytest.mark.parametrize("top_p", [0.3, 0.7])
def test_equally_probable_tokens_are_in_the_nucleus_together(top_p: float) -> None:
    """No order among them is made up: nothing is more probable than any of the four.

    A sorted nucleus would leave out whichever it happened to sort last.
    """
    n = 4000
    p = torch.tensor([0.2, 0.2, 0.2, 0.2, 0.1, 0.1])
    draws = draws_for(top_p)
    u = torch.from_numpy(np.random.default_rng(0).random((n, draws), np.float32))
    found = shares(choose(p.log().expand(n, -1), u, top_p), 6)
    np.testing.assert_allclose(found, [0.25, 0.25, 0.25, 0.25, 0, 0], atol=0.03)


def test_rows_know_nothing_of_each_other() -> None:
    logits = torch.stack([example(seed=s) for s in range(6)])
    for top_p in (0.3, 0.9, 1.0):
        u = torch.rand(6, draws_for(top_p), generator=torch.Generator().manual_seed(1))
        whole = choose(logits, u, top_p)
        alone = torch.cat([choose(logits[i : i + 1], u[i : i + 1], top_p) for i in range(6)])
        assert torch.equal(whole, alone)


def test_half_precision_is_summed_in_full() -> None:
    logits = torch.zeros(1, 5000, dtype=torch.bfloat16)
    assert int(choose(logits, torch.tensor([[0.9]]))) == pytest.approx(4500, abs=1)


@given(st.floats(1e-6, 1.0, exclude_min=True))
def test_so_many_candidates_that_all_fail_once_in_a_billion(top_p: float) -> None:
    n = draws_for(top_p)
    assert 1 <= n <= MOST
    if n > 1:
        assert (1 - top_p) ** n <= NEVER * (1 + 1e-6)
        assert (1 - top_p) ** (n - 1) > NEVER * (1 - 1e-6)


def test_the_numbers_of_candidates() -> None:
    assert [draws_for(p) for p in (1.0, 0.99, 0.95, 0.8, 0.6)] == [1, 5, 7, 13, 23]
    assert draws_for(0.5) == 1  # 30 would be needed: sorted instead


def test_the_nucleus_by_hand() -> None:
    p = torch.tensor([[0.1, 0.5, 0.15, 0.25]])
    for top_p, inside in ((0.01, [1]), (0.49, [1]), (0.6, [1, 3]), (0.76, [1, 2, 3])):
        assert nucleus(p, top_p).nonzero()[:, 1].tolist() == inside


def test_guidance_worked_by_hand() -> None:
    a, b = torch.tensor([[1.0, 2.0, -math.inf]]), torch.tensor([[0.0, 4.0, 0.0]])
    word = torch.tensor([False, False])
    found = guided(torch.cat([a, b]), 0.5, word)
    assert found.tolist() == [[1.5, 1.0, -math.inf]]
    assert torch.equal(guided(torch.cat([a, b]), 0.0, word), a)
    never = torch.full((1, 3), -math.inf)
    assert torch.equal(guided(torch.cat([never, never]), 2.0, word), never)  # no NaN


def test_what_comes_after_a_sentence_is_not_led() -> None:
    a, b = torch.tensor([[1.0, 2.0], [1.0, 2.0]]), torch.tensor([[0.0, 4.0], [0.0, 4.0]])
    decides = torch.tensor([True, False, True, False])
    assert guided(torch.cat([a, b]), 0.5, decides).tolist() == [[1.0, 2.0], [1.5, 1.0]]
