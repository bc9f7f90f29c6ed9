"""Every sentence of a window left out in turn, written again in several ways, and compared.

A way is a decoder and how it is used: ``RUN``, ``RUN:latent-free`` (its latents are not told),
``RUN:best-8`` (the best of 8 candidates), ``RUN:greedy`` (the most probable token each time),
``RUN:temperature-0.7``, ``RUN:noise-1`` (latents drawn from the bridge). What was
written is kept beside the result (``fillings``).

One draw says little of a way: ``draws`` of them, of as many seeds, are measured together. The best
of so many candidates, or more, is drawn once. Several trainings are one way, too: ``RUN+RUN+RUN``,
``RUN+RUN:greedy``; their spread is told.

Every way is compared with the first that draws as it does (greedy with greedy, the best of 8 with
the best of 8), or else with the first; and with the same decoder used more plainly, where that is
among the ways: the best of 8 with one draw, without its latents and with them.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from timecontrol.bases import resolve
from timecontrol.corpora import Corpus
from timecontrol.devices import choose_device, choose_dtype
from timecontrol.encoder.evaluations import log_test
from timecontrol.experiments.decoders import Found, check, result
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.fillings import Gap, Way, gaps_of, place_of, spread, way_of, written
from timecontrol.experiments.infilling_tables import COMPARED, NOTE, table_of_examples, tables
from timecontrol.experiments.material import held_out, trained_on
from timecontrol.infilling.drafts import Drawing
from timecontrol.infilling.fill import Filling
from timecontrol.infilling.ranking import Weights
from timecontrol.metrics.infilling import Fillings, differences
from timecontrol.metrics.overlap import known_grams
from timecontrol.pretrained import looks_folder


def infillings(
    corpus: Corpus,
    *,
    models: Sequence[str],
    split: str = "val",
    top_p: float = 0.95,
    temperature: float = 1.0,
    weights: Weights | None = None,
    seed: int = 0,
    draws: int = 1,
    base: str | None = "mpnet",
    bleurt: str | None = None,
    examples: int = 0,
    most: int | None = None,
    batch: int = 32,
    out: Path | None = None,
    place: Place | None = None,
) -> Found:
    """Return how like the fillings of several ways are to the sentences that stood there.

    Args:
        corpus: Whose documents.
        models: Ways, as text; the first is what the others are compared with.
        split: Of the corpus.
        top_p: Mass of the tokens that are drawn from.
        temperature: Of the draws.
        weights: By which candidates are ranked.
        seed: Of the draws.
        draws: Fillings of each gap, of this seed and the next ones.
        base: Of BERTScore; ``None``: it is not measured.
        bleurt: A folder or hub id of BLEURT; ``None``: it is not measured.
        examples: So many gaps, evenly spread, of which the fillings of all ways are shown, but for
            those that have 8 words in a row from training documents or documents of the split.
        most: Only so many documents, evenly spread over the split.
        batch: Fillings at once: gaps, times candidates.
        out: A folder where what was written is kept.
        place: Where to compute.
    """
    place = place or Place()
    filling = Filling(
        drawing=Drawing(top_p=top_p, temperature=temperature, seed=seed),
        weights=weights or Weights(),
    )
    ways = [way_of(text, filling) for text in models]
    check([model for way in ways for model in way.models])
    folder = resolve(base).source if base is not None else None
    gaps = gaps_of(spread(held_out(corpus, split), most))
    stories, true = [gap.story for gap in gaps], [gap.true for gap in gaps]
    rows: list[Found] = []
    decoders: list[Found] = []
    known: list[tuple[Way, Fillings]] = []
    for way in ways:
        cool = not way.filling.drawing.temperature
        seeds = range(seed, seed + (1 if cool else max(1, draws // way.filling.candidates)))
        parts: dict[str, list[Fillings]] = {}
        for model in way.models:
            for own in seeds:
                texts, told = written(model, way.seeded(own), gaps, batch, out, place)
                part = Fillings.of(stories, texts, true, folder, bleurt, place.device, place.dtype)
                parts.setdefault(model, []).append(part)
            decoders.append(told)
        found = Fillings.together([part for own in parts.values() for part in own])
        row: Found = {"label": way.label, "n": len(gaps), "draws": len(seeds)}
        row |= {"trainings": len(parts)} | spread_of(list(parts.values()))
        row["by_place"] = by_place(found, gaps * (len(found.texts) // len(gaps)))
        if known:
            alike = (pair for pair in known if pair[0].draws == way.draws)
            other, first = next(alike, known[0])
            row["against"] = {"label": other.label, **differences(first, found)}
        plainer = way.plainer([other for other, _ in known])
        if plainer is not None:
            beside = next(part for other, part in known if other is plainer)
            row["beside"] = {"label": plainer.label, **differences(beside, found)}
        known.append((way, found))
        if split == "test":
            numbers = {k: row["measures"].get(k) for k in COMPARED}
            for model in way.models:
                where = looks_folder(model, "decoder")
                log_test(where, f"evaluate infilling {way.label}", corpus.name, numbers)
        rows.append(row)
    settings = {
        "gaps": len(gaps),
        "stories": len(set(stories)),
        "top_p": top_p,
        "temperature": temperature,
        "seed": seed,
        "draws of each gap": draws,
        "weights of candidates": asdict(filling.weights),
        "BERTScore": _reads(base, place) if base else None,
        "BLEURT": bleurt,
    }
    unique = {told["identity"]: told for told in decoders}
    made = result("infilling", corpus, list(unique.values()), settings, rows, place)
    documents = len({gap.document.id for gap in gaps})
    whole: Found = {**made, "split": split, "documents": documents, "tables": tables(rows)}
    if examples:  # too long for a terminal
        read = [list(d.sentences) for d in (*trained_on(corpus), *held_out(corpus, split))]
        whole["examples"] = [table_of_examples(known, gaps, known_grams(read), examples)]
    return {**whole, "note": NOTE}


def _reads(base: str, place: Place) -> str:
    """Return what computes BERTScore, in words."""
    precision = choose_dtype(place.dtype, choose_device(place.device))
    rounded = "" if precision == torch.float32 else f", {str(precision).removeprefix('torch.')}"
    return f"{resolve(base).label}{rounded}, last layer, not rescaled"


def spread_of(parts: Sequence[Sequence[Fillings]]) -> Found:
    """Return the mean of all measures over draws, and its standard error over trainings.

    Args:
        parts: Of each training its draws.
    """
    each = [[part.measures() for part in own] for own in parts]
    means = [{k: float(np.mean([m[k] for m in own])) for k in own[0]} for own in each]
    found: Found = {"measures": {k: float(np.mean([m[k] for m in means])) for k in means[0]}}
    if len(means) > 1:
        n = len(means)
        found["errors"] = {
            k: float(np.std([m[k] for m in means], ddof=1) / np.sqrt(n)) for k in means[0]
        }
    return found


def by_place(found: Fillings, gaps: Sequence[Gap]) -> dict[str, dict[str, float]]:
    """Return the measures of first, inner and last gaps apart."""
    kinds = np.array([place_of(gap) for gap in gaps])
    result = {}
    for kind in ("first", "inner", "last"):
        rows = np.flatnonzero(kinds == kind)
        if len(rows):
            part = Fillings(
                tuple(found.stories[i] for i in rows),
                tuple(found.texts[i] for i in rows),
                found.parts[rows],
                {name: values[rows] for name, values in found.means.items()},
            )
            result[kind] = {"n": float(len(rows)), **part.measures()}
    return result
