"""The coherence of documents: four terms, brought to one scale by documents that are known to flow.

Of every document are taken

    bridge     B+ of its latent path (``bridge``): small steps for the way it goes
    place      mean information of its sentences about their places (``place``)
    context    mean information of its sentences about each other (``context``)
    nearness   likeness of its sentences to those around them (``nearness``): half the mean of all,
               half that of the lowest quarter, since few sentences break a text

and each becomes a standard score z_k at the document's length (``reference``), its long tails drawn
in, z' = 4 asinh(z / 4), since Gaussian terms exaggerate what they do not know. The score is ::

    z = (g l (z_bridge + z_place + z_context) + z_nearness) / s,   s^2 its variance for known texts

with l how much the learned terms count (1; less for an encoder of many kinds of text), so that 0 is
the usual document of the corpus and -2 an unusually incoherent one. The first three terms know the
domain they were fitted to and mislead outside it; the last knows none. So g falls from 1 to 0 as a
text's features leave the directions in which known texts vary::

    novelty = mean_t |f_t - m|^2 outside the directions of ``context``, standardised
    g = 1 below NEAR, 0 above FAR, straight between

Each sentence has a trace (``trace``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.bridge import bridges
from timecontrol.coherence.context import Context
from timecontrol.coherence.nearness import nearness
from timecontrol.coherence.place import Places
from timecontrol.coherence.points import Features, Points, points_of, unit_of
from timecontrol.coherence.ragged import Array, Ragged
from timecontrol.coherence.reference import Scale, percentiles
from timecontrol.coherence.trace import END, fading, trace_of
from timecontrol.latents.fit import fit_paths

TERMS = ("bridge", "place", "context", "nearness")
TAIL = 4.0
"""Standard scores beyond this grow with the logarithm only."""
LOWEST = 0.25
"""Share of the sentences that count again for nearness."""
NEAR, FAR = 1.5, 3.0
"""Standard scores of novelty between which trained terms fade out."""
FOLDS = 5
"""Reference documents are judged by fits to the others, in so many parts."""
MOST = 200_000
"""Sentences that are fitted to; of a larger corpus, documents at even distances."""
KEPT_DOCUMENTS, KEPT_SENTENCES, KEPT_ENDS = 2000, 3000, 1000
"""Reference rows that are kept for percentiles."""


@dataclass(frozen=True)
class Judged:
    """What is found of n documents with N sentences together."""

    score: Array
    """(n,), higher is more coherent; 0 is usual."""
    error: Array
    """Standard error of the score over the document's sentences, (n,)."""
    percentile: Array
    """Share of reference documents that score lower, 0 to 100, (n,)."""
    terms: Array
    """The four terms as they are, (n, 4)."""
    standard: Array
    """The same as standard scores at the document's length, tails drawn in, (n, 4)."""
    novelty: Array
    """How far from known texts, as a standard score, (n,)."""
    trust: Array
    """g: the weight of what was learned from known texts, (n,)."""
    trace: Array
    """How well each sentence fits, standardised; low breaks the thread, (N,)."""
    trace_percentile: Array
    """Share of reference sentences that fit less well, 0 to 100, (N,)."""
    sentence_terms: Array
    """(N, 4): -u, place, context, nearness."""


@dataclass(frozen=True)
class Coherence:
    """How documents of a corpus flow, fitted to training documents."""

    sigma: Array
    """Covariance of a step, (d, d)."""
    places: Places
    context: Context
    scale: Scale
    """Of the four terms and novelty, by length."""
    documents: Array
    """Standard scores of reference documents, (m, 4)."""
    learned: float
    """l: how much the learned terms count."""
    sentences: Array
    """Terms of reference sentences, how far they lie outside, whether first or last, (r, 6)."""

    @classmethod
    def fit(
        cls, features: Features, latents: Features, layout: Ragged, learned: float = 1.0
    ) -> "Coherence":
        """Return the fit to training documents of three sentences or more.

        Reference scores come from fits to other documents than the one that is scored; the head
        that gave the latents has seen them all.

        Args:
            features: Of all sentences, (N, D).
            latents: (N, d).
            layout: Of the documents.
            learned: How much the learned terms count.
        """
        n = len(layout.lengths)
        step = max(1, -(-len(latents) // MOST))
        chosen = np.arange(n)[::step]
        sigma, places, context = _fit(features, latents, layout, chosen)
        numbers, rows = [], []
        folds = [chosen[i::FOLDS] for i in range(FOLDS)] if len(chosen) >= 2 * FOLDS else [chosen]
        for fold in folds:
            others = np.setdiff1d(chosen, fold) if len(folds) > 1 else chosen
            fit = _fit(features, latents, layout, others)
            part = Ragged.of(layout.lengths[fold])
            points = points_of(fit[2], *_rows(features, latents, layout, fold))
            found = _terms(*fit, points, part)
            numbers.append((part.lengths, np.column_stack(found[:2])))
            rows.append(np.column_stack([found[2], points.outside, part.first | part.last]))
        lengths = np.concatenate([a for a, _ in numbers])
        five = np.concatenate([b for _, b in numbers])  # (m, 5)
        scale = Scale.fit(five, lengths)
        standard = _drawn_in(scale.standard(five, lengths)[:, :4])
        known = np.concatenate(rows)
        inner, ends = (known[known[:, END] == end] for end in (False, True))
        fitted = cls(
            sigma,
            places,
            context,
            scale,
            _thinned(standard, KEPT_DOCUMENTS),
            learned,
            np.concatenate([_thinned(inner, KEPT_SENTENCES), _thinned(ends, KEPT_ENDS)]),
        )
        return cls.from_tensors(fitted.tensors())  # as it will be read again

    def judge(self, features: Features, latents: Features, layout: Ragged) -> Judged:
        """Judge documents of three sentences or more.

        Args:
            features: Of all sentences, (N, D).
            latents: (N, d).
            layout: Of the documents.
        """
        return self.judge_points(points_of(self.context, features, latents), layout)

    def judge_points(self, points: Points, layout: Ragged) -> Judged:
        """Judge documents whose sentences are already points (``points_of``)."""
        terms, novel, rows, steps = _terms(self.sigma, self.places, self.context, points, layout)
        five = np.column_stack([terms, novel])
        standard = self.scale.standard(five, layout.lengths)
        novelty = standard[:, 4]
        trust = np.clip((FAR - novelty) / (FAR - NEAR), 0, 1)
        weights = fading(self.learned * trust)  # (n, 4)
        size = np.sqrt(np.einsum("nk,kl,nl->n", weights, self._correlation(), weights))
        size = np.maximum(size, 1e-6)  # zero where all known documents are the same
        four = _drawn_in(standard[:, :4])
        score = (weights * four).sum(1) / size
        sd = self.scale.expected(layout.lengths)[1][:, :4]
        parts = np.column_stack([steps, rows[:, 1:]])
        slope = 1 / np.sqrt(1 + np.square(standard[:, :4] / TAIL))  # of what draws in
        pull = (weights * slope / sd / size[:, None])[layout.document]
        with_outside = np.column_stack([rows, points.outside])
        trace, ranks = trace_of(with_outside, self.sentences, trust, self.learned, layout)
        return Judged(
            score=score,
            error=_error((parts * pull).sum(1), layout),
            percentile=percentiles(self.documents, weights, score * size),
            terms=terms,
            standard=four,
            novelty=novelty,
            trust=trust,
            trace=trace,
            trace_percentile=ranks,
            sentence_terms=rows,
        )

    def _correlation(self) -> Array:
        """Return the second moments of the reference documents' standard scores, (4, 4)."""
        return np.asarray(self.documents.T @ self.documents / len(self.documents))

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """Return everything as arrays by name."""
        c, s = self.context, self.scale
        found = {
            "sigma": self.sigma,
            "place.mean_path": self.places.mean_path,
            "place.covariance": self.places.covariance,
            "context.mean": c.mean,
            "context.directions": c.directions,
            "context.weights": c.weights,
            "context.residual": c.residual,
            "context.whole": c.whole,
            "scale.range": np.array([s.shortest, s.longest]),
            "scale.mean": s.mean,
            "scale.variance": s.variance,
            "scale.least": s.least,
            "learned": np.array([self.learned]),
            "reference.documents": self.documents,
            "reference.sentences": self.sentences,
        }
        return {k: np.ascontiguousarray(v, np.float32) for k, v in found.items()}

    @classmethod
    def from_tensors(cls, found: Mapping[str, Any]) -> "Coherence":
        """Return what ``tensors`` gave."""
        t = {k: np.asarray(v, np.float64) for k, v in found.items()}
        low, high = t["scale.range"].tolist()
        return cls(
            t["sigma"],
            Places(t["place.mean_path"], t["place.covariance"]),
            Context(
                t["context.mean"],
                t["context.directions"],
                t["context.weights"],
                t["context.residual"],
                t["context.whole"],
            ),
            Scale(low, high, t["scale.mean"], t["scale.variance"], t["scale.least"]),
            t["reference.documents"],
            float(t["learned"][0]),
            t["reference.sentences"],
        )


Known = tuple[Array, Places, Context]


def _fit(features: Features, latents: Features, layout: Ragged, chosen: NDArray[Any]) -> Known:
    """Fit to the chosen documents."""
    x, z = _rows(features, latents, layout, chosen)
    part = Ragged.of(layout.lengths[chosen])
    paths = fit_paths(part.split(z.astype(np.float64)))
    return paths.line_steps, Places.fit(z, part, paths.mean_path), Context.fit(unit_of(x), part)


def _rows(
    features: Features, latents: Features, layout: Ragged, chosen: NDArray[Any]
) -> tuple[Features, Features]:
    """Return features and latents of the chosen documents."""
    spans = zip(layout.starts[chosen], layout.lengths[chosen], strict=True)
    rows = np.concatenate([np.arange(start, start + length) for start, length in spans])
    return features[rows], latents[rows]


def _terms(
    sigma: Array, places: Places, context: Context, points: Points, layout: Ragged
) -> tuple[Array, Array, Array, Array]:
    """Return terms (n, 4), novelty (n,), sentence terms (N, 4), bridge share of sentences (N,)."""
    found = bridges(points.latents, layout, sigma)
    rows = np.column_stack(
        [
            -found.sentences,
            places.information(points.latents, layout),
            context.information(points.x, layout),
            nearness(points.unit, layout),
        ]
    )
    means = layout.mean(rows)
    near = (means[:, 3] + layout.lowest(rows[:, 3], LOWEST)) / 2
    terms = np.column_stack([found.score, means[:, 1:3], near])
    # each step belongs half to the sentence before it and half to the one after
    share = (found.steps + layout.after(found.steps)) / 2
    free = layout.lengths / (len(sigma) * (layout.lengths - 2))
    return terms, layout.mean(points.outside), rows, -0.5 * share * free[layout.document]


def _drawn_in(z: Array) -> Array:
    """Return standard scores with long tails drawn in, as z."""
    return np.asarray(TAIL * np.arcsinh(z / TAIL))


def _error(parts: Array, layout: Ragged) -> Array:
    """Return the standard error of documents' means of parts, (N,) to (n,).

    var = (gamma_0 + gamma_1) / n with the covariance of neighbours, by Newey and West, where that
    is positive; times (n / (n - 1))^2, since few sentences hide their spread.
    """
    n = layout.lengths
    off = parts - layout.mean(parts)[layout.document]
    own = layout.mean(off**2)
    near = layout.total(off * layout.before(off)) / n
    return np.asarray(np.sqrt((own + np.maximum(near, 0)) / n) * n / (n - 1))


def _thinned(rows: Array, most: int) -> Array:
    """Return rows at even distances, at most so many."""
    chosen = np.linspace(0, len(rows) - 1, min(most, len(rows))).round().astype(int)
    return np.asarray(rows[chosen])
