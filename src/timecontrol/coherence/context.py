"""How well a sentence follows from the others: given its neighbours and the rest of the document.

The features of a sentence, at unit length, less their mean, in the k directions in which training
sentences vary most, scaled to variance 1, are x_t. A linear Gaussian model gives each from the
sentences around it::

    x_t | rest ~ N(A [x_{t-1}, x_{t+1}, c_t], R),     c_t = sum_{s != t} x_s / (n - 1 + kappa)
    i_t = log N(x_t; A [...], R) - log N(x_t; 0, S)

i_t is the pointwise mutual information of a sentence with its surroundings, in nats. A bridge has
1/2, 1/2 and 0 in the place of A: this is one whose pull is learned, in a space where documents also
differ by subject. First and last sentences have only one neighbour and are often alike; they have
an A and R of their own, drawn to those of all sentences given that one neighbour.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.ragged import Array, Ragged

DIRECTIONS = 64
"""k, where there are sentences enough."""
KAPPA = 3.0
"""Sentences that the mean of a document is shrunk by."""
RIDGE = 30.0
"""Of the regression: so many sentences' worth of pull to 0."""
ENDS = 100.0
"""The same of first and last sentences to all."""
FLOOR = 1e-3
"""Added to residual variances, as a share of the whole variance."""
FIRST, INNER, LAST = range(3)


@dataclass(frozen=True)
class Context:
    """The linear Gaussian model of a sentence given the others."""

    mean: Array
    """Of unit features, (D,)."""
    directions: Array
    """(D, k)"""
    weights: Array
    """A of first, inner and last sentences, (3, 3k, k)."""
    residual: Array
    """R of the same, (3, k, k)."""
    whole: Array
    """S, (k, k)."""

    @classmethod
    def fit(
        cls,
        unit: NDArray[np.floating],
        layout: Ragged,
        k: int = DIRECTIONS,
    ) -> "Context":
        """Return the model of training documents.

        Args:
            unit: Features of all sentences at unit length, (N, D).
            layout: Of the documents.
            k: Directions; fewer where there are fewer than ten sentences for each.
        """
        mean = unit.mean(0, dtype=np.float64)
        centred = unit - mean
        values, vectors = np.linalg.eigh(centred.T @ centred / len(unit))
        k = max(1, min(k, len(unit) // 10, int((values > 1e-9 * values[-1]).sum())))
        widths = np.sqrt(np.maximum(values[::-1][:k], 1e-12))  # zero where all are the same
        directions = vectors[:, ::-1][:, :k] / widths
        x = centred @ directions  # (N, k)
        around = surroundings(x, layout)
        S = x.T @ x / len(x) + FLOOR * np.eye(k)
        A, R = np.zeros((3, 3 * k, k)), np.zeros((3, k, k))
        for kind in (FIRST, INNER, LAST):
            nothing = np.zeros((3 * k, k)), S
            f, y = _seen(around, kind, layout, k), x[_has(kind, layout)]
            A[kind], R[kind] = _regression(f, y, *nothing, RIDGE)
            if kind != INNER:
                own = kinds(layout) == kind
                A[kind], R[kind] = _regression(around[own], x[own], A[kind], R[kind], ENDS)
        return cls(mean, directions, A, R, S)

    def project(self, unit: NDArray[np.floating]) -> tuple[Array, Array]:
        """Return x of sentences, (N, k), and what of them lies outside its directions, (N,).

        Args:
            unit: Features at unit length, (N, D).
        """
        off = unit - self.mean
        x = off @ self.directions
        lengths = np.linalg.norm(self.directions, axis=0)
        return np.asarray(x), np.square(off).sum(1) - np.square(x / lengths).sum(1)

    def information(self, x: Array, layout: Ragged) -> Array:
        """Return i_t of projected sentences, (N, k) to (N,)."""
        around, kind = surroundings(x, layout), kinds(layout)
        found = -log_normal(x, self.whole)
        for which in (FIRST, INNER, LAST):
            chosen = kind == which
            off = x[chosen] - around[chosen] @ self.weights[which]
            found[chosen] += log_normal(off, self.residual[which])
        return found


def surroundings(x: Array, layout: Ragged) -> Array:
    """Return [x_{t-1}, x_{t+1}, c_t] of every sentence, (N, 3k)."""
    total = layout.total(x)[layout.document]
    rest = (total - x) / (layout.lengths - 1 + KAPPA)[layout.document][:, None]
    return np.concatenate([layout.before(x), layout.after(x), rest], 1)


def kinds(layout: Ragged) -> NDArray[np.int64]:
    """Return whether each sentence is the first, an inner or the last one, (N,)."""
    return np.where(layout.first, FIRST, np.where(layout.last, LAST, INNER))


def _regression(f: Array, y: Array, A: Array, R: Array, worth: float) -> tuple[Array, Array]:
    """Return weights and residual covariance of y, (n, k), given f, (n, 3k).

    Both are drawn to those that are given, as if so many sentences spoke for them.
    """
    pull = worth * np.eye(f.shape[1])
    weights = A + np.linalg.solve(f.T @ f + pull, f.T @ (y - f @ A))
    off = y - f @ weights
    residual = (off.T @ off + worth * R) / (len(off) + worth)
    return weights, residual + FLOOR * np.eye(len(R))


def _has(kind: int, layout: Ragged) -> NDArray[np.bool_]:
    """Return whether a sentence has the neighbours that one of a kind has, (N,)."""
    return np.asarray((layout.first <= (kind == FIRST)) & (layout.last <= (kind == LAST)))


def _seen(around: Array, kind: int, layout: Ragged, k: int) -> Array:
    """Return the surroundings as one of a kind would see them: without the missing neighbour."""
    found = around[_has(kind, layout)]
    if kind == FIRST:
        found[:, :k] = 0
    if kind == LAST:
        found[:, k : 2 * k] = 0
    return found


def log_normal(x: Array, covariance: Array) -> Array:
    """Return log N(x; 0, covariance) up to the constant in 2 pi, (N, k) to (N,)."""
    factor = np.linalg.cholesky(covariance)
    scaled = np.linalg.solve(factor, x.T)
    return np.asarray(-0.5 * np.square(scaled).sum(0) - np.log(np.diag(factor)).sum())
