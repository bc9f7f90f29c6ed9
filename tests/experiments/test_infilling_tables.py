import json
from pathlib import Path
from typing import Any

import pytest

from timecontrol.corpora import Corpus, open_corpus
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.infilling import infillings

CPU = Place("cpu")


@pytest.fixture
def corpus() -> Corpus:
    return open_corpus("synthetic:recipes,documents=40")


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
