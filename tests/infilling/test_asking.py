from typing import Any

import numpy as np
import pytest

from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.infilling.asking import ask_of, pieces_of, stretch, with_told
from timecontrol.infilling.fill import bridge_of, latents_of
from timecontrol.infilling.gaps import Gapped, read_gaps

TEXT = (
    "[ TITLE ] Plum Tart [ DIRECTIONS ] Heat the oven. [ ... ] Bake it for an hour. Let it cool. "
    "Serve it."
)


def gapped(decoder: Decoder, text: str = TEXT) -> Gapped:
    return read_gaps(text, decoder.codec.layout.tags)


def asked(decoder: Decoder, text: str = TEXT, **how: Any) -> Any:
    whole = gapped(decoder, text)
    latents = latents_of(decoder, [whole])[0]
    return ask_of(decoder, whole, whole.gaps[0], bridge_of(decoder), latents, **how)


def test_as_many_sentences_are_read_as_documents_have() -> None:
    text = read_gaps("Ann ate. Ben sat. Cat ran. Dan hid. [ ... ] Eve won. Fay left. Gus slept.")
    gap = text.gaps[0]
    assert stretch(text, gap, None, None) == range(8)
    assert stretch(text, gap, None, 5) == range(2, 7)
    assert stretch(text, gap, 1, 5) == range(3, 6)
    assert stretch(text, gap, 0, None) == gap
    last = read_gaps("Ann ate. Ben sat. Cat ran. Dan hid. Eve won. Fay left. [ ... ]")
    assert stretch(last, last.gaps[0], None, 5) == range(2, 7)
    first = read_gaps("[ ... ] Ann ate. Ben sat. Cat ran. Dan hid. Eve won. Fay left.")
    assert stretch(first, first.gaps[0], None, 5) == range(5)


def test_a_long_gap_leaves_a_sentence_on_each_side() -> None:
    text = read_gaps("Ann ate. Ben sat. Cat ran. [ ...4 ] Eve won. Fay left. Gus slept.")
    assert stretch(text, text.gaps[0], None, 5) == range(2, 8)
    two = read_gaps("Ann ate. Ben sat. Cat ran. [ ...2 ] Eve won. Fay left. Gus slept.")
    assert stretch(two, two.gaps[0], None, 5) == range(1, 6)


def test_nothing_beyond_another_gap_is_read() -> None:
    text = read_gaps("Ann ate. [ ... ] Ben sat. Cat ran. [ ... ] Dan hid.")
    assert stretch(text, text.gaps[0], None, None) == range(4)
    assert stretch(text, text.gaps[1], None, None) == range(2, 6)


def test_a_reader_from_left_to_right_sees_the_left_and_a_filler_both(
    forward: Decoder, filler: Decoder
) -> None:
    for decoder, order in ((forward, [0, 1]), (filler, [3, 4, 5, 0, 1])):
        pieces = pieces_of(decoder, gapped(decoder))
        ask = asked(decoder)
        read = [token for i in order for token in decoder.codec.written(pieces[i])]
        marks = {decoder.codec.blank, decoder.codec.fill}
        assert [t for t in ask.prefix[1:] if t not in marks] == read
        after = [token for i in (3, 4, 5) for token in decoder.codec.written(pieces[i])]
        assert ask.after == after
        assert ask.openings == [[decoder.codec.go_on]]
        assert ask.missing == 1


def test_the_plan_stands_in_the_order_of_what_is_read(forward: Decoder, filler: Decoder) -> None:
    latents = latents_of(filler, [gapped(filler)])[0]
    ask = asked(filler)
    np.testing.assert_allclose(ask.points[:-1], [latents[i] for i in (3, 4, 5, 0, 1)])
    np.testing.assert_allclose(ask.points[-1], ask.posterior.mean[0])
    assert len(asked(forward).points) == 6


def test_other_latents_of_the_gap_change_nothing_else(filler: Decoder, forward: Decoder) -> None:
    told = np.full((1, 3), 7.0)
    ask = asked(filler)
    points = with_told(filler, ask, told)
    np.testing.assert_array_equal(points[:-1], ask.points[:-1])
    np.testing.assert_array_equal(points[-1:], told)
    np.testing.assert_array_equal(asked(filler, told=told).points, points)
    own = asked(forward)
    np.testing.assert_array_equal(with_told(forward, own, own.posterior.mean), own.points)


def test_a_decoder_without_plans_is_asked_without(blanks: Decoder) -> None:
    ask = asked(blanks)
    assert ask.points is None
    assert ask.posterior is None
    assert ask.prefix[-1] == blanks.codec.fill


def test_what_it_reads_without_the_right_context_is_known_where_there_is_a_left_one(
    filler: Decoder,
) -> None:
    ask = asked(filler)
    assert ask.alone is not None
    assert ask.alone[:2] == [filler.codec.begin, filler.codec.blank]
    assert ask.alone_order == [3, 4]
    assert asked(filler, "[ DIRECTIONS ] [ ... ] Bake it.").alone is None


def test_nothing_beside_the_gap_is_refused(filler: Decoder) -> None:
    with pytest.raises(TimeControlError, match="nothing beside the gap") as caught:
        asked(filler, context=0)
    assert "--context" in str(caught.value)


def test_more_than_the_decoder_takes_is_refused(filler: Decoder) -> None:
    long = " ".join(["Stir the very large pot of soup again and again."] * 30)
    with pytest.raises(TimeControlError, match=r"tokens.*this decoder takes 256.*--context N"):
        asked(filler, f"[ DIRECTIONS ] {long} [ ... ] Serve it.", context=40)
    assert asked(filler, f"[ DIRECTIONS ] {long} [ ... ] Serve it.", context=2).prefix
