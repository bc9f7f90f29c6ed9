"""The two rules agree where all is well and differ where they should."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.corpora.layout import (
    DIALOGUE,
    HOWTO,
    RECIPE,
    SPOKEN,
    STORY,
    WIKISECTION,
    Layout,
)
from timecontrol.metrics.ordering import (
    all_present,
    ordered,
    ordered_released,
    ordering,
    two_speakers,
)

FOUR = {"A": "ABSTRACT", "H": "HISTORY", "G": "GEOGRAPHY", "D": "DEMOGRAPHICS", "x": "CLIMATE"}
STEPS = {"T": "TITLE", "M": "METHOD", "S": "STEP"}
TURNS = {"U": "USER", "A": "ASSISTANT"}


@pytest.mark.parametrize(
    ("letters", "paper", "released", "present"),
    [
        ("AHGD", True, True, True),
        ("AHG", False, True, False),  # a missing tag: no fault to the authors' code
        ("AD", False, True, False),
        ("AGHD", False, False, True),
        ("DA", False, False, False),
        ("AHGDA", False, False, True),
        ("AAHGD", False, False, True),
        ("AHxGD", False, True, True),  # a tag it does not know, it does not see
        ("", False, True, False),
    ],
)
def test_sections_worked_by_hand(letters: str, paper: bool, released: bool, present: bool) -> None:
    tags = [FOUR[x] for x in letters]
    assert ordered(tags, WIKISECTION) is paper
    assert ordered_released(tags, WIKISECTION) is released
    assert all_present(tags, WIKISECTION) is present


def test_text_before_the_first_tag_does_not_matter() -> None:
    tags = [None, *WIKISECTION.tags]
    assert ordered(tags, WIKISECTION)
    assert ordered_released(tags, WIKISECTION)
    assert all_present(tags, WIKISECTION)
    assert not all_present([None], WIKISECTION)


def test_an_optional_tag_need_not_be_present() -> None:
    assert all_present(["TITLE", "STEP"], HOWTO)
    assert not all_present(["METHOD", "STEP"], HOWTO)


@pytest.mark.parametrize(
    ("letters", "numbers", "paper", "released"),
    [
        ("TMSSS", [1, 2, 3], True, True),
        ("TSSS", [0, 1, 2], True, True),  # the method is optional
        ("TMSS", [1, 5], True, True),  # rising, not consecutive
        ("TMSS", [2, 2], False, False),
        ("TMSS", [2, 1], False, False),
        ("TMSS", [1, None], False, False),  # no number after a tag that needs one
        ("TMS", [None], False, False),
        ("TM", [], False, True),  # no step at all
        ("TMMSS", [1, 2], False, False),  # only the step may repeat
        ("TTMSS", [1, 2], False, False),
        ("TSMS", [1, 2], False, False),  # the first step before the method
        ("TMSTS", [1, 2], False, False),
    ],
)
def test_numbered_steps_worked_by_hand(
    letters: str, numbers: list[int | None], paper: bool, released: bool
) -> None:
    tags = [STEPS[x] for x in letters]
    of_steps = iter(numbers)
    whole = [next(of_steps) if x == "S" else None for x in letters]
    assert ordered(tags, HOWTO, whole) is paper
    assert ordered_released(tags, HOWTO, whole) is released


def test_numbers_count_only_where_they_are_given() -> None:
    tags = ["TITLE", "STEP", "STEP"]
    assert ordered(tags, HOWTO)
    assert ordered_released(tags, HOWTO)
    assert ordered_released(["TITLE"], RECIPE, [None])  # nothing of a recipe is numbered
    with pytest.raises(ValueError, match="shorter"):
        ordered_released(tags, HOWTO, [None, 1])


@pytest.mark.parametrize(
    ("letters", "paper", "released"),
    [
        ("UAUA", True, True),
        ("UAU", True, True),  # the last turn has no partner
        ("UUAA", False, True),  # first before first, second before second
        ("UAAU", False, False),  # the second of the assistant before the second of the user
        ("AUAU", True, False),  # opened by the assistant
        ("UAUUUU", False, True),  # a monologue at the end passes
        ("U", True, True),
    ],
)
def test_turns_worked_by_hand(letters: str, paper: bool, released: bool) -> None:
    tags = [TURNS[x] for x in letters]
    assert ordered(tags, DIALOGUE) is paper
    assert ordered_released(tags, DIALOGUE) is released
    assert ordered_released(tags, SPOKEN) is released
    assert ordered(tags, SPOKEN)  # there nobody has to wait for an answer


def test_two_speakers_are_told_from_sections() -> None:
    assert two_speakers(DIALOGUE)
    assert two_speakers(SPOKEN)
    for other in (WIKISECTION, HOWTO, STORY):
        assert not two_speakers(other)
    assert not two_speakers(replace(DIALOGUE, unit="sentence"))
    three = ("USER", "ASSISTANT", "HOST")
    assert not two_speakers(replace(DIALOGUE, tags=three, floating=frozenset(three)))
    assert not two_speakers(replace(DIALOGUE, floating=frozenset({"USER"})))


def test_a_floating_tag_may_stand_anywhere() -> None:
    both = frozenset({"SECTION"})
    layout = Layout("own", ("TITLE", "END", "SECTION"), repeats=both, optional=both, floating=both)
    tags = ["TITLE", "SECTION", "SECTION", "END"]
    assert ordered(tags, layout)
    assert ordered_released(tags, layout)
    assert not ordered_released(tags[::-1], layout)


@given(st.lists(st.sampled_from(WIKISECTION.tags), max_size=6))
def test_what_the_paper_accepts_the_authors_code_accepts(tags: list[str]) -> None:
    if ordered(tags, WIKISECTION):
        assert ordered_released(tags, WIKISECTION)
        assert all_present(tags, WIKISECTION)
    complete = ordered_released(tags, WIKISECTION) and all_present(tags, WIKISECTION)
    assert ordered(tags, WIKISECTION) == complete


def test_shares_worked_by_hand() -> None:
    a, h, g, d = WIKISECTION.tags
    found = ordering([[a, h, g, d], [a, h, g], [a, g, h, d], [h]], WIKISECTION)
    assert found["n"] == 4
    assert found["ordered"] == {
        "value": 0.25,
        "error": pytest.approx(math.sqrt(0.25 * 0.75 / 4)),
    }
    assert found["released"]["value"] == 0.75
    assert found["all_present"] == {"value": 0.5, "error": pytest.approx(0.25)}


def test_numbers_of_every_document_are_its_own() -> None:
    tags = [["TITLE", "STEP", "STEP"], ["TITLE", "STEP"]]
    found = ordering(tags, HOWTO, [[None, 2, 1], [None, 1]])
    assert (found["ordered"]["value"], found["released"]["value"]) == (0.5, 0.5)
    assert ordering(tags, HOWTO)["ordered"] == {"value": 1, "error": 0}


def test_no_documents_are_refused() -> None:
    with pytest.raises(ValueError, match="no documents"):
        ordering([], WIKISECTION)
