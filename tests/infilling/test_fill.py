import json
from typing import Any

import numpy as np
import pytest

from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.infilling.asking import ask_of
from timecontrol.infilling.drafts import Draft, Drawing
from timecontrol.infilling.fill import (
    Filling,
    bridge_of,
    filling_of,
    infill,
    latents_of,
    ranked,
    weights_of,
    within_room,
)
from timecontrol.infilling.gaps import read_gaps
from timecontrol.infilling.ranking import Measured, Weights

TEXT = "[ DIRECTIONS ] Heat the oven. [ ... ] Bake it for an hour. Let it cool."
GAPS = "[ TITLE ] Soup [ DIRECTIONS ] [ ... ] Add salt. [ ...2 ] Stir it well. [ ... ]"


def how(decoder: Decoder, **more: Any) -> Filling:
    return filling_of(decoder, words=5, **more)


@pytest.fixture(params=["forward", "filler", "blanks"])
def decoder(request: pytest.FixtureRequest) -> Decoder:
    found: Decoder = request.getfixturevalue(request.param)
    return found


def test_every_gap_is_filled_and_the_rest_stays(decoder: Decoder) -> None:
    found = infill(decoder, GAPS, how(decoder))
    assert found.whole.gaps == []
    assert [len(gap.candidates[0].sentences) for gap in found.gaps] == [1, 2, 1]
    kept = [slot.text for slot in found.whole.slots]
    assert (kept[0], kept[2], kept[5]) == ("Soup", "Add salt.", "Stir it well.")
    json.dumps(found.as_dict(), allow_nan=False)
    assert found.text == infill(decoder, GAPS, how(decoder)).text
    assert found.text != infill(decoder, GAPS, how(decoder, seed=1)).text


def test_the_best_of_several_candidates_is_put_in(decoder: Decoder) -> None:
    found = infill(decoder, TEXT, how(decoder, candidates=4))
    [gap] = found.gaps
    scores = [(c.cut, -c.score) for c in gap.candidates]
    assert len(scores) == 4
    assert scores == sorted(scores)
    assert gap.candidates[0].text in found.text
    first = infill(decoder, TEXT, how(decoder)).gaps[0].candidates[0].text
    assert first in [c.text for c in gap.candidates]
    near = filling_of(decoder, words=5, candidates=4, weights={"likely": 0, "follows": 0})
    [gap] = infill(decoder, TEXT, near).gaps
    if bridge_of(decoder) is not None:
        densities = [(c.cut, -(c.measured.near or 0.0)) for c in gap.candidates]
        assert densities == sorted(densities)


def test_noise_gives_candidates_plans_of_their_own(filler: Decoder) -> None:
    one, other = (infill(filler, TEXT, how(filler, noise=n)).text for n in (0.0, 30.0))
    assert one != other


def test_first_words_and_a_length_can_be_demanded(decoder: Decoder) -> None:
    filling = filling_of(decoder, first="Add two", words=12)
    [gap] = infill(decoder, TEXT, filling).gaps
    assert gap.candidates[0].text.startswith("Add two")
    assert filling.drawing.least == 12
    assert filling.drawing.most == 31


def test_equal_candidates_come_once_and_empty_ones_last() -> None:
    texts = [("", 3.0), ("A.", 1.0), ("B.", 2.0), ("A.", 1.0)]
    drafts = [Draft([1], 0.0, 1, (text,)) for text, _ in texts]
    known = [Measured(score, None, None, None) for _, score in texts]
    assert [c.text for c in ranked(drafts, known, Weights())] == ["B.", "A.", ""]


def test_weights_are_the_usual_ones_but_for_those_given() -> None:
    assert weights_of({"near": 0.0, "likely": None}) == Weights(near=0.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"candidates": 0},
        {"candidates": 1000},
        {"noise": -1.0},
        {"context": -1},
        {"first": " "},
        {"words": 0},
        {"words": 1000},
        {"weights": {"near": -1.0}},
        {"first": "very " * 200},
    ],
)
def test_what_cannot_be_done_is_refused(wrong: dict[str, Any], blanks: Decoder) -> None:
    with pytest.raises(TimeControlError):
        filling_of(blanks, **wrong)


def test_first_words_begin_the_first_gap_alone(filler: Decoder) -> None:
    found = infill(filler, GAPS, how(filler, first="Now"))
    first, second, third = (gap.candidates[0].text for gap in found.gaps)
    assert first.startswith("Now")
    assert not second.startswith("Now")
    assert not third.startswith("Now")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"first": "stir " * 60, "words": 5}, "more --words"),
        ({"first": "a\udce9b"}, "UTF-8"),
        ({"weights": {"likely": 1e308}}, "from 0 to 1000"),
        ({"weights": {"lucky": 1.0}}, "lucky"),
        ({"noise": 1e40}, "from 0 to 100"),
    ],
)
def test_what_cannot_be_asked_for_is_said_in_a_line(
    filler: Decoder, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(TimeControlError, match=said) as caught:
        filling_of(filler, **given)
    assert "\n" not in str(caught.value)


def test_no_more_is_written_than_the_base_takes(filler: Decoder) -> None:
    text = "[ DIRECTIONS ] " + "Heat the oven. " * 20 + "[ ... ] Bake it."
    layout = filler.codec.layout
    whole = read_gaps(text, layout.tags)
    ask = ask_of(filler, whole, whole.gaps[0], bridge_of(filler), latents_of(filler, [whole])[0])
    taken = len(ask.prefix) + sum(len(own) + 1 for own in ask.openings)
    long = Filling(drawing=Drawing(most=filler.positions))
    assert within_room(filler, ask, long).drawing.most == filler.positions - taken
    assert within_room(filler, ask, Filling()) == Filling()
    greedy = Filling(drawing=Drawing(most=filler.positions, least=filler.positions))
    with pytest.raises(TimeControlError, match="--context"):
        within_room(filler, ask, greedy)


def test_sections_are_no_latents(forward: Decoder) -> None:
    text = read_gaps(TEXT, forward.codec.layout.tags)
    with pytest.raises(TimeControlError, match="no latents for missing sentences"):
        ask_of(forward, text, text.gaps[0], None, {})


def test_only_what_is_read_is_encoded(filler: Decoder) -> None:
    text = read_gaps("Ann ate. Ben sat. Cat ran. [ ... ] Dan hid. Eve won.")
    whole, part = latents_of(filler, [text])[0], latents_of(filler, [text], range(2, 5))[0]
    assert sorted(whole) == [0, 1, 2, 4, 5]
    assert sorted(part) == [2, 4]
    for place, latent in part.items():
        np.testing.assert_allclose(latent, whole[place], atol=1e-5)
