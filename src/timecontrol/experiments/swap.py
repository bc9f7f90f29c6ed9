"""Do the section profiles of two texts change places when their plans do?

The plans are the paths of documents; looks at test documents are written down.
"""

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from timecontrol.corpora import Corpus
from timecontrol.decoder import Decoder
from timecontrol.encoder.evaluations import log_test
from timecontrol.experiments.decoders import Found, about, check, result
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.following import paths_of, swapped
from timecontrol.experiments.material import held_out
from timecontrol.generation.request import default_writing
from timecontrol.pretrained import looks_folder


def swaps(
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
    rows, decoders, top_p = [], [], None
    for name in models:
        decoder = Decoder.load(name, place.device, place.dtype)
        writing = default_writing(decoder, length, **options)
        top_p = writing.top_p
        decoders.append(about(name, decoder))
        paths = paths_of(decoder, documents, place.progress) if documents else None
        cells = swapped(decoder, pairs, writing, batch, place.progress, paths)
        if split == "test":
            log_test(
                looks_folder(name, "decoder"), "evaluate swap", corpus.name, cells["correlation"]
            )
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
    settings = {"length": length, **options, "top_p": top_p}
    found = result("swap", corpus, decoders, settings, rows, place)
    used = len(documents) or found["documents"]
    return {**found, "split": split, "documents": used, "tables": [made], "note": note}
