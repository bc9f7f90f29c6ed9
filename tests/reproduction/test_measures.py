import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from timecontrol.errors import TimeControlError
from timecontrol.experiments.texts import read_texts
from timecontrol.reproduction.measures import (
    MEASURES,
    first,
    mean_of,
    number,
    run,
    spread,
)
from timecontrol.reproduction.recipes import recipe_of, stand_of
from timecontrol.reproduction.recompute import faults
from timecontrol.reproduction.records import identity, records
from timecontrol.reproduction.works import Work
from timecontrol.reproduction.workshop import Workshop

PROBE = Work("probe", "wikisection", "TC", 8)
TEXTS = Work("texts", "wikisection", "TC", 8, plan="own", length="forced")


def test_texts_are_measured(shop: Workshop, cache: Path, tmp_path: Path) -> None:
    record = run(TEXTS, shop, "a command", tmp_path)
    assert record.whole
    assert record.corpus == "made cities (32 training documents)"
    assert record.base == "random weights"
    assert records(tmp_path)[TEXTS.name] == record
    assert {"order", "order released", "MM", "MM stretched", "tail", "known 8-grams"} <= set(
        record.values
    )
    assert record.values["order"].n == 2
    assert record.values["tokens"].value == shop.scale.window
    assert len(record.each["outlines"]) == 2
    assert not faults(record)
    assert record.made["decoder"]
    assert record.made["with"]["torch"]
    assert record.made["writing"]["top_p"] == record.recipe["writing"]["top_p"] == 0.95
    paper = recipe_of(replace(TEXTS, preset="paper"), shop)
    assert paper["writing"]["top_p"] == 0.99


def test_a_given_decoder_writes_what_it_would_have_written_and_is_named(
    shop: Workshop, cache: Path, tmp_path: Path
) -> None:
    trained = run(TEXTS, shop, "a command", tmp_path / "trained")
    folder = shutil.copytree(shop.decoder(TEXTS, stand_of(TEXTS, shop)), tmp_path / "mine")
    name = {"wikisection/TC-8": str(folder)}
    other = Workshop(shop.scale, tmp_path / "work", shop.place, shop.batch, given=name)
    record = run(TEXTS, other, "a command", tmp_path / "given")
    assert record.values == trained.values
    assert record.made["given"] == str(folder)
    assert record.made["decoder"] == trained.made["decoder"]
    assert record.id != trained.id
    assert not (tmp_path / "work" / "decoders").exists()  # nothing was trained
    weights = next(folder.rglob("model.safetensors"))
    weights.write_bytes(weights.read_bytes() + b" ")
    assert recipe_of(TEXTS, other) != record.recipe  # other weights are another run
    elsewhere = replace(shop.scale.corpora["wikisection"], spec="synthetic:cities,documents=30")
    scale = replace(shop.scale, corpora={"wikisection": elsewhere})
    with pytest.raises(TimeControlError, match="was trained on other documents"):
        recipe_of(TEXTS, Workshop(scale, tmp_path / "work", shop.place, given=name))


def test_texts_of_a_corpus_that_is_not_open_are_not_kept(
    shop: Workshop, cache: Path, tmp_path: Path
) -> None:
    stand = stand_of(TEXTS, shop)
    assert "examples" in MEASURES["texts"](TEXTS, stand, shop, tmp_path).each
    shut = replace(stand, open=False)
    found = MEASURES["texts"](TEXTS, shut, shop, tmp_path)
    assert "examples" not in found.each
    text = (shop.folder / "texts").glob("*.jsonl")
    words = [s for f in text for d in read_texts(f).sections for p in d for s in p.sentences]
    assert not any(word in str(found) for word in words if len(word) > 20)


def test_probes_are_measured_and_the_look_is_counted(
    shop: Workshop, cache: Path, tmp_path: Path
) -> None:
    record = run(PROBE, shop, "a command", tmp_path)
    assert set(record.values) == {
        f"{name} k={k}" for name in ("paper", "released", "best") for k in (1, 5, 10)
    }
    assert all(0 <= value.value <= 100 for value in record.values.values())
    assert not faults(record)
    folder = shop.encoder(PROBE, stand_of(PROBE, shop))
    looks = (folder / "test-evaluations.jsonl").read_text().splitlines()
    assert len(looks) == 1
    assert f"reproduce {PROBE.name}" in looks[-1]
    work = Work("probe", "wikisection", "GPT2")
    assert run(work, shop, "a command", tmp_path).whole
    looks = (shop.folder / "test-evaluations.jsonl").read_text().splitlines()
    assert f"reproduce {work.name}" in looks[-1]


def test_texts_that_are_not_all_there_are_refused(
    shop: Workshop, cache: Path, tmp_path: Path
) -> None:
    work = replace(TEXTS, plan="linear")
    run(work, shop, "a command", tmp_path)
    file = shop.folder / "texts" / f"{identity(recipe_of(work, shop))}.jsonl"
    file.write_text(file.read_text().splitlines()[0] + "\n")
    with pytest.raises(TimeControlError, match="has 1 documents, not 2"):
        run(work, shop, "a command", tmp_path)


def test_first_documents(shop: Workshop, cache: Path) -> None:
    stand = stand_of(TEXTS, shop)
    found = read_texts(shop.texts(TEXTS, stand, "some"))
    one = first(found, 1)
    lists: dict[str, Any] = {k: v for k, v in vars(one).items() if isinstance(v, list)}
    assert {len(v) for v in lists.values()} == {1}
    assert one.label == found.label


def test_means_and_numbers() -> None:
    found = mean_of([1.0, 3.0])
    assert (found.value, found.error, found.n) == (2, 1, 2)
    assert mean_of([5.0]).error is None
    assert number(None, 3) is None
    assert number({"value": None, "error": None}, 3) is None
    value = number({"value": 2, "error": 0.5}, 3)
    assert value is not None
    assert (value.value, value.error, value.n) == (2, 0.5, 3)


def test_spread_is_large_where_time_says_nothing() -> None:
    draw = np.random.default_rng(0)
    line = np.linspace(0, 1, 20)[:, None] * np.ones(2)
    straight = [line + 0.1 * draw.normal(size=2) for _ in range(200)]
    random = [draw.normal(size=(20, 2)) for _ in range(200)]
    assert spread(straight) == pytest.approx(0.1 / line[:, 0].std(), rel=0.15)
    wandering = spread(random)
    assert wandering is not None
    assert wandering > 5
    assert spread([np.ones((5, 2)), np.zeros((5, 2))]) is None
