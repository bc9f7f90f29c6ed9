"""Long documents made shorter: what stays, as laws over any document."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from timecontrol.corpora import open_corpus
from timecontrol.decoder.trimming import cost, size, trim
from timecontrol.tokens import STYLES, Codec, Piece


def made(*sections: list[int], tag: str | None = "A", opened: bool = False) -> list[Piece]:
    """Return sentences of so many tokens, by section, each with a mark, or one before it, too."""
    return [
        Piece(number, tag, i == 0, [5] * tokens, True, opened and i > 0)
        for number, section in enumerate(sections)
        for i, tokens in enumerate(section)
    ]


documents = st.tuples(
    st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=6), min_size=1, max_size=6),
    st.booleans(),
).map(lambda given: made(*given[0], opened=given[1]))


def kept(pieces: list[Piece], most: int, seed: int = 0) -> list[int]:
    return trim(pieces, most, np.random.default_rng(seed))


def test_the_size_worked_by_hand(tokenizer: PreTrainedTokenizerFast) -> None:
    # begin, tag, 3 and mark, 2 and mark, tag, 4 and mark, end
    assert size(made([3, 2], [4])) == 2 + 1 + 4 + 3 + 1 + 5
    assert size(made([3], tag=None)) == 2 + 4
    assert size([Piece(0, "A", True, [1, 2], False)]) == 2 + 1 + 2
    # a mark more before the second sentence of a section
    assert size(made([3, 2], [4], opened=True)) == 2 + 1 + 4 + 4 + 1 + 5
    assert [cost(p) for p in made([3, 2], [4], opened=True)] == [4, 4, 5]
    corpus = open_corpus("synthetic:cities,documents=10")
    for form in STYLES:
        codec = Codec(tokenizer, corpus.layout, form)
        for document in corpus.documents():
            pieces = codec.pieces(document)
            assert size(pieces) == len(codec.join(pieces).ids)


@given(documents, st.integers(0, 300), st.integers(0, 3))
def test_it_fits_where_the_first_sentences_do(pieces: list[Piece], most: int, seed: int) -> None:
    stay = kept(pieces, most, seed)
    assert stay == sorted(set(stay))  # in order
    firsts = [i for i, p in enumerate(pieces) if p.first]
    if size(pieces) <= most:
        assert stay == list(range(len(pieces)))
    elif size([pieces[i] for i in firsts]) <= most:
        assert set(firsts) <= set(stay)  # every section is there
        assert size([pieces[i] for i in stay]) <= most
    else:
        assert set(stay) <= set(firsts)
        assert 0 in stay
        assert size([pieces[i] for i in stay]) <= most or stay == [0]


@given(documents, st.integers(0, 300), st.integers(0, 3))
def test_what_goes_is_at_the_ends_of_sections(pieces: list[Piece], most: int, seed: int) -> None:
    stay = set(kept(pieces, most, seed))
    last = pieces[-1].section
    for number in {p.section for p in pieces}:
        here = [i in stay for i, p in enumerate(pieces) if p.section == number]
        if number != last:
            assert here == sorted(here, reverse=True)  # those that stay, then those that go
        elif not all(here) and len(stay) > last + 1:  # more than first sentences stay
            assert here[-1]  # the end of the document
            gone = [i for i, stays in enumerate(here) if not stays]
            assert gone == list(range(gone[0], gone[-1] + 1))  # one stretch


@given(documents, st.integers(0, 300), st.integers(0, 3))
def test_no_more_goes_than_must(pieces: list[Piece], most: int, seed: int) -> None:
    stay = kept(pieces, most, seed)
    lost = [i for i in range(len(pieces)) if i not in stay]
    if not lost or any(pieces[i].first for i in lost):
        return
    # with the one that went last put back, it is too much
    biggest = max(size([pieces[i]]) - 2 for i in lost)
    assert size([pieces[i] for i in stay]) + biggest > most


def test_the_same_draw_repeats_and_another_is_another() -> None:
    pieces = made([4] * 10, [4] * 10, [4] * 10)
    assert kept(pieces, 100, 1) == kept(pieces, 100, 1)
    assert len({tuple(kept(pieces, 100, seed)) for seed in range(20)}) > 10


def test_sections_keep_their_proportions() -> None:
    pieces = made([4] * 40, [4] * 20, [4] * 10)  # 4 : 2 : 1
    total: Counter[int] = Counter()
    for seed in range(200):
        total.update(pieces[i].section for i in kept(pieces, 180, seed))
    n = sum(total.values())
    shares = [total[s] / n for s in range(3)]
    np.testing.assert_allclose(shares, [4 / 7, 2 / 7, 1 / 7], atol=0.03)


def test_a_dialogue_goes_on_alternating_and_keeps_its_ends() -> None:
    tags = ["USER", "ASSISTANT"] * 10
    pieces = [Piece(i, tag, True, [5] * 4, True) for i, tag in enumerate(tags)]
    seen = set()
    for seed in range(20):
        stay = kept(pieces, 70, seed)
        assert size([pieces[i] for i in stay]) <= 70
        assert len(stay) == 10  # six tokens each, and two
        assert stay[0] == 0
        assert stay[-1] == 19
        found = [pieces[i].tag for i in stay]
        assert all(a != b for a, b in pairwise(found))
        seen.add(tuple(stay))
    assert len(seen) > 10


def test_at_last_later_sections_go() -> None:
    pieces = [Piece(i, "A", True, [5] * 10, True) for i in range(3)]
    assert kept(pieces, 26) == [0, 1]
    assert kept(pieces, 25) == [0]
    assert kept(pieces, 3) == [0]  # something is left, whatever it takes
