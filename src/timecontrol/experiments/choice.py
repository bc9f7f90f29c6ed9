"""Which of ten sentences of a story stood in the gap? By the bridge alone, and by likeness.

The true sentence and nine others of the same story, none of them of the gap's own window, are
ranked

    bridge       by their log density between the sentences about the gap (``plans.missing``)
    neighbours   by the cosine of their features with the mean of those next to the gap
    context      with the mean of all others of the window

Features are those of the encoder's base, each of length 1. The bridge is fitted to training
documents. Looks at test documents are written down.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.corpora import Corpus, Document
from timecontrol.encoder import Encoder
from timecontrol.encoder.evaluations import log_test
from timecontrol.errors import TimeControlError
from timecontrol.experiments.decoders import Found, result
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.material import held_out, read, trained_on
from timecontrol.metrics.intervals import Estimate, mean_over
from timecontrol.plans.missing import Bridge
from timecontrol.pretrained import looks_folder, open_encoder

Array = NDArray[np.float64]

WAYS = ("bridge", "neighbours", "context")
PLACES = ("first", "inner", "last")


def choices(
    corpus: Corpus,
    name: str,
    *,
    split: str = "val",
    others: int = 9,
    draws: int = 1,
    seed: int = 0,
    most: int | None = None,
    place: Place | None = None,
) -> Found:
    """Return how often each way puts the true sentence first.

    Args:
        corpus: Of windows, with the story of each as its group.
        name: An encoder: a name or a run folder.
        split: Of the corpus.
        others: Sentences to choose from besides the true one.
        draws: Of these, for each gap.
        seed: Of the draws.
        most: Only the first so many documents.
        place: Where to compute.
    """
    place = place or Place()
    documents = held_out(corpus, split, most)
    train = trained_on(corpus)
    if not train:
        raise TimeControlError(f"{corpus.name}: no training documents to fit a bridge to.")
    encoder = open_encoder(name, place.device, place.dtype)
    bridge = Bridge.of([p.astype(np.float64) for p in encoder.paths(train, place.progress)])
    material = read(documents, encoder.open(), encoder.settings.tags, place.progress)
    kept = {id: i for i, id in enumerate(material.ids)}
    used = [d for d in documents if d.id in kept]
    unit = material.features / np.linalg.norm(material.features, axis=1, keepdims=True)
    latents = np.asarray(encoder.latents(material.features), np.float64)
    right, where, stories = ranked(used, latents, unit, material.texts, bridge, others, draws, seed)
    if not len(stories):
        raise TimeControlError(
            f"{corpus.name}: no story has {others} sentences besides one window, split {split!r}."
        )
    cells = cells_of(right, where, stories)
    if split == "test":
        folder = looks_folder(name)
        log_test(folder, "evaluate choice", corpus.name, cells["bridge"]["inner"]["value"])
    rows: list[Found] = [{"label": way, **cells[way]} for way in (*WAYS, *DIFFERENCES)]
    made = {
        "title": f"The true sentence among {others + 1} of its story: first in percent",
        "columns": ["", *PLACES],
        "rows": [[r["label"], *(_cell(r[p], r["label"]) for p in PLACES)] for r in rows],
    }
    settings: dict[str, Any] = {
        "gaps": len(stories),
        "stories": len(np.unique(stories)),
        "sentences to choose from": others + 1,
        "draws of each gap": draws,
        "seed": seed,
        "training documents for the bridge": len(train),
    }
    found = result("choice", corpus, [], settings, rows, place)
    return {
        **found,
        "split": split,
        "documents": len(used),
        "encoders": [_about(name, encoder)],
        "tables": [made],
        "note": "In brackets: 95 % bootstrap interval over stories; differences are paired.",
    }


DIFFERENCES = ("bridge - neighbours", "bridge - context")


def ranked(
    documents: Sequence[Document],
    latents: Array,
    unit: NDArray[np.float32],
    texts: Sequence[str],
    bridge: Bridge,
    others: int,
    draws: int,
    seed: int,
) -> tuple[dict[str, Array], NDArray[np.int64], NDArray[np.int64]]:
    """Return for every gap whether each way was right, its kind of place, and its story.

    Args:
        documents: n windows.
        latents: Of all their sentences, one after the other, (N, d).
        unit: Their features, of length 1, (N, D).
        texts: The sentences: one that occurs in the window is no other.
        bridge: Of training documents.
        others: Sentences besides the true one.
        draws: Of these, for each gap.
        seed: Of the draws.
    """
    names = {s: i for i, s in enumerate(dict.fromkeys(d.group or d.id for d in documents))}
    starts = np.cumsum([0, *(len(d.sentences) for d in documents)])
    story = [names[d.group or d.id] for d in documents]
    rows_of: dict[int, list[int]] = {}
    for own, a, b in zip(story, starts[:-1], starts[1:], strict=True):
        rows_of.setdefault(own, []).extend(range(a, b))
    right: dict[str, list[float]] = {way: [] for way in WAYS}
    where, whose = [], []
    for number, document in enumerate(documents):
        first, n = int(starts[number]), len(document.sentences)
        here = {texts[first + i] for i in range(n)}
        pool = list({texts[r]: r for r in rows_of[story[number]] if texts[r] not in here}.values())
        if len(pool) < others:
            continue
        state = np.random.default_rng((seed, number))
        for gap in range(n):
            about = [first + i for i in range(n) if i != gap]
            beside = [first + i for i in (gap - 1, gap + 1) if 0 <= i < n]
            known = {r - first: latents[r] for r in about}
            posterior = bridge.given(known, [gap], n)
            for _ in range(draws):
                rows = [first + gap, *state.choice(pool, others, replace=False).tolist()]
                scores = {
                    "bridge": np.array([posterior.log_prob(latents[[r]]) for r in rows]),
                    "neighbours": unit[rows] @ unit[beside].mean(0),
                    "context": unit[rows] @ unit[about].mean(0),
                }
                for way, score in scores.items():
                    right[way].append(float(score[0] > score[1:].max()))
                where.append(0 if gap == 0 else 2 if gap == n - 1 else 1)
                whose.append(story[number])
    found = {way: np.array(values) for way, values in right.items()}
    return found, np.array(where, np.int64), np.array(whose, np.int64)


def cells_of(
    right: dict[str, Array], where: NDArray[np.int64], stories: NDArray[np.int64]
) -> dict[str, dict[str, dict[str, float]]]:
    """Return the accuracy of each way at each kind of place, and paired differences."""
    values = dict(right)
    values |= {name: right[(p := name.split(" - "))[0]] - right[p[1]] for name in DIFFERENCES}
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, own in values.items():
        found[name] = {}
        for number, kind in enumerate(PLACES):
            chosen = where == number
            if chosen.any():
                one: Estimate = mean_over(own[chosen], stories[chosen])
                found[name][kind] = {**one.as_dict(), "n": float(chosen.sum())}
    return found


def _cell(cell: dict[str, float], label: str) -> str:
    sign = "+" if label in DIFFERENCES else ""
    value, low, high = (f"{100 * cell[k]:{sign}.1f}" for k in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def _about(name: str, encoder: Encoder) -> Found:
    config = encoder.config
    return {
        "name": name.rstrip("/").rsplit("/", 1)[-1],
        "identity": config["identity"],
        "base": config["base"]["label"],
        "corpus": config["corpus"]["name"],
        "settings": config["settings"],
    }
