import pytest

from timecontrol.corpora.layout import (
    DIALOGUE,
    EPISODES,
    HOWTO,
    MOST_TAGS,
    STORY,
    WIKISECTION,
    Layout,
    heading_tag,
    infer,
    joined,
)
from timecontrol.errors import TimeControlError


@pytest.mark.parametrize(
    ("layout", "tags", "fault"),
    [
        (WIKISECTION, ["ABSTRACT", "HISTORY", "GEOGRAPHY", "DEMOGRAPHICS"], None),
        (WIKISECTION, ["ABSTRACT", "GEOGRAPHY", "HISTORY", "DEMOGRAPHICS"], "out of order"),
        (WIKISECTION, ["ABSTRACT", "HISTORY", "GEOGRAPHY"], "no [ DEMOGRAPHICS ]"),
        (WIKISECTION, ["ABSTRACT", "HISTORY", "HISTORY", "GEOGRAPHY", "DEMOGRAPHICS"], "2 times"),
        (WIKISECTION, ["ABSTRACT", "HISTORY", "GEOGRAPHY", "DEMOGRAPHICS", "X"], "unknown tag"),
        (HOWTO, ["TITLE", "STEP", "STEP"], None),
        (HOWTO, ["TITLE", "METHOD", "STEP"], None),
        (HOWTO, ["STEP", "TITLE"], "out of order"),
        (DIALOGUE, ["USER", "ASSISTANT", "USER"], None),
        (DIALOGUE, ["USER", "USER", "ASSISTANT"], "twice in a row"),
        (EPISODES, ["EPISODE"] * 3, None),
        (STORY, [None], None),
        (STORY, [None, None], "without a tag"),
    ],
)
def test_faults_are_found_and_named(
    layout: Layout, tags: list[str | None], fault: str | None
) -> None:
    found = layout.faults(tags)
    assert found == [] if fault is None else any(fault in f for f in found)


@pytest.mark.parametrize(
    "bad",
    [
        {"tags": ("A", "a")},
        {"tags": ("A]",)},
        {"tags": (" A",)},
        {"tags": (".",)},
        {"tags": ("A",), "repeats": frozenset({"B"})},
    ],
)
def test_a_layout_that_cannot_work_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(TimeControlError, match="layout 'x'"):
        Layout("x", **bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("heading", "tag"),
    [
        ("2.1 Related *work*:", "RELATED WORK"),
        ("3) Method", "METHOD"),
        ("Results & discussion", "RESULTS & DISCUSSION"),
        ("Überblick", "ÜBERBLICK"),
        ("U\u0308berblick", "ÜBERBLICK"),
        ("परिणाम", "परिणाम"),
        ("ผลลัพธ์", "ผลลัพธ์"),
        ("2020", "2020"),
        ("!!!", ""),
        ("[x] [ y ]", "X Y"),
        ("a heading that is as long as a sentence is", ""),
    ],
)
def test_a_heading_becomes_a_tag(heading: str, tag: str) -> None:
    assert heading_tag(heading) == tag


def test_common_headings_become_tags_in_their_order_and_the_rest_shares_one() -> None:
    documents = [["TITLE", "AIM", "RESULT"], ["TITLE", "AIM", "NOTES", "RESULT"],
                 ["TITLE", "AIM", "AIM", "RESULT"]]  # fmt: skip
    layout = infer("own", documents, "sentence")
    assert layout.tags == ("TITLE", "AIM", "RESULT", "SECTION")
    assert layout.repeats == {"AIM", "SECTION"}
    assert layout.optional == {"SECTION"}
    assert layout.faults(["TITLE", "SECTION", "AIM", "RESULT"]) == []
    assert layout.faults(["TITLE", "RESULT", "AIM"]) == ["tags out of order"]


def test_documents_without_headings_have_no_tags() -> None:
    assert infer("own", [[], []], "sentence").tags == ()


def test_speakers_are_always_tags() -> None:
    layout = infer("own", [["ANNA", "BEN", "ANNA"], ["ANNA", "CARL"]], "utterance")
    assert set(layout.tags) == {"ANNA", "BEN", "CARL"}
    assert layout.unit == "utterance"
    assert layout.period == "no mark"


def test_headings_without_end_do_not_make_tags_without_end() -> None:
    documents = [[f"H{i}" for i in range(100)]] * 3
    assert len(infer("own", documents, "sentence").tags) <= MOST_TAGS + 3
    documents = [[f"H{i}", "AIM"] for i in range(250_000)]
    layout = infer("own", documents, "sentence")
    assert layout.tags == ("AIM", "SECTION")


def test_one_document_makes_tags_of_all_its_headings_and_two_need_to_share_them() -> None:
    assert infer("own", [["AIM", "END"]], "sentence").tags == ("AIM", "END")
    assert infer("own", [["AIM"], ["END"]], "sentence").tags == ("SECTION",)


def test_joined_layouts_allow_what_each_allows() -> None:
    both = joined([WIKISECTION, DIALOGUE])
    assert not both.faults(WIKISECTION.tags)
    assert not both.faults(["USER", "ASSISTANT", "USER"])
    assert both.unit == "sentence"
    assert joined([DIALOGUE, DIALOGUE]).unit == "utterance"
