"""Do plans look like the paths of real documents that the law of plans was not fitted to?

For each held-out document plans of its length are drawn, and the two samples are compared
(``metrics.two_sample``). Twice:

``held out``  documents of validation (or test), law of all training documents
``folds``     training documents: each fold in turn is compared with plans of the other folds' law

The encoder was trained on the training documents, so paths of others differ from theirs a little.
What a perfect law would get is shown by rows of real documents in the place of plans: training
documents of nearest length, each once; and the two halves of the training documents.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.bases import load_tokenizer
from timecontrol.corpora import Corpus, Document
from timecontrol.decoder.examples import Examples, Item, items_of
from timecontrol.decoder.fitting import law_of, paths_of
from timecontrol.decoder.making import codec_of
from timecontrol.decoder.settings import Settings, preset
from timecontrol.encoder.documents import choose_from
from timecontrol.encoder.evaluations import log_test
from timecontrol.errors import TimeControlError, pick
from timecontrol.experiments.decoders import Found, result
from timecontrol.experiments.evaluate import Place, _about
from timecontrol.experiments.material import held_out
from timecontrol.experiments.texts import mean_and_error
from timecontrol.metrics.two_sample import (
    FEWEST,
    PERMUTATIONS,
    SHORTEST,
    energy_test,
    features,
    roughness,
    shape,
    told_apart,
)
from timecontrol.plans import KINDS, Law, draw
from timecontrol.pretrained import looks_folder, open_encoder

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

LEVEL = 0.05
"""A p-value below it says that two samples differ."""
AUCS = ("auc", "shape", "roughness")
REAL = "real, nearest length"
HALVES = "real, two halves"
"""Rows that are no plans."""

NOTE = (
    "energy: distance of plans from paths of documents, 0 where they have one law, without bias; "
    "AUC: how often a classifier tells a document's path from a plan of the same length, 0.5 where "
    "it cannot, with the 95 % interval over documents (of these classifiers, not trained anew: a "
    "little narrow, so p decides); p: share of permutations (of a path with the plans made for it) "
    "that are as far apart; shape, roughness: AUC by the points at 16 times alone, by the size of "
    "steps alone. ±: standard error over folds. Real documents in the place of plans show what a "
    "perfect law would get."
)


@dataclass(frozen=True)
class Sampling:
    """How samples are made and compared."""

    plans: Sequence[str]
    draws: int
    """Plans for each document."""
    seed: int
    permutations: int = PERMUTATIONS


@dataclass(frozen=True)
class Fitted:
    """What documents are compared with."""

    law: Law
    paths: list[Array]
    """Of the documents it was fitted to, each (n, d)."""
    scale: Array
    """Standard deviation of their points, (d,)."""


def likenesses(
    corpus: Corpus,
    name: str,
    *,
    plans: Sequence[str],
    split: str = "val",
    folds: int = 5,
    draws: int = 4,
    seed: int = 0,
    smooth: int = 5,
    window: int = 1024,
    tokenizer: str = "smollm2-135m",
    most: int | None = None,
    permutations: int = PERMUTATIONS,
    place: Place | None = None,
) -> Found:
    """Return how well plans can be told from the paths of held-out documents.

    Args:
        corpus: Whose documents.
        name: A shipped encoder, or a run folder.
        plans: Kinds of plans.
        split: Whose documents are held out: ``val`` or ``test``.
        folds: Parts of the training documents.
        draws: Plans for each document.
        seed: Of plans, folds, permutations and resamples.
        smooth: Sentences over which latents are averaged.
        window: Tokens that documents are trimmed to.
        tokenizer: Of a base: counts tokens.
        most: Only the first so many held-out documents.
        permutations: Of each test.
        place: Where to compute.

    Raises:
        TimeControlError: There are too few documents, or the split is that of training.
    """
    place = place or Place()
    for kind in plans:
        pick(KINDS, kind, "plan")
    if split == "train":
        raise TimeControlError("The law is fitted to split 'train': compare with val or test.")
    chosen = choose_from(corpus)
    others = chosen.val if split == "val" else held_out(corpus, split)
    settings = preset("best", window=window, smooth=smooth, seed=seed)
    encoder = open_encoder(name, place.device, place.dtype)
    codec = codec_of(load_tokenizer(tokenizer), corpus.layout, settings)

    def read(documents: Sequence[Document]) -> Examples:
        paths = paths_of(documents, encoder, place.progress)
        items = items_of(documents, paths, codec, settings, window)
        return Examples(items, codec, settings, window)

    known, others = read(chosen.train), others[:most]
    real = points_of(read(others))
    if len(real) < FEWEST:
        raise TimeControlError(
            f"{corpus.name}: {len(real)} documents of {SHORTEST} or more sentences in split "
            f"{split!r}; at least {FEWEST} are needed to compare them with plans."
        )
    how = Sampling(list(dict.fromkeys(plans)), draws, seed, permutations)
    parts = split_up(len(known), folds, seed)
    total = (len(parts) + 1) * (len(how.plans) + 1) + len(parts)
    with place.progress("comparisons", total, 0, "comparisons") as advance:
        rows: dict[str, Found] = {}
        whole = fitted(known, settings)
        for label, cell in compared(real, whole, how):
            rows.setdefault(label, {"folds": []})["held_out"] = cell
            advance(1)
        for part in parts:
            rest = _chosen(known, np.setdiff1d(np.arange(len(known)), part))
            left = points_of(_chosen(known, part))
            for label, cell in compared(left, fitted(rest, settings), how):
                rows[label]["folds"].append(cell)
                advance(1)
        rows[HALVES] = {"folds": []}
        for number in range(len(parts)):
            one, two = halves(whole.paths, (seed, number))
            cell = compare(one, two, np.arange(len(two)), whole.scale, how)
            rows[HALVES]["folds"].append(cell)
            advance(1)
    made = [{"label": label, **row, **over_folds(row["folds"])} for label, row in rows.items()]
    if split == "test":
        log_test(looks_folder(name), "evaluate likeness", corpus.name, _short(made))
    about = {
        "plans": how.plans,
        "plans for each document": draws,
        "folds": len(parts),
        "seed": seed,
        "permutations": permutations,
        "smooth": smooth,
        "window": window,
        "tokens counted by": tokenizer,
        "training documents": len(known),
    }
    found = result("likeness", corpus, [], about, made, place)
    own = {
        "split": split,
        "documents": len(real),
        "too_short": len(others) - len(real),
        "encoders": [_about(name, encoder)],
    }
    return {**found, **own, "tables": tables(made, split), "note": NOTE}


def points_of(examples: Examples) -> list[Array]:
    """Return the paths of documents as a decoder sees them, each (n, d); too short ones go."""
    found = [examples[i].points for i in range(len(examples))]
    return [points for points in found if len(points) >= SHORTEST]


def fitted(examples: Examples, settings: Settings) -> Fitted:
    """Return the law of documents, with their paths."""
    law, _, scale = law_of(examples, settings)
    assert law is not None  # the preset follows latents
    return Fitted(law, points_of(examples), scale)


def compared(real: Sequence[Array], fit: Fitted, how: Sampling) -> Iterator[tuple[str, Found]]:
    """Yield what is put beside documents, and how alike it is to their paths.

    Args:
        real: Paths of documents that the law has not seen, each (n, d).
        fit: The law.
        how: Which plans, and how many.
    """
    owner = np.repeat(np.arange(len(real)), how.draws)
    for kind in how.plans:
        drawn = [
            _points(draw(fit.law, kind, len(real[i]), seed=how.seed, number=number))
            for number, i in enumerate(owner.tolist())
        ]
        yield kind, compare(real, drawn, owner, fit.scale, how)
    near = nearest([len(p) for p in real], [len(p) for p in fit.paths], how.seed)
    beside = [fit.paths[i] for i in near]
    yield REAL, compare(real[: len(near)], beside, np.arange(len(near)), fit.scale, how)


def compare(
    real: Sequence[Array], drawn: Sequence[Array], owner: Rows, scale: Array, how: Sampling
) -> Found:
    """Return the two tests of paths, and the AUC by each kind of feature alone.

    Args:
        real: Paths, each (n, d).
        drawn: Others.
        owner: Which real path each of them was made for.
        scale: Standard deviation of the coordinates, (d,).
        how: Permutations and seed.
    """
    x, y = (features(paths, scale) for paths in (real, drawn))
    options = {"permutations": how.permutations, "seed": how.seed}
    alone = {
        part.__name__: told_apart(
            part(real, scale), part(drawn, scale), owner, permutations=0, seed=how.seed
        ).auc.as_dict()
        for part in (shape, roughness)
    }
    return {
        "documents": len(real),
        "plans": len(drawn),
        "energy": energy_test(x, y, owner, **options).as_dict(),
        "auc": told_apart(x, y, owner, **options).as_dict(),
        **alone,
    }


def nearest(lengths: Sequence[int], known: Sequence[int], seed: int) -> list[int]:
    """Return for each length one of ``known`` that is nearest to it, none of them twice.

    Where there are fewer of these, only the first so many lengths have one.
    """
    state = np.random.default_rng((seed, len(known)))
    left = state.permutation(len(known)).tolist()  # ties are broken at random
    count = min(len(lengths), len(known))
    found = dict.fromkeys(range(count), -1)
    for i in state.permutation(count):
        best = min(left, key=lambda j: abs(known[j] - lengths[i]))
        left.remove(best)
        found[int(i)] = best
    return list(found.values())


def halves(paths: Sequence[Array], seed: tuple[int, int]) -> tuple[list[Array], list[Array]]:
    """Return two halves of paths: neighbours by length are parted by a coin, an odd one is left."""
    state = np.random.default_rng(seed)
    mixed = state.permutation(len(paths)).tolist()
    order = np.array(sorted(mixed, key=lambda i: len(paths[i])))
    pairs = order[: len(order) // 2 * 2].reshape(-1, 2)
    pairs = state.permuted(pairs, axis=1)
    one, two = (list(map(paths.__getitem__, column)) for column in pairs.T.tolist())
    return one, two


def split_up(count: int, folds: int, seed: int) -> list[Rows]:
    """Return the numbers of documents in each fold.

    Raises:
        TimeControlError: They are too few for so many folds.
    """
    if folds < 2 or count // folds < FEWEST:
        raise TimeControlError(
            f"{count} training documents in {folds} folds: 2 folds or more, of at least {FEWEST} "
            "documents each, are needed."
        )
    order = np.random.default_rng((seed, folds)).permutation(count)
    return [np.sort(part) for part in np.array_split(order, folds)]


def over_folds(cells: Sequence[Found]) -> Found:
    """Return mean and standard error over folds, and the share of folds that differ."""
    found: Found = {}
    for name, key in (("energy", "distance"), *((n, "value") for n in AUCS)):
        value, error = mean_and_error([c[name][key] for c in cells])
        found[name] = {"value": value, "error": error}
    for name in ("energy", "auc"):
        found[name]["differ"] = float(np.mean([c[name]["p"] < LEVEL for c in cells]))
    found["documents"] = float(np.mean([c["documents"] for c in cells]))
    return {"over_folds": found}


def tables(rows: Sequence[Found], split: str) -> list[Found]:
    """Return rows as two tables: held-out documents, and folds."""
    names = {"val": "validation documents", "test": "test documents"}
    return [
        {
            "title": f"Plans beside {names[split]}, law of the training documents",
            "columns": ["", "n", "energy", "p", "AUC", "p", "shape", "roughness"],
            "rows": [_one(r["label"], r["held_out"]) for r in rows if "held_out" in r],
        },
        {
            "title": "Plans beside training documents, law of the other folds",
            "columns": ["", "n", "energy", "p < 0.05", "AUC", "p < 0.05", "shape", "roughness"],
            "rows": [_mean(r["label"], r["over_folds"], len(r["folds"])) for r in rows],
        },
    ]


def _one(label: str, cell: Found) -> list[str]:
    auc = cell["auc"]
    return [
        label,
        str(cell["documents"]),
        f"{cell['energy']['distance']:.3f}",
        f"{cell['energy']['p']:.3f}",
        f"{auc['value']:.3f} [{auc['low']:.3f}, {auc['high']:.3f}]",
        f"{auc['p']:.3f}",
        *(f"{cell[name]['value']:.3f}" for name in ("shape", "roughness")),
    ]


def _mean(label: str, cell: Found, folds: int) -> list[str]:
    def number(name: str) -> str:
        return f"{cell[name]['value']:.3f} ± {cell[name]['error']:.3f}"

    def differ(name: str) -> str:
        return f"{round(cell[name]['differ'] * folds)} of {folds}"

    n = f"{cell['documents']:.0f}"
    parts = [number("energy"), differ("energy"), number("auc"), differ("auc")]
    return [label, n, *parts, number("shape"), number("roughness")]


def _short(rows: Sequence[Found]) -> Found:
    held = {r["label"]: r["held_out"] for r in rows if "held_out" in r}
    return {
        k: {"energy": c["energy"]["distance"], "auc": c["auc"]["value"]} for k, c in held.items()
    }


def _points(drawn: Any) -> Array:
    """Return the points of what was drawn, an array or a plan, (n, d)."""
    return np.asarray(getattr(drawn, "points", drawn), np.float64)


def _chosen(examples: Examples, kept: Sequence[int] | Rows) -> Examples:
    items: list[Item] = [examples.items[i] for i in kept]
    return Examples(items, examples.codec, examples.settings, examples.window)
