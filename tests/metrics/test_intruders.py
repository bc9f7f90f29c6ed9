"""An intruder comes from elsewhere, stands inside, and is ranked fairly."""

import numpy as np
import pytest

from timecontrol.coherence import Ragged
from timecontrol.metrics.intruders import draw, found_by, rank

IDS = ["a", "b", "c"]
LAYOUT = Ragged.of([5, 3, 8])
TEXTS = [str(i) for i in range(16)]


def test_it_is_an_inner_sentence_of_another_document() -> None:
    found = draw(IDS, LAYOUT, TEXTS, 50, seed=0)
    assert np.bincount(found.document).tolist() == [50, 50, 50]
    assert (found.place >= 1).all()
    assert (found.place <= LAYOUT.lengths[found.document] - 2).all()
    assert (LAYOUT.document[found.row] != found.document).all()
    assert set(found.place[found.document == 2]) == set(range(1, 7))
    assert set(found.row) == set(range(16))


def test_a_draw_is_keyed_by_seed_and_document() -> None:
    once, again = (draw(IDS, LAYOUT, TEXTS, 5, seed=0) for _ in range(2))
    assert (once.row == again.row).all()
    assert (once.row != draw(IDS, LAYOUT, TEXTS, 5, seed=1).row).any()
    turned = draw(["c", "b", "a"], LAYOUT, TEXTS, 5, seed=0)
    kept = turned.document == 1  # another document's name does not matter
    assert (turned.row[kept] == once.row[once.document == 1]).all()


def test_the_sentence_it_replaces_says_something_else() -> None:
    texts = ["x"] * 15 + ["y"]
    found = draw(IDS, LAYOUT, texts, 20, seed=0)
    assert (found.row[found.document < 2] == 15).all()
    assert not len(draw(IDS, LAYOUT, ["x"] * 16, 20, seed=0).row)
    assert not len(draw(["a"], Ragged.of([5]), TEXTS[:5], 20, seed=0).row)


@pytest.mark.parametrize(
    ("trace", "place", "expected"),
    [
        ([0, 1, 2, 3, 0], 1, (1, 1)),
        ([0, 1, 2, 3, 0], 3, (3, 0)),
        ([0, 1, 1, 3, 0], 2, (1.5, 0.5)),
        ([0, 7, 7, 7, 0], 2, (2, 1 / 3)),
        ([0, 5, 0], 1, (1, 1)),
    ],
)
def test_ranks_worked_by_hand(trace: list[int], place: int, expected: tuple[float, float]) -> None:
    assert rank(np.array(trace, float), place) == pytest.approx(expected)


def test_rates_are_means_over_intruders() -> None:
    found = found_by(np.array([1, 2, 4, 1.0]), np.array([1, 0, 0, 1.0]), np.array([0, 0, 2, 2]))
    assert found["top-1"].value == 0.5
    assert found["MRR"].value == pytest.approx((1 + 0.5 + 0.25 + 1) / 4)
    assert found["MRR"].documents == 2
