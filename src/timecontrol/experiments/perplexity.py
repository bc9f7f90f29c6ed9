"""Are documents better predicted with their own latents than without, or with another's?

Decoders that differ only in their seed share a row; looks at test documents are written down.
"""

import gc
from collections.abc import Sequence

from timecontrol.corpora import Corpus
from timecontrol.decoder import Decoder
from timecontrol.encoder.evaluations import log_test
from timecontrol.experiments.decoders import Found, about, check, result
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.following import predicted
from timecontrol.experiments.material import held_out
from timecontrol.experiments.texts import differing, label_of, mean_and_error, shown
from timecontrol.pretrained import looks_folder


def perplexities(
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
        known = about(name, decoder)
        cells = predicted(decoder, documents, batch, seed, place.progress)
        label = label_of(decoder.settings.method, None, decoder.settings.preset)
        decoders.append(known)
        runs.append({"run": known["name"], "label": label, "recipe": decoder.recipe(), **cells})
        if split == "test":
            values = {k: v["value"] for k, v in cells.items() if isinstance(v, dict)}
            log_test(looks_folder(name, "decoder"), "evaluate perplexity", corpus.name, values)
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
    found = result("perplexity", corpus, decoders, settings, rows, place)
    note = (
        "Mean ± standard error over decoders (of one decoder: over documents, by the bootstrap). "
        "Every token after the first is predicted, tags, marks and the end too. Own latents are "
        "made of the very sentences that are predicted; without them, clock and end of the plan "
        "are still told. The last two columns are paired differences, in nats a token."
    )
    return {**found, "split": split, "documents": len(documents), "tables": [made], "note": note}
