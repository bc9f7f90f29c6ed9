"""A line of outputs comes to what is seen of it, its example, and what is known of its system."""

import json
from typing import Any

import pytest

from timecontrol.corpora.files import BadRecord
from timecontrol.judging.lines import about, told
from timecontrol.judging.tasks import TASKS

Line = dict[str, Any]


def one(value: Line, task: str = "ending", most: int = 3) -> Any:
    (found,) = told(value, task, most)
    assert set(found.shown) == set(TASKS[task].fields)
    return found


def turns(*texts: str) -> Line:
    tags = ["USER", "ASSISTANT"]
    return {"sections": [{"tag": tags[i % 2], "sentences": [t]} for i, t in enumerate(texts)]}


def test_the_last_turns_of_a_dialogue_are_shown_with_their_speakers() -> None:
    found = one({**turns("One.", "Two.", "Three.", "Four."), "number": 7, "seed": 2})
    assert found.shown == {
        "lines": ["ASSISTANT: Two.", "USER: Three.", "ASSISTANT: Four."],
        "whole": False,
    }
    assert found.example == "2/7"


def test_a_text_that_is_short_is_shown_whole() -> None:
    assert one(turns("One.", "Two.", "Three.")).shown["whole"]
    assert one({"text": "One. Two."}).shown == {"lines": ["One.", "Two."], "whole": True}


def test_a_tag_is_told_where_its_section_begins_or_where_the_tail_does() -> None:
    sections = [
        {"tag": "HISTORY", "sentences": ["One.", "Two."]},
        {"tag": None, "sentences": ["Three.", " "]},
        {"tag": "END", "sentences": ["Four.", "Five."]},
    ]
    five = one({"sections": sections}, most=5).shown["lines"]
    assert five == ["HISTORY: One.", "Two.", "Three.", "END: Four.", "Five."]
    assert one({"sections": sections}, most=4).shown["lines"][0] == "HISTORY: Two."
    assert one({"sections": sections}, most=1).shown["lines"] == ["END: Five."]


def test_a_text_is_taken_by_lines_or_else_by_sentences() -> None:
    lines = one({"text": "A: Hi. How are you?\n\nB:  Fine.\n"}).shown["lines"]
    assert lines == ["A: Hi. How are you?", "B: Fine."]
    assert one({"text": "\nOne. Two. Three. Four."}).shown["lines"] == ["Two.", "Three.", "Four."]
    given = one({"text": "One. Two.", "sentences": ["One. Two."]}).shown["lines"]
    assert given == ["One. Two."]


def test_characters_that_are_not_shown_are_marked() -> None:
    odd = "a\0b\ud800 c\u202ed\te\x1b[2J"
    told_so = "a\ufffdb\ufffd c\ufffdd e\ufffd[2J"
    assert one({"text": odd}).shown["lines"] == [told_so]
    assert one({"left": odd, "fill": [odd]}, "infill").shown == {
        "left": told_so,
        "fill": told_so,
        "right": "",
    }
    found = one(infilled(f"One. {odd} Two.", (1, odd)), "infill")
    assert found.shown == {"left": "One.", "fill": told_so, "right": "Two."}


def test_an_id_names_the_example_before_anything_else() -> None:
    assert one({"text": "One.", "id": 12, "number": 3}).example == "12"
    assert one({"text": "One."}).example is None


def test_a_fill_in_is_shown_between_what_is_about_it() -> None:
    value = {"left": "One.  Two.", "fill": ["Three.", "Four."], "right": ["Five."]}
    found = one(value, "infill")
    assert found.shown == {"left": "One. Two.", "fill": "Three. Four.", "right": "Five."}
    assert found.example == one({**value, "fill": "Other."}, "infill").example
    assert found.example != one({**value, "right": "Six."}, "infill").example
    assert one({**value, "id": "a"}, "infill").example == "a"


def test_a_gap_may_open_or_close_a_text() -> None:
    assert one({"left": "One.", "fill": "Two."}, "infill").shown["right"] == ""
    assert one({"left": None, "fill": "Two.", "right": "Three."}, "infill").shown["left"] == ""


def test_of_a_long_context_the_nearest_sentences_are_shown() -> None:
    value = {"left": "One. Two. Three.", "fill": "Four.", "right": "Five. Six. Seven."}
    found = one(value, "infill", most=2)
    assert found.shown == {"left": "Two. Three.", "fill": "Four.", "right": "Five. Six."}
    other = one({**value, "left": "Zero. Two. Three."}, "infill", most=2)
    assert other.example != found.example  # another text, though the same is seen


def infilled(text: str, *gaps: tuple[int, str]) -> Line:
    """Return what ``infill --json`` prints."""
    candidates = [[{"text": fill, "sentences": [fill]}, {"text": "Worse."}] for _, fill in gaps]
    own = [
        {"first": first, "candidates": c} for (first, _), c in zip(gaps, candidates, strict=True)
    ]
    return {"text": text, "gaps": own}


def test_a_text_that_was_filled_is_a_fill_in() -> None:
    found = one(infilled("She packed. It rained. He left.", (1, "It rained.")), "infill")
    assert found.shown == {"left": "She packed.", "fill": "It rained.", "right": "He left."}


def test_several_gaps_are_an_output_each_as_they_were_filled() -> None:
    text = "One. GAP. Two.\n[ END ] HOLE. Three."
    first, second = told(infilled(text, (1, "GAP."), (3, "HOLE.")), "infill", 9)
    assert first.shown == {"left": "One.", "fill": "GAP.", "right": "Two. [ END ]"}
    assert second.shown == {"left": "One. GAP. Two. [ END ]", "fill": "HOLE.", "right": "Three."}
    others = told(infilled(text.replace("GAP", "Other"), (1, "Other."), (3, "HOLE.")), "infill", 9)
    assert [one.example for one in others] == [first.example, second.example]
    assert first.example != second.example


def test_a_fill_in_that_is_there_twice_is_the_one_in_its_place() -> None:
    text = "Yes. He nodded. Yes. She left."
    assert one(infilled(text, (2, "Yes.")), "infill").shown["left"] == "Yes. He nodded."
    assert one(infilled(text, (0, "Yes.")), "infill").shown["left"] == ""


def test_a_gap_over_two_sections_is_found() -> None:
    text = "One. Two.\n[ END ] Three. Four."
    found = one(infilled(text, (1, "Two. Three.")), "infill")
    assert found.shown["fill"] == "Two. [ END ] Three."
    assert (found.shown["left"], found.shown["right"]) == ("One.", "Four.")


MADE = {
    "identity": "abc",
    "method": "planned",
    "preset": "best",
    "seed": 2,
    "base": "tiny",
    "corpus": "made",
    "smooth": 1.5,
    "recipe": {"encoder objective": "bridge", "encoder latent_dim": 8, "lora": 16},
}


def test_what_is_known_of_a_system_is_kept_in_short() -> None:
    value = {"decoder": MADE, "settings": {"length": "forced"}, "plan": {"kind": "bridge"}}
    found = about({**value, "dataset": "tickettalk", "method": "TC", "latent_dim": 8})
    assert found == {
        "dataset": "tickettalk",
        "method": "TC",
        "latent_dim": 8,
        "decoder": {
            "identity": "abc",
            "method": "planned",
            "preset": "best",
            "seed": 2,
            "base": "tiny",
            "corpus": "made",
            "objective": "bridge",
            "latent_dim": 8,
        },
        "length": "forced",
        "plan": "bridge",
    }
    assert about({"decoder": {**MADE, "recipe": None}, "plan": None, "settings": 3})["decoder"]
    assert about({}) == {}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "'text' must be text, but there is none"),
        ({"text": 3}, "'text' must be text, got int"),
        ({"text": " \n "}, "the text is empty"),
        ({"sentences": "One."}, "'sentences' must be a list of texts"),
        ({"sentences": []}, "the text is empty"),
        ({"sections": [3]}, "'sections' must be a list of objects"),
        ({"sections": [{"tag": 3, "sentences": ["One."]}]}, "a section's tag must be text"),
        ({"sections": [{"tag": "A"}]}, "'sentences' must be a list of texts"),
        ({"text": "One.", "id": " "}, "'id' must be an id"),
        ({"text": "One.", "latent_dim": "8"}, "'latent_dim' must be int"),
        ({"text": "One.", "dataset": 8}, "'dataset' must be str"),
        ({"text": "One.", "gaps": []}, "give --task infill"),
    ],
)
def test_a_line_that_is_no_text_says_why(value: Line, said: str) -> None:
    with pytest.raises(BadRecord, match=said):
        list(told(value, "ending", 5))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"text": "One."}, "'fill' must be text, but there is none"),
        ({"fill": " ", "left": "One."}, "'fill' is empty"),
        ({"fill": "Two."}, "'left' and 'right' are empty"),
        ({"fill": "Two.", "left": 3}, "'left' must be text, got int"),
        ({"fill": ["Two.", 3], "left": "One."}, "'fill' must be a list of texts"),
        ({"gaps": [], "text": "One."}, "'gaps' is empty"),
        ({"gaps": [{"candidates": []}], "text": "One."}, "nothing was found for a gap"),
        (infilled("One. Two.", (0, "Three.")), "does not hold what was written into its gap"),
        (infilled("One.", (0, "One.")), "'left' and 'right' are empty"),
    ],
)
def test_a_line_that_is_no_fill_in_says_why(value: Line, said: str) -> None:
    with pytest.raises(BadRecord, match=said):
        list(told(json.loads(json.dumps(value)), "infill", 5))


@pytest.mark.parametrize(
    "value",
    [
        {"id": "\ud800", "text": "A line.\nThe end."},
        {"number": 1, "seed": "\ud800", "text": "A line.\nThe end."},
    ],
)
def test_an_example_with_half_of_a_character_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(BadRecord):
        list(told(value, "ending", 5))


def test_of_a_decoder_only_what_can_be_shown_is_kept() -> None:
    made = {"identity": 5, "method": "planned", "seed": "7", "base": ["x"], "corpus": "towns"}
    [found] = told({"id": 1, "text": "A line.\nThe end.", "decoder": made}, "ending", 5)
    assert found.about["decoder"] == {"method": "planned", "corpus": "towns"}
