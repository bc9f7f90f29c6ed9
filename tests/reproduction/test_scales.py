"""A scale says what stands for what; what is changed is changed, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from timecontrol.corpora import open_corpus
from timecontrol.errors import TimeControlError, UnknownNameError
from timecontrol.reproduction.scales import DATASETS, SCALES, TINY, scale_named
from timecontrol.reproduction.works import FEATURES


@pytest.mark.parametrize("name", SCALES)
def test_a_scale_is_known_by_its_name_and_unchanged_where_nothing_is(name: str) -> None:
    assert SCALES[name].name == name
    assert scale_named(name) == SCALES[name]
    assert scale_named(name, {}, seeds=None, documents=None, encoder_base=None) == SCALES[name]


@pytest.mark.parametrize("name", SCALES)
def test_a_scale_names_corpora_and_rows_of_the_paper(name: str) -> None:
    scale = SCALES[name]
    assert set(scale.corpora) <= set(DATASETS)
    assert set(scale.probed) <= set(scale.corpora)
    assert set(scale.features) <= set(FEATURES)
    assert scale.judged <= scale.documents


def test_the_full_scale_has_all_that_the_paper_has() -> None:
    assert set(SCALES["full"].corpora) == set(DATASETS)
    assert set(SCALES["full"].features) == set(FEATURES)


def test_the_smoke_scale_needs_nothing_that_is_not_made_on_the_spot() -> None:
    scale = SCALES["smoke"]
    bases = (scale.encoder_base, scale.decoder_base, scale.judge_base, scale.counter)
    assert {*bases, *scale.features.values()} == {TINY}
    for stand in scale.corpora.values():
        assert next(iter(open_corpus(stand.spec).documents())).sentences


def test_an_unknown_scale_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        UnknownNameError, match=r"No scale named 'smal'.*'small'.*smoke, small, full"
    ):
        scale_named("smal")


def test_an_unknown_corpus_is_refused_with_those_there_are() -> None:
    with pytest.raises(TimeControlError, match="--corpus tm3=sgd:x: the paper's corpora are wiki"):
        scale_named("small", {"tm3": "sgd:x"})


@pytest.mark.parametrize(
    "changes",
    [
        {"seeds": 5},
        {"documents": 7, "judged": 2},
        {"encoder_base": "gpt2", "decoder_base": "smollm2-360m"},
    ],
)
def test_changed_fields_are_all_that_changes(changes: dict[str, Any]) -> None:
    before = SCALES["small"]
    assert scale_named("small", **changes) == replace(before, **changes)
    assert scale_named("small") == before


def test_another_corpus_takes_its_name_and_is_not_open() -> None:
    before = SCALES["small"]
    found = scale_named("small", {"wikisection": "wikisection:folder"})
    stand = found.corpora["wikisection"]
    assert before.corpora["wikisection"].open
    assert not stand.open
    assert (stand.spec, stand.label) == ("wikisection:folder", "wikisection:folder")
    assert stand.epochs == before.corpora["wikisection"].epochs
    others = {**found.corpora, "wikisection": before.corpora["wikisection"]}
    assert replace(found, corpora=others) == before
    assert SCALES["small"].corpora["wikisection"].open


def test_the_same_corpus_named_again_is_not_open_either() -> None:
    spec = SCALES["small"].corpora["tm2"].spec
    assert not scale_named("small", {"tm2": spec}).corpora["tm2"].open


def test_another_corpus_is_probed_too() -> None:
    usual = scale_named("small")
    assert usual.stand("tickettalk", probed=True) != usual.stand("tickettalk")
    changed = scale_named("small", {"tickettalk": "sgd:mine"})
    stand = changed.stand("tickettalk", probed=True)
    assert stand is changed.stand("tickettalk")
    assert stand is not None
    assert stand.spec == "sgd:mine"


def test_a_corpus_that_nothing_stood_for_can_be_brought() -> None:
    assert scale_named("smoke").stand("rocstories") is None
    stand = scale_named("smoke", {"rocstories": "rocstories:mine"}).stand("rocstories")
    assert stand is not None
    assert (stand.spec, stand.open) == ("rocstories:mine", False)


def test_a_corpus_is_probed_itself_where_no_other_is() -> None:
    scale = SCALES["small"]
    for dataset in set(scale.corpora) - set(scale.probed):
        assert scale.stand(dataset, probed=True) is scale.stand(dataset) is not None
