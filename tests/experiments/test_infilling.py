import json
from pathlib import Path
from typing import Any

import pytest

from timecontrol.corpora import Corpus, open_corpus
from timecontrol.errors import TimeControlError
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.infilling import (
    Gap,
    best,
    gaps_of,
    infillings,
    place_of,
    way_of,
)
from timecontrol.infilling.fill import Filling
from timecontrol.infilling.ranking import Weights

CPU = Place("cpu")


@pytest.fixture
def corpus() -> Corpus:
    return open_corpus("synthetic:recipes,documents=40")


def first_gap(corpus: Corpus) -> Gap:
    return gaps_of(list(corpus.documents("val")))[0]


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
    assert way.model == model
    assert way.filling.candidates == candidates
    assert way.filling.drawing.latents is latents
    assert way.filling.noise == noise
    assert way.label == "a" + text[len(model) :]


def test_draws_can_be_cooler() -> None:
    assert way_of("a:greedy", Filling()).filling.drawing.temperature == 0
    way = way_of("a:temperature-0.7:best-8", Filling())
    assert way.filling.drawing.temperature == 0.7
    assert (way.filling.candidates, way.model) == (8, "a")


def test_ways_are_compared_on_the_same_gaps_and_what_is_written_is_kept(
    corpus: Corpus, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = [f"{model}:latent-free", model, f"{model}:best-2"]
    given = {"models": ways, "most": 2, "base": None, "out": tmp_path / "out", "place": CPU}
    found = infillings(corpus, **given)  # type: ignore[arg-type]
    json.dumps(found, allow_nan=False)
    n, name = found["settings"]["gaps"], Path(model).name
    assert [r["label"] for r in found["rows"]] == [f"{name}:latent-free", name, f"{name}:best-2"]
    assert "against" not in found["rows"][0]
    assert set(found["rows"][1]["against"]) >= {"bleu", "rouge_l"}
    files = sorted((tmp_path / "out").glob("*.jsonl"))
    assert len(files) == 3
    lines = [json.loads(line) for line in files[1].read_text("utf-8").splitlines()]
    assert len(lines) == n
    true = {g.true for g in gaps_of(list(corpus.documents("val"))[:2])}
    assert not any(text in files[1].read_text("utf-8") for text in true if len(text) > 30)
    monkeypatch.setattr("timecontrol.decoder.Decoder.load", None)  # nothing is written again
    again = infillings(corpus, **given)  # type: ignore[arg-type]
    assert [r["measures"] for r in again["rows"]] == [r["measures"] for r in found["rows"]]
    changed = json.loads(files[1].read_text("utf-8").splitlines()[0])
    changed["candidates"][0]["text"] = first_gap(corpus).true
    rest = files[1].read_text("utf-8").splitlines()[1:]
    files[1].write_text("\n".join([json.dumps(changed), *rest]) + "\n", encoding="utf-8")
    other = infillings(corpus, **given)  # type: ignore[arg-type]
    assert other["rows"] != found["rows"]  # the numbers are those of the texts
    files[0].write_text("no\n", encoding="utf-8")
    with pytest.raises(TimeControlError, match="line 1"):
        infillings(corpus, **given)  # type: ignore[arg-type]


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
                assert chosen[name] == max(c[name] for c in candidates)
        infillings(corpus, **given, weights=Weights(**only))
    assert len(list(tmp_path.glob("*.jsonl"))) == 1


def test_an_empty_candidate_is_never_the_best() -> None:
    rows = [
        {"text": " ", "likely": -1.0, "near": None, "follows": None},
        {"text": "A boat came.", "likely": -9.0, "near": None, "follows": None},
    ]
    assert best(rows, Weights())["text"] == "A boat came."


def test_draws_of_several_seeds_are_measured_together(
    corpus: Corpus, model: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {
        "models": [model, f"{model}:best-2"],
        "most": 2,
        "base": None,
        "place": CPU,
    }
    given["out"] = tmp_path
    found = infillings(corpus, **given, draws=2)
    assert [r["draws"] for r in found["rows"]] == [2, 1]
    assert len(list(tmp_path.glob("*.jsonl"))) == 3
    one, other = (infillings(corpus, **given, seed=s)["rows"][0] for s in (0, 1))
    for name in ("rouge_1", "rouge_l", "words"):
        mean = (one["measures"][name] + other["measures"][name]) / 2
        assert found["rows"][0]["measures"][name] == pytest.approx(mean)


def test_looks_at_test_documents_are_counted(corpus: Corpus, model: str) -> None:
    infillings(corpus, models=[model], split="test", most=2, base=None, place=CPU)
    log = Path(model) / "test-evaluations.jsonl"
    assert "evaluate infilling" in log.read_text("utf-8").splitlines()[-1]
