import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Ran
from timecontrol.corpora import open_corpus
from timecontrol.encoder import Encoder
from timecontrol.encoder.evaluations import count
from timecontrol.latents import Paths

CORPUS = "synthetic:recipes,documents=40"


def test_it_writes_latents_and_a_description(
    timecontrol: Callable[..., Ran], run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "a.parquet"
    ran = timecontrol("encode", CORPUS, "--encoder", str(run), "--out", str(out), "--split", "val")
    assert ran.code == 0, ran.err
    assert "4 documents" in ran.out
    assert "larger residual when shuffled" in ran.out
    paths, about = Paths.read(out)
    documents = list(open_corpus(CORPUS).documents("val"))
    assert paths.ids == [d.id for d in documents]
    assert about["split"] == "val"
    expected = Encoder.load(run).encode(documents[0].sentences)
    np.testing.assert_allclose(next(iter(paths)), expected, rtol=1e-3, atol=1e-4)
    found = json.loads(out.with_suffix(".json").read_text())
    assert len(found["fit"]["mean_path"]) == 33
    assert found["diagnostics"]["documents"] == 4
    assert count(run) == 0


def test_json_is_the_description(
    timecontrol: Callable[..., Ran], run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "a.parquet"
    ran = timecontrol("encode", CORPUS, "--encoder", str(run), "--out", str(out), "--json")
    assert json.loads(ran.out) == json.loads(out.with_suffix(".json").read_text())


def test_looks_at_test_documents_are_counted(
    timecontrol: Callable[..., Ran], run: Path, tmp_path: Path
) -> None:
    for split in ("val", "test", "test"):
        timecontrol(
            "encode", CORPUS, "--encoder", str(run), "--out", str(tmp_path / "a.parquet"),
            "--split", split,
        )  # fmt: skip
    assert count(run) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--out": "a.csv"}, "a file that ends in .parquet"),
        ({"--out": "none/a.parquet"}, "there is no folder"),
        ({"--split": "dev2"}, "No split named 'dev2'"),
        ({"--encoder": "nowhere"}, "No encoder named 'nowhere'"),
        ({"--encoder": "no/where"}, "No encoder at no/where"),
    ],
)
def test_mistakes_get_one_line(
    timecontrol: Callable[..., Ran],
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    options = {"--encoder": str(run), "--out": "a.parquet", **changes}
    ran = timecontrol("encode", CORPUS, *(part for pair in options.items() for part in pair))
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not list(tmp_path.glob("*.parquet"))
