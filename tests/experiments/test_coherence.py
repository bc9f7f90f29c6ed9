"""The tests tell a score that knows the order from one that does not, in parts of any size."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from timecontrol.coherence import Ragged
from timecontrol.errors import TimeControlError
from timecontrol.experiments import coherence
from timecontrol.experiments.coherence import intruder_test, parts, scored, shuffle_test
from timecontrol.experiments.scorers import Rows, Scorer, Scores
from timecontrol.progress import Advance

LAYOUT = Ragged.of([12, 4, 15, 3])
IDS = ["a", "b", "c", "d"]
SHORT = {"blocks": [1, 2, 10], "windows": [1, 3], "shuffles": 4}


def ordered(rows: Rows, layout: Ragged) -> Scores:
    """Score by how many sentences follow the one before them in the original."""
    follows = (np.diff(rows, prepend=-9) == 1) & ~layout.first
    right = layout.total(follows.astype(float)) / (layout.lengths - 1)
    return {"knows": right, "constant": np.zeros(len(layout.lengths))}


def test_a_score_that_knows_the_order_is_always_right() -> None:
    found = shuffle_test(IDS, LAYOUT, [Scorer(ordered)], **SHORT)  # type: ignore[arg-type]
    assert list(found) == ["knows", "constant"]
    columns = ["block 1", "mixed 1", "block 2", "mixed 2", "block 10", "mixed 10"]
    assert list(found["knows"]) == [*columns, "windows 1", "windows 3"]
    assert {cell["value"] for cell in found["knows"].values()} == {1}
    assert {cell["value"] for cell in found["constant"].values()} == {0.5}
    documents = {name: cell["documents"] for name, cell in found["knows"].items()}
    assert documents["block 1"] == 4
    assert documents["block 10"] == 2  # the others have one block
    assert documents["windows 1"] == 2
    assert found["knows"]["block 1"]["versions"] == 16


def test_columns_without_documents_are_left_out() -> None:
    found = shuffle_test(["a", "b"], Ragged.of([4, 5]), [Scorer(ordered)], blocks=[1, 10])
    assert list(found["knows"]) == ["block 1", "mixed 1"]


def test_a_slow_score_may_be_asked_less() -> None:
    scorers = [Scorer(lambda r, v: {"x": ordered(r, v)["knows"]}, shuffles=1), Scorer(ordered)]
    found = shuffle_test(IDS, LAYOUT, scorers, blocks=[1], windows=[], shuffles=5)
    assert found["x"]["block 1"]["versions"] == 4
    assert found["knows"]["block 1"]["versions"] == 20


def test_memory_is_bounded_and_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def watched(rows: Rows, layout: Ragged) -> Scores:
        seen.append(len(rows))
        return ordered(rows, layout)

    whole = shuffle_test(IDS, LAYOUT, [Scorer(ordered)], blocks=[1], windows=[])
    monkeypatch.setattr(coherence, "ROWS", 30)
    assert shuffle_test(IDS, LAYOUT, [Scorer(watched)], blocks=[1], windows=[]) == whole
    assert max(seen) <= 30


def test_parts_cover_everything_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coherence, "ROWS", 10)
    versions = [np.arange(n) for n in (4, 4, 4, 25, 3)]
    assert list(parts(versions)) == [slice(0, 2), slice(2, 3), slice(3, 4), slice(4, 5)]
    assert list(parts([])) == []
    assert scored(Scorer(ordered), []) == {}


def test_a_trace_that_knows_the_intruder_finds_it() -> None:
    texts = [str(i) for i in range(34)]

    def knows(rows: Rows, layout: Ragged) -> Scores:
        own = LAYOUT.document[rows[layout.starts]][layout.document]  # of the first sentence
        return {"knows": -(LAYOUT.document[rows] != own).astype(float), "flat": np.zeros(len(rows))}

    found = intruder_test(IDS, texts, LAYOUT, [knows], draws=6)
    assert {found["knows"][c]["value"] for c in ("top-1", "MRR")} == {1}
    inner = np.array([10, 2, 13, 1])
    assert found["flat"]["top-1"]["value"] == pytest.approx((1 / inner).mean())
    assert found["chance"]["top-1"]["value"] == pytest.approx((1 / inner).mean())
    harmonic = [sum(1 / i for i in range(1, n + 1)) / n for n in inner]
    assert found["chance"]["MRR"]["value"] == pytest.approx(np.mean(harmonic))


def test_documents_that_are_all_alike_have_no_intruder() -> None:
    with pytest.raises(TimeControlError, match="all alike"):
        intruder_test(IDS, ["x"] * 34, LAYOUT, [])


def test_one_report_at_a_time() -> None:
    told: list[str] = []

    @contextmanager
    def progress(what: str, total: int, done: int = 0, unit: str = "") -> Iterator[Advance]:
        told.append(what)
        yield lambda n=1, **shown: None

    for shows in (True, False):
        scored(Scorer(ordered, shows=shows), [np.arange(4)], f"shows: {shows}", progress)
    assert told == ["shows: False"]
