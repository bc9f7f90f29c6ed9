"""Do texts go along their plans, as another encoder than the planning one sees it?"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from timecontrol.corpora import Corpus
from timecontrol.encoder.documents import choose_from
from timecontrol.errors import TimeControlError
from timecontrol.experiments.decoders import Found, result
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.following import adhered
from timecontrol.experiments.texts import read_texts
from timecontrol.pretrained import open_encoder


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
        "rows": [_row(r) for r in rows],
    }
    settings = {
        "judge": f"{judge}: {other.config['base']['label']}, seed {other.settings.seed}",
        "planner": f"{planner}: {first.config['base']['label']}, seed {first.settings.seed}",
        "map of the judge to the plan's space, R² on training documents": round(
            float(np.mean(rows[0]["map_r2"])), 3
        ),
    }
    found = result("adherence", corpus, [], settings, rows, place)
    note = (
        "R²: share of the plan's variance that the text explains, mean over coordinates; r²: the "
        "same free of scale and offset; progress: rank correlation along the way from start to "
        "end, mean over documents; permuted: the same texts against other documents' plans."
    )
    return {**found, "tables": [made], "note": note}


def _row(r: Found) -> list[str]:
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
