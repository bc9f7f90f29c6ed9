from pathlib import Path

import pytest

from timecontrol.corpora import open_corpus
from timecontrol.corpora.wikisection import processed


@pytest.mark.parametrize(
    ("section", "text"),
    [
        ("One. Two.\nThree.\n", "One. Two. Three."),
        ("One. Two\nthree.\n", "One. Twothree."),  # line ends vanish without a space
        ("One. Two", "One."),  # a last piece without a period is lost
        ("Only one piece", "Only one piece."),
        ("A list\n- x\n- y\n", "A list- x- y."),
    ],
)
def test_the_original_is_processed_as_the_authors_did(section: str, text: str) -> None:
    assert " ".join(processed(section).split()) == text


def test_only_the_first_section_of_a_heading_is_taken_in_the_order_of_the_layout(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        """[{"id": "u", "abstract": "A.", "text": "D.\\nH.\\nG.\\nH2.\\n", "annotations": [
        {"sectionHeading": "Demographics", "begin": 0, "length": 3},
        {"sectionHeading": "History", "begin": 3, "length": 3},
        {"sectionHeading": "Geography", "begin": 6, "length": 3},
        {"sectionHeading": "History", "begin": 9, "length": 4}]}]"""
    )
    [document] = open_corpus(f"wikisection:{path}").documents()
    assert [(s.tag, s.text) for s in document.sections] == [
        ("ABSTRACT", "A."), ("HISTORY", "H."), ("GEOGRAPHY", "G."), ("DEMOGRAPHICS", "D."),
    ]  # fmt: skip


def test_the_whole_reading_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        """[{"id": "u", "abstract": "A. Last piece", "text": "H\\nh.\\nG.\\nD", "annotations": [
        {"sectionHeading": "History", "begin": 0, "length": 5},
        {"sectionHeading": "Geography", "begin": 5, "length": 3},
        {"sectionHeading": "Demographics", "begin": 8, "length": 1}]}]"""
    )
    [document] = open_corpus(f"wikisection-whole:{path}").documents()
    assert [s.text for s in document.sections] == ["A. Last piece", "H h.", "G.", "D"]
    [document] = open_corpus(f"wikisection:{path}").documents()
    assert [s.text for s in document.sections] == ["A.", "Hh.", "G.", "D."]
