"""Sentences and the points of the plan they were written along."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import make_tokenizer
from timecontrol.bases import set_ends
from timecontrol.corpora import open_corpus
from timecontrol.corpora.layout import DIALOGUE, HOWTO, RECIPE, STORY
from timecontrol.decoder.alignment import unit_index
from timecontrol.decoder.examples import boundaries
from timecontrol.generation.units import units_of
from timecontrol.tokens import Codec

CODECS = {
    f"{layout.name}, {form}": Codec(set_ends(make_tokenizer()), layout, form)
    for layout in (RECIPE, HOWTO, STORY, DIALOGUE)
    for form in ("best", "paper")
    if (layout, form) != (STORY, "paper")
}


def index_of(codec: Codec, ids: list[int]) -> list[int]:
    counted, opens = boundaries(codec)
    found: list[int] = unit_index(torch.tensor(ids), counted, opens).tolist()
    return found


def found(codec: Codec, ids: list[int]) -> tuple[int, ...]:
    return units_of(codec, ids, index_of(codec, ids))


def words(codec: Codec, text: str) -> list[int]:
    ids: list[int] = codec.tokenizer.encode(text, add_special_tokens=False)
    return ids


def test_by_hand() -> None:
    codec = CODECS["recipe, best"]
    a, b, c = (words(codec, f" {text}") for text in ("Mix it.", "Bake.", "Eat."))
    mark, tag = codec.unit_end, codec.tag_ids["DIRECTIONS"]
    assert found(codec, [codec.begin, *a, mark, mark, *b, tag, *c, mark, codec.end]) == (0, 2, 2)
    assert found(codec, [codec.begin, *a, mark, *b, mark, *c]) == (0, 1, 2)  # cut off
    assert found(codec, [codec.begin, *a, mark, codec.end, *b, mark]) == (0,)
    assert found(codec, [codec.begin, mark, mark, codec.end]) == found(codec, [codec.begin]) == ()


def test_a_number_alone_is_no_sentence() -> None:
    codec = CODECS["howto, best"]
    step, mark = codec.tag_ids["STEP"], codec.unit_end
    one, stir = words(codec, " 1"), words(codec, " Stir.")
    assert found(codec, [codec.begin, step, *one, mark, *stir, mark]) == (1,)
    assert found(codec, [codec.begin, step, mark, *one, mark, *one, mark]) == (2,)


def test_speakers_open_units_where_no_marks_do() -> None:
    codec = CODECS["dialogue, paper"]
    user, other = codec.tag_ids["USER"], codec.tag_ids["ASSISTANT"]
    hi = words(codec, "Hi")
    assert found(codec, [codec.begin, user, *hi, other, *hi, user, user, *hi]) == (0, 1, 3)


@pytest.mark.parametrize("kind", ["recipes", "dialogues"])
def test_sentences_of_documents_are_units_one_after_the_other(kind: str) -> None:
    corpus = open_corpus(f"synthetic:{kind},documents=20")
    codec = Codec(set_ends(make_tokenizer()), corpus.layout)
    for document in corpus.documents():
        ids = codec.encode(document).ids
        assert found(codec, ids) == tuple(range(len(document.sentences)))


@given(st.sampled_from(sorted(CODECS)), st.data())
def test_every_sentence_has_the_unit_in_which_it_appears(name: str, data: st.DataObject) -> None:
    """Token by token: a sentence that a text has more than before belongs to that token's unit."""
    codec = CODECS[name]
    marks = [codec.unit_end, *codec.tag_ids.values()]
    texts = [words(codec, text) for text in (" a", " 1", " 2 b.", " ", ".", " c d")]
    parts = st.one_of(
        st.sampled_from([[mark] for mark in (*marks, codec.unit_end)]),
        st.sampled_from(texts),
        st.sampled_from([[codec.end]]) if data.draw(st.booleans()) else st.nothing(),
    )
    ids = [codec.begin, *(i for part in data.draw(st.lists(parts, max_size=16)) for i in part)]
    index = index_of(codec, ids)
    closing = {*marks, codec.end}
    expected: list[int] = []
    for stop in range(1, len(ids) + 1):
        if stop == len(ids) or ids[stop] in closing:
            n = sum(len(s.sentences) for s in codec.decode(ids[: stop + 1]))
            expected += [index[stop - 1]] * (n - len(expected))
    assert units_of(codec, ids, index) == tuple(expected)
    assert len(expected) == sum(len(s.sentences) for s in codec.decode(ids))
    assert expected == sorted(expected)
