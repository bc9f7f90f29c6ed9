import json
from pathlib import Path

import pytest

from timecontrol.corpora import Corpus, open_corpus
from timecontrol.errors import TimeControlError
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.infilling import Gap, gaps_of, infillings, place_of, way_of
from timecontrol.infilling.fill import Filling

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


def test_looks_at_test_documents_are_counted(corpus: Corpus, model: str) -> None:
    infillings(corpus, models=[model], split="test", most=2, base=None, place=CPU)
    log = Path(model) / "test-evaluations.jsonl"
    assert "evaluate infilling" in log.read_text("utf-8").splitlines()[-1]
