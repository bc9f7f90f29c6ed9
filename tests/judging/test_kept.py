"""Fillings that are kept without their documents are put back into them."""

import json
from pathlib import Path
from typing import Any

import pytest

from timecontrol.corpora.files import BadRecord
from timecontrol.errors import TimeControlError
from timecontrol.judging.kept import Texts, best, is_kept, texts_of, told_of

TEXTS: Texts = {"a#b/1": ("One.", "Two.", "Three.", "Four.")}


def line(gap: Any, *texts: str) -> dict[str, Any]:
    return {"gap": gap, "candidates": [{"text": text} for text in texts]}


def candidate(text: str, likely: float, near: float | None, cut: bool = False) -> dict[str, Any]:
    return {"text": text, "likely": likely, "near": near, "follows": None, "cut": cut}


def test_a_gap_is_shown_in_its_document() -> None:
    found = told_of(line("a#b/1#2", " Here. "), TEXTS, 1)
    assert found.shown == {"left": "Two.", "fill": "Here.", "right": "Four."}
    assert found.example == "a#b/1#2"
    assert told_of(line("a#b/1#0", "Here."), TEXTS, 5).shown["left"] == ""


def test_the_best_of_several_candidates_is_shown() -> None:
    near, likely = candidate("near", -4.0, 0.0), candidate("likely", -1.0, -2.0)
    assert best([likely, near]) == "near"
    assert best([likely, {**near, "cut": True}]) == "likely"
    assert best([candidate(" ", 0.0, 9.0), likely]) == "likely"
    assert best([likely]) == "likely"
    with pytest.raises(BadRecord, match="lacks its numbers"):
        best([likely, {"text": "x"}])


def test_documents_are_found_in_their_corpus(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    rows = [{"id": name, "text": f"{name} is one. It is so."} for name in ("a", "b")]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert texts_of(f"jsonl:{file}", ["b"]) == {"b": ("b is one.", "It is so.")}
    with pytest.raises(TimeControlError, match=r"no document 'c' \(1 of 2 are missing\)"):
        texts_of(f"jsonl:{file}", ["a", "c"])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (line("a#b/1#4", "Here."), "has 4 sentences, none at 4"),
        (line("a#b/1", "Here."), "must be DOCUMENT#PLACE"),
        (line(3, "Here."), "'gap' must be text"),
        (line("a#b/1#1"), "nothing was written"),
        (line("a#b/1#1", " "), "nothing was written"),
        ({"gap": "a#b/1#1", "candidates": 3}, "must be a list"),
    ],
)
def test_a_line_that_is_none_says_why(value: dict[str, Any], said: str) -> None:
    assert is_kept(value)
    with pytest.raises(BadRecord, match=said):
        told_of(value, TEXTS, 5)
