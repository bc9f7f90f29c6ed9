"""A recipe tells all that decides a run, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from timecontrol.errors import TimeControlError
from timecontrol.reproduction.recipes import recipe_of, stand_of
from timecontrol.reproduction.records import identity
from timecontrol.reproduction.works import Work
from timecontrol.reproduction.workshop import Workshop

PROBE = Work("probe", "wikisection", "TC", 8)
TEXTS = Work("texts", "wikisection", "TC", 8, plan="own", length="forced")


def test_a_recipe_tells_runs_apart(shop: Workshop, cache: Path) -> None:
    works = [
        PROBE,
        PROBE.seeded(1),
        replace(PROBE, method="BM"),
        replace(PROBE, dataset="recipe"),
        Work("probe", "wikisection", "GPT2"),
        TEXTS,
        replace(TEXTS, plan="static"),
        replace(TEXTS, noise=0.5),
        replace(TEXTS, loop=True),
        replace(TEXTS, length="normal"),
        replace(TEXTS, kind="adherence"),
        replace(TEXTS, preset="paper"),
        Work("perplexity", "wikisection", "GPT2"),
        Work("counts", "wikisection"),
        Work("paths", "wikisection", "TC", 8),
        Work("paths", "wikisection", "TC", 8, distance=5),
    ]
    recipes = [recipe_of(work, shop) for work in works]
    assert len({identity(recipe) for recipe in recipes}) == len(works)
    assert all(recipe["data"] for recipe in recipes)
    assert recipe_of(PROBE, shop) == recipe_of(PROBE, shop)


def test_a_recipe_depends_on_how_much_is_written(shop: Workshop, cache: Path) -> None:
    more = Workshop(replace(shop.scale, documents=3), shop.folder, shop.place)
    assert recipe_of(TEXTS, more) != recipe_of(TEXTS, shop)
    assert recipe_of(PROBE, more) == recipe_of(PROBE, shop)


def test_a_corpus_for_which_nothing_stands_is_said(shop: Workshop) -> None:
    with pytest.raises(TimeControlError, match="nothing stands for rocstories at scale smoke"):
        stand_of(Work("counts", "rocstories"), shop)
    with pytest.raises(TimeControlError, match="no base stands for BERT"):
        recipe_of(Work("probe", "wikisection", "BERT"), shop)
