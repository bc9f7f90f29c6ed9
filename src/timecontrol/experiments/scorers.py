"""Scores of documents, ours and others, all asked alike: rows of sentences in, numbers out.

A scorer gets the rows of the sentences of some documents or corrupted versions, one after the
other, and their layout. What it returns is higher where a document is more coherent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence import TERMS, Coherence, Ragged
from timecontrol.coherence.bbscore import corrected, corrected_sigma, legacy, legacy_sigma
from timecontrol.coherence.points import Points
from timecontrol.metrics.entity_grid import EntityGrid, grid_of
from timecontrol.metrics.likelihood import Judge
from timecontrol.progress import Progress, silent

Rows = NDArray[np.int64]
Array = NDArray[np.float64]
Scores = dict[str, Array]

NAMES = {"bridge": "bridge (BBScoreV2)"}
"""Terms that are known by another name."""


@dataclass(frozen=True)
class Scorer:
    """One or more scores that are computed together."""

    score: Callable[[Rows, Ragged], Scores]
    """(N,) rows and the layout of n versions to (n,) of each score."""
    shuffles: int | None = None
    """Versions of a document and kind it is asked for, where it is slow; ``None``: all."""
    shows: bool = False
    """Whether it tells by itself how far it is."""


def coherence_scorer(coherence: Coherence, points: Points) -> Scorer:
    """Return the score of an encoder and its four terms."""

    def score(rows: Rows, layout: Ragged) -> Scores:
        found = coherence.judge_points(points.take(rows), layout)
        terms = {NAMES.get(t, t): found.terms[:, i] for i, t in enumerate(TERMS)}
        return {"score": found.score, **terms}

    return Scorer(score)


def bbscore_scorer(latents: NDArray[np.floating], training: Sequence[Array]) -> Scorer:
    """Return BBScore in both forms, with its sign turned.

    Args:
        latents: Of all sentences, (N, d).
        training: Paths of training documents, from which its noise scales are taken.
    """
    sigmas = legacy_sigma(training), corrected_sigma(training)

    def score(rows: Rows, layout: Ragged) -> Scores:
        paths = layout.split(np.asarray(latents[rows], np.float64))
        return {
            "BBScore (legacy)": -np.array([legacy(p, sigmas[0]) for p in paths]),
            "BBScore (corrected)": -np.array([corrected(p, sigmas[1]) for p in paths]),
        }

    return Scorer(score)


def neighbour_cosine(unit: NDArray[np.float32], rows: Rows, layout: Ragged) -> Array:
    """Return the cosine of each sentence and the one before it, 0 at the first, (N,)."""
    here = unit[rows]
    return np.asarray((here * layout.before(here)).sum(1, dtype=np.float64))  # type: ignore[arg-type]


def cosine_scorer(unit: NDArray[np.float32]) -> Scorer:
    """Return the mean cosine of neighbouring sentences; features at unit length, (N, D)."""

    def score(rows: Rows, layout: Ragged) -> Scores:
        near = layout.total(neighbour_cosine(unit, rows, layout))
        return {"cosine of neighbours": near / (layout.lengths - 1)}

    return Scorer(score)


def likelihood_scorer(
    judge: Judge, texts: Sequence[str], shuffles: int | None = None, progress: Progress = silent
) -> Scorer:
    """Return the log-likelihood of a token under a language model; sentences joined by a space."""

    def score(rows: Rows, layout: Ragged) -> Scores:
        spans = zip(layout.starts, layout.lengths, strict=True)
        whole = [" ".join(texts[row] for row in rows[s : s + n]) for s, n in spans]
        return {f"likelihood ({judge.label})": judge(whole, progress)}

    return Scorer(score, shuffles, shows=True)


def grid_scorer(
    documents: Sequence[Sequence[str]], layout: Ragged, training: Sequence[Sequence[str]]
) -> Scorer:
    """Return the entity grid's score.

    Args:
        documents: Sentences of each document.
        layout: Of these documents.
        training: Sentences of training documents, whose transitions are counted.
    """
    model = EntityGrid.fit(grid_of(sentences) for sentences in training)
    grids = [grid_of(sentences) for sentences in documents]

    def score(rows: Rows, versions: Ragged) -> Scores:
        found = []
        for start, length in zip(versions.starts, versions.lengths, strict=True):
            own = rows[start : start + length]
            number = layout.document[own[0]]
            order = own - layout.starts[number]
            found.append(model.scores(grids[number], order[None])[0])
        return {"entity grid": np.array(found)}

    return Scorer(score)


def coherence_tracer(coherence: Coherence, points: Points) -> Callable[[Rows, Ragged], Scores]:
    """Return the trace of an encoder and its terms, (N,) each."""

    def trace(rows: Rows, layout: Ragged) -> Scores:
        found = coherence.judge_points(points.take(rows), layout)
        terms = {t: found.sentence_terms[:, i] for i, t in enumerate(TERMS)}
        return {"trace": found.trace, **terms}

    return trace


def cosine_tracer(unit: NDArray[np.float32]) -> Callable[[Rows, Ragged], Scores]:
    """Return the mean cosine of each sentence to its neighbours, (N,)."""

    def trace(rows: Rows, layout: Ragged) -> Scores:
        before = neighbour_cosine(unit, rows, layout)
        sides = np.where(layout.first | layout.last, 1, 2)
        return {"cosine to neighbours": (before + layout.after(before)) / sides}

    return trace
