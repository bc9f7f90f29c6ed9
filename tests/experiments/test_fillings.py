import json
from pathlib import Path
from typing import Any

import pytest

from timecontrol.corpora import Corpus, open_corpus
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.fillings import best, gaps_of, place_of, way_of
from timecontrol.experiments.infilling import infillings
from timecontrol.infilling.fill import Filling
from timecontrol.infilling.ranking import Weights

CPU = Place("cpu")


@pytest.fixture
def corpus() -> Corpus:
    return open_corpus("synthetic:recipes,documents=40")


def test_every_sentence_is_left_out_once(corpus: Corpus) -> None:
    documents = list(corpus.documents("val"))
    gaps = gaps_of(documents)
    assert [g.true for g in gaps] == [s for d in documents for s in d.sentences]
    assert len({g.key for g in gaps}) == len(gaps)
    for gap in gaps:
        text = gap.text()
        assert text.gaps == [range(gap.place, gap.place + 1)]
        assert gap.true not in [s.text for s in text.slots if s.text] or gap.true in (
            s for i, s in enumerate(gap.document.sentences) if i != gap.place
        )
    kinds = [place_of(g) for g in gaps]
    assert kinds.count("first") == kinds.count("last") == len(documents)


@pytest.mark.parametrize(
    ("text", "model", "candidates", "latents", "noise"),
    [
        ("runs/a", "runs/a", 1, True, 0.0),
        ("runs/a:best-8", "runs/a", 8, True, 0.0),
        ("runs/a:latent-free:best-4", "runs/a", 4, False, 0.0),
        ("C:/a:noise-0.5", "C:/a", 1, True, 0.5),
    ],
)
def test_a_way_is_a_run_and_how_it_is_used(
    text: str, model: str, candidates: int, latents: bool, noise: float
) -> None:
    way = way_of(text, Filling())
    assert way.models == (model,)
    assert way.filling.candidates == candidates
    assert way.filling.drawing.latents is latents
    assert way.filling.noise == noise
    assert way.label == "a" + text[len(model) :]


def test_draws_can_be_cooler() -> None:
    assert way_of("a:greedy", Filling()).filling.drawing.temperature == 0
    way = way_of("a:temperature-0.7:best-8", Filling())
    assert way.filling.drawing.temperature == 0.7
    assert (way.filling.candidates, way.models) == (8, ("a",))


def test_several_trainings_are_one_way() -> None:
    way = way_of("runs/lm-0+runs/lm-1+runs/lm-2:greedy", Filling())
    assert way.models == ("runs/lm-0", "runs/lm-1", "runs/lm-2")
    assert way.label == "lm-0,1,2:greedy"
    assert way_of("a/x+b/y", Filling()).label == "x+y"
    assert way_of("a/lm+b/lm-1", Filling()).label == "lm+lm-1"


def test_a_way_is_compared_with_its_plainer_self() -> None:
    texts = ["a", "a:latent-free", "b:best-8", "a:greedy"]
    ways = [way_of(text, Filling()) for text in texts]
    for text, other in (("a:best-4", "a"), ("a:latent-free:greedy", "a:greedy")):
        found = way_of(text, Filling()).plainer(ways)
        assert found is not None
        assert found.text == other
    assert way_of("b:latent-free", Filling()).plainer(ways) is None


def test_other_weights_need_no_other_draws(
    corpus: Corpus, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {
        "models": [f"{model}:best-3"],
        "most": 3,
        "base": None,
        "out": tmp_path,
        "place": CPU,
    }
    infillings(corpus, **given)
    file = next(tmp_path.glob("*.jsonl"))
    kept = [json.loads(line)["candidates"] for line in file.read_text("utf-8").splitlines()]
    monkeypatch.setattr("timecontrol.decoder.Decoder.load", None)
    for name in ("likely", "near", "follows"):
        only = {"likely": 0.0, "near": 0.0, "follows": 1e-9} | {name: 1.0}
        for candidates in kept:
            chosen = best(candidates, Weights(**only))
            if name != "follows":
                whole = [c for c in candidates if not c["cut"]] or candidates
                assert chosen[name] == max(c[name] for c in whole)
        infillings(corpus, **given, weights=Weights(**only))
    assert len(list(tmp_path.glob("*.jsonl"))) == 1


def test_an_empty_candidate_is_never_the_best() -> None:
    rows = [
        {"text": " ", "cut": False, "likely": -1.0, "near": None, "follows": None},
        {"text": "A boat came.", "cut": False, "likely": -9.0, "near": None, "follows": None},
        {"text": "A boat and", "cut": True, "likely": -2.0, "near": None, "follows": None},
    ]
    assert best(rows, Weights())["text"] == "A boat came."
    assert best(rows[::2], Weights())["text"] == "A boat and"
