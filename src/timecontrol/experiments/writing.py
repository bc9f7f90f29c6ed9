"""Decoders to results: structure of what they write, and whether they follow their plans.

Everything needed to get the numbers again goes into the result.
"""

import gc
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from timecontrol import __version__
from timecontrol.bases import load_tokenizer
from timecontrol.corpora import Corpus
from timecontrol.decoder import Decoder
from timecontrol.encoder.documents import choose_from
from timecontrol.encoder.evaluations import log_test
from timecontrol.encoder.provenance import provenance
from timecontrol.errors import TimeControlError
from timecontrol.experiments import structure as structures
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.following import adhered, paths_of, predicted, swapped
from timecontrol.experiments.material import held_out
from timecontrol.experiments.texts import (
    Texts,
    differing,
    label_of,
    mean_and_error,
    read_texts,
    recipe_of,
    shown,
    training_lengths,
)
from timecontrol.generation import Written, write
from timecontrol.generation.request import default_writing, plans_for
from timecontrol.pretrained import decoder_folder, looks_folder, open_encoder
from timecontrol.runs import read_config
from timecontrol.tokens import Codec

Found = dict[str, Any]


@dataclass(frozen=True)
class Ways:
    """How decoders are asked to write."""

    kinds: Sequence[str] = ("bridge",)
    """Of plans; a decoder without plans writes once."""
    lengths: Sequence[str] = ("normal", "forced")
    count: int = 128
    options: dict[str, Any] = field(default_factory=dict)
    """``top_p``, ``temperature``, ``seed``."""
    batch: int = 64
    folder: Path | None = None
    """Where the texts are kept."""


def structure(
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
        decoders.append(_about(name, decoder))
        for texts in _written(name, decoder, ways, place):
            measured.append((texts, structures.measure(texts, corpus.layout, codec, reference)))
        del decoder
        gc.collect()  # a captured step and its model hold each other
    for texts in given:
        measured.append((texts, structures.measure(texts, corpus.layout, codec, reference)))
    rows = structures.rows(measured)
    settings = {
        "documents of each decoder and way": ways.count if models else None,
        **ways.options,
        "tokens counted by": tokenizer,
        "training documents": len(reference),
        "window": window,
        "texts": [file.name for file in files],
    }
    found = _found("structure", corpus, decoders, settings, rows, place)
    return {**found, "tables": structures.tables(rows), "note": structures.NOTE}


def _written(name: str, decoder: Decoder, ways: Ways, place: Place) -> list[Texts]:
    kinds: Sequence[str | None] = ways.kinds if decoder.settings.method == "planned" else [None]
    found = []
    writings = {length: default_writing(decoder, length, **ways.options) for length in ways.lengths}
    for length, writing in writings.items():
        for kind in kinds:
            plans = plans_for(decoder, ways.count, writing, kind=kind)
            texts = list(write(decoder, plans, writing, batch=ways.batch, progress=place.progress))
            used = plans[0].kind if plans[0] is not None else None
            label = label_of(decoder.settings.method, used, decoder.settings.preset)
            if ways.folder is not None:
                stem = f"{Path(name).name}-{length}-{used or 'none'}"
                _keep(texts, ways.folder / f"{stem}.jsonl", decoder)
            found.append(_texts(texts, label, Path(name).name, decoder))
    return found


def _texts(texts: Sequence[Written], label: str, run: str, decoder: Decoder) -> Texts:
    how = texts[0].settings
    return Texts(
        label,
        run,
        how["length"],
        how["budget"],
        [t.sections for t in texts],
        [len(t.ids) for t in texts],
        [t.ended for t in texts],
        [t.plan.points if t.plan is not None else None for t in texts],
        decoder.settings.smooth,
        (decoder.config["encoder"] or {}).get("identity"),
        [list(t.outline) for t in texts],
        {**decoder.recipe(), **recipe_of(how)},
    )


def _keep(texts: Sequence[Written], file: Path, decoder: Decoder) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    made = decoder.about()
    lines = [json.dumps({**t.as_dict(), "decoder": made}) for t in texts]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def prediction(
    corpus: Corpus,
    *,
    models: Sequence[str],
    split: str = "test",
    most: int | None = None,
    seed: int = 0,
    batch: int = 8,
    place: Place | None = None,
) -> Found:
    """Return perplexities of held-out documents, with and without the right latents.

    Args:
        corpus: Whose documents.
        models: Decoders: run folders or names.
        split: Of the corpus; looks at test are written down.
        most: Only the first so many documents.
        seed: Of who gets whose latents.
        batch: Documents at once.
        place: Where to compute.
    """
    place = place or Place()
    check(models)
    documents = held_out(corpus, split, most)
    runs, decoders = [], []
    for name in models:
        decoder = Decoder.load(name, place.device, place.dtype)
        if decoder.settings.method.startswith("section-"):
            decoder.encoder = None
        about = _about(name, decoder)
        cells = predicted(decoder, documents, batch, seed, place.progress)
        label = label_of(decoder.settings.method, None, decoder.settings.preset)
        decoders.append(about)
        runs.append({"run": about["name"], "label": label, "recipe": decoder.recipe(), **cells})
        if split == "test":
            values = {k: v["value"] for k, v in cells.items() if isinstance(v, dict)}
            log_test(looks_folder(name), "evaluate perplexity", corpus.name, values)
        del decoder
        gc.collect()  # a captured step and its model hold each other
    for label in dict.fromkeys(r["label"] for r in runs):
        own = [r for r in runs if r["label"] == label]
        for run, words in zip(own, differing([r.pop("recipe") for r in own]), strict=True):
            run["label"] = f"{label} ({words})" if words else label
    rows = []
    names = ("plain", "true", "none", "other", "without", "wrong")
    for label in dict.fromkeys(r["label"] for r in runs):
        own = [r for r in runs if r["label"] == label]
        cells = {}
        for name in names:
            if name in own[0]:
                value, error = mean_and_error([r[name]["value"] for r in own])
                error = own[0][name]["error"] if error is None else error
                cells[name] = {"value": value, "error": error}
        rows.append({"label": label, "decoders": len(own), "cells": cells, "runs": own})
    titles = {
        "plain": "no plan",
        "true": "own",
        "none": "dropped",
        "other": "another's",
        "without": "dropped - own",
        "wrong": "another's - dropped",
    }
    used = [name for name in names if any(name in r["cells"] for r in rows)]
    made = {
        "title": "Perplexity by the latents a model is given",
        "columns": ["", "decoders", *(titles[n] for n in used)],
        "rows": [
            [r["label"], str(r["decoders"]), *(shown(r["cells"].get(n), 3) for n in used)]
            for r in rows
        ],
    }
    settings = {"seed": seed, "tokens": sorted({r["tokens"] for r in runs})}
    found = _found("perplexity", corpus, decoders, settings, rows, place)
    note = (
        "Mean ± standard error over decoders (of one decoder: over documents, by the bootstrap). "
        "Every token after the first is predicted, tags, marks and the end too. Own latents are "
        "made of the very sentences that are predicted; without them, clock and end of the plan "
        "are still told. The last two columns are paired differences, in nats a token."
    )
    return {**found, "split": split, "documents": len(documents), "tables": [made], "note": note}


def swap(
    corpus: Corpus,
    *,
    models: Sequence[str],
    split: str = "val",
    pairs: int = 64,
    length: str = "forced",
    options: dict[str, Any] | None = None,
    batch: int = 64,
    place: Place | None = None,
) -> Found:
    """Return whether section profiles change places when plans do.

    Args:
        corpus: Whose documents' paths are the plans.
        models: Planned decoders.
        split: Of the corpus; of ``train`` those that the decoder has kept.
        pairs: Of plans.
        length: Of texts.
        options: ``top_p``, ``temperature``, ``seed``.
        batch: Documents at once.
        place: Where to compute.
    """
    place, options = place or Place(), options or {}
    check(models)
    documents = [] if split == "train" else held_out(corpus, split)
    rows, decoders = [], []
    for name in models:
        decoder = Decoder.load(name, place.device, place.dtype)
        writing = default_writing(decoder, length, **options)
        decoders.append(_about(name, decoder))
        paths = paths_of(decoder, documents, place.progress) if documents else None
        cells = swapped(decoder, pairs, writing, batch, place.progress, paths)
        if split == "test":
            log_test(looks_folder(name), "evaluate swap", corpus.name, cells["correlation"])
        rows.append({"label": Path(name).name, **cells})
        del decoder
        gc.collect()  # a captured step and its model hold each other
    made = {
        "title": "Two plans change places: do the section profiles of their texts?",
        "columns": ["", "pairs", "correlation", "follows plan", "same plan", "same numbers"],
        "rows": [
            [
                r["label"],
                str(r["pairs"]),
                "{value:.2f} [{low:.2f}, {high:.2f}]".format(**r["correlation"]),
                f"{100 * r['follows_plan']:.1f}",
                f"{r['distance_same_plan']:.3f}",
                f"{r['distance_same_numbers']:.3f}",
            ]
            for r in rows
        ],
    }
    note = (
        "correlation: 1 where the plan decides the profile, -1 where the random numbers do, with "
        "its 95 % interval over pairs; follows plan: texts (percent) whose profile is nearer that "
        "of the same plan than that of the same numbers; then the mean distances (L1)."
    )
    settings = {"length": length, **options}
    found = _found("swap", corpus, decoders, settings, rows, place)
    used = len(documents) or found["documents"]
    return {**found, "split": split, "documents": used, "tables": [made], "note": note}


def adherences(
    corpus: Corpus,
    *,
    files: Sequence[Path],
    planner: str,
    judge: str,
    place: Place | None = None,
) -> Found:
    """Return how well texts go along their plans, as another encoder sees it.

    Args:
        corpus: Whose training documents tie the two encoders together.
        files: JSON lines of ``timecontrol generate``.
        planner: The encoder that planned: a name or a run folder.
        judge: Another encoder, of another seed and best of another base.
        place: Where to compute.
    """
    place = place or Place()
    first = open_encoder(planner, place.device, place.dtype)
    other = open_encoder(judge, place.device, place.dtype)
    training = choose_from(corpus).train
    given = [(file, read_texts(file)) for file in files]
    rows = []
    for file, texts in given:
        if texts.encoder is not None and texts.encoder != first.config["identity"]:
            raise TimeControlError(
                f"{file}: planned with another encoder (identity {texts.encoder[:12]}...) than "
                f"{planner} ({first.config['identity'][:12]}...)."
            )
        cells = adhered(texts, first, other, training, place.progress)
        rows.append({"label": f"{texts.label}, {texts.length}", "run": texts.run, **cells})
    made = {
        "title": "Plan adherence, seen by another encoder",
        "columns": ["", "texts", "n", "R²", "r²", "progress", "r² permuted", "progress permuted"],
        "rows": [_adherence_row(r) for r in rows],
    }
    settings = {
        "judge": f"{judge}: {other.config['base']['label']}, seed {other.settings.seed}",
        "planner": f"{planner}: {first.config['base']['label']}, seed {first.settings.seed}",
        "map of the judge to the plan's space, R² on training documents": round(
            float(np.mean(rows[0]["map_r2"])), 3
        ),
    }
    found = _found("adherence", corpus, [], settings, rows, place)
    note = (
        "R²: share of the plan's variance that the text explains, mean over coordinates; r²: the "
        "same free of scale and offset; progress: rank correlation along the way from start to "
        "end, mean over documents; permuted: the same texts against other documents' plans."
    )
    return {**found, "tables": [made], "note": note}


def _adherence_row(r: Found) -> list[str]:
    def number(part: Found, name: str) -> str:
        cell = part[name]["mean"]
        value = cell["value"] if isinstance(cell, dict) else cell
        error = f" ± {cell['error']:.3f}" if isinstance(cell, dict) else ""
        return "-" if value is None else f"{value:.3f}{error}"

    shuffled = r["permuted"]  # of a single text there is none
    return [
        r["label"],
        r["run"],
        str(r["documents"]),
        number(r, "r2"),
        number(r, "explained"),
        number(r, "progress"),
        number(shuffled, "explained") if shuffled else "-",
        number(shuffled, "progress") if shuffled else "-",
    ]


def check(models: Sequence[str]) -> None:
    """Refuse what is no decoder, before the first of them has worked for hours."""
    for name in models:
        read_config(decoder_folder(name), "decoder")


def _about(name: str, decoder: Decoder) -> Found:
    config = decoder.config
    return {
        "name": Path(name).name,
        "identity": config["identity"],
        "base": config["base"]["label"],
        "base_checksum": config["base"]["checksum"],
        "corpus": config["corpus"]["name"],
        "encoder": config["encoder"],
        "settings": config["settings"],
        "metrics": {k: decoder.metrics.get(k) for k in ("kept", "kept_epoch", "health", "seconds")},
    }


def _found(
    task: str,
    corpus: Corpus,
    decoders: list[Found],
    settings: Found,
    rows: list[Found],
    place: Place,
) -> Found:
    from timecontrol.devices import choose_device

    return {
        "task": task,
        "corpus": corpus.name,
        "split": "train",
        "documents": len(choose_from(corpus).train),
        "too_short": 0,
        "encoders": [],
        "decoders": decoders,
        "settings": {k: v for k, v in settings.items() if v not in (None, [])},
        "rows": rows,
        "timecontrol": __version__,
        "made_with": provenance(choose_device(place.device)),
    }
