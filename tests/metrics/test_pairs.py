"""Pairs are of one document and as far apart as they should be."""

from timecontrol.coherence import Ragged
from timecontrol.metrics.pairs import apart, clipped

LAYOUT = Ragged.of([4, 2, 3])


def test_pairs_exactly_k_apart() -> None:
    found = apart(LAYOUT, 2)
    assert found.earlier.tolist() == [0, 1, 6]
    assert found.later.tolist() == [2, 3, 8]
    assert found.document.tolist() == [0, 0, 2]
    assert len(apart(LAYOUT, 4)) == 0


def test_the_released_code_has_a_pair_for_each_sentence() -> None:
    found = clipped(LAYOUT, 2)
    assert len(found) == 9
    assert found.later.tolist() == [2, 3, 3, 3, 5, 5, 8, 8, 8]
    assert found.earlier.tolist() == [0, 1, 1, 1, 4, 4, 6, 6, 6]
    assert (found.document == LAYOUT.document).all()
