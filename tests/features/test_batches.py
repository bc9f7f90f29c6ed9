import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.features.batches import Ragged, by_length, spans

LENGTHS = st.lists(st.integers(1, 60), min_size=1, max_size=80)


@given(LENGTHS, st.integers(1, 200))
def test_batches_cover_everything_once_within_the_budget(lengths: list[int], budget: int) -> None:
    sizes = np.array(lengths)
    order = by_length(sizes)
    sorted_sizes = sizes[order]
    assert (np.diff(sorted_sizes) <= 0).all()
    found = list(spans(sorted_sizes, budget))
    assert [a for a, _ in found] == [0] + [b for _, b in found[:-1]]
    assert found[-1][1] == len(lengths)
    for start, stop in found:
        assert stop > start
        tokens = (stop - start) * sorted_sizes[start]
        assert tokens <= budget or stop - start == 1


@given(st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=6), min_size=1, max_size=9))
def test_rows_come_back_padded_on_the_right(rows: list[list[int]]) -> None:
    ragged = Ragged(rows)
    assert len(ragged) == len(rows)
    chosen = np.arange(len(rows))[::-1].copy()
    found = ragged.padded(chosen, -1)
    longest = max(map(len, rows))
    assert found.tolist() == [r + [-1] * (longest - len(r)) for r in rows[::-1]]
