"""Results carry what is needed to get them again; looks at test documents are counted."""

from pathlib import Path

import pytest

from timecontrol.corpora import open_corpus
from timecontrol.encoder.evaluations import count
from timecontrol.errors import TimeControlError
from timecontrol.experiments.evaluate import Grid, Place, discourse, intruder, shuffle

CORPUS = "synthetic:recipes,documents=40"
HERE = Place("cpu")


def test_a_shuffle_result_has_every_row_that_was_asked(run: Path, bases: dict[str, str]) -> None:
    found = shuffle(
        open_corpus(CORPUS),
        str(run),
        split="val",
        blocks=[1, 2],
        windows=[1],
        shuffles=3,
        likelihood=bases["gpt2"],
        likelihood_shuffles=1,
        entity_grid=True,
        place=HERE,
    )
    names = list(found["rows"])
    assert names[:5] == ["score", "bridge (BBScoreV2)", "place", "context", "nearness"]
    assert names[5:8] == ["BBScore (legacy)", "BBScore (corrected)", "cosine of neighbours"]
    assert names[8].startswith("likelihood (")
    assert names[9] == "entity grid"
    assert found["rows"][names[8]]["block 1"]["versions"] == found["documents"]
    assert found["documents"] == 4
    assert found["encoders"][0]["name"] == "run"
    assert found["encoders"][0]["settings"]["latent_dim"] == 3
    assert count(run) == 0


def test_looks_at_test_documents_are_counted(run: Path, tmp_path: Path) -> None:
    corpus = open_corpus(CORPUS)
    shuffle(corpus, str(run), blocks=[1], windows=[], shuffles=1, place=HERE)
    assert count(run) == 1
    found = intruder(corpus, str(run), draws=2, place=HERE)
    assert next(iter(found["rows"])) == "trace"
    assert list(found["rows"])[-2:] == ["cosine to neighbours", "chance"]
    discourse(corpus, encoders=[str(run)], ks=[1], definition="best", place=HERE)
    assert count(run) == 3


def test_a_grid_is_trained_once_and_seeds_make_one_row(
    bases: dict[str, str], tmp_path: Path
) -> None:
    corpus = open_corpus(CORPUS)
    grid = Grid(["brownian"], [2, 3], 2, bases["bert"], "best", tmp_path / "encoders")
    options = {"grid": grid, "features": [bases["bert"]], "ks": [2], "split": "val"}
    found = discourse(corpus, definition="best", place=HERE, **options)  # type: ignore[arg-type]
    rows = found["rows"]
    assert list(rows)[:2] == ["brownian, d = 2", "brownian, d = 3"]
    assert list(rows)[2].startswith("features of")
    assert len(rows["brownian, d = 2"]["k = 2"]["runs"]) == 2
    folders = sorted((tmp_path / "encoders").iterdir())
    assert [f.name for f in folders] == [f"brownian-{d}-{s}" for d in (2, 3) for s in (0, 1)]
    made = {f: (f / "config.json").stat().st_mtime_ns for f in folders}
    again = discourse(corpus, definition="best", place=HERE, **options)  # type: ignore[arg-type]
    assert again["rows"] == rows
    assert {f: (f / "config.json").stat().st_mtime_ns for f in folders} == made


def test_nothing_to_probe_is_said() -> None:
    with pytest.raises(TimeControlError, match="Nothing to probe"):
        discourse(open_corpus(CORPUS))
