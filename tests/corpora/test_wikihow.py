import json
from pathlib import Path

import pytest

from timecontrol.corpora import open_corpus
from timecontrol.corpora.wikihow import tidy_title, title_of


@pytest.mark.parametrize(
    ("title", "tidy"),
    [
        ("How to Grill Fish1", "How to Grill Fish"),
        ("How to Bind Off (Knitting)1", "How to Bind Off (Knitting)"),
        ("How to Fit a Cover on an F150", "How to Fit a Cover on an F150"),
        ("How to Be Number 1", "How to Be Number 1"),
        ("How to Open a 501", "How to Open a 501"),
        ("How to Rest", "How to Rest"),
    ],
)
def test_the_mark_of_a_first_method_is_taken_off_and_numbers_are_not(title: str, tidy: str) -> None:
    assert tidy_title(title) == tidy


def test_a_title_is_read_from_an_address() -> None:
    assert title_of("https://www.example.org/Tie-a-Bow-%26-Knot") == "How to Tie a Bow & Knot"


def test_a_step_without_text_is_its_headline(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    steps = [{"headline": "Sit.", "text": []}, {"headline": "Lie", "text": ["Rest. Sleep."]}]
    path.write_text(json.dumps({"id": "2", "title": "Rest", "steps": steps}))
    [document] = open_corpus(f"wikihow:{path}").documents()
    assert [(s.tag, s.sentences) for s in document.sections] == [
        ("TITLE", ("Rest",)), ("STEP", ("Sit.",)), ("STEP", ("Lie", "Rest.", "Sleep.")),
    ]  # fmt: skip
