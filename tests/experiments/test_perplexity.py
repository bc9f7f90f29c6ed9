"""Perplexities of decoders, end to end: with looks at test documents written down."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.experiments.results import HERE, checked
from timecontrol.corpora import Corpus
from timecontrol.decoder import Decoder
from timecontrol.encoder.evaluations import FILE, count
from timecontrol.experiments.following import predicted
from timecontrol.experiments.perplexity import perplexities


def test_perplexities_are_those_of_the_decoders(
    corpus: Corpus, model: str, plain_run: str, section_run: str
) -> None:
    models = [model, plain_run, section_run]
    found = perplexities(corpus, models=models, split="val", seed=4, batch=3, place=HERE)
    checked(found, "perplexity", models)
    documents = list(corpus.documents("val"))
    assert (found["split"], found["documents"]) == ("val", len(documents)) == ("val", 4)
    assert [r["label"] for r in found["rows"]] == ["planned", "plain", "section-dense"]
    planned, plain, sections = (r["cells"] for r in found["rows"])
    assert set(planned) == set(sections) == {"true", "none", "other", "without", "wrong"}
    assert set(plain) == {"plain"}
    own = predicted(Decoder.load(model, "cpu"), documents, seed=4)
    for name, cell in planned.items():
        assert cell["value"] == pytest.approx(own[name]["value"], rel=1e-5)
        assert cell["error"] == pytest.approx(own[name]["error"], rel=1e-3)  # over documents
    assert found["settings"] == {
        "seed": 4,
        "tokens": sorted({run["tokens"] for row in found["rows"] for run in row["runs"]}),
    }
    assert found["tables"][0]["columns"] == ["", "decoders", "no plan", "own", "dropped",
                                             "another's", "dropped - own",
                                             "another's - dropped"]  # fmt: skip
    assert found["tables"][0]["rows"][1][3:] == ["-"] * 5
    without = np.log(planned["none"]["value"]) - np.log(planned["true"]["value"])
    assert planned["without"]["value"] == pytest.approx(without, rel=1e-6)
    assert all(count(Path(m)) == 0 for m in models)


def test_looks_at_test_documents_are_written_down(
    corpus: Corpus, model: str, tmp_path: Path
) -> None:
    other = str(shutil.copytree(model, tmp_path / "other"))
    found = perplexities(corpus, models=[model, other], most=3, place=HERE)
    assert (found["split"], found["documents"]) == ("test", 3)
    for folder in (model, other):
        assert count(Path(folder)) == 1
        line = json.loads((Path(folder) / FILE).read_text())
        assert line["what"] == "evaluate perplexity"
        assert line["corpus"] == corpus.name
        run = found["rows"][0]["runs"][0]
        assert line["numbers"] == {
            n: run[n]["value"] for n in ("true", "none", "other", "without", "wrong")
        }
    perplexities(corpus, models=[model], most=3, place=HERE)
    assert count(Path(model)) == 2
    (row,) = found["rows"]  # decoders that differ only in their seed
    assert row["decoders"] == 2
    assert [r["run"] for r in row["runs"]] == ["planned", "other"]
    for cell in row["cells"].values():
        assert cell["error"] == 0  # these do not even differ in that


def test_two_decoders_have_the_spread_between_them(
    corpus: Corpus, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = str(shutil.copytree(model, tmp_path / "other"))
    numbers = iter([(2.0, 3.0), (4.0, 3.0)])

    def given(*arguments: Any) -> dict[str, Any]:
        true, none = ({"value": x, "error": 9.0} for x in next(numbers))
        return {"true": true, "none": none, "tokens": 7, "documents": 3}

    monkeypatch.setattr("timecontrol.experiments.perplexity.predicted", given)
    found = perplexities(corpus, models=[model, other], split="val", place=HERE)
    cells = found["rows"][0]["cells"]
    assert cells == {"true": {"value": 3, "error": 1}, "none": {"value": 3, "error": 0}}
    assert found["tables"][0]["rows"] == [["planned", "2", "3.000 ± 1.000", "3.000 ± 0.000"]]
