"""The page has every number, and the command that made it."""

from typing import Any

import pytest

from timecontrol.experiments.report import (
    NOTES,
    Table,
    about_decoder,
    facts,
    interval,
    markdown,
    spread,
    tables,
)

CELL = {"value": 0.99031, "low": 0.985, "high": 0.9944, "error": 0.002, "documents": 431}
FOUND: dict[str, Any] = {
    "task": "shuffle",
    "command": "timecontrol evaluate shuffle towns --encoder w",
    "corpus": "towns",
    "split": "test",
    "documents": 431,
    "too_short": 2,
    "encoders": [],
    "settings": {"seed": 0},
    "timecontrol": "0",
    "rows": {
        "score": {"block 1": CELL, "mixed 1": CELL, "block 10": CELL, "windows 1": CELL},
        "a|b": {"block 1": CELL},
    },
}


def test_columns_of_one_kind_stand_together() -> None:
    found = tables(FOUND)
    assert [t.columns for t in found] == [["", "block 1", "block 10"], ["", "mixed 1"],
                                          ["", "windows 1"]]  # fmt: skip
    assert found[0].rows == [
        ["score", "99.0 [98.5, 99.4]", "99.0 [98.5, 99.4]"],
        ["a|b", "99.0 [98.5, 99.4]", "-"],
    ]
    assert [row[0] for row in found[1].rows] == ["score"]


def test_the_page_says_how_it_was_made() -> None:
    page = markdown(FOUND)
    assert "    timecontrol evaluate shuffle towns --encoder w\n" in page
    assert "431 documents (2 under 3 sentences left out)" in page
    assert "| score | 99.0 [98.5, 99.4] |" in page
    assert r"| a\|b |" in page


def test_an_encoder_is_named_with_all_that_matters() -> None:
    encoder = {
        "name": "w8",
        "identity": "0123456789abcdef",
        "base": "MiniLM",
        "corpus": "towns",
        "settings": {"objective": "bridge", "latent_dim": 8, "preset": "best", "seed": 3,
                     "tags": False},
    }  # fmt: skip
    line = facts({**FOUND, "encoders": [encoder]})[1]
    assert line == (
        "encoder w8: bridge, d = 8, preset best, seed 3, without tags, base MiniLM, trained on "
        "towns, identity 0123456789ab"
    )


def test_numbers_are_shown_as_usual() -> None:
    assert interval("MRR", CELL) == "0.990 [0.985, 0.994]"
    assert spread("k = 5", {"value": 0.717, "error": 0.0031}) == "71.7 ± 0.3"
    assert spread("k = 5", {"value": 0.717, "error": None}) == "71.7"
    discourse = {
        **FOUND,
        "task": "discourse",
        "rows": {"a": {"k = 5": {"value": 0.7, "error": None}}},
    }
    assert "standard error" in markdown(discourse)
    intruder = {**FOUND, "task": "intruder", "rows": {"trace": {"top-1": CELL, "MRR": CELL}}}
    assert len(tables(intruder)) == 1


DECODER: dict[str, Any] = {
    "name": "writer",
    "identity": "fedcba9876543210",
    "base": "SmolLM2",
    "corpus": "towns",
    "encoder": {"objective": "bridge", "latent_dim": 8, "base": "MiniLM"},
    "settings": {"method": "planned", "preset": "best", "seed": 2, "lora": 0},
}
MADE: dict[str, Any] = {
    **FOUND,
    "task": "structure",
    "rows": [{"label": "planned"}],
    "tables": [
        {"title": "Normal", "columns": ["", "n"], "rows": [["planned", "4"], ["a|b", "-"]]},
        {"title": "Forced", "columns": ["", "MM"], "rows": [["planned", "3.1 ± 0.2"]]},
    ],
    "note": "What the columns mean.",
}


def test_tables_that_a_result_brings_are_shown_as_they_are() -> None:
    assert tables(MADE) == [
        Table("Normal", ["", "n"], [["planned", "4"], ["a|b", "-"]]),
        Table("Forced", ["", "MM"], [["planned", "3.1 ± 0.2"]]),
    ]
    page = markdown(MADE)
    assert page.startswith("# Structure: towns\n\n    timecontrol evaluate")
    assert "## Normal\n\n|  | n |\n|---|---:|\n| planned | 4 |\n| a\\|b | - |\n\n" in page
    assert "## Forced\n\n|  | MM |\n|---|---:|\n| planned | 3.1 ± 0.2 |\n\n" in page


@pytest.mark.parametrize("note", [{}, {"note": None}, {"note": ""}])
def test_a_result_without_a_note_of_its_own_has_the_usual_one(note: dict[str, Any]) -> None:
    page = markdown({**{k: v for k, v in MADE.items() if k != "note"}, **note})
    assert page.endswith(f"\n\n{NOTES['others']}\n")
    assert markdown(MADE).endswith("\n\nWhat the columns mean.\n")


def test_a_decoder_is_named_with_all_that_matters() -> None:
    assert about_decoder(DECODER) == (
        "writer: planned, preset best, seed 2, all weights, base SmolLM2, trained on towns, "
        "encoder bridge d = 8 (MiniLM), identity fedcba987654"
    )
    settings = {"method": "plain", "preset": "paper", "seed": 0, "lora": 16}
    plain = {**DECODER, "encoder": None, "settings": settings}
    assert about_decoder(plain) == (
        "writer: plain, preset paper, seed 0, LoRA 16, base SmolLM2, trained on towns, identity "
        "fedcba987654"
    )


def test_decoders_are_facts_of_a_result() -> None:
    other = {**DECODER, "name": "second"}
    lines = facts({**MADE, "decoders": [DECODER, other]})
    assert lines[1:3] == [f"decoder {about_decoder(d)}" for d in (DECODER, other)]
    assert lines[3:] == ["seed: 0", "timecontrol 0"]
    assert facts(MADE)[1:] == ["seed: 0", "timecontrol 0"]  # results before there were decoders
