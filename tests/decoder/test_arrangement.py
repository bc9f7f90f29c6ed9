import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import make_tokenizer
from timecontrol.bases import set_ends
from timecontrol.corpora.layout import STORY
from timecontrol.decoder.arrangement import arranged, drawn_gap, near
from timecontrol.tokens import Codec, Piece


def codec() -> Codec:
    return Codec(set_ends(make_tokenizer()), STORY, "best", gaps=True)


def pieces(n: int) -> list[Piece]:
    return [Piece(0, None, i == 0, [10 + i], True) for i in range(n)]


def test_the_missing_sentences_come_last_and_what_follows_them_first_or_in_its_place() -> None:
    c, own, gap = codec(), pieces(5), range(2, 3)
    stop = c.unit_end
    left, right = [10, stop, 11, stop], [13, stop, 14, stop]
    found = arranged(c, own, gap, range(5), "right-first")
    assert found.ids == [c.begin, *right, c.blank, *left, c.fill]
    assert found.order == [3, 4, 0, 1]
    found = arranged(c, own, gap, range(5), "blanks")
    assert found.ids == [c.begin, *left, c.blank, *right, c.fill]
    assert found.order == [0, 1, 3, 4]


def test_a_gap_at_an_end_has_nothing_on_that_side() -> None:
    c, own = codec(), pieces(3)
    assert arranged(c, own, range(0, 2), range(3), "right-first").ids == [
        c.begin, 12, c.unit_end, c.blank, c.fill,
    ]  # fmt: skip
    assert arranged(c, own, range(2, 3), range(1, 3), "blanks").order == [1]


@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 1000))
def test_a_drawn_gap_leaves_a_sentence(n: int, most: int, seed: int) -> None:
    gap = drawn_gap(n, most, np.random.default_rng(seed))
    assert 1 <= len(gap) <= min(most, n - 1)
    assert 0 <= gap.start < gap.stop <= n


@given(st.data())
def test_what_is_read_fits_and_lies_about_the_gap(data: st.DataObject) -> None:
    costs = data.draw(st.lists(st.integers(1, 20), min_size=1, max_size=12))
    start = data.draw(st.integers(0, len(costs) - 1))
    gap = range(start, data.draw(st.integers(start + 1, len(costs))))
    room = data.draw(st.integers(0, 100))
    found = near(costs, gap, room)
    assert found.start <= gap.start < gap.stop <= found.stop <= len(costs)
    assert sum(costs[i] for i in found if i not in gap) <= room
    if sum(costs) - sum(costs[i] for i in gap) <= room:
        assert found == range(len(costs))


def test_both_sides_are_read_evenly() -> None:
    assert near([5] * 9, range(4, 5), 20) == range(2, 7)
    assert near([5] * 9, range(0, 1), 20) == range(0, 5)
    assert near([5, 5, 50, 5, 0, 5, 5, 5, 5], range(4, 5), 25) == range(3, 9)
