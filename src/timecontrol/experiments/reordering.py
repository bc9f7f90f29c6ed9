"""Do suggested orders bring shuffled sentences back into the order they stood in?

Windows of n neighbouring sentences are cut from held-out documents and shuffled. Put in order by

    suggested         the likeliest paths between each two ends, by score (``coherence.arranging``)
    density           the likeliest path, told the way round that places speak for
    density, score    the same, told the way round that scores higher
    place             where sentences like these stand in known documents, E[s | z]
    cosine            the path of the greatest likeness of neighbours, told as ``density`` is

what comes out is compared with the truth (``metrics.kendall``). ``suggested - density`` and so on
are differences in the same windows. Looks at test documents are written down.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from timecontrol.coherence import Coherence, Ragged
from timecontrol.coherence.arranging import arrange, by_place, highest, turned
from timecontrol.coherence.ordering import EXACT, Numbers, shortest_paths
from timecontrol.coherence.points import Points
from timecontrol.corpora import Corpus
from timecontrol.errors import TimeControlError
from timecontrol.experiments.evaluate import Found, Place, _found, _judged_by
from timecontrol.experiments.material import held_out
from timecontrol.metrics.intervals import Estimate, mean_over
from timecontrol.metrics.kendall import NUMBERS, agreement, by_chance
from timecontrol.metrics.shuffles import other_order, random_state

DIFFERENCES = (
    ("suggested", "density"),
    ("suggested", "density, score"),
    ("suggested", "place"),
    ("suggested", "cosine"),
)
LEAST = 3
"""Sentences of a window."""


def reordering(
    corpus: Corpus,
    name: str,
    *,
    split: str = "val",
    sentences: int = 8,
    windows: int = 4,
    seed: int = 0,
    most: int | None = None,
    place: Place | None = None,
) -> Found:
    """Return how near to the truth each way of ordering comes.

    Args:
        corpus: Whose documents.
        name: A shipped encoder, or a run folder.
        split: Of the corpus.
        sentences: Of a window.
        windows: Of a document, at most, spread over it.
        seed: Of the shuffles.
        most: Only the first so many documents.
        place: Where to compute.
    """
    if not LEAST <= sentences <= EXACT:
        raise TimeControlError(f"Windows of {sentences} sentences: from {LEAST} to {EXACT}.")
    place = place or Place()
    documents = held_out(corpus, split, most)
    encoder, material, points = _judged_by(name, documents, place)
    cut = windows_of(material.layout, sentences, windows)
    if not len(cut):
        raise TimeControlError(
            f"{corpus.name}: no document of {sentences} or more sentences in split {split!r}."
        )
    found: dict[str, list[dict[str, float]]] = {}
    with place.progress("orders", len(cut), 0, "windows") as advance:
        for start, number in cut:
            state = random_state(seed, f"{material.ids[number]}/{start}", f"order {sentences}")
            mixed = other_order(sentences, state)
            orders = ways(encoder.coherence, points.take(start + mixed))
            for way, order in orders.items():
                found.setdefault(way, []).append(agreement(mixed[order]))
            advance()
    rows = cells_of(found, cut[:, 1])
    chance = by_chance(sentences)
    rows["chance"] = {c: {"value": chance[c], "windows": len(cut)} for c in NUMBERS}
    settings = {
        "sentences of a window": sentences,
        "windows": len(cut),
        "windows of a document, at most": windows,
        "seed": seed,
    }
    done = _found("order", corpus, split, material, {name: encoder}, settings, rows)
    documents_used = len(np.unique(cut[:, 1]))
    return {**done, "documents": documents_used, "tables": tables_of(rows), "note": NOTE}


def windows_of(layout: Ragged, length: int, most: int) -> Numbers:
    """Return windows of documents, the row each begins at and its document, (m, 2).

    They do not overlap; where a document has more, so many at even distances.
    """
    found = []
    for number, (start, n) in enumerate(zip(layout.starts, layout.lengths, strict=True)):
        count = int(n) // length
        if count:
            chosen = np.unique(np.linspace(0, count - 1, min(count, most)).round())
            rest = (int(n) - count * length) // 2
            found += [(int(start) + rest + int(i) * length, number) for i in chosen]
    return np.array(found, np.int64).reshape(-1, 2)


def ways(coherence: Coherence, points: Points) -> dict[str, Numbers]:
    """Return the order that each way puts sentences in, (n,) each."""
    expected = coherence.places.expected(points.latents)
    density = np.array(arrange(coherence, points, "density").order)
    return {
        "suggested": np.array(arrange(coherence, points).order),
        "density": density,
        "density, score": highest(coherence, points, np.stack([density, density[::-1]])),
        "place": by_place(expected),
        "cosine": turned(likest(points), expected)[0],
    }


def likest(points: Points) -> Numbers:
    """Return the order of the highest sum of cosines of neighbours, (1, n)."""
    unlike = 1 - points.unit.astype(np.float64) @ points.unit.T
    paths = shortest_paths(unlike, np.zeros_like(unlike))
    along = unlike[paths[:, :-1], paths[:, 1:]].sum(1)
    return paths[[int(along.argmin())]]


def cells_of(
    found: dict[str, list[dict[str, float]]], document: Numbers
) -> dict[str, dict[str, dict[str, float]]]:
    """Return the means of every way, and of paired differences, over windows of documents, (m,)."""
    values = {
        way: {c: np.array([one[c] for one in each]) for c in NUMBERS} for way, each in found.items()
    }
    for one, other in DIFFERENCES:
        values[f"{one} - {other}"] = {c: values[one][c] - values[other][c] for c in NUMBERS}
    cells: dict[str, dict[str, dict[str, float]]] = {}
    for way, columns in values.items():
        means: dict[str, Estimate] = {c: mean_over(own, document) for c, own in columns.items()}
        cells[way] = {c: {**one.as_dict(), "windows": len(document)} for c, one in means.items()}
    return cells


def tables_of(rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the result as tables: each way, and differences."""
    titles = ["", "Kendall's tau", "either way round", "exact, %", "true neighbours, %"]
    shown = [[name, *_row(name, cells)] for name, cells in rows.items()]
    apart = [row for row in shown if " - " in row[0]]
    each = [row for row in shown if row not in apart]
    return [
        {"title": "Shuffled sentences put in order", "columns": titles, "rows": each},
        {"title": "Differences in the same windows", "columns": titles, "rows": apart},
    ]


def _row(name: str, cells: dict[str, Any]) -> Sequence[str]:
    sign = "+" if " - " in name else ""
    shown = []
    for column in NUMBERS:
        cell, percent = cells[column], column in ("exact", "neighbours")
        scale, digits = (100, 1) if percent else (1, 3)
        text = [
            f"{scale * cell[k]:{sign}.{digits}f}" for k in ("value", "low", "high") if k in cell
        ]
        shown.append(f"{text[0]} [{', '.join(text[1:])}]" if text[1:] else text[0])
    return shown


NOTE = (
    "In brackets: 95 % bootstrap interval over documents. density, cosine and place are told the "
    "way round that places speak for; chance is a random order."
)
