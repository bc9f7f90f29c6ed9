"""A corpus and an encoder to a result: numbers, and everything needed to get them again.

Looks at test documents are written down in the run folder of the encoder, where it has one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from timecontrol import __version__
from timecontrol.coherence.points import Points, points_of
from timecontrol.corpora import Corpus, Document
from timecontrol.encoder import Encoder, preset
from timecontrol.encoder.documents import texts_of
from timecontrol.encoder.evaluations import log_test
from timecontrol.encoder.provenance import provenance
from timecontrol.errors import TimeControlError
from timecontrol.experiments.coherence import intruder_test, shuffle_test
from timecontrol.experiments.discourse import Source
from timecontrol.experiments.discourse import discourse as probed
from timecontrol.experiments.material import Material, held_out, read, trained_on
from timecontrol.experiments.scorers import (
    bbscore_scorer,
    coherence_scorer,
    coherence_tracer,
    cosine_scorer,
    cosine_tracer,
    grid_scorer,
    likelihood_scorer,
)
from timecontrol.features import Reader, open_base
from timecontrol.metrics.likelihood import open_judge
from timecontrol.pretrained import looks_folder, open_encoder
from timecontrol.progress import Progress, silent

Found = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Where to compute, and who is told how far it is."""

    device: str = "auto"
    dtype: str = "auto"
    progress: Progress = silent


def shuffle(
    corpus: Corpus,
    name: str,
    *,
    split: str = "test",
    blocks: Sequence[int] = (1, 2, 5, 10),
    windows: Sequence[int] = (1, 2, 3),
    shuffles: int = 20,
    seed: int = 0,
    likelihood: str | None = None,
    likelihood_shuffles: int | None = None,
    entity_grid: bool = False,
    most: int | None = None,
    place: Place | None = None,
) -> Found:
    """Return how often the scores of an encoder, and others, put originals above shuffles.

    Args:
        corpus: Whose documents.
        name: A shipped encoder, or a run folder.
        split: Of the corpus.
        blocks: Sizes of blocks.
        windows: Numbers of windows.
        shuffles: Of each document and kind.
        seed: Of the shuffles.
        likelihood: A causal base whose log-likelihood is a score too.
        likelihood_shuffles: The first so many shuffles for it: it reads every one.
        entity_grid: Whether there is a row for it.
        most: Only the first so many documents.
        place: Where to compute.
    """
    place = place or Place()
    documents = held_out(corpus, split, most)
    train = trained_on(corpus)
    if entity_grid and not train:
        raise TimeControlError(f"{corpus.name}: no training documents to fit an entity grid to.")
    judge = open_judge(likelihood, place.device, place.dtype) if likelihood else None
    encoder, material, points = _judged_by(name, documents, place)
    scorers = [coherence_scorer(encoder.coherence, points)]
    if train:
        paths = [p.astype(np.float64) for p in encoder.paths(train, place.progress)]
        scorers.append(bbscore_scorer(points.latents, paths))
    scorers.append(cosine_scorer(points.unit))
    if judge:
        scorers.append(
            likelihood_scorer(judge, material.texts, likelihood_shuffles, place.progress)
        )
    if entity_grid:
        known = [texts_of([d], encoder.settings.tags) for d in train]
        scorers.append(grid_scorer(material.documents, material.layout, known))
    rows = shuffle_test(
        material.ids,
        material.layout,
        scorers,
        blocks=blocks,
        windows=windows,
        shuffles=shuffles,
        seed=seed,
        progress=place.progress,
    )
    settings = {
        "blocks": list(blocks),
        "windows": list(windows),
        "shuffles of a document and kind": shuffles,
        "seed": seed,
        "training documents for BBScore and the entity grid": len(train),
    }
    if judge:
        settings["shuffles for the likelihood"] = min(shuffles, likelihood_shuffles or shuffles)
    return _found("shuffle", corpus, split, material, {name: encoder}, settings, rows)


def intruder(
    corpus: Corpus,
    name: str,
    *,
    split: str = "test",
    draws: int = 10,
    seed: int = 0,
    most: int | None = None,
    place: Place | None = None,
) -> Found:
    """Return how well the trace of an encoder finds a sentence of another document.

    Args:
        corpus: Whose documents.
        name: A shipped encoder, or a run folder.
        split: Of the corpus.
        draws: Of each document.
        seed: Of the draws.
        most: Only the first so many documents.
        place: Where to compute.
    """
    place = place or Place()
    documents = held_out(corpus, split, most)
    encoder, material, points = _judged_by(name, documents, place)
    rows = intruder_test(
        material.ids,
        material.texts,
        material.layout,
        [coherence_tracer(encoder.coherence, points), cosine_tracer(points.unit)],
        draws=draws,
        seed=seed,
        progress=place.progress,
    )
    settings = {"intruders of a document": draws, "seed": seed}
    return _found("intruder", corpus, split, material, {name: encoder}, settings, rows)


@dataclass(frozen=True)
class Grid:
    """Encoders to train: every objective at every size with every seed."""

    objectives: Sequence[str]
    dims: Sequence[int]
    seeds: int
    base: str
    preset: str
    folder: Path
    """Where their run folders are kept; those that are there are opened."""


def discourse(
    corpus: Corpus,
    *,
    encoders: Sequence[str] = (),
    grid: Grid | None = None,
    features: Sequence[str] = (),
    split: str = "test",
    ks: Sequence[int] = (1, 5, 10),
    definition: str = "paper",
    probe_seeds: int = 3,
    most: int | None = None,
    place: Place | None = None,
) -> Found:
    """Return how well latents tell the order of two sentences; a row for each kind of latents.

    Args:
        corpus: Whose documents: those for training train the probes.
        encoders: Shipped encoders or run folders; those that differ only in seed are one row.
        grid: Encoders to train.
        features: Bases whose mean token states are rows too.
        split: That the probes are judged on.
        ks: Distances of sentences.
        definition: Of the probe: ``paper``, ``released`` or ``best``.
        probe_seeds: Probes of each set of latents.
        most: Judge by the first so many documents.
        place: Where to compute.
    """
    place = place or Place()
    if not (encoders or grid or features):
        raise TimeControlError("Nothing to probe: give --encoder, --train or --features.")
    documents = held_out(corpus, split, most)
    train = trained_on(corpus)
    if not train:
        raise TimeControlError(f"{corpus.name}: no training documents to train probes on.")
    shelf = Shelf([train, documents], place.progress)
    opened = {name: open_encoder(name, place.device, place.dtype) for name in encoders}
    opened |= _trained(corpus, grid, place) if grid else {}
    sources: dict[str, Source] = {}
    for label, names in _rows(opened).items():
        runs = []
        for name in names:
            known, held = shelf(opened[name].open(), opened[name].settings.tags)
            latents = [opened[name].latents(part.features) for part in (known, held)]
            runs.append((latents[0], latents[1]))
        sources[label] = Source(label, runs)
    for base in features:
        reader = open_base(base, "mean", place.device, place.dtype)
        known, held = shelf(reader, False)
        label = f"features of {reader.label}"
        sources[label] = Source(label, [(known.features, held.features)])
    rows = probed(
        list(sources.values()),
        known.layout,
        held.layout,
        ks=ks,
        definition=definition,
        probe_seeds=probe_seeds,
        progress=place.progress,
    )
    settings = {
        "definition": definition,
        "k": list(ks),
        "probe seeds": 1 if definition == "best" else probe_seeds,
        "training documents": len(train),
    }
    return _found("discourse", corpus, split, held, opened, settings, rows, shelf.last)


class Shelf:
    """Documents as arrays, read once for each base and way of reading."""

    def __init__(self, splits: list[list[Document]], progress: Progress) -> None:
        self.splits, self.progress = splits, progress
        self.kept: dict[tuple[str, str, bool], list[Material]] = {}
        self.last: Reader | None = None

    def __call__(self, reader: Reader, tags: bool) -> list[Material]:
        """Return the material of every split."""
        key, self.last = (reader.checksum, reader.pooling, tags), reader
        if key not in self.kept:
            self.kept[key] = [read(s, reader, tags, self.progress) for s in self.splits]
        return self.kept[key]


def _trained(corpus: Corpus, grid: Grid, place: Place) -> dict[str, Encoder]:
    """Train the encoders of a grid, by the names of their folders."""
    settings = [
        preset(grid.preset, objective=objective, latent_dim=dim, seed=seed)
        for objective in grid.objectives
        for dim in grid.dims
        for seed in range(grid.seeds)
    ]  # all are checked before the first is trained
    found = {}
    for s in settings:
        folder = grid.folder / f"{s.objective}-{s.latent_dim}-{s.seed}"
        found[str(folder)] = Encoder.fit(
            corpus,
            base=grid.base,
            settings=s,
            out=folder,
            device=place.device,
            dtype=place.dtype,
            progress=place.progress,
        )
    return found


def _rows(encoders: Mapping[str, Encoder]) -> dict[str, list[str]]:
    """Return the names of the encoders of each row: those that differ only in their seed."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for name, encoder in encoders.items():
        settings = {k: v for k, v in encoder.settings.as_dict().items() if k != "seed"}
        about = encoder.config["base"]["checksum"], encoder.config["corpus"]["digest"]
        groups.setdefault((*about, *settings.values()), []).append(name)
    labels: dict[str, list[str]] = {}
    for names in groups.values():
        s = encoders[names[0]].settings
        label = f"{s.objective}, d = {s.latent_dim}"
        labels[f"{label} ({Path(names[0]).name})" if label in labels else label] = names
    return labels


def _judged_by(
    name: str, documents: list[Document], place: Place
) -> tuple[Encoder, Material, Points]:
    """Return an encoder, documents as it reads them, and where their sentences lie."""
    encoder = open_encoder(name, place.device, place.dtype)
    material = read(documents, encoder.open(), encoder.settings.tags, place.progress)
    latents = encoder.latents(material.features)
    return encoder, material, points_of(encoder.coherence.context, material.features, latents)


def _found(
    task: str,
    corpus: Corpus,
    split: str,
    material: Material,
    encoders: Mapping[str, Encoder],
    settings: dict[str, Any],
    rows: dict[str, dict[str, Any]],
    reader: Reader | None = None,
) -> Found:
    """Return a result as plain data, and write down a look at test documents."""
    for name in encoders:
        if split == "test":
            short = {row: {c: v["value"] for c, v in cells.items()} for row, cells in rows.items()}
            log_test(looks_folder(name), f"evaluate {task}", corpus.name, short)
    reader = reader or next(iter(encoders.values())).open()
    return {
        "task": task,
        "corpus": corpus.name,
        "split": split,
        "documents": len(material.ids),
        "sentences": len(material.texts),
        "too_short": material.short,
        "encoders": [_about(name, encoder) for name, encoder in encoders.items()],
        "settings": settings,
        "rows": rows,
        "timecontrol": __version__,
        "made_with": provenance(reader.device),
    }


def _about(name: str, encoder: Encoder) -> Found:
    config = encoder.config
    return {
        "name": Path(name).name,
        "identity": config["identity"],
        "base": config["base"]["label"],
        "base_checksum": config["base"]["checksum"],
        "corpus": config["corpus"]["name"],
        "settings": config["settings"],
    }
