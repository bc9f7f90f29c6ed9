import json
from pathlib import Path
from typing import Any

import pytest

from timecontrol.app.rooms import judge
from timecontrol.app.studies import Studies
from timecontrol.judging import Study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    lines = [{"id": i, "left": f"Left {i}.", "fill": "<script>", "right": "Right."} for i in (1, 2)]
    file = tmp_path / "ours.jsonl"
    for line in lines:
        line["fill"] = f"<script>{line['id']}"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    own = Studies.of([], tmp_path / "kept")
    return own.open(own.make("one", [file], "infill"))


def seen(found: tuple[Any, ...]) -> tuple[str, str, Any]:
    _, status, item, asked, _ = found
    return status, item, asked


def test_an_item_shows_its_texts_as_they_are_and_no_system(study: Study) -> None:
    _, item, asked = seen(judge._next(study, "one", "anna"))
    assert "<script>" not in item
    assert "&lt;script&gt;" in item
    assert "ours" not in item
    assert len(asked["labels"]) == 5


def test_items_come_one_after_the_other_to_the_end(study: Study) -> None:
    items = set()
    for _ in range(2):
        _, _, asked = seen(judge._next(study, "one", "anna"))
        items.add(asked["item"])
        study.rate("anna", asked["item"], 4, 2.0)
    assert len(items) == 2
    status, item, asked = seen(judge._next(study, "one", "anna"))
    assert judge.OVER in status
    assert (item, asked) == ("", None)


def test_lines_of_an_ending_are_shown_with_what_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "ours.jsonl"
    text = "\n".join(f"line {i}" for i in range(9))
    file.write_text(json.dumps({"id": 1, "text": text}) + "\n")
    own = Studies.of([], tmp_path / "kept")
    study = own.open(own.make("one", [file], "ending"))
    _, item, _ = seen(judge._next(study, "one", "anna"))
    assert "…\nline 4" in item
    assert "line 3" not in item
