"""Texts and the plans they were written from, end to end, with a judge."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.experiments.results import HERE, OPTIONS, checked
from timecontrol.corpora import Corpus
from timecontrol.decoder import Decoder
from timecontrol.decoder.folder import ENCODER
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError
from timecontrol.experiments.adherence import adherences
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.ways import Ways, written
from timecontrol.progress import Advance


@pytest.fixture
def kept(model: str, plain_run: str, tmp_path: Path) -> Path:
    """A folder of texts."""
    ways = Ways(["bridge"], ["60"], 4, OPTIONS, folder=tmp_path / "texts")
    for name in (model, plain_run):
        written(name, Decoder.load(name, "cpu"), ways, HERE)
    return tmp_path / "texts"


def test_adherence_end_to_end(corpus: Corpus, model: str, kept: Path, judge: str) -> None:
    planner = f"{model}/{ENCODER}"
    file = kept / "planned-60-bridge.jsonl"
    found = adherences(corpus, files=[file], planner=planner, judge=judge, place=HERE)
    checked(found, "adherence", [])
    (row,) = found["rows"]
    assert (row["label"], row["run"]) == ("planned, bridge, forced", "planned-60-bridge")
    assert (row["documents"] + row["empty"], len(row["map_r2"])) == (4, 3)
    assert "seed 5" in found["settings"]["judge"]
    assert "seed 0" in found["settings"]["planner"]
    told = found["settings"]["map of the judge to the plan's space, R² on training documents"]
    assert told == pytest.approx(np.mean(row["map_r2"]), abs=1e-3)
    shown = found["tables"][0]["rows"][0]
    assert shown[3].startswith(f"{row['r2']['mean']['value']:.3f} ± ")
    assert shown[6].startswith(f"{row['permuted']['explained']['mean']['value']:.3f} ± ")


def test_it_tells_how_far_it_is(corpus: Corpus, model: str, kept: Path, judge: str) -> None:
    told: list[list[Any]] = []

    @contextmanager
    def progress(what: str, total: int, done: int = 0, unit: str = "") -> Iterator[Advance]:
        told.append([what, unit, total])

        def advance(n: int = 1, **shown: Any) -> None:
            told[-1][2] -= n

        yield advance

    file = kept / "planned-60-bridge.jsonl"
    place = Place("cpu", progress=progress)
    adherences(corpus, files=[file], planner=f"{model}/{ENCODER}", judge=judge, place=place)
    # planner and judge are of one base here, which reads the training documents only once
    assert told == [["features", "sentences", 0]] * 2


def test_copies_of_training_documents_adhere(corpus: Corpus, model: str, tmp_path: Path) -> None:
    """A judge that sees what the planner saw: it finds the documents of the plans, and no others.

    Encoders of other bases agree too little here: these have random weights.
    """
    planner = Encoder.load(f"{model}/{ENCODER}", "cpu")
    judge = shutil.copytree(f"{model}/{ENCODER}", tmp_path / "judge")
    (judge / "config.json").write_text(json.dumps({**planner.config, "identity": "f" * 64}))
    documents = list(corpus.documents("train"))[:10]
    made = {"method": "planned", "preset": "best", "encoder": planner.config["identity"]}
    lines = []
    for document, path in zip(documents, planner.paths(documents), strict=True):
        sections = [{"tag": s.tag, "sentences": list(s.sentences)} for s in document.sections]
        plan = {"points": np.asarray(path, float).tolist(), "kind": "copied"}
        about = {"tokens": 1, "ended": True, "plan": plan, "decoder": {**made, "smooth": 1}}
        lines.append({"sections": sections, **about})
    turned = [
        {**line, "sections": other["sections"]}
        for line, other in zip(lines, lines[::-1], strict=True)
    ]
    files = []
    for name, some in (("own", lines), ("others", turned)):
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("\n".join(map(json.dumps, some)))
    options: dict[str, Any] = {"planner": f"{model}/{ENCODER}", "judge": str(judge), "place": HERE}
    rows = adherences(corpus, files=files, **options)["rows"]
    for name in ("r2", "explained"):
        own, others = (row[name]["mean"]["value"] for row in rows)
        assert own > 0.98
        assert others < 0.8


def test_a_single_text_has_no_permuted_numbers(
    corpus: Corpus, model: str, kept: Path, judge: str, tmp_path: Path
) -> None:
    lines = (kept / "planned-60-bridge.jsonl").read_text().splitlines()
    one = tmp_path / "one.jsonl"
    one.write_text(max(lines, key=len) + "\n")
    found = adherences(corpus, files=[one], planner=f"{model}/{ENCODER}", judge=judge, place=HERE)
    checked(found, "adherence", [])
    assert found["tables"][0]["rows"][0][6:] == ["-", "-"]


def test_adherence_refuses_what_does_not_belong_together(
    corpus: Corpus, model: str, kept: Path, judge: str
) -> None:
    planner = f"{model}/{ENCODER}"
    planned, plain = kept / "planned-60-bridge.jsonl", kept / "plain-60-none.jsonl"
    with pytest.raises(TimeControlError, match="The judge is the encoder that planned"):
        adherences(corpus, files=[planned], planner=planner, judge=planner, place=HERE)
    with pytest.raises(TimeControlError, match=r"bridge\.jsonl: planned with another encoder"):
        adherences(corpus, files=[planned], planner=judge, judge=planner, place=HERE)
    with pytest.raises(TimeControlError, match="plain-60-none: its documents have no plans"):
        adherences(corpus, files=[plain], planner=planner, judge=judge, place=HERE)
    with pytest.raises(TimeControlError, match="No encoder named 'nobody'"):
        adherences(corpus, files=[planned], planner=planner, judge="nobody", place=HERE)
