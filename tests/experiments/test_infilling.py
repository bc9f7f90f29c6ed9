import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from timecontrol.corpora import Corpus, open_corpus
from timecontrol.errors import TimeControlError
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.fillings import Gap, gaps_of
from timecontrol.experiments.infilling import infillings

CPU = Place("cpu")


@pytest.fixture
def corpus() -> Corpus:
    return open_corpus("synthetic:recipes,documents=40")


def first_gap(corpus: Corpus) -> Gap:
    return gaps_of(list(corpus.documents("val")))[0]


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
