"""Do written documents have the structure of real ones? Order and length of sections, repetition.

Each number is the mean over decoders that differ only in their seed, with the standard error over
them; of a single decoder, with the standard error over its documents.
"""

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from timecontrol.bases import load_tokenizer
from timecontrol.corpora import Corpus
from timecontrol.corpora.layout import Layout
from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.experiments.decoders import Found, about, check, result
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.texts import (
    Lengths,
    Texts,
    differing,
    lengths_of,
    mean_and_error,
    read_texts,
    shown,
    training_lengths,
)
from timecontrol.experiments.ways import Ways, written
from timecontrol.metrics.lengths import lengths, mean_lengths
from timecontrol.metrics.ordering import ordering
from timecontrol.metrics.repetition import repetition
from timecontrol.tokens import Codec

Cell = dict[str, Any]

COLUMNS = {
    "order": ("in order", 100.0, 1),
    "released": ("released rule", 100.0, 1),
    "all_present": ("all tags", 100.0, 1),
    "MM": ("MM", 1.0, 1),
    "MMs": ("MM stretched", 1.0, 1),
    "mean_of_deviations": ("mean dev.", 1.0, 1),
    "repeated_4_grams": ("rep. 4-grams", 100.0, 1),
    "distinct_2": ("distinct-2", 100.0, 1),
    "repeated_sentences": ("rep. sentences", 100.0, 1),
    "ended": ("ended", 100.0, 1),
    "sentences": ("sentences", 1.0, 1),
    "tokens": ("tokens", 1.0, 0),
}
"""Measures: their name in tables, what they are multiplied by, digits."""

NOTE = (
    "in order: every tag once, in order (the paper's rule); released rule: missing tags allowed; "
    "MM: deviation of mean section lengths from those of the training documents (trimmed to the "
    "window), in percent; stretched: from the same means stretched to the budget; mean dev.: mean "
    "over documents and sections of the deviation. n: documents of each decoder. ±: standard error "
    "over decoders that differ in their seed alone, or of one decoder over its documents."
)


def structures(
    corpus: Corpus,
    *,
    models: Sequence[str] = (),
    files: Sequence[Path] = (),
    ways: Ways | None = None,
    tokenizer: str = "smollm2-135m",
    window: int = 1024,
    place: Place | None = None,
) -> Found:
    """Return the structure of what decoders write, and of texts written before.

    Args:
        corpus: Whose layout and training documents they are compared with.
        models: Decoders: run folders or names.
        files: JSON lines of ``timecontrol generate``.
        ways: How the decoders are asked to write.
        tokenizer: Of a base: counts the tokens of sections.
        window: Training documents are trimmed to it.
        place: Where to compute.
    """
    place, ways = place or Place(), ways or Ways()
    if not models and not files:
        raise TimeControlError("Nothing to measure: give --model or --texts.")
    check(models)
    given = [read_texts(file) for file in files]
    codec = Codec(load_tokenizer(tokenizer), corpus.layout)
    reference = training_lengths(corpus, codec, window)
    measured, decoders = [], []
    for name in models:
        decoder = Decoder.load(name, place.device, place.dtype)
        decoders.append(about(name, decoder))
        for texts in written(name, decoder, ways, place):
            measured.append((texts, measure(texts, corpus.layout, codec, reference)))
        del decoder
        gc.collect()  # a captured step and its model hold each other
    for texts in given:
        measured.append((texts, measure(texts, corpus.layout, codec, reference)))
    made = rows(measured)
    settings = {
        "documents of each decoder and way": ways.count if models else None,
        **ways.options,
        "top_p": sorted(
            {texts.recipe["top_p"] for texts, _ in measured if "top_p" in texts.recipe}
        ),
        "tokens counted by": tokenizer,
        "training documents": len(reference),
        "window": window,
        "texts": [file.name for file in files],
    }
    found = result("structure", corpus, decoders, settings, made, place)
    return {**found, "tables": tables(made), "note": NOTE}


def measure(texts: Texts, layout: Layout, codec: Codec, reference: Sequence[Lengths]) -> Cell:
    """Return the measures of the documents of one decoder, each with value and error.

    Without tags there is no order and no length of sections.
    """
    numbers = texts.numbers if layout.numbered else None
    found = ordering(texts.tags, layout, numbers)
    means = mean_lengths(list(reference))
    own = [lengths_of(d, codec) for d in texts.sections]
    budget = texts.budget if texts.length == "forced" else None
    sizes = lengths(own, means, budget) if means else {}
    again = repetition([[s for part in d for s in part.sentences] for d in texts.sections])
    counts = [sum(len(s.sentences) for s in d) for d in texts.sections]
    cells: Cell = {
        "order": found["ordered"] if layout.tags else None,
        "released": found["released"] if layout.tags else None,
        "all_present": found["all_present"] if layout.tags else None,
        "MM": sizes.get("MM"),
        "MMs": None if layout.repeats else sizes.get("stretched", {}).get("MM"),
        "mean_of_deviations": sizes.get("mean_of_deviations"),
        "ended": _spread([float(e) for e in texts.ended]),
        "sentences": _spread([float(n) for n in counts]),
        "tokens": _spread([float(n) for n in texts.tokens]),
    }
    for name in ("repeated_4_grams", "distinct_2", "repeated_sentences"):
        cells[name] = again[name]
    return {name: _plain(cell) for name, cell in cells.items() if cell is not None}


def rows(measured: Sequence[tuple[Texts, Cell]]) -> list[dict[str, Any]]:
    """Return a row for each way of writing: mean over decoders, and every run of it.

    Runs share a row where they differ in their seed alone; where recipes differ, the label says so.
    """
    ways: dict[tuple[str, str, int], list[tuple[Texts, Cell]]] = {}
    for texts, cells in measured:
        ways.setdefault((texts.length, texts.label, texts.budget), []).append((texts, cells))
    groups: dict[tuple[str, str, int], list[tuple[Texts, Cell]]] = {}
    for (length, label, budget), runs in ways.items():
        for run, words in zip(runs, differing([t.recipe for t, _ in runs]), strict=True):
            name = f"{label} ({words})" if words else label
            groups.setdefault((length, name, budget), []).append(run)
    found = []
    for (length, label, budget), runs in groups.items():
        cells = {}
        for column in COLUMNS:
            if own := [c[column] for _, c in runs if column in c]:
                value, error = mean_and_error([c["value"] for c in own])
                cells[column] = {
                    "value": value,
                    "error": error if len(runs) > 1 else own[0]["error"],
                }
        found.append(
            {
                "length": length,
                "budget": budget,
                "label": label,
                "documents": len(runs[0][0].sections),
                "decoders": len(runs),
                "cells": cells,
                "runs": [{"run": t.run, "n": len(t.sections), "cells": c} for t, c in runs],
            }
        )
    return found


def tables(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows as tables, one for each length."""
    made = []
    for length, budget in dict.fromkeys((row["length"], row["budget"]) for row in found):
        own = [r for r in found if (r["length"], r["budget"]) == (length, budget)]
        names = [n for n in COLUMNS if any(n in r["cells"] for r in own)]
        words = f"forced to {budget} tokens" if length == "forced" else "normal length"
        made.append(
            {
                "title": f"Structure, {words}",
                "columns": ["", "n", "decoders", *(COLUMNS[n][0] for n in names)],
                "rows": [
                    [
                        r["label"],
                        str(r["documents"]),
                        str(r["decoders"]),
                        *(_text(r["cells"].get(n), n) for n in names),
                    ]
                    for r in own
                ],
            }
        )
    return made


def _text(cell: Cell | None, name: str) -> str:
    _, scale, digits = COLUMNS[name]
    return shown(cell, digits, scale)


def _plain(cell: Cell) -> Cell:
    return {"value": cell["value"], "error": cell["error"]}


def _spread(values: Sequence[float]) -> Cell:
    value, error = mean_and_error(values)
    return {"value": value, "error": error}
