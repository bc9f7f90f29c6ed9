from types import SimpleNamespace
from typing import Any

import pytest

from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.infilling.asking import Ask, ask_of
from timecontrol.infilling.drafts import Draft, Drawing, drafts, going_on
from timecontrol.infilling.fill import bridge_of, latents_of
from timecontrol.infilling.gaps import read_gaps
from timecontrol.infilling.likelihood import Sequel, log_probs

ONE = "[ DIRECTIONS ] Heat the oven. [ ... ] Bake it for an hour. Let it cool."
TWO = "[ DIRECTIONS ] Beat the eggs until they are pale. Add the sugar. [ ...2 ] Serve the cake."


def ask(decoder: Decoder, text: str = ONE) -> Ask:
    whole = read_gaps(text, decoder.codec.layout.tags)
    latents = latents_of(decoder, [whole])[0]
    return ask_of(decoder, whole, whole.gaps[0], bridge_of(decoder), latents)


def drawn(
    decoder: Decoder, texts: list[str], k: int = 2, exact: bool = True, **how: Any
) -> list[list[Draft]]:
    asks = [ask(decoder, text) for text in texts]
    how = {"most": 12, **how}
    numbers = [len(text) for text in texts]
    return drafts(decoder, asks, [[a.points] * k for a in asks], numbers, Drawing(**how), exact)


@pytest.fixture(params=["forward", "filler", "blanks"])
def decoder(request: pytest.FixtureRequest) -> Decoder:
    found: Decoder = request.getfixturevalue(request.param)
    return found


def test_as_many_sentences_are_written_as_are_missing(decoder: Decoder) -> None:
    one, two = drawn(decoder, [ONE, TWO])
    c = decoder.codec
    never = {c.begin, c.end, c.blank, c.fill, *c.tag_ids.values()}
    for found, n in ((one, 1), (two, 2)):
        for draft in found:
            assert len(draft.sentences) == n
            assert draft.ids.count(c.unit_end) == n
            assert draft.ids[-1] == c.unit_end
            assert draft.ids.count(c.go_on) == n
            assert not never & set(draft.ids)


def test_it_does_not_matter_what_else_is_asked(decoder: Decoder) -> None:
    together = drawn(decoder, [ONE, TWO])
    assert together == [drawn(decoder, [text])[0] for text in (ONE, TWO)]
    assert [c[:1] for c in together] == [drawn(decoder, [t], k=1)[0] for t in (ONE, TWO)]
    assert together[0][0] != together[0][1]
    assert together != drawn(decoder, [ONE, TWO], seed=1)


def test_filled_up_batches_write_the_same(decoder: Decoder) -> None:
    alone = drawn(decoder, [ONE, TWO], temperature=0.0)
    together = drawn(decoder, [ONE, TWO], temperature=0.0, exact=False)
    assert [[d.ids for d in c] for c in alone] == [[d.ids for d in c] for c in together]
    for a, b in zip(alone, together, strict=True):
        assert [d.log_prob for d in a] == pytest.approx([d.log_prob for d in b], rel=1e-4)


def test_its_probability_is_what_the_model_gives_it(decoder: Decoder) -> None:
    found = ask(decoder)
    [[draft]] = drawn(decoder, [ONE], k=1, top_p=1.0)
    before = [*found.prefix, *found.openings[0]]
    own = draft.ids[len(found.openings[0]) :][: draft.tokens]  # its end may have been forced
    theirs = log_probs(decoder, [Sequel(before, own, found.points)])[0]
    assert len(own) == draft.tokens > 2
    # what is forbidden has no probability, so the rest has a little more than the model gives it
    assert theirs <= draft.log_prob + 1e-3
    assert draft.log_prob - theirs < 0.3 * len(own)


def test_given_words_stand_first_and_count(decoder: Decoder) -> None:
    words = tuple(decoder.codec.tokens(" Add the"))
    [[draft, other]] = drawn(decoder, [ONE], first=words)
    for own in (draft, other):
        assert own.sentences[0].startswith("Add the")
        assert own.ids[1 : 1 + len(words)] == list(words)
        assert own.tokens >= len(words)
    found = ask(decoder)
    before = [*found.prefix, *found.openings[0]]
    given = log_probs(decoder, [Sequel(before, list(words), found.points)])[0]
    assert draft.log_prob < given + 1e-3


def test_sentences_are_as_long_as_asked_for(decoder: Decoder) -> None:
    for draft in drawn(decoder, [TWO], least=5, most=7)[0]:
        ends = [i for i, token in enumerate(draft.ids) if token == decoder.codec.unit_end]
        lengths = [ends[0] - 1, ends[1] - ends[0] - 2]  # an opening before each
        assert all(5 <= n <= 7 for n in lengths)


def test_latents_make_a_difference_and_can_be_left_out(filler: Decoder) -> None:
    found = ask(filler)
    assert found.points is not None
    other = found.points + 9
    how = Drawing(temperature=0.0, most=12)
    plans = [[found.points], [other]]
    told = [drafts(filler, [found], [p], [0], how)[0][0].log_prob for p in plans]
    assert told[0] != pytest.approx(told[1], abs=1e-6)
    bare = Drawing(temperature=0.0, most=12, latents=False)
    untold = [drafts(filler, [found], [p], [0], bare)[0][0] for p in plans]
    assert untold[0].ids == untold[1].ids
    assert untold[0].log_prob == pytest.approx(untold[1].log_prob, abs=1e-4)


def test_candidates_may_have_plans_of_their_own(filler: Decoder) -> None:
    found = ask(filler)
    assert found.points is not None
    other = found.points.copy()
    other[-1] += 9
    how = Drawing(temperature=0.0, most=12)
    both = drafts(filler, [found], [[found.points, other]], [0], how)[0]
    apart = [drafts(filler, [found], [[p, p]], [0], how)[0][0] for p in (found.points, other)]
    assert both == apart


@pytest.mark.parametrize(
    "wrong",
    [{"top_p": 0.0}, {"top_p": 1.1}, {"temperature": -1.0}, {"seed": -1}, {"least": 9, "most": 5}],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TimeControlError):
        Drawing(**wrong)


def test_the_first_words_are_whole() -> None:
    tokens: list[str | None] = ["\u0120night", "fall", ".", "\u2581and", "'s", "9", None]

    class Marked(SimpleNamespace):
        def __len__(self) -> int:
            return len(tokens)

    marked = Marked(convert_ids_to_tokens=lambda ids: [tokens[i] for i in ids])
    assert going_on(marked) == [1, 5]
    tokens[0], tokens[3] = "night", "and"
    assert going_on(marked) == []  # nothing is known of where words begin


def test_what_goes_on_with_a_word_does_not_follow_the_first_words(
    filler: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ask(filler)
    first = tuple(filler.codec.tokens(" Add two"))
    drawing = Drawing(first=first, most=len(first) + 4, least=len(first) + 2, temperature=0.0)

    def next_token() -> int:
        draft = drafts(filler, [found], [[found.points]], [0], drawing)[0][0]
        return draft.ids[len(found.openings[0]) + len(first)]

    monkeypatch.setattr("timecontrol.infilling.drafts.going_on", lambda tokenizer: [])
    before = next_token()
    monkeypatch.setattr("timecontrol.infilling.drafts.going_on", lambda tokenizer: [before])
    assert next_token() != before
