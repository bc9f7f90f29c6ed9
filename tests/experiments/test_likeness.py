"""Plans beside held-out documents: samples and tables by hand, then end to end and as typed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import Ran
from tests.experiments.results import HERE, checked
from timecontrol.corpora import Corpus, open_corpus
from timecontrol.encoder.evaluations import count
from timecontrol.errors import TimeControlError
from timecontrol.experiments import likeness
from timecontrol.experiments.likeness import (
    HALVES,
    REAL,
    Fitted,
    Sampling,
    compared,
    halves,
    likenesses,
    nearest,
    over_folds,
    split_up,
    tables,
)
from timecontrol.plans import Law, Plan, draw

Array = NDArray[np.float64]
CORPUS = "synthetic:recipes,documents=40"


def bridges(count: int, seed: int) -> list[Array]:
    """Return bridges from about (0, 0) to about (9, -9), of 8 to 15 points."""
    state, found = np.random.default_rng(seed), []
    for i in range(count):
        n = 8 + i % 8
        share = np.linspace(0, 1, n)[:, None]
        noise = state.standard_normal((n, 2)).cumsum(0)
        noise = noise - (1 - share) * noise[0] - share * noise[-1]
        ends = state.standard_normal((2, 2)) + np.array([[0, 0], [9, -9]])
        found.append((1 - share) * ends[0] + share * ends[1] + noise)
    return found


@pytest.fixture(scope="module")
def cells() -> dict[str, Any]:
    """What is found for paths that are bridges."""
    known = bridges(300, 0)
    fit = Fitted(Law.of(known, 100.0), known, np.concatenate(known).std(0))
    how = Sampling(["bridge-brownian", "linear", "mean-time", "brownian"], 3, 0, 99)
    return dict(compared(bridges(40, 1), fit, how))


def test_plans_of_the_right_law_cannot_be_told_from_documents(cells: dict[str, Any]) -> None:
    assert list(cells) == ["bridge-brownian", "linear", "mean-time", "brownian", REAL]
    for label in ("bridge-brownian", REAL):
        cell = cells[label]
        assert cell["energy"]["p"] > 0.05
        assert cell["auc"]["p"] > 0.05
        assert 0.35 < cell["auc"]["value"] < 0.65
    assert (cells["bridge-brownian"]["documents"], cells["bridge-brownian"]["plans"]) == (40, 120)
    assert (cells[REAL]["documents"], cells[REAL]["plans"]) == (40, 40)


def test_plans_of_wrong_laws_are_found(cells: dict[str, Any]) -> None:
    for label in ("linear", "mean-time", "brownian"):
        cell = cells[label]
        assert cell["energy"]["p"] == cell["auc"]["p"] == 0.01
        assert cell["auc"]["value"] > 0.9
        assert cell["energy"]["distance"] > 5 * abs(cells["bridge-brownian"]["energy"]["distance"])
    assert cells["brownian"]["shape"]["value"] > 0.9  # it never comes to the goal


def test_plans_may_be_objects_with_points(
    cells: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def planned(*given: Any, **options: Any) -> Plan:
        drawn: Any = draw(*given, **options)
        return Plan(getattr(drawn, "points", drawn))

    monkeypatch.setattr(likeness, "draw", planned)
    known = bridges(300, 0)
    fit = Fitted(Law.of(known, 100.0), known, np.concatenate(known).std(0))
    assert (
        dict(compared(bridges(40, 1), fit, Sampling(["mean-time"], 3, 0, 99)))["mean-time"]
        == (cells["mean-time"])
    )


def test_nearest_lengths_are_taken_once() -> None:
    assert nearest([5, 9], [8, 20, 5], 0) == [2, 0]
    known = [4, 4, 4, 7, 9, 9]
    found = nearest([4, 9, 4], known, 3)
    assert [known[i] for i in found] == [4, 9, 4]
    assert len(set(found)) == 3
    assert sorted(nearest([5] * 9, known, 0)) == list(range(6))


def test_halves_have_the_same_lengths() -> None:
    paths = [np.full((n, 1), i) for i, n in enumerate([3, 5, 3, 5, 4, 9, 4, 8, 30])]
    one, two = halves(paths, (0, 1))
    assert len(one) == len(two) == 4
    assert sorted(abs(len(a) - len(b)) for a, b in zip(one, two, strict=True)) == [0, 0, 0, 1]
    assert len({int(p[0, 0]) for p in one + two}) == 8
    sides = {tuple(sorted(int(p[0, 0]) for p in halves(paths, (0, s))[0])) for s in range(20)}
    assert len(sides) > 5


def test_folds_hold_every_document_once() -> None:
    parts = split_up(23, 5, 0)
    assert sorted(np.concatenate(parts)) == list(range(23))
    assert {len(p) for p in parts} == {4, 5}
    for few, folds in ((19, 5), (40, 1)):
        with pytest.raises(TimeControlError, match=f"{few} training documents in {folds} folds"):
            split_up(few, folds, 0)


def cell(distance: float, p: float, auc: float) -> dict[str, Any]:
    value = {"value": auc, "low": auc - 0.1, "high": auc + 0.1, "error": 0.05}
    return {
        "documents": 36,
        "plans": 72,
        "energy": {"distance": distance, "p": p},
        "auc": {**value, "p": p},
        "shape": value,
        "roughness": value,
    }


def test_tables_by_hand() -> None:
    cells = [cell(1.0, 0.01, 0.8), cell(2.0, 0.2, 0.6)]
    row = {"label": "bridge", "held_out": cell(0.5, 0.001, 0.7), "folds": cells}
    floor = {"label": HALVES, "folds": cells}
    held, folds = tables([{**r, **over_folds(cells)} for r in (row, floor)], "val")
    assert held["rows"] == [
        ["bridge", "36", "0.500", "0.001", "0.700 [0.600, 0.800]", "0.001", "0.700", "0.700"]
    ]
    auc = "0.700 ± 0.100"
    means = ["36", "1.500 ± 0.500", "1 of 2", auc, "1 of 2", auc, auc]
    assert folds["rows"] == [["bridge", *means], [HALVES, *means]]


def options(bases: dict[str, str], **changes: Any) -> dict[str, Any]:
    given = {"plans": ["bridge", "mean"], "folds": 2, "draws": 2, "permutations": 99}
    return {**given, "tokenizer": bases["gpt2"], "window": 200, "place": HERE, **changes}


def test_end_to_end(corpus: Corpus, judge: str, bases: dict[str, str]) -> None:
    found = likenesses(corpus, judge, **options(bases, seed=3))
    checked(found, "likeness", [])
    assert (found["split"], found["documents"], found["too_short"]) == ("val", 4, 0)
    assert [e["name"] for e in found["encoders"]] == ["judge"]
    assert found["settings"]["training documents"] == 32
    assert (found["settings"]["seed"], found["settings"]["folds"]) == (3, 2)
    assert [r["label"] for r in found["rows"]] == ["bridge", "mean", REAL, HALVES]
    for row in found["rows"]:
        assert len(row["folds"]) == 2
        assert {c["documents"] for c in row["folds"]} == {16}
        assert {c["plans"] for c in row["folds"]} <= {32, 16}
        if row["label"] != HALVES:
            assert row["held_out"]["documents"] == 4
    assert count(Path(judge)) == 0  # no test document was looked at
    mean = found["rows"][1]
    assert mean["over_folds"]["auc"]["value"] > 0.9
    assert mean["over_folds"]["energy"]["differ"] == 1
    again = likenesses(corpus, judge, **options(bases, seed=3))
    assert again["rows"] == found["rows"]
    assert likenesses(corpus, judge, **options(bases, seed=4))["rows"] != found["rows"]


def test_looks_at_test_documents_are_counted(
    corpus: Corpus, judge: str, bases: dict[str, str], tmp_path: Path
) -> None:
    own = shutil.copytree(judge, tmp_path / "own")
    found = likenesses(corpus, str(own), **options(bases, split="test", plans=["linear"]))
    assert (found["split"], count(own)) == ("test", 1)
    assert found["tables"][0]["title"].startswith("Plans beside test documents")


def test_test_documents_are_not_read_unasked(
    judge: str, bases: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = open_corpus(CORPUS)
    read = type(corpus).documents
    asked: list[Any] = []

    def watched(self: Corpus, *given: Any, **named: Any) -> Any:
        asked.extend([*given, *named.values()])
        return read(self, *given, **named)

    monkeypatch.setattr(type(corpus), "documents", watched)
    likenesses(corpus, judge, **options(bases, plans=["linear"]))
    assert set(asked) == {"train", "val"}


def test_too_few_documents_are_one_clear_line(judge: str, bases: dict[str, str]) -> None:
    few = open_corpus("synthetic:recipes,documents=20")
    with pytest.raises(TimeControlError, match="2 documents of 3 or more sentences in split 'val'"):
        likenesses(few, judge, **options(bases))


def test_as_it_is_typed(
    timecontrol: Callable[..., Ran], judge: str, bases: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ran = timecontrol(
        "evaluate", "likeness", CORPUS, "--encoder", judge, "--plans", "linear, bridge", "--folds",
        "3", "--draws", "1", "--seed", "2", "--smooth", "3", "--window", "150", "--tokenizer",
        bases["gpt2"], "--out", str(out), "--device", "cpu",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert sorted(p.name for p in out.iterdir()) == ["likeness.json", "likeness.md"]
    found = json.loads((out / "likeness.json").read_text())
    assert found["command"].startswith(f"timecontrol evaluate likeness {CORPUS}")
    told = {k: found["settings"][k] for k in ("plans", "smooth", "window", "permutations")}
    assert told == {"plans": ["linear", "bridge"], "smooth": 3, "window": 150, "permutations": 999}
    page = (out / "likeness.md").read_text()
    for table in found["tables"]:
        for row in table["rows"]:
            assert "| " + " | ".join(row) + " |" in page
            assert row[2] in ran.out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--plans", "brige"], "No plan named 'brige'. Did you mean 'bridge'?"),
        (["--plans", " ,"], "--plans is empty"),
        (["--split", "train"], "The law is fitted to split 'train'"),
        (["--split", "dev2"], "No split named 'dev2'"),
        (["--encoder", "nobody"], "No encoder named 'nobody'"),
        (["--folds", "20"], "32 training documents in 20 folds"),
        (["--folds", "1"], "--folds"),
        (["--max-documents", "3"], "3 documents of 3 or more sentences"),
    ],
)
def test_mistakes_get_one_line(
    timecontrol: Callable[..., Ran],
    judge: str,
    bases: dict[str, str],
    tmp_path: Path,
    given: list[str],
    message: str,
) -> None:
    out = tmp_path / "out"
    chosen = {"--encoder": judge, "--tokenizer": bases["gpt2"], "--out": str(out)}
    chosen |= dict([given])
    ran = timecontrol(
        "evaluate", "likeness", CORPUS, *(part for pair in chosen.items() for part in pair)
    )
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not out.exists()
