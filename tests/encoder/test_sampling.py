import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.encoder.sampling import (
    Index,
    batches,
    grouped,
    random_state,
    triplets,
    windows,
)

LENGTHS = st.lists(st.integers(1, 12), min_size=1, max_size=8)


def document_of(index: Index) -> torch.Tensor:
    return torch.arange(len(index.position)) - index.position


@given(LENGTHS, st.integers(0, 9))
def test_triplets_are_in_order_and_of_one_document(lengths: list[int], seed: int) -> None:
    index = Index.of(lengths)
    ends = index.ends(2)
    found = triplets(index, ends, random_state(seed))
    document = document_of(index)
    assert (found.first < found.middle).all()
    assert (found.middle < found.last).all()
    assert torch.equal(found.last, ends)
    assert torch.equal(document[found.first], document[found.last])
    t, T = found.times()
    assert ((t > 0) & (t < T)).all()


def test_first_and_middle_are_uniform_over_pairs_before_the_end() -> None:
    index = Index.of([5])
    ends = torch.full((60_000,), 4)
    found = triplets(index, ends, random_state(0))
    counts = torch.bincount(found.first * 5 + found.middle)
    seen = counts[counts > 0] / len(ends)
    assert len(seen) == 6  # pairs of 0 .. 3
    torch.testing.assert_close(seen, torch.full((6,), 1 / 6), atol=0.01, rtol=0)


@given(LENGTHS, st.integers(1, 3))
def test_fixed_distances_are_kept(lengths: list[int], distance: int) -> None:
    index = Index.of(lengths)
    ends = index.ends(2 * distance)
    found = triplets(index, ends, random_state(0), distance)
    assert (found.middle - found.first == distance).all()
    assert (found.last - found.middle == distance).all()
    assert torch.equal(document_of(index)[found.first], document_of(index)[found.last])


@given(LENGTHS, st.integers(1, 5))
def test_windows_stay_in_their_document(lengths: list[int], width: int) -> None:
    index = Index.of(lengths)
    ends = index.ends(1)
    window, following = windows(index, ends, width)
    assert window.shape == (len(ends), width)
    assert (document_of(index)[window] == document_of(index)[following].unsqueeze(1)).all()
    assert (window < following.unsqueeze(1)).all()
    assert torch.equal(window[:, -1], following - 1)


def test_a_window_before_the_start_repeats_its_last_sentence() -> None:
    index = Index.of([2, 5])
    window, following = windows(index, torch.tensor([4, 6]), 4)
    assert following.tolist() == [4, 6]
    assert window.tolist() == [[3, 3, 2, 3], [2, 3, 4, 5]]


@pytest.mark.parametrize("together", [1, 3, 100])
def test_an_epoch_meets_every_sentence_once(together: int) -> None:
    index = Index.of([5, 9, 2, 16])
    ends = index.ends(0)
    found = [b for b, _ in batches(index, ends, 4, 1, 2, together=together)]
    assert all(len(b) == 4 for b in found)
    assert torch.cat(found).sort().values.tolist() == list(range(32))


def test_the_partial_batch_is_left_out_unless_alone() -> None:
    index = Index.of([10])
    assert [len(b) for b, _ in batches(index, index.ends(0), 4, 0)] == [4, 4]
    assert [len(b) for b, _ in batches(index, index.ends(0), 64, 0)] == [10]


def test_epochs_and_seeds_differ_and_repeat() -> None:
    index = Index.of([50])
    a, b, c, d = (
        torch.cat([x for x, _ in batches(index, index.ends(0), 10, *key)])
        for key in ((0, 1), (0, 1), (0, 2), (1, 1))
    )
    assert torch.equal(a, b)
    assert not torch.equal(a, c)
    assert not torch.equal(a, d)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(1, 7))
def test_groups_are_of_one_document_and_not_too_long(documents: list[int], together: int) -> None:
    given_documents = torch.tensor(documents)
    order = grouped(given_documents, together, random_state(3))
    assert order.sort().values.tolist() == list(range(len(documents)))
    counts = torch.bincount(given_documents)
    wanted = sum(-(-int(n) // together) for n in counts if n > 0)
    changes = 1 + int((given_documents[order].diff() != 0).sum())
    assert changes <= wanted


def test_random_states_of_near_keys_differ() -> None:
    keys = [(a, b, c) for a in range(9) for b in range(9) for c in (0, 1)]
    seeds = {random_state(*key).initial_seed() for key in keys}
    assert len(seeds) == 162
