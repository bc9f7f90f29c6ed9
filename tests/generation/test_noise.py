import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from timecontrol.generation.noise import uniforms

seeds = st.integers(0, 2**31 - 1)
numbers = st.integers(0, 10**6)


@given(seeds, st.lists(numbers, min_size=1, max_size=5), st.integers(1, 9), st.integers(1, 4))
def test_a_document_has_its_numbers_whatever_is_beside_it(
    seed: int, rows: list[int], steps: int, draws: int
) -> None:
    found = uniforms(seed, rows, steps, draws)
    assert found.shape == (len(rows), steps, draws)
    for row, number in zip(found, rows, strict=True):
        assert torch.equal(row, uniforms(seed, [number], steps, draws)[0])


@given(seeds, numbers, st.integers(1, 20), st.integers(0, 20), st.integers(1, 8))
def test_the_first_steps_are_the_same_for_any_number_of_steps(
    seed: int, number: int, few: int, more: int, draws: int
) -> None:
    long = uniforms(seed, [number], few + more, draws)
    assert torch.equal(long[:, :few], uniforms(seed, [number], few, draws))


def test_seed_number_and_step_each_make_other_numbers() -> None:
    here = uniforms(0, [0], 8, 2)
    assert not torch.equal(here, uniforms(1, [0], 8, 2))
    assert not torch.equal(here, uniforms(0, [1], 8, 2))
    assert len(set(here.flatten().tolist())) == 16
    assert not torch.equal(uniforms(2, [3], 8, 2), uniforms(3, [2], 8, 2))


def test_they_are_uniform_and_documents_know_nothing_of_each_other() -> None:
    found = uniforms(0, range(200), 50, 2).numpy()
    assert found.dtype == np.float32
    assert found.min() >= 0
    assert found.max() < 1
    assert stats.kstest(found.flatten(), "uniform").pvalue > 0.01
    flat = found.reshape(200, -1)
    neighbours = np.corrcoef(flat[:-1].ravel(), flat[1:].ravel())[0, 1]
    steps = np.corrcoef(found[:, :-1].ravel(), found[:, 1:].ravel())[0, 1]
    assert abs(neighbours) < 0.03
    assert abs(steps) < 0.03


@pytest.mark.parametrize("stream", [0, 1])
def test_they_are_not_those_that_plans_are_drawn_with(stream: int) -> None:
    state = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(7, stream)))
    assert not np.array_equal(state.random(8, np.float32), uniforms(5, [7], 8, 1).flatten())
