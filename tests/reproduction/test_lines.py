"""A cell and its runs come to one line: mean, error, difference, or a reason for a blank."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.reproduction.cells import Cell, cells
from timecontrol.reproduction.lines import NOT_MEASURED, NOT_RUN, lines, ours_of, over_runs
from timecontrol.reproduction.printed import Printed
from timecontrol.reproduction.records import Record, Value, identity
from timecontrol.reproduction.works import Work
from timecontrol.runs import write_json

WORK = Work("probe", "wikisection", "TC", 8)
CORRECTED = Printed("discourse_coherence", "corrected", 77.6, 0.1, "wikisection", "TC", 8)
ORIGINAL = replace(CORRECTED, version="original", value=48.3)
CELL = Cell(
    "discourse_coherence",
    "wikisection",
    "TC (8)",
    "k = 5",
    CORRECTED,
    ORIGINAL,
    tuple(WORK.seeded(seed) for seed in range(3)),
    "paper k=5",
    "released k=5",
)


def record(seed: int, value: float, **others: Any) -> Record:
    """Return the record of one seed."""
    recipe = {"seed": seed}
    values = {
        "paper k=5": Value(value, 0.5, 100 + seed),
        "released k=5": Value(value + 10, 0.5, 100),
    }
    told: dict[str, Any] = {"corpus": "made cities", "base": "tiny", "values": values, "made": {}}
    return Record(
        WORK.seeded(seed),
        "smoke",
        recipe=recipe,
        data="d",
        command=f"again {seed}",
        id=identity(recipe),
        **(told | others),
    )


def by_name(*some: Record) -> dict[str, Record]:
    """Return records as a folder of them gives them."""
    return {r.work.name: r for r in some}


def free(work: Work) -> str:
    """Nothing hinders."""
    return ""


def blank(cell: Cell, why: Mapping[int, str], found: Mapping[str, Record] | None = None) -> str:
    """Return why a cell is blank, where seeds are hindered."""
    (line,) = lines([cell], found or {}, lambda work: why.get(work.seed, ""))
    assert line.ours is None
    assert line.difference is None
    return line.why


def test_the_mean_and_standard_error_over_seeds_worked_by_hand() -> None:
    ours = ours_of(CELL, by_name(record(0, 70), record(1, 74), record(2, 78)))
    assert ours is not None
    assert ours.value == 74
    assert ours.error == pytest.approx(4 / math.sqrt(3))  # the deviation is 4, of 2 degrees
    assert (ours.over, ours.seeds, ours.n) == ("seeds", (0, 1, 2), 100)
    assert ours.commands == ("again 0", "again 1", "again 2")
    assert ours.ids == tuple(identity({"seed": seed}) for seed in range(3))


def test_one_seed_has_its_own_error_over_documents() -> None:
    ours = ours_of(CELL, by_name(record(1, 74)))
    assert ours is not None
    assert (ours.value, ours.error, ours.over, ours.seeds) == (74, 0.5, "documents", (1,))
    assert over_runs([Value(3, None, 1)]) == (3, None, "documents")


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=6), st.floats(-100, 100))
def test_laws_of_runs(numbers: list[float], step: float) -> None:
    mean, error, over = over_runs([Value(x, None, 1) for x in numbers])
    assert error is not None
    assert over == "seeds"
    assert min(numbers) - 1e-9 <= mean <= max(numbers) + 1e-9
    assert 0 <= error <= (max(numbers) - min(numbers)) / 2 + 1e-9
    # What a run says of itself does not matter, nor does their order; a shift moves the mean alone.
    moved = [Value(x + step, 9.0, 7) for x in reversed(numbers)]
    shifted, same, _ = over_runs(moved)
    assert shifted == pytest.approx(mean + step, abs=1e-9)
    assert same == pytest.approx(error, abs=1e-6)


def test_runs_of_other_works_do_not_count() -> None:
    other = replace(record(0, 99), work=replace(WORK, preset="paper"))
    ours = ours_of(CELL, by_name(record(0, 70), record(2, 72), other, record(3, 99)))
    assert ours is not None
    assert (ours.value, ours.seeds) == (71, (0, 2))


def test_runs_without_the_measure_do_not_count() -> None:
    lacking = record(1, 0, values={"released k=5": Value(1.0, None, 9)}, base="another")
    ours = ours_of(CELL, by_name(record(0, 70), lacking, record(2, 72)))
    assert ours is not None
    assert (ours.value, ours.released, ours.seeds, ours.base) == (71, 81, (0, 2), "tiny")
    assert ours_of(CELL, by_name(lacking)) is None


def test_the_released_value_stands_beside() -> None:
    found = by_name(record(0, 70), record(1, 74))
    ours = ours_of(CELL, found)
    assert ours is not None
    assert ours.released == 82
    without = ours_of(replace(CELL, beside=""), found)
    assert without is not None
    assert without.released is None


def test_the_difference_is_ours_less_the_papers() -> None:
    better, worse = (lines([CELL], by_name(record(0, x)), free)[0] for x in (80.0, 70.0))
    assert better.difference == pytest.approx(2.4)
    assert worse.difference == pytest.approx(-7.6)


def test_the_corrected_number_is_compared_with_where_there_is_one() -> None:
    found = by_name(record(0, 50))
    (one,) = lines([CELL], found, free)
    (other,) = lines([replace(CELL, corrected=None)], found, free)
    (own,) = lines([replace(CELL, corrected=None, original=None)], found, free)
    assert (one.paper, other.paper, own.paper) == (CORRECTED, ORIGINAL, None)
    assert other.difference == pytest.approx(1.7)
    assert own.difference is None
    assert own.ours is not None


def test_a_cell_without_runs_is_blank_with_a_reason() -> None:
    everywhere = dict.fromkeys(range(3), "base not here: gpt2")
    assert blank(CELL, {}) == NOT_RUN
    assert blank(CELL, everywhere) == "base not here: gpt2"
    assert blank(CELL, {1: "too few seeds", 2: "too few seeds"}) == NOT_RUN  # the first can run
    never = replace(CELL, works=(), reason="infilling is not built yet")
    assert blank(never, everywhere) == "infilling is not built yet"


def test_a_cell_with_a_run_is_not_blank_whatever_hinders_now() -> None:
    (line,) = lines([CELL], by_name(record(1, 70)), lambda work: "base not here: gpt2")
    assert line.ours is not None
    assert line.why == ""


def test_no_cell_is_left_out_and_each_is_there_or_blank() -> None:
    whole = cells()
    found = lines(whole, by_name(record(0, 70)), free)
    assert [line.cell for line in found] == whole
    assert all((line.ours is None) == bool(line.why) for line in found)
    there = {line.cell.key for line in found if line.ours is not None}
    assert there == {("discourse_coherence", "wikisection", "TC (8)", "k = 5")}


def test_what_differs_between_runs_is_said_once_each() -> None:
    some = [
        record(0, 70, corpus="one", made={"given": "wikisection"}),
        record(1, 70, corpus="other"),
        record(2, 70, corpus="one"),
    ]
    ours = ours_of(CELL, by_name(*some))
    assert ours is not None
    assert (ours.corpus, ours.base, ours.given) == ("one; other", "tiny", "wikisection")


def test_a_line_as_plain_data(tmp_path: Path) -> None:
    there, missing = lines([CELL, replace(CELL, measure="none")], by_name(record(0, 70)), free)
    told = there.as_dict()
    assert (told["row"], told["column"], told["unit"]) == ("TC (8)", "k = 5", "percent")
    assert told["paper"] == {"value": 77.6, "spread": 0.1, "note": ""}
    assert told["original"]["value"] == 48.3
    assert told["ours"]["value"] == 70
    assert told["difference"] == pytest.approx(-7.6)
    assert (missing.as_dict()["ours"], missing.as_dict()["difference"]) == (None, None)
    write_json(tmp_path / "lines.json", [told, missing.as_dict()])  # nothing that JSON has not


def test_runs_of_other_settings_are_no_seeds() -> None:
    def of(seed: int, documents: int) -> Record:
        recipe = {"seed": seed, "documents": documents, "decoder": {"seed": seed, "rate": 1}}
        return replace(record(seed, 70 + seed), recipe=recipe)

    ours = ours_of(CELL, by_name(of(0, 4), of(1, 8), of(2, 8)))
    assert ours is not None
    assert ours.seeds == (1, 2)
    assert (ours.value, ours.others) == (71.5, 1)
    alone = ours_of(CELL, by_name(of(0, 4), of(1, 8)))
    assert alone is not None
    assert (alone.seeds, alone.others, alone.over) == ((0,), 1, "documents")


def test_a_run_without_the_measure_is_told_apart_from_none() -> None:
    assert blank(CELL, {}, by_name(record(0, 70, values={}))) == NOT_MEASURED
