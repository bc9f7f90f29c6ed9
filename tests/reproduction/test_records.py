"""What is kept comes back, and what cannot be traced counts for nothing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.errors import TimeControlError
from timecontrol.reproduction.records import (
    Record,
    Value,
    identity,
    keep,
    place_of,
    read_record,
    records,
)
from timecontrol.reproduction.works import Work

WORK = Work("texts", "tm2", "TC", 8, plan="own", length="forced", noise=0.5, loop=True)
OWN = {"work": WORK.told(), "data": "abc"}
RECIPE: dict[str, Any] = {**OWN, "algorithm": 1, "encoder": {"epochs": 2, "rate": 1e-3}}
RECORD = Record(
    WORK,
    "smoke",
    "made dialogues",
    "tiny",
    RECIPE,
    "abc",
    "timecontrol reproduce --scale smoke",
    {"order": Value(62.5, 1.25, 4), "tokens": Value(128, None, 4)},
    {"outlines": ["UAUA", "ÜA"]},
    {"decoder": "d", "figures": []},
    identity(RECIPE),
)

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
RECIPES = st.dictionaries(WORDS, PLAIN, max_size=4)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    keep(RECORD, tmp_path)
    assert read_record(place_of(tmp_path, WORK)) == RECORD
    assert records(tmp_path) == {WORK.name: RECORD}


@given(RECIPES)
def test_whatever_its_recipe_a_record_that_comes_back_is_whole(
    tmp_path: Path, recipe: dict[str, Any]
) -> None:
    recipe |= OWN
    record = replace(RECORD, recipe=recipe, id=identity(recipe))
    keep(record, tmp_path)
    found = read_record(place_of(tmp_path, WORK))
    assert found == record
    assert found.whole


def test_a_later_record_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    keep(RECORD, tmp_path)
    later = replace(RECORD, values={"order": Value(1.0, None, 4)})
    keep(later, tmp_path)
    assert records(tmp_path) == {WORK.name: later}


@given(RECIPES)
def test_the_order_of_a_recipe_does_not_matter(recipe: dict[str, Any]) -> None:
    assert identity(dict(reversed(recipe.items()))) == identity(recipe)


@pytest.mark.parametrize(
    "other",
    [
        {**RECIPE, "algorithm": 2},
        {**RECIPE, "data": "abd"},
        {**RECIPE, "encoder": {"epochs": 2, "rate": 2e-3}},
        {**RECIPE, "window": 128},
        {**OWN, "algorithm": 1},
    ],
)
def test_another_recipe_has_another_id(other: dict[str, Any]) -> None:
    assert identity(other) != identity(RECIPE)
    assert not replace(RECORD, recipe=other).whole


def test_an_id_stays_the_same_from_one_version_to_the_next() -> None:
    # printf '{"a": 1, "b": [2, "x"]}' | sha256sum
    assert identity({"b": (2, "x"), "a": 1}) == "aaced0ddb24456d4"


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""},
        {"id": "0" * 16},
        {"data": ""},
        {"data": "abd"},
        {"command": ""},
        {"recipe": {}},
        {"recipe": {}, "id": identity({})},
        {"recipe": {"data": "abc"}, "id": identity({"data": "abc"})},
    ],
)
def test_a_record_that_cannot_be_traced_counts_for_nothing(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    record = replace(RECORD, **change)
    assert RECORD.whole
    assert not record.whole
    keep(record, tmp_path)
    another = WORK.seeded(1)
    recipe = {**RECIPE, "work": another.told()}
    other = replace(RECORD, work=another, recipe=recipe, id=identity(recipe))
    keep(other, tmp_path)
    assert records(tmp_path) == {other.work.name: other}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        "1",
        '"x"',
        '{"values": {}}',
        '{"values": [], "work": {}}',
        '{"values": {"order": 1}, "work": {"kind": "texts", "dataset": "tm2"}}',
        '{"values": {}, "work": {"kind": "texts", "dataset": "tm2", "colour": 1}}',
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    keep(RECORD, tmp_path)
    file = place_of(tmp_path, WORK)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TimeControlError, match=rf"{file.name} is no record of a run"):
        read_record(file)
    assert records(tmp_path) == {}  # as if it had not been run


def test_a_file_cut_short_or_of_other_characters_is_named(tmp_path: Path) -> None:
    keep(RECORD, tmp_path)
    file = place_of(tmp_path, WORK)
    whole = file.read_bytes()
    for damaged in (whole[:-20], whole[:100], b"\xff" + whole):
        file.write_bytes(damaged)
        with pytest.raises(TimeControlError, match="remove it, and run again"):
            read_record(file)


def test_a_folder_without_runs_has_no_records(tmp_path: Path) -> None:
    assert records(tmp_path) == {}
    assert records(tmp_path / "none") == {}


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    keep(RECORD, tmp_path)
    (place_of(tmp_path, WORK).parent / ".a.json.lock").touch()
    (tmp_path / "report.json").write_text("{}", encoding="utf-8")
    assert list(records(tmp_path)) == [WORK.name]


def test_a_record_is_of_the_work_that_names_its_file(tmp_path: Path) -> None:
    keep(RECORD, tmp_path)
    file = place_of(tmp_path, WORK)
    file.rename(file.with_name("zz.json"))
    with pytest.raises(TimeControlError, match="is no record of a run"):
        read_record(file.with_name("zz.json"))
    renamed = replace(RECORD, work=WORK.seeded(1))
    assert not renamed.whole


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_kept(tmp_path: Path, number: float) -> None:
    with pytest.raises(TimeControlError, match="order is"):
        keep(replace(RECORD, values={"order": Value(number, None, 4)}), tmp_path)
    assert not place_of(tmp_path, WORK).exists()


def test_records_of_one_scale(tmp_path: Path) -> None:
    keep(RECORD, tmp_path)
    assert list(records(tmp_path, "smoke")) == [WORK.name]
    assert records(tmp_path, "small") == {}
