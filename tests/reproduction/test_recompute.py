from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from timecontrol.corpora.layout import Layout
from timecontrol.decoder.facts import layout_dict
from timecontrol.reproduction.recompute import faults, recomputed
from timecontrol.reproduction.records import Record, Value, identity, read_record
from timecontrol.reproduction.works import Work

TOWN = Layout("town", ("ABSTRACT", "HISTORY"))
WORK = Work("texts", "wikisection", "GPT2")
RECIPE = {"work": WORK.told(), "data": "data"}
RESULTS = Path(__file__).parents[2] / "results" / "reproduction"


def made(**changes: Any) -> Record:
    each = {
        "layout": layout_dict(TOWN),
        "reference": {
            "mean": {"ABSTRACT": 10.0, "HISTORY": 20.0},
            "released": {"ABSTRACT": 10.0, "HISTORY": 20.0},
        },
        "budget": None,
        "outlines": ["0,1|0:10,1:20", "1,0|1:20,0:10"],
    }
    record = Record(
        WORK, "smoke", "made", "none", RECIPE, "data", "command",
        {}, each, id=identity(RECIPE),
    )  # fmt: skip
    values = {name: Value(value, None, 2) for name, value in recomputed(record).items()}
    return replace(record, **{"values": values} | changes)


def test_order_and_lengths_come_from_outlines() -> None:
    found = recomputed(made())
    assert found["order"] == 50
    assert found["MM"] == 0
    assert not faults(made())


def test_a_number_that_is_not_of_its_documents_is_found() -> None:
    record = made()
    values = {**record.values, "order": Value(51.0, None, 2)}
    assert faults(replace(record, values=values)) == ["order is 51.0, computed again 50.0"]
    fewer = {k: v for k, v in record.values.items() if k != "MM"}
    assert faults(replace(record, values=fewer)) == ["MM is None, computed again 0.0"]


def test_a_record_that_cannot_be_traced_is_found() -> None:
    for change in (
        {"command": ""},
        {"data": ""},
        {"data": "other"},
        {"id": "x"},
        {"recipe": {"other": 1}},
        {"recipe": {}, "id": identity({})},
        {"work": WORK.seeded(1)},
    ):
        assert "no id, data or command" in faults(made(**change))[0]


def test_accuracies_come_from_probes() -> None:
    record = made(each={"probes": {"paper k=5": [0.7, 0.8]}}, values={})
    assert recomputed(record) == {"paper k=5": pytest.approx(75)}
    assert len(faults(record)) == 1
    assert recomputed(made(each={})) == {}


def test_what_is_damaged_is_found() -> None:
    for each in ({"outlines": ["zzz"]}, {"probes": [1]}, {"probes": {"x": ["a"]}}):
        assert faults(made(each=each)) == ["what it keeps of its documents is damaged"]
    bad = {**made().each, "outlines": ["9|0:1"]}
    assert faults(made(each=bad)) == ["what it keeps of its documents is damaged"]


def test_committed_numbers_hold() -> None:
    files = sorted(RESULTS.glob("*/records/*.json"))
    assert files
    wrong = {file.name: found for file in files if (found := faults(read_record(file)))}
    assert not wrong
    assert sum(len(recomputed(read_record(file))) for file in files) > 100
