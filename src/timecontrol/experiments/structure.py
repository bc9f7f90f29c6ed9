"""Do written documents have the structure of real ones? Order and length of sections, repetition.

Each number is the mean over decoders that differ only in their seed, with the standard error over
them; of a single decoder, with the standard error over its documents. Ways of writing are compared
with one of them, training seed by training seed and document by document.
"""

import gc
import json
from collections.abc import Mapping, Sequence
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
from timecontrol.metrics.lengths import (
    deviation_of_means,
    lengths,
    mean_lengths,
    own_means,
    stretched,
)
from timecontrol.metrics.ordering import Numbers, ordered, ordered_released, ordering
from timecontrol.metrics.paired import (
    Sample,
    Statistic,
    deviation_of,
    differences,
    mean_of,
    pairs_of,
)
from timecontrol.metrics.repetition import repetition
from timecontrol.tokens import Codec

Cell = dict[str, Any]
Way = tuple[str, str, int]
"""Length, label and budget: those of a row."""

COLUMNS = {
    "order": ("in order", 100.0, 1),
    "released": ("released rule", 100.0, 1),
    "all_present": ("all tags", 100.0, 1),
    "MM": ("MM", 1.0, 1),
    "MMs": ("MM stretched", 1.0, 1),
    "mean_of_deviations": ("mean dev.", 1.0, 1),
    "repeated_4_grams": ("rep. 4-grams", 100.0, 1),
    "tail_repeated_4_grams": ("tail rep.", 100.0, 1),
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
    "over documents and sections of the deviation; tail rep.: 4-grams of the last quarter of the "
    "sentences that came before. n: documents of each decoder. ±: standard error over decoders "
    "that differ in their seed alone, or of one decoder over its documents."
)
APART = (
    " Differences: the row less the one it is compared with, decoders of one training seed and "
    "documents of one number together; pairs: of decoders; n: documents in both; in brackets the "
    "95 % interval of 2,000 resamples of training seeds, then of documents; each alone, so that of "
    "twenty equal ones one is told apart by chance."
)
LARGER = {"order", "released"}
"""What is compared, the more the better; of lengths that are off, the less."""


def structures(
    corpus: Corpus,
    *,
    models: Sequence[str] = (),
    files: Sequence[Path] = (),
    ways: Ways | None = None,
    tokenizer: str = "smollm2-135m",
    window: int = 1024,
    against: str | None = None,
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
        against: The label of the row that others are compared with; else a plain one.
        place: Where to compute.
    """
    place, ways = place or Place(), ways or Ways()
    if not models and not files:
        raise TimeControlError("Nothing to measure: give --model or --texts.")
    check(models)
    given = [read_texts(file) for file in files]
    codec = Codec(load_tokenizer(tokenizer), corpus.layout)
    reference = training_lengths(corpus, codec, window)
    known = (corpus.layout, codec, reference)
    measured, samples, decoders = [], [], []
    for name in models:
        decoder = Decoder.load(name, place.device, place.dtype)
        decoders.append(about(name, decoder))
        for texts in written(name, decoder, ways, place):
            measured.append((texts, measure(texts, *known)))
            numbers = range(len(texts.sections))
            samples.append(Sample(decoder.settings.seed, numbers, statistics(texts, *known)))
        del decoder
        gc.collect()  # a captured step and its model hold each other
    for file, texts in zip(files, given, strict=True):
        measured.append((texts, measure(texts, *known)))
        samples.append(Sample(*origin_of(file), statistics(texts, *known)))
    made = rows(measured)
    told, labels = against, list(dict.fromkeys(row["label"] for row in made))
    if against is not None and against not in labels:
        told = f"No row named {against!r}. There are: {'; '.join(labels)}."
        if not models:  # else what was written, perhaps for hours, is not thrown away
            raise TimeControlError(told)
    apart = compared([texts for texts, _ in measured], samples, against)
    settings = {
        "documents of each decoder and way": ways.count if models else None,
        **ways.options,
        "top_p": sorted(
            {texts.recipe["top_p"] for texts, _ in measured if "top_p" in texts.recipe}
        ),
        "tokens counted by": tokenizer,
        "training documents": len(reference),
        "window": window,
        "against": told,
        "texts": [file.name for file in files],
    }
    found = result("structure", corpus, decoders, settings, made, place)
    return {
        **found,
        "differences": apart,
        "tables": tables(made) + difference_tables(apart),
        "note": NOTE + APART if apart else NOTE,
    }


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
    for name in ("repeated_4_grams", "tail_repeated_4_grams", "distinct_2", "repeated_sentences"):
        cells[name] = again.get(name)
    return {name: _plain(cell) for name, cell in cells.items() if cell is not None}


def rows(measured: Sequence[tuple[Texts, Cell]]) -> list[dict[str, Any]]:
    """Return a row for each way of writing: mean over decoders, and every run of it.

    Runs share a row where they differ in their seed alone; where recipes differ, the label says so.
    """
    found = []
    for (length, label, budget), places in grouped([texts for texts, _ in measured]).items():
        runs = [measured[i] for i in places]
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


def grouped(texts: Sequence[Texts]) -> dict[Way, list[int]]:
    """Return the rows, and which of the texts are the runs of each."""
    ways: dict[Way, list[int]] = {}
    for i, t in enumerate(texts):
        ways.setdefault((t.length, t.label, t.budget), []).append(i)
    found: dict[Way, list[int]] = {}
    for (length, label, budget), places in ways.items():
        words = differing([texts[i].recipe for i in places])
        for i, differs in zip(places, words, strict=True):
            name = f"{label} ({differs})" if differs else label
            found.setdefault((length, name, budget), []).append(i)
    return found


def statistics(
    texts: Texts, layout: Layout, codec: Codec, reference: Sequence[Lengths]
) -> dict[str, Statistic]:
    """Return the measures that are compared, of the documents of one decoder.

    Without tags there are none.
    """
    if not layout.tags:
        return {}
    numbers: Sequence[Numbers | None] = [None] * len(texts.sections)
    if layout.numbered and texts.numbers is not None:
        numbers = texts.numbers
    given = list(zip(texts.tags, numbers, strict=True))
    found = {
        "order": mean_of([ordered(tags, layout, n) for tags, n in given]),
        "released": mean_of([ordered_released(tags, layout, n) for tags, n in given]),
    }
    if not (goal := mean_lengths(list(reference))):
        return found
    own = [own_means(lengths_of(d, codec)) for d in texts.sections]
    found["MM"] = deviation_of(own, goal)
    if texts.length == "forced" and not layout.repeats:
        found["MMs"] = deviation_of(own, stretched(goal, texts.budget))
    found["mean_of_deviations"] = mean_of([deviation_of_means(d, goal)[0] for d in own])
    return found


def origin_of(file: Path) -> tuple[int | None, Sequence[int]]:
    """Return the training seed of a file's decoder, where known, and the numbers of its documents.

    Documents that do not tell numbers of their own are counted.
    """
    with file.open("rb") as lines:
        found = [json.loads(line) for line in lines if line.strip()]
    seed = (found[0].get("decoder") or {}).get("seed")
    numbers = [n for document in found if isinstance(n := document.get("number"), int)]
    known = len(set(numbers)) == len(found)
    return seed if isinstance(seed, int) else None, numbers if known else range(len(found))


def compared(
    texts: Sequence[Texts], samples: Sequence[Sample], against: str | None = None
) -> list[dict[str, Any]]:
    """Return how rows differ from one of the same length and budget, as plain data.

    Args:
        texts: What was written, of each decoder and way.
        samples: The same as what is compared of it.
        against: The label of that row; else the first plain one. Where there is none, neither are
            differences, and a row without a training seed of it has none.
    """
    ways = grouped(texts)
    found = []
    for (length, label, budget), places in ways.items():
        own = [name for long, name, tokens in ways if (long, tokens) == (length, budget)]
        first = against or next((name for name in own if _is_plain(name)), None)
        if first not in own or first == label:
            continue
        partners = [samples[i] for i in ways[length, first, budget]]
        pairs = pairs_of(partners, [samples[i] for i in places])
        if pairs and (cells := differences(pairs, LARGER)):
            found.append(
                {
                    "length": length,
                    "budget": budget,
                    "label": label,
                    "against": first,
                    "pairs": len(pairs),
                    "documents": len(pairs[0][0]),
                    "cells": {name: cell.as_dict() for name, cell in cells.items()},
                }
            )
    return found


def tables(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows as tables, one for each length."""
    made = []
    for length, budget in dict.fromkeys((row["length"], row["budget"]) for row in found):
        own = [r for r in found if (r["length"], r["budget"]) == (length, budget)]
        names = [n for n in COLUMNS if any(n in r["cells"] for r in own)]
        made.append(
            {
                "title": f"Structure, {_length(length, budget)}",
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


def difference_tables(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return differences as tables, one for each length, a line for each measure."""
    made = []
    for way in dict.fromkeys((r["length"], r["budget"], r["against"]) for r in found):
        length, budget, against = way
        made.append(
            {
                "title": f"Difference from {against}, {_length(length, budget)}",
                "columns": ["", "n", "pairs", "measure", "difference", "95 % interval", "verdict"],
                "rows": [
                    [r["label"], str(r["documents"]), str(r["pairs"]), *_apart(cell, name)]
                    for r in found
                    if (r["length"], r["budget"], r["against"]) == way
                    for name, cell in r["cells"].items()
                ],
            }
        )
    return made


def _apart(cell: Mapping[str, Any], name: str) -> list[str]:
    title, scale, digits = COLUMNS[name]
    value, low, high = (f"{scale * cell[k]:+.{digits}f}" for k in ("value", "low", "high"))
    return [title, value, f"[{low}, {high}]", cell["verdict"]]


def _length(length: str, budget: int) -> str:
    return f"forced to {budget} tokens" if length == "forced" else "normal length"


def _is_plain(label: str) -> bool:
    return label.split(" (")[0] == "plain"


def _text(cell: Cell | None, name: str) -> str:
    _, scale, digits = COLUMNS[name]
    return shown(cell, digits, scale)


def _plain(cell: Cell) -> Cell:
    return {"value": cell["value"], "error": cell["error"]}


def _spread(values: Sequence[float]) -> Cell:
    value, error = mean_and_error(values)
    return {"value": value, "error": error}
