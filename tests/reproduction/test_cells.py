"""Every number of the paper has its cell, and every cell says what is run for it, or why not."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from timecontrol.reproduction.cells import (
    NOT_BUILT,
    OWN,
    RATED,
    SETS,
    Cell,
    cells,
    compared,
    experiments,
    own_cells,
)
from timecontrol.reproduction.measures import MEASURES
from timecontrol.reproduction.printed import printed, tables
from timecontrol.reproduction.records import place_of
from timecontrol.reproduction.scales import DATASETS
from timecontrol.reproduction.works import FEATURES, METHODS, OBJECTIVES, Work

PRESETS = ("best", "released")


def named(experiment: str, dataset: str, label: str, column: str = "") -> Cell:
    """Return the one cell at a place."""
    (found,) = [c for c in cells() if c.key == (experiment, dataset, label, column)]
    return found


def test_every_number_of_the_paper_is_in_exactly_one_cell() -> None:
    found = Counter(p for c in cells() for p in (c.corrected, c.original) if p is not None)
    assert found == Counter(printed())
    assert sum(found.values()) == 723


def test_corrected_and_original_numbers_of_a_cell_are_of_the_same_thing() -> None:
    both = 0
    for cell in cells():
        one, other = cell.corrected, cell.original
        assert one is None or one.version == "corrected"
        assert other is None or other.version == "original"
        if one is None or other is None:
            continue
        both += 1
        unsaid: dict[str, Any] = {
            "version": "",
            "value": 0.0,
            "spread": None,
            "decoding": "",
            "note": "",
        }
        assert replace(one, **unsaid) == replace(other, **unsaid)
    assert both > 200


def test_a_number_is_original_alone_only_where_it_was_not_printed_again() -> None:
    again = {p.table for p in printed() if p.version == "corrected"}
    alone = {c.experiment for c in cells() if c.original and not c.corrected}
    assert alone
    assert not alone & again


def test_original_texts_stand_beside_the_corrected_static_ones() -> None:
    cell = named("length_mismatch", "wikisection", "TC (8) STATIC")
    assert cell.corrected is not None
    assert cell.original is not None
    assert (cell.corrected.decoding, cell.original.decoding) == ("static", "")
    assert {work.plan for work in cell.works} == {"static"}
    towards = named("length_mismatch", "wikisection", "TC (8)")
    assert towards.original is None
    assert {work.plan for work in towards.works} == {"own"}


def test_a_table_that_is_not_built_has_a_reason_and_no_works() -> None:
    for cell in cells(presets=PRESETS):
        assert bool(cell.reason) == (not cell.works) == (cell.experiment in NOT_BUILT)
        assert bool(cell.measure) == bool(cell.works)
    assert set(NOT_BUILT) <= set(tables())


def test_no_cell_has_the_place_of_another() -> None:
    found = Counter(cell.key for cell in cells(presets=PRESETS))
    assert set(found.values()) == {1}
    assert {key[0] for key in found} == set(experiments())


def test_works_can_be_told_apart_by_their_names_and_files() -> None:
    works = {work for cell in cells(presets=PRESETS) for work in cell.works}
    assert len({work.name for work in works}) == len(works)
    folder = Path()
    assert len({place_of(folder, work) for work in works}) == len(works)


def test_works_are_of_kinds_corpora_and_rows_that_there_are() -> None:
    works = [work for cell in cells() for work in cell.works]
    assert {work.kind for work in works} == {*MEASURES, *RATED.values()}
    assert {work.dataset for work in works} == set(DATASETS)
    assert {work.method for work in works if work.kind != "counts"} == set(METHODS)
    for work in works:
        assert work.plans == (work.latent_dim is not None)
        assert bool(work.plan) == (work.plans and work.kind in ("texts", "adherence"))
        assert bool(work.length) == (work.kind in ("texts", "adherence"))


def test_the_works_of_a_cell_differ_in_their_seed_alone() -> None:
    for cell in cells(seeds=4):
        assert len({work.seeded(0) for work in cell.works}) <= 1
        assert len({work.seed for work in cell.works}) == len(cell.works)


@pytest.mark.parametrize("seeds", [1, 2, 5])
def test_there_are_as_many_runs_as_seeds(seeds: int) -> None:
    once = {"probe": FEATURES, "counts": ("",)}
    for cell in cells(seeds):
        sets = cell.corrected is not None and cell.corrected.run in SETS
        if not cell.works or sets or cell.works[0].kind == "paths":
            continue
        alone = cell.works[0].method in once.get(cell.works[0].kind, ())
        assert [work.seed for work in cell.works] == list(range(1 if alone else seeds))


def test_the_papers_sets_of_runs_have_seeds_of_their_own() -> None:
    for experiment in ("length_mismatch_by_machine", "history_mismatch_tokens"):
        one, other = [c for c in cells(seeds=1) if c.experiment == experiment]
        assert [work.seed for work in one.works] == [0, 1, 2]
        assert [work.seed for work in other.works] == [3, 4, 5]


def test_forced_tables_are_of_forced_texts() -> None:
    for cell in cells():
        if cell.works and cell.works[0].kind == "texts" and cell.experiment in tables():
            forced = cell.experiment.startswith("forced_long")
            assert {work.length for work in cell.works} == {"forced" if forced else "normal"}


def test_another_preset_has_cells_of_its_own_where_it_decides_anything() -> None:
    usual, both = cells(), cells(presets=PRESETS)
    assert both[: len(usual)] == usual
    more = {(c.experiment, c.dataset, c.label, c.column): c for c in both[len(usual) :]}
    for cell in usual:
        other = more.pop(
            (cell.experiment, cell.dataset, f"{cell.label} [released]", cell.column), None
        )
        decided = any((w.method and w.method not in FEATURES) or (w.kind != "probe" and w.method)
                      for w in cell.works)  # fmt: skip
        assert (other is not None) == decided
        if other is not None:
            assert (cell.corrected, cell.original) == (other.corrected, other.original)
            assert list(other.works) == [replace(w, preset="released") for w in cell.works]
    assert not more


def test_cells_of_our_own_have_no_number_of_the_paper() -> None:
    own = own_cells(3, "best")
    assert {cell.experiment for cell in own} == set(OWN)
    assert not [cell for cell in own if cell.corrected or cell.original or cell.reason]
    assert not set(OWN) & set(tables())


def test_plans_are_judged_where_there_are_plans() -> None:
    for method in METHODS:
        dim = 8 if method in OBJECTIVES else None
        work = Work("texts", "tm2", method, dim, plan="own" if dim else "", length="forced")
        kinds = {own.kind for own, _ in compared(work).values()}
        assert kinds == ({"texts", "adherence"} if dim else {"texts"})
        assert all(replace(own, kind="texts") == work for own, _ in compared(work).values())


def test_every_cell_says_what_it_measures() -> None:
    for cell in cells():
        assert cell.about.what
        assert cell.about == (tables() | OWN)[cell.experiment]
