import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.coherence.ragged import Ragged


@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.integers(1, 7))
def test_rows_move_within_their_document_only(lengths: list[int], by: int) -> None:
    layout = Ragged.of(lengths)
    rows = np.arange(1.0, 1 + sum(lengths))
    parts = layout.split(rows)
    for moved, direction in ((layout.before(rows, by), 1), (layout.after(rows, by), -1)):
        for part, found in zip(parts, layout.split(moved), strict=True):
            expected = [
                part[i - direction * by] if 0 <= i - direction * by < len(part) else 0
                for i in range(len(part))
            ]
            np.testing.assert_array_equal(found, expected)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=8))
def test_totals_means_and_places_are_those_of_each_document(lengths: list[int]) -> None:
    layout = Ragged.of(lengths)
    rows = np.random.default_rng(0).normal(size=(sum(lengths), 2))
    parts = layout.split(rows)
    np.testing.assert_allclose(layout.total(rows), [p.sum(0) for p in parts])
    np.testing.assert_allclose(layout.mean(rows), [p.mean(0) for p in parts])
    lowest = [np.sort(p[:, 0])[: -(-len(p) // 4)].mean() for p in parts]
    np.testing.assert_allclose(layout.lowest(rows[:, 0], 0.25), lowest)
    for share, n in zip(layout.split(layout.share), lengths, strict=True):
        np.testing.assert_allclose(share, np.linspace(0, 1, n))
    assert layout.first.sum() == layout.last.sum() == len(lengths)
