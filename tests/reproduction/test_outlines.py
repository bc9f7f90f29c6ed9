from hypothesis import given
from hypothesis import strategies as st

from timecontrol.corpora.layout import Layout
from timecontrol.metrics.lengths import mean_lengths
from timecontrol.reproduction.outlines import Outline, joined, references, structure

TOWN = Layout("town", ("ABSTRACT", "HISTORY"))
TALK = Layout(
    "talk",
    ("USER", "ASSISTANT"),
    repeats=frozenset({"USER", "ASSISTANT"}),
    floating=frozenset({"USER", "ASSISTANT"}),
    unit="utterance",
    alternates=True,
)
STEPS = Layout(
    "steps", ("TITLE", "STEP"), repeats=frozenset({"STEP"}), numbered=frozenset({"STEP"})
)

tags = st.sampled_from([None, "TITLE", "STEP"])
outlines = st.builds(
    Outline,
    st.lists(st.tuples(tags, st.none() | st.integers(0, 99))),
    st.lists(st.tuples(tags, st.integers(0, 9999).map(float))),
)


@given(outlines)
def test_a_line_tells_all_of_an_outline(outline: Outline) -> None:
    assert Outline.of(outline.line(STEPS), STEPS) == outline


def town(a: float, h: float) -> Outline:
    return Outline([("ABSTRACT", None), ("HISTORY", None)], [("ABSTRACT", a), ("HISTORY", h)])


REFERENCE = references([[("ABSTRACT", 10.0), ("HISTORY", 30.0)]], TOWN)


def test_documents_like_the_reference_are_off_by_nothing() -> None:
    found = structure([town(10, 30)] * 3, TOWN, REFERENCE)
    assert found["order"].value == found["all tags"].value == 100
    assert found["MM"].value == found["MM released"].value == found["mean deviation"].value == 0
    assert found["length HISTORY"].value == 30
    assert found["MM"].n == 3


def test_too_long_and_too_short_make_up_for_each_other_in_the_mean_alone() -> None:
    found = structure([town(5, 30), town(15, 30)], TOWN, REFERENCE)
    assert found["MM"].value == 0
    assert found["mean deviation"].value == 25
    assert found["off ABSTRACT"].value == 0


def test_a_missing_section_is_wrong_by_the_paper_and_right_by_the_released_rule() -> None:
    found = structure([Outline([("ABSTRACT", None)], [("ABSTRACT", 10.0)])], TOWN, REFERENCE)
    assert found["order"].value == found["all tags"].value == 0
    assert found["order released"].value == 100
    assert found["MM"].value == 50
    assert found["off HISTORY"].value == 30


def test_a_budget_stretches_the_reference() -> None:
    found = structure([town(20, 60)], TOWN, REFERENCE, budget=80)
    assert found["MM"].value == 100
    assert found["MM stretched"].value == 0
    assert "MM stretched" not in structure([town(20, 60)], TOWN, REFERENCE)


def test_a_document_without_tags_is_measured_too() -> None:
    found = structure([Outline([(None, None)], [(None, 10.0)])], TOWN, REFERENCE)
    assert found["order"].value == 0
    assert found["MM"].value == found["MM released"].value == 100


def test_a_monologue_is_as_long_as_it_is() -> None:
    talk = [("USER", 5.0), ("ASSISTANT", 7.0), ("ASSISTANT", 9.0), ("ASSISTANT", 4.0)]
    assert joined(talk) == [("USER", 5), ("ASSISTANT", 20)]
    assert mean_lengths([joined(talk)]) == {"USER": 5, "ASSISTANT": 20}
    usual = references([[("USER", 5.0), ("ASSISTANT", 7.0)]], TALK)
    outline = Outline([(tag, None) for tag, _ in talk], list(talk))
    found = structure([outline], TALK, usual)
    assert found["order"].value == 0
    assert round(found["MM turns"].value, 6) == round(50 * 13 / 7, 6)
    assert found["MM"].value < found["MM turns"].value
    assert "MM turns" not in structure([town(1, 1)], TOWN, REFERENCE)


def test_steps_are_in_order_by_their_numbers() -> None:
    def steps(*numbers: int | None) -> Outline:
        return Outline([("TITLE", None), *(("STEP", n) for n in numbers)], [("STEP", 3.0)])

    usual = references([[("TITLE", 3.0), ("STEP", 3.0)]], STEPS)
    assert structure([steps(1, 2, 3)], STEPS, usual)["order"].value == 100
    assert structure([steps(1, 3, 2)], STEPS, usual)["order"].value == 0
    assert structure([steps(1, None)], STEPS, usual)["order"].value == 0
