import json
import shutil
import tarfile
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


def test_trainings_are_measured_together_with_their_spread(
    corpus: Corpus, model: str, tmp_path: Path
) -> None:
    other = str(tmp_path / "other")
    shutil.copytree(model, other)
    config = json.loads((Path(other) / "config.json").read_text("utf-8"))
    config["identity"] = "another"
    (Path(other) / "config.json").write_text(json.dumps(config), encoding="utf-8")
    given: dict[str, Any] = {"most": 2, "base": None, "place": CPU, "out": tmp_path / "out"}
    ways = [f"{model}:greedy", f"{other}:greedy", f"{model}+{other}:greedy"]
    one, two, both = infillings(corpus, models=ways, **given)["rows"]
    assert both["trainings"] == 2
    assert "errors" not in one
    for name in ("bleu", "rouge_l", "distinct_1", "stuck"):
        assert both["measures"][name] == pytest.approx(one["measures"][name])  # equal weights
        assert both["errors"][name] == pytest.approx(0.0)
    file = next((tmp_path / "out").glob("other*.jsonl"))
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for line in lines:
        line["candidates"][0]["text"] += " and more"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    one, two, both = infillings(corpus, models=ways, **given)["rows"]
    words = [one["measures"]["words"], two["measures"]["words"]]
    assert both["measures"]["words"] == pytest.approx(sum(words) / 2)
    assert both["errors"]["words"] == pytest.approx(abs(words[1] - words[0]) / 2)


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
    assert found["rows"][2]["beside"]["label"] == name
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


def test_examples_show_nothing_that_was_copied(corpus: Corpus, model: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"models": [model], "most": 2, "base": None, "place": CPU}
    given |= {"out": tmp_path, "examples": 2}
    table = infillings(corpus, **given)["examples"][0]
    assert len(table["rows"]) == 2
    key = table["rows"][0][0]
    copied = max((s for d in corpus.documents("train") for s in d.sentences), key=len)
    assert len(copied.split()) > 8
    file = next(tmp_path.glob("*.jsonl"))
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for line, text in ((line, "A sentence of nobody's.") for line in lines):
        line["candidates"][0]["text"] = f"So: {copied}" if line["gap"] == key else text
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    rows = infillings(corpus, **given)["examples"][0]["rows"]
    assert "not shown" in rows[0][-1]
    assert rows[1][-1] == "A sentence of nobody's."


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


RESULTS = Path(__file__).parents[2] / "results" / "infilling"


@pytest.mark.slow
def test_committed_numbers_are_those_of_the_committed_fillings(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMECONTROL_DATA", str(data))
    with tarfile.open(RESULTS / "fillings.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    known = json.loads((RESULTS / "test" / "infilling.json").read_text("utf-8"))
    names = [str(tmp_path / "runs" / "infilling" / f"tc-right-{seed}") for seed in (0, 1, 2)]
    ways = ["+".join(names), "+".join(names) + ":best-8", f"{tmp_path}/runs/infilling/vae-0:greedy"]
    found = infillings(
        open_corpus("windows"),
        models=ways,
        split="test",
        base=None,
        out=tmp_path / "results" / "infilling" / "test",
        place=CPU,
    )
    rows = {row["label"]: row for row in known["rows"]}
    for row in found["rows"]:
        for name, value in row["measures"].items():
            assert value == pytest.approx(rows[row["label"]]["measures"][name]), name
