import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from tests.conftest import make_tokenizer, tiny_gpt2
from timecontrol.corpora import Document, Layout, Section, Source, open_corpus
from timecontrol.corpora.layout import DIALOGUE, HOWTO, RECIPE, STORY, WIKISECTION
from timecontrol.errors import UnknownNameError
from timecontrol.sentences import clean
from timecontrol.tokens import STYLES, Codec, Piece
from timecontrol.vocabulary import token_id

LAYOUTS = {layout.name: layout for layout in (WIKISECTION, HOWTO, DIALOGUE, RECIPE, STORY)}
CODECS = {
    (name, form): Codec(make_tokenizer(), layout, form)
    for name, layout in LAYOUTS.items()
    for form in ("best", "decided")
}

characters = st.characters(exclude_categories=["Cs"])
words = st.one_of(
    st.text(characters, min_size=1),
    st.sampled_from(
        [
            "[ HISTORY ]",
            "[ . ]",
            "[ + ]",
            "<|endoftext|>",
            " . ",
            "[",
            "1",
            "2 more",
            "a  b",
            "\u00a0x",
        ]
    ),
)
sentences = st.lists(words, min_size=1, max_size=4).map(" ".join).map(clean).filter(bool)


def document(*sections: tuple[str | None, tuple[str, ...]]) -> Document:
    return Document("x", tuple(Section(t, s) for t, s in sections), Source("a", 1, 0))


@given(st.sampled_from(sorted(CODECS)), st.data())
def test_text_to_tokens_to_text_loses_nothing(key: tuple[str, str], data: st.DataObject) -> None:
    name, form = key
    tags: list[str | None] = list(LAYOUTS[name].tags) or [None]
    parts = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from(tags), st.lists(sentences, min_size=1, max_size=3).map(tuple)
            ),
            min_size=1,
            max_size=1 if tags == [None] else 4,
        )
    )
    made = document(*parts)
    codec = CODECS[key]
    ids = codec.encode(made).ids
    assert codec.decode(ids) == made.sections
    marks = [codec.unit_end, *codec.tag_ids.values()]
    assert sum(ids.count(m) for m in marks) == len(made.sections) * (tags != [None]) + len(
        made.sentences
    )
    if form == "decided" and tags != [None]:  # each sentence begins a section, or goes on with it
        goes_on = len(made.sentences) - len(made.sections)
        assert ids.count(codec.go_on or -1) == goes_on


@pytest.mark.parametrize("form", ["best", "decided"])
@pytest.mark.parametrize("kind", ["cities", "dialogues", "recipes"])
def test_made_documents_come_back_whole(
    kind: str, form: str, tokenizer: PreTrainedTokenizerFast
) -> None:
    corpus = open_corpus(f"synthetic:{kind},documents=30")
    codec = Codec(tokenizer, corpus.layout, form)
    for made in corpus.documents():
        assert codec.decode(codec.encode(made).ids) == made.sections


def written(codec: Codec, made: Document) -> list[str]:
    return [str(codec.tokenizer.decode([i])) for i in codec.encode(made).ids]


def test_our_form_worked_by_hand(tokenizer: PreTrainedTokenizerFast) -> None:
    codec = Codec(tokenizer, Layout("x", ("A", "B")))
    text = "".join(written(codec, document(("A", ("Hi.", "Yo!")), ("B", ("1.",)))))
    assert text == "<|endoftext|>[ A ] Hi.[ . ] Yo![ . ][ B ] 1.[ . ]<|endoftext|>"


def test_the_decided_form_worked_by_hand() -> None:
    """What follows a sentence is one of few tokens: a tag, that it goes on, or the end."""
    codec = Codec(make_tokenizer(), Layout("x", ("A", "B")), "decided")
    made = document(("A", ("Hi.", "Yo!", "So.")), ("B", ("1.",)))
    assert "".join(written(codec, made)) == (
        "<|endoftext|>[ A ] Hi.[ . ][ + ] Yo![ . ][ + ] So.[ . ][ B ] 1.[ . ]<|endoftext|>"
    )
    assert [p.opened for p in codec.pieces(made)] == [False, True, True, False]
    before = document((None, ("Hm.", "Oh.")), ("A", ("Hi.",)))
    assert "".join(written(codec, before)) == (
        "<|endoftext|> Hm.[ . ][ + ] Oh.[ . ][ A ] Hi.[ . ]<|endoftext|>"
    )
    assert codec.decode(codec.encode(before).ids) == before.sections
    howto = Codec(make_tokenizer(), HOWTO, "decided")
    made = document(("STEP", ("Sit.", "Wait.")), ("STEP", ("Lie.",)))
    assert "".join(written(howto, made)) == (
        "<|endoftext|>[ STEP ] 1 Sit.[ . ][ + ] Wait.[ . ][ STEP ] 2 Lie.[ . ]<|endoftext|>"
    )


def test_where_there_are_no_sections_none_goes_on() -> None:
    decided, best = (Codec(make_tokenizer(), STORY, form) for form in ("decided", "best"))
    made = document((None, ("Hi.", "Yo!")))
    assert decided.go_on is None
    assert decided.encode(made) == best.encode(made)
    assert not any(p.opened for p in decided.pieces(made))


@pytest.mark.parametrize("form", STYLES)
def test_new_tokens_are_the_marks_and_no_others(form: str) -> None:
    tokenizer = make_tokenizer()
    size = len(tokenizer)
    codec = Codec(tokenizer, WIKISECTION, form)
    assert codec.new_ids == list(range(size, len(tokenizer)))
    more = [] if codec.go_on is None else [codec.go_on]
    assert set(codec.new_ids) == {codec.unit_end, *codec.tag_ids.values(), *more}
    assert (codec.go_on is not None) == (form == "decided")


def test_special_tokens_that_are_no_marks_are_foreign(tokenizer: PreTrainedTokenizerFast) -> None:
    assert Codec(make_tokenizer(), WIKISECTION).foreign == []  # begin and end are one
    tokenizer.add_special_tokens({"pad_token": "<pad>", "bos_token": "<s>"})
    tokenizer.add_tokens(["word"])
    codec = Codec(tokenizer, WIKISECTION, "decided")
    assert codec.foreign == sorted(token_id(tokenizer, token) for token in ("<pad>", "<s>"))
    assert codec.begin in codec.foreign
    assert codec.end not in codec.foreign


def test_a_stray_mark_that_a_section_goes_on_is_no_text() -> None:
    codec = Codec(make_tokenizer(), Layout("x", ("A",)), "decided")
    ids = codec.encode(document(("A", ("One.", "Two.")))).ids
    plus = codec.go_on
    assert plus is not None
    stray = [ids[0], plus, ids[1], plus, *ids[2:-1], plus, codec.unit_end, ids[-1]]
    assert codec.decode(stray) == codec.decode(ids)
    bare = [i for i in ids if i != plus]
    assert codec.decode(bare) == codec.decode(ids)


def test_sentences_that_are_left_out_take_their_marks_along() -> None:
    codec = Codec(make_tokenizer(), Layout("x", ("A", "B")), "decided")
    pieces = codec.pieces(document(("A", ("a", "b", "c")), ("B", ("d", "e"))))
    shorter = codec.join([pieces[0], pieces[2], pieces[3]])
    assert shorter.ids == codec.encode(document(("A", ("a", "c")), ("B", ("d",)))).ids


def test_the_paper_s_form_worked_by_hand(tokenizer: PreTrainedTokenizerFast) -> None:
    city = Codec(make_tokenizer(), Layout("x", ("A", "B")), "paper")
    made = document(("A", ("Hi.", "Yo!")), ("B", ("Hm.", "So.")))
    assert "".join(written(city, made)) == "<|endoftext|>[ A ]Hi . Yo![ B ]Hm . So.<|endoftext|>"
    howto = Codec(make_tokenizer(), HOWTO, "released")
    made = document(("TITLE", ("Rest",)), ("STEP", ("Sit.", "Wait.")), ("STEP", ("Lie",)))
    assert "".join(written(howto, made)) == (
        "<|endoftext|>[ TITLE ]Rest . [ STEP ]0 Sit . Wait . [ STEP ]1 Lie . <|endoftext|>"
    )
    paper = Codec(make_tokenizer(), HOWTO, "paper")
    made = document(("STEP", ("Sit .",)), ("STEP", ("Lie",)))
    assert "".join(written(paper, made)) == (
        "<|endoftext|>[ STEP ]1 Sit . [ STEP ]2 Lie . <|endoftext|>"
    )
    talk = Codec(tokenizer, DIALOGUE, "paper")
    made = document(("USER", ("Hi. Hm.",)), ("ASSISTANT", ("Yes?",)))
    assert "".join(written(talk, made)) == (
        "<|endoftext|>[ USER ]Hi. Hm.[ ASSISTANT ]Yes?<|endoftext|>"
    )


@pytest.mark.parametrize("form", STYLES)
@pytest.mark.parametrize("kind", ["cities", "dialogues", "recipes"])
def test_a_document_is_its_pieces_joined(kind: str, form: str) -> None:
    corpus = open_corpus(f"synthetic:{kind},documents=5")
    codec = Codec(make_tokenizer(), corpus.layout, form)
    for made in corpus.documents():
        pieces = codec.pieces(made)
        assert codec.join(pieces) == codec.encode(made)
        assert len(pieces) == len(made.sentences)
        assert [p.tag for p in pieces if p.first] == list(made.tags)
        numbers = [n for n, s in enumerate(made.sections) for _ in s.sentences]
        assert [p.section for p in pieces] == numbers
        marks = {codec.begin, codec.end, *codec.new_ids}
        assert not any(marks & set(p.ids) for p in pieces)


def test_pieces_worked_by_hand(tokenizer: PreTrainedTokenizerFast) -> None:
    codec = Codec(tokenizer, Layout("x", ("A", "B")))
    made = document((None, ("a",)), ("A", ("b", "c")), ("B", ("d",)))
    a, b, c, d = tokenizer([" a", " b", " c", " d"], add_special_tokens=False)["input_ids"]
    assert codec.pieces(made) == [
        Piece(0, None, True, a, True),
        Piece(1, "A", True, b, True),
        Piece(1, "A", False, c, True),
        Piece(2, "B", True, d, True),
    ]
    mark, tags = codec.unit_end, codec.tag_ids
    joined = codec.join(codec.pieces(made))
    first = [codec.begin, *a, mark]
    second = [tags["A"], *b, mark, *c, mark]
    assert joined.ids == [*first, *second, tags["B"], *d, mark, codec.end]
    assert joined.starts == [
        (None, 1),
        ("A", len(first)),
        ("B", len(first) + len(second)),
    ]


def test_some_pieces_are_a_shorter_document(tokenizer: PreTrainedTokenizerFast) -> None:
    codec = Codec(tokenizer, HOWTO)
    made = document(("TITLE", ("Rest",)), ("STEP", ("Sit.", "Wait.")), ("STEP", ("Lie.",)))
    pieces = codec.pieces(made)
    shorter = codec.decode(codec.join([pieces[0], pieces[1], pieces[3]]).ids)
    expected = document(("TITLE", ("Rest",)), ("STEP", ("Sit.",)), ("STEP", ("Lie.",)))
    assert shorter == expected.sections
    assert codec.join([]).ids == [codec.begin, codec.end]
    assert codec.pieces(document()) == []


def test_in_the_paper_s_form_the_mark_is_left_where_no_period_is() -> None:
    made = document(("A", ("Hi.", "Yo!")), ("B", ("Hm.", "So.")))
    city = Codec(make_tokenizer(), Layout("x", ("A", "B")), "paper")
    assert [p.marked for p in city.pieces(made)] == [True, False, True, False]
    talk = Codec(make_tokenizer(), DIALOGUE, "paper")
    spoken = document(("USER", ("Hi. Hm.",)), ("ASSISTANT", ("Yes.",)))
    assert [p.marked for p in talk.pieces(spoken)] == [False, False]
    steps = Codec(make_tokenizer(), HOWTO, "paper")
    assert all(p.marked for p in steps.pieces(document(("STEP", ("Sit.", "Wait")))))


def test_the_paper_s_form_comes_back_too(tokenizer: PreTrainedTokenizerFast) -> None:
    codec = Codec(tokenizer, WIKISECTION, "released")
    made = document(("ABSTRACT", ("A town.", "It is old.")), ("HISTORY", ("It grew.", "Much.")))
    assert codec.decode(codec.encode(made).ids) == made.sections


def test_steps_are_numbered_and_the_numbers_are_no_text(tokenizer: PreTrainedTokenizerFast) -> None:
    codec = Codec(tokenizer, HOWTO)
    made = document(("TITLE", ("2 Ways",)), ("STEP", ("3 eggs.",)), ("STEP", ("Mix 1.",)))
    text = "".join(written(codec, made))
    assert "[ STEP ] 1 3 eggs." in text
    assert "[ STEP ] 2 Mix 1." in text
    assert codec.decode(codec.encode(made).ids) == made.sections


def test_section_lengths_count_the_tag_and_end_before_the_next(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    made = document(("A", ("a", "b")), ("B", ("c",)))
    layout = Layout("x", ("A", "B"))
    codec = Codec(tokenizer, layout)
    encoded = codec.encode(made)
    n = [len(x) for x in tokenizer([" a", " b", " c"], add_special_tokens=False)["input_ids"]]
    assert codec.lengths(encoded) == [("A", 1 + n[0] + 1 + n[1] + 1), ("B", 1 + n[2] + 1)]
    assert sum(k for _, k in codec.lengths(encoded)) == len(encoded.ids) - 2
    paper = Codec(make_tokenizer(), layout, "paper")
    # A a b: three tokens and one more; B c END: three and one more
    assert paper.lengths(paper.encode(made)) == [("A", 4), ("B", 4)]


def test_decoding_stops_at_the_end_and_drops_stray_specials(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    codec = Codec(tokenizer, Layout("x", ("A",)))
    ids = codec.encode(document(("A", ("One.",)))).ids
    assert codec.decode([*ids, *ids]) == codec.decode(ids)
    assert codec.decode([]) == ()
    unfinished = ids[: ids.index(codec.unit_end)]
    assert codec.decode(unfinished) == (Section("A", ("One.",)),)
    assert codec.decode([codec.begin, codec.unit_end, codec.unit_end]) == ()
    assert codec.decode([codec.begin, codec.end, *ids[1:]]) == ()
    steps = Codec(make_tokenizer(), HOWTO)
    digits = steps.tokenizer(" 2", add_special_tokens=False)["input_ids"]
    assert steps.decode([steps.begin, steps.tag_ids["STEP"], *digits, steps.unit_end]) == ()
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|stray|>"]})
    stray = token_id(tokenizer, "<|stray|>")
    assert codec.decode([ids[0], ids[1], stray, *ids[2:]]) == (Section("A", ("One.",)),)


def test_an_unknown_preset_is_named(tokenizer: PreTrainedTokenizerFast) -> None:
    with pytest.raises(UnknownNameError, match="Known: best, decided, paper, released"):
        Codec(tokenizer, STORY, "papers")


def test_a_model_that_is_fitted_takes_every_token_of_a_document(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    model = tiny_gpt2(len(tokenizer))
    model.config.eos_token_id = 5
    codec = Codec(tokenizer, WIKISECTION, "decided")
    codec.fit(model)
    ids = codec.encode(document(("ABSTRACT", ("A town.", "Big.")), ("HISTORY", ("Old.",)))).ids
    assert codec.go_on in ids
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits
    assert logits.shape[-1] == len(tokenizer)
    assert logits.isfinite().all()
    assert model.config.eos_token_id == codec.end


def test_the_outline_has_every_tag_and_the_numbers_as_written() -> None:
    codec = Codec(make_tokenizer(), HOWTO)
    title, step, mark = codec.tag_ids["TITLE"], codec.tag_ids["STEP"], codec.unit_end

    def words(text: str) -> list[int]:
        return list(codec.tokenizer.encode(text, add_special_tokens=False))

    ids = [codec.begin, title, step, *words(" 3 Stir."), mark, step, *words(" Pour 2 cups."), mark,
           step, *words(" 10"), mark, title, codec.end, step]  # fmt: skip
    assert codec.outline(ids) == (
        ("TITLE", None), ("STEP", 3), ("STEP", None), ("STEP", 10), ("TITLE", None),
    )  # fmt: skip
    assert [s.tag for s in codec.decode(ids)] == ["STEP", "STEP"]  # empty sections are not there


def test_an_outline_leaves_out_a_last_tag_whose_number_is_cut_off() -> None:
    codec = Codec(make_tokenizer(), HOWTO)
    title, step, mark = codec.tag_ids["TITLE"], codec.tag_ids["STEP"], codec.unit_end

    def words(text: str) -> list[int]:
        return list(codec.tokenizer.encode(text, add_special_tokens=False))

    begun = [codec.begin, title, step, *words(" 1 Stir."), mark, step]
    first, second = (("TITLE", None), ("STEP", 1)), ("STEP", 12)
    number = words(" 12")
    assert len(number) > 1
    for cut in range(len(number) + 1):  # right after the tag, in its number, or at the end of that
        assert codec.outline([*begun, *number[:cut]]) == first
    for rest in (words(" 12 P"), [*number, mark], [*number, codec.end], [*number, step]):
        assert codec.outline([*begun, *rest])[:3] == (*first, second)
    for rest in ([mark], [codec.end], [title], words(" Pour")):  # it has none
        assert codec.outline([*begun, *rest])[:3] == (*first, ("STEP", None))
    assert codec.outline([codec.begin, title]) == (("TITLE", None),)  # nor has a title
    assert codec.outline([codec.begin, step]) == ()


@given(
    st.sampled_from(["best", "decided"]),
    st.lists(
        st.tuples(st.sampled_from(HOWTO.tags), st.lists(sentences, min_size=1, max_size=2)),
        min_size=1,
        max_size=3,
    ),
)
def test_the_outline_of_a_text_that_was_cut_is_the_beginning_of_its_outline(
    form: str, parts: list[tuple[str, list[str]]]
) -> None:
    codec = CODECS["howto", form]
    ids = codec.encode(document(*((tag, tuple(own)) for tag, own in parts))).ids
    whole, said = codec.outline(ids), 0
    assert [tag for tag, _ in whole] == [tag for tag, _ in parts]
    for cut in range(1, len(ids)):
        said += ids[cut - 1] in codec.tag_ids.values()
        found = codec.outline(ids[:cut])
        assert found == whole[: len(found)]
        assert said - 1 <= len(found) <= said


@pytest.mark.parametrize("form", STYLES)
@pytest.mark.parametrize("layout", [RECIPE, HOWTO, STORY])
def test_tags_stand_between_sentences_and_so_does_that_one_goes_on(
    layout: Layout, form: str
) -> None:
    codec = Codec(make_tokenizer(), layout, form)
    more = [i for i in codec.new_ids if i == codec.go_on]
    assert bool(more) == (form == "decided" and layout != STORY)
    assert codec.between == sorted([*codec.tag_ids.values(), *more])
    assert codec.end not in codec.between
    assert codec.unit_end not in codec.between


@pytest.mark.parametrize(
    ("form", "words"), [("best", "\n"), ("decided", "\n"), ("paper", "."), ("released", ".")]
)
def test_the_mark_starts_like_a_period_only_where_it_stands_for_one(form: str, words: str) -> None:
    tokenizer = make_tokenizer()
    codec = Codec(tokenizer, WIKISECTION, form)
    model = tiny_gpt2(len(tokenizer))
    codec.fit(model)
    rows: torch.Tensor = model.get_input_embeddings().weight  # type: ignore[assignment]
    [start] = tokenizer(words, add_special_tokens=False)["input_ids"]
    torch.testing.assert_close(rows[codec.unit_end], rows[start])


def test_marks_of_gaps_are_tokens_of_their_own_and_are_not_read_as_text() -> None:
    from tests.conftest import make_tokenizer
    from timecontrol.bases import set_ends
    from timecontrol.corpora.layout import STORY

    bare = Codec(set_ends(make_tokenizer()), STORY)
    codec = Codec(set_ends(make_tokenizer()), STORY, gaps=True)
    assert (bare.blank, bare.fill) == (None, None)
    assert codec.blank is not None
    assert codec.fill is not None
    assert {codec.blank, codec.fill, codec.unit_end} == set(codec.new_ids)
    ids = [codec.begin, *codec.tokens(" One."), codec.blank, codec.fill, codec.unit_end]
    assert [s.sentences for s in codec.decode(ids)] == [("One.",)]
    assert codec.blank not in codec.tokens("[ BLANK ]")
