import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from timecontrol.coherence import Ragged
from timecontrol.coherence.points import Points
from timecontrol.corpora import open_corpus
from timecontrol.encoder.evaluations import count
from timecontrol.errors import TimeControlError
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.reordering import (
    DIFFERENCES,
    cells_of,
    likest,
    reordering,
    windows_of,
)
from timecontrol.metrics.kendall import NUMBERS, agreement

CORPUS = "synthetic:recipes,documents=40"


def test_windows_lie_within_documents_and_do_not_overlap() -> None:
    layout = Ragged.of([7, 3, 30])
    found = windows_of(layout, 4, most=3)
    assert found.tolist() == [[1, 0], [11, 2], [23, 2], [35, 2]]
    for start, number in windows_of(layout, 3, most=99):
        assert (layout.document[start : start + 3] == number).all()
    assert len(windows_of(layout, 3, most=99)) == 2 + 1 + 10
    assert windows_of(layout, 31, most=3).shape == (0, 2)


def test_the_likest_order_has_the_highest_sum_of_cosines() -> None:
    unit = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    cosine = unit @ unit.T

    def along(order: tuple[int, ...]) -> float:
        return float(cosine[list(order[:-1]), list(order[1:])].sum())

    nothing = np.zeros((6, 0))
    found = likest(Points(unit, nothing, nothing, np.zeros(6)))[0]
    best = max(along(order) for order in permutations(range(6)))
    assert along(tuple(found.tolist())) == pytest.approx(best, abs=1e-5)


def test_means_and_differences_are_over_windows() -> None:
    truth, back = agreement(np.arange(4)), agreement(np.arange(4)[::-1])
    names = dict.fromkeys(name for pair in DIFFERENCES for name in pair)
    found = {name: [back, back] for name in names} | {"suggested": [truth, back]}
    cells = cells_of(found, np.array([0, 1]))
    assert cells["suggested"]["tau"]["value"] == 0
    assert cells["suggested"]["exact"]["value"] == 0.5
    assert cells["suggested - density"]["tau"]["value"] == 1
    assert cells["suggested - density"]["either"]["value"] == 0
    assert cells["density"]["tau"]["windows"] == 2


def test_the_whole_task(run: Path) -> None:
    corpus, before = open_corpus(CORPUS), count(run)
    found = reordering(corpus, str(run), sentences=5, place=Place("cpu"))
    json.dumps(found, allow_nan=False)
    assert found["split"] == "val"
    assert count(run) == before
    assert set(found["rows"]["suggested"]) == set(NUMBERS)
    assert found["rows"]["chance"]["tau"]["value"] == 0
    assert found["rows"]["suggested"]["tau"]["windows"] == found["settings"]["windows"] > 0
    named = [row[0] for table in found["tables"] for row in table["rows"]]
    assert named[:5] == ["suggested", "density", "density, score", "place", "cosine"]
    assert "suggested - cosine" in named
    again = reordering(corpus, str(run), sentences=5, place=Place("cpu"))
    assert again["rows"] == found["rows"]
    reordering(corpus, str(run), split="test", sentences=5, most=2, place=Place("cpu"))
    assert count(run) == before + 1


def test_windows_that_no_document_holds_are_said(run: Path) -> None:
    with pytest.raises(TimeControlError, match="no document of 12 or more sentences"):
        reordering(open_corpus(CORPUS), str(run), sentences=12, place=Place("cpu"))
    with pytest.raises(TimeControlError, match="Windows of 13 sentences: from 3 to 12"):
        reordering(open_corpus(CORPUS), str(run), sentences=13)
