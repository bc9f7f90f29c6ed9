import json

import numpy as np

from timecontrol.corpora.documents import Section
from timecontrol.generation import Writing, Written
from timecontrol.plans import Plan

SECTIONS = (
    Section(None, ("Before all.",)),
    Section("TITLE", ("Apple Tart",)),
    Section("DIRECTIONS", ("Mix.", "Bake it.")),
)
PLAN = Plan(np.array([[0.1, -2.0], [1 / 3, 5.0]]), "bridge", 4, 7, {"rule": "best"})
HOW = Writing(seed=4).as_dict()
TART = Written(7, SECTIONS, (0, 5, 6, 0), True, PLAN, HOW, units=(0, 1, 3, 4))


def test_sentences_and_tags_in_order() -> None:
    assert TART.sentences == ("Before all.", "Apple Tart", "Mix.", "Bake it.")
    assert TART.tags == (None, "TITLE", "DIRECTIONS")


def test_text_has_a_line_for_each_section() -> None:
    assert TART.text == "Before all.\n[ TITLE ] Apple Tart\n[ DIRECTIONS ] Mix. Bake it."


def test_markdown_has_headings() -> None:
    assert TART.markdown() == (
        "Before all.\n\n## Title\n\nApple Tart\n\n## Directions\n\nMix. Bake it."
    )


def test_plain_data_can_be_written_as_json_and_holds_the_plan() -> None:
    found = json.loads(json.dumps(TART.as_dict(), allow_nan=False))
    assert found["number"] == 7
    assert found["seed"] == 4
    assert found["tokens"] == 4
    assert found["ended"] is True
    assert found["text"] == TART.text
    assert found["sentences"] == list(TART.sentences)
    assert found["sections"][2] == {"tag": "DIRECTIONS", "sentences": ["Mix.", "Bake it."]}
    assert found["units"] == [0, 1, 3, 4]
    assert Writing(**found["settings"]) == Writing(seed=4)
    again = Plan.from_dict(found["plan"])
    assert np.array_equal(again.points, PLAN.points)
    assert (again.kind, again.seed, again.number, again.about) == ("bridge", 4, 7, {"rule": "best"})


def test_a_document_of_nothing() -> None:
    empty = Written(0, (), (0, 0), True, None)
    assert empty.text == empty.markdown() == ""
    assert empty.sentences == empty.tags == ()
    assert empty.as_dict()["plan"] is None
    assert empty.as_dict()["units"] is None
    assert empty.as_dict()["seed"] is None
