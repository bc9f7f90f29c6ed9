from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import make_tokenizer, tiny_gpt2, tiny_llama
from timecontrol.corpora.layout import DIALOGUE, RECIPE, STORY, Layout
from timecontrol.decoder import preset
from timecontrol.decoder.making import codec_of, model_of, positions_of


def test_a_model_is_made_by_its_settings() -> None:
    settings = preset("best", depths=2, units=6, clock=False, end_row=False)
    codec = codec_of(make_tokenizer(), RECIPE, settings)
    model = model_of(tiny_llama(len(codec.tokenizer)), codec, settings, 5)
    config = model.config
    assert (config.plan_dim, config.depths, config.units) == (5, [0, 2], 6)
    assert (config.clock, config.end_row, config.sparse, config.opens) == (False,) * 4
    assert config.boundaries == [codec.unit_end]
    assert max(codec.tag_ids.values()) < config.vocab_size


def test_without_coordinates_nothing_enters() -> None:
    settings = preset("best", method="plain")
    codec = codec_of(make_tokenizer(), RECIPE, settings)
    model = model_of(tiny_gpt2(len(codec.tokenizer)), codec, settings, 0)
    assert (model.config.plan_dim, model.config.depths, model.taps) == (0, [], None)


@pytest.mark.parametrize(("method", "sparse"), [("section-sparse", True), ("section-dense", False)])
def test_sections_are_told_where_they_begin_or_everywhere(method: str, sparse: bool) -> None:
    settings = preset("best", method=method)
    codec = codec_of(make_tokenizer(), RECIPE, settings)
    model = model_of(tiny_llama(len(codec.tokenizer)), codec, settings, 4)
    assert model.config.sparse == sparse


def test_the_paper_s_dialogues_are_counted_by_speakers() -> None:
    settings = preset("paper")
    codec = codec_of(make_tokenizer(), DIALOGUE, settings)
    config = model_of(tiny_llama(len(codec.tokenizer)), codec, settings, 3).config
    assert config.opens
    assert config.boundaries == sorted(codec.tag_ids.values())
    assert config.depths == [0]


def config_of(layout: Layout, name: str, **changes: Any) -> tuple[Any, Any]:
    """The configuration that settings make, and the codec."""
    settings = preset(name, **changes)
    codec = codec_of(make_tokenizer(), layout, settings)
    return model_of(tiny_llama(len(codec.tokenizer)), codec, settings, 3).config, codec


def test_what_stands_between_sentences_is_kept_apart() -> None:
    """Tags, that a section goes on, and the end."""
    config, codec = config_of(RECIPE, "best")
    assert config.between == sorted([*codec.tag_ids.values(), codec.go_on]) == codec.between
    assert (config.close, config.decided, config.apart) == (codec.end, True, 30.0)
    config, codec = config_of(RECIPE, "best", form="best", apart=2.0)
    assert config.between == sorted(codec.tag_ids.values())
    assert (config.close, config.decided, config.apart) == (codec.end, False, 2.0)
    config, _ = config_of(STORY, "best")
    assert (config.between, config.decided) == ([], False)  # there are no sections


@pytest.mark.parametrize("name", ["paper", "released"])
@pytest.mark.parametrize("layout", [RECIPE, DIALOGUE])
def test_the_paper_keeps_nothing_apart(layout: Layout, name: str) -> None:
    config, _ = config_of(layout, name)
    assert (config.between, config.decided, config.apart) == ([], False, 0.0)


@pytest.mark.parametrize("how", [{"form": "paper"}, {"final_mark": False}])
def test_where_not_every_sentence_has_its_mark_nothing_is_kept_apart(how: dict[str, Any]) -> None:
    config, _ = config_of(RECIPE, "best", **how)
    assert (config.between, config.apart) == ([], 30.0)


@pytest.mark.parametrize(
    ("config", "expected"), [({"max_position_embeddings": 77}, 77), ({}, 1 << 20)]
)
def test_what_a_base_takes(config: dict[str, Any], expected: int) -> None:
    assert positions_of(SimpleNamespace(config=SimpleNamespace(**config))) == expected
