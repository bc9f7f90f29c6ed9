"""A work's name tells all of it, and ``--only`` finds it by that name."""

from dataclasses import fields, replace
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.reproduction.grid import Asked
from timecontrol.reproduction.measures import MEASURES
from timecontrol.reproduction.scales import DATASETS
from timecontrol.reproduction.works import METHODS, OBJECTIVES, Work

VALUES: dict[str, Any] = {
    "kind": sorted(MEASURES),
    "dataset": DATASETS,
    "method": METHODS,
    "latent_dim": (None, 8, 16, 32),
    "preset": ("best", "paper", "released"),
    "seed": range(12),
    "plan": ("", "own", "static", "mean", "hovering", "bridge", "released", "released-static"),
    "length": ("", "normal", "forced"),
    "noise": (0.0, 0.5, 1.0, 2.0),
    "loop": (False, True),
    "distance": (0, 1, 5, 10),
}
WORKS = st.builds(Work, **{name: st.sampled_from(values) for name, values in VALUES.items()})


@pytest.mark.parametrize(
    ("work", "name"),
    [
        (Work("counts", "wikisection"), "counts/wikisection"),
        (Work("probe", "wikisection", "TC", 8), "probe/wikisection/TC-8/best/0"),
        (Work("perplexity", "recipe", "GPT2", seed=2), "perplexity/recipe/GPT2/best/2"),
        (
            Work("texts", "tm2", "TC", 16, seed=1, plan="static", length="forced"),
            "texts/tm2/TC-16/best/1/static/forced",
        ),
        (
            Work("paths", "wikisection", "TC", 8, distance=5),
            "paths/wikisection/TC-8/best/0/distance=5",
        ),
        (
            Work("texts", "tm2", "VAE", 8, "paper", 0, "bridge", "forced", 0.5, True),
            "texts/tm2/VAE-8/paper/0/bridge/forced/noise=0.5/loop",
        ),
    ],
)
def test_names_written_by_hand(work: Work, name: str) -> None:
    assert work.name == name


def test_every_field_of_a_work_is_tried_here() -> None:
    assert list(VALUES) == [f.name for f in fields(Work)]


@given(WORKS, st.data())
def test_a_work_that_differs_in_any_field_has_another_name(work: Work, data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(sorted(VALUES)))
    other = replace(work, **{field: data.draw(st.sampled_from(VALUES[field]))})
    assert (work.name == other.name) == (work == other)


@given(WORKS, WORKS)
def test_a_name_is_a_pattern_of_itself_alone(work: Work, other: Work) -> None:
    assert fnmatchcase(work.name, work.name)
    assert fnmatchcase(other.name, work.name) == (work == other)


@given(WORKS, st.integers(0, 99))
def test_another_seed_changes_nothing_else(work: Work, seed: int) -> None:
    other = work.seeded(seed)
    assert other.seed == seed
    assert other.seeded(work.seed) == work


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("texts/wikisection/TC-*/best/0/*", "ab"),
        ("texts/*", "abc"),
        ("*/static/forced", "bc"),
        ("*/TC-8/*", "ae"),
        ("counts/wikisection", "d"),
        ("counts", ""),
        ("TEXTS/*", ""),
    ],
)
def test_patterns_choose_works(pattern: str, wanted: str) -> None:
    works = {
        "a": Work("texts", "wikisection", "TC", 8, plan="own", length="forced"),
        "b": Work("texts", "wikisection", "TC", 16, plan="static", length="forced"),
        "c": Work("texts", "wikisection", "TC", 16, seed=1, plan="static", length="forced"),
        "d": Work("counts", "wikisection"),
        "e": Work("probe", "tm2", "TC", 8, seed=1),
    }
    asked = Asked(only=[pattern])
    assert "".join(name for name, work in works.items() if asked.wants(work)) == wanted


def test_only_latent_methods_plan() -> None:
    planning = {method for method in METHODS if Work("texts", "tm2", method).plans}
    assert planning == set(OBJECTIVES)
    assert not Work("counts", "tm2").plans


def test_only_what_is_not_usual_is_told() -> None:
    assert Work("counts", "tm2").told() == {"kind": "counts", "dataset": "tm2"}
    texts = Work("texts", "tm2", "TC", 8, plan="own", length="forced")
    assert texts.told()["plan"] == "own"
    assert "noise" not in texts.told()
    assert Work(**texts.told()) == texts
