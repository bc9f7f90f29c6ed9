import json
from pathlib import Path

import numpy as np
import pytest

from timecontrol.corpora import open_corpus
from timecontrol.corpora.documents import Document, Section, Source
from timecontrol.errors import TimeControlError
from timecontrol.experiments.choice import cells_of, choices, ranked
from timecontrol.experiments.evaluate import Place
from timecontrol.plans.missing import Bridge


def stories(n: int = 3, windows: int = 4) -> list[Document]:
    found = []
    for s in range(n):
        for w in range(windows):
            sentences = tuple(f"story {s} window {w} sentence {i}" for i in range(5))
            section = (Section(None, sentences),)
            found.append(Document(f"{s}/{w}", section, Source("x", 1, 0), group=str(s)))
    return found


def test_a_path_that_is_a_line_is_found_by_the_bridge_and_not_by_likeness() -> None:
    documents = stories()
    texts = [t for d in documents for t in d.sentences]
    line = np.arange(len(texts), dtype=np.float64)[:, None] * np.ones((1, 2))
    paths = [line[i : i + 5] for i in range(0, len(texts), 5)]
    noisy = [p + np.random.default_rng(i).normal(0, 0.1, p.shape) for i, p in enumerate(paths)]
    random = np.random.default_rng(0).standard_normal((len(texts), 8)).astype(np.float32)
    unit = random / np.linalg.norm(random, axis=1, keepdims=True)
    right, where, whose = ranked(documents, line, unit, texts, Bridge.of(noisy), 9, 2, 0)
    assert len(where) == len(whose) == 12 * 5 * 2
    assert right["bridge"][where == 1].mean() == 1
    assert right["neighbours"].mean() < 0.5
    cells = cells_of(right, where, whose)
    assert cells["bridge - context"]["inner"]["value"] == pytest.approx(
        cells["bridge"]["inner"]["value"] - cells["context"]["inner"]["value"]
    )
    assert cells["bridge"]["inner"]["n"] == 72


def write(folder: Path, windows: int) -> str:
    words = ["king", "queen", "fox", "wolf", "bear", "bread", "wine", "ship", "tower", "wood"]
    for split, count in (("train", 6), ("val", 3), ("test", 3)):
        lines = []
        for s in range(count):
            texts = [
                f"The {words[(s + i) % 10]} went to the {words[(3 * s + 5 * i) % 10]} on day {i}."
                for i in range(5 * windows)
            ]
            lines.append(json.dumps({"id": f"{split}{s}", "sections": [" ".join(texts)]}))
        (folder / f"x.{split}.jsonl").write_text("\n".join(lines))
    return f"windows:{folder}"


def test_the_whole_task_on_written_stories(run: Path, tmp_path: Path) -> None:
    corpus = open_corpus(write(tmp_path, 3))
    found = choices(corpus, str(run), split="test", place=Place("cpu"))
    json.dumps(found, allow_nan=False)
    assert found["settings"]["gaps"] == 3 * 3 * 5
    assert found["settings"]["stories"] == 3
    assert [row[0] for row in found["tables"][0]["rows"]][:3] == ["bridge", "neighbours", "context"]
    assert "evaluate choice" in (run / "test-evaluations.jsonl").read_text("utf-8")


def test_stories_too_short_to_choose_from_are_said(run: Path, tmp_path: Path) -> None:
    corpus = open_corpus(write(tmp_path, 1))
    with pytest.raises(TimeControlError, match="no story has 9 sentences"):
        choices(corpus, str(run), place=Place("cpu"))
