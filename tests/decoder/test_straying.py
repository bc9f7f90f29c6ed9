"""Sentences that stand where others did: which, and what stays."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import make_tokenizer
from timecontrol.corpora import open_corpus
from timecontrol.corpora.documents import Document
from timecontrol.decoder.straying import spans, strayed
from timecontrol.decoder.trimming import size
from timecontrol.tokens import STYLES, Codec, Piece

CORPORA = {
    kind: open_corpus(f"synthetic:{kind},documents=6")
    for kind in ("recipes", "cities", "dialogues")
}
seeds = st.integers(0, 10**6)


def documents(kind: str) -> list[Document]:
    return list(CORPORA[kind].documents())


def pieces(kind: str, form: str = "decided", number: int = 0) -> list[Piece]:
    return Codec(make_tokenizer(), CORPORA[kind].layout, form).pieces(documents(kind)[number])


@pytest.mark.parametrize("form", STYLES)
@pytest.mark.parametrize("kind", CORPORA)
def test_spans_are_where_the_words_stand(kind: str, form: str) -> None:
    codec = Codec(make_tokenizer(), CORPORA[kind].layout, form)
    for document in documents(kind):
        own = codec.pieces(document)
        ids, places = codec.join(own).ids, spans(own)
        assert [[ids[i] for i in place] for place in places] == [piece.ids for piece in own]
        others = set(range(len(ids))) - {i for place in places for i in place}
        marks = {codec.begin, codec.end, codec.unit_end, *codec.between}
        assert {ids[i] for i in others} <= marks


@given(seeds, st.integers(0, 5), st.sampled_from([0.1, 0.5, 1.0]), st.sampled_from([*STYLES]))
def test_words_change_places_and_nothing_else_does(
    seed: int, number: int, share: float, form: str
) -> None:
    """All sentences are there once, so none is read before it is learnt; marks stay."""
    own = pieces("recipes", form, number)
    found, which = strayed(own, share, np.random.default_rng(seed))
    for place, (old, new) in enumerate(zip(own, found, strict=True)):
        assert replace(new, ids=old.ids) == old
        assert (old.ids != new.ids) == (place in which)
    for marked in (False, True):
        before, after = (sorted(p.ids for p in some if p.marked == marked) for some in (own, found))
        assert before == after
    assert which == sorted(set(which))
    assert size(found) == size(own)


@given(seeds)
def test_numbers_stay_where_they_are(seed: int) -> None:
    own, numbered = pieces("recipes"), CORPORA["recipes"].layout.tags[1:]
    first = [i for i, p in enumerate(own) if p.first and p.tag in numbered]
    assert first
    found, which = strayed(own, 1.0, np.random.default_rng(seed), numbered)
    assert which
    assert all(found[i] == own[i] for i in first)


def test_as_many_as_was_said_and_none_where_there_is_no_other() -> None:
    own = pieces("cities")
    assert len({tuple(p.ids) for p in own}) == len(own)
    untouched, fresh = (np.random.default_rng(0) for _ in range(2))
    assert strayed(own, 0.0, untouched) == (own, [])
    assert untouched.random() == fresh.random()
    assert strayed(own[:1], 1.0, fresh) == (own[:1], [])
    assert strayed([], 1.0, fresh) == ([], [])
    assert strayed(own, 1.0, fresh)[1] == list(range(len(own)))
    drawn = [len(strayed(own, 0.3, np.random.default_rng(i))[1]) for i in range(300)]
    n, p = len(own), 0.3
    expected = n * p * (1 - (1 - p) ** (n - 1))  # one alone stays
    assert abs(np.mean(drawn) - expected) < 0.1 * expected
