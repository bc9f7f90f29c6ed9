"""BBScoreV2 in time linear in the sentences: how probable is a path as a Brownian bridge?

For the latents s_0 .. s_T of a document, with the increments of its residuals about the line::

    e_t = (s_t - s_{t-1}) - (s_T - s_0) / T,     q_t = e_t^T Sigma^-1 e_t,     t = 1 .. T

    log p(s | Sigma) = - d (T-1)/2 log 2 pi + d/2 log T - (T-1)/2 log|Sigma| - 1/2 sum_t q_t
    B+               = log p / (d (T-1))                      higher is more coherent

because the inverse of the bridge's covariance over time, s (T - t) / T, is tridiagonal (2 on the
diagonal, -1 beside it) and its determinant is 1/T. A sentence given its two neighbours is
N((r_{t-1} + r_{t+1}) / 2, Sigma / 2), so that its own surprise is ::

    u_t = 1/2 (e_t - e_{t+1})^T Sigma^-1 (e_t - e_{t+1})      chi-square with d degrees of freedom

Zhang, Sheng, Lin, Jiang and Kang, EMNLP 2025, give the score with a cost of O(T^2).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.ragged import Array, Ragged
from timecontrol.errors import TimeControlError

SHORTEST = 3
"""Sentences below which there is no bridge."""


@dataclass(frozen=True)
class Bridges:
    """How well documents fit a bridge."""

    log_likelihood: Array
    """log p of each document, (n,)."""
    score: Array
    """B+ of each document, (n,)."""
    steps: Array
    """q_t of the step that leads to each sentence, zero at the first, (N,)."""
    sentences: Array
    """u_t of each inner sentence; at the ends q of the one step there is, (N,)."""


def bridges(latents: NDArray[np.floating], layout: Ragged, sigma: Array) -> Bridges:
    """Score documents.

    Args:
        latents: Of all sentences, (N, d).
        layout: Of the documents, three sentences each or more.
        sigma: Covariance of a step, (d, d), from training documents (``Fit.line_steps``).
    """
    if len(layout.lengths) and layout.lengths.min() < SHORTEST:
        raise TimeControlError(
            f"A document of {layout.lengths.min()} sentences has no bridge: {SHORTEST} or more."
        )
    factor = np.linalg.cholesky(sigma)
    d = len(sigma)
    z = np.linalg.solve(factor, np.asarray(latents, np.float64).T).T  # Sigma^-1 is now the identity
    T = (layout.lengths - 1).astype(np.float64)
    ends = layout.starts + layout.lengths - 1
    drift = (z[ends] - z[layout.starts]) / T[:, None] if len(T) else z  # (n, d)
    e = z - layout.before(z) - drift[layout.document]
    e[layout.first] = 0
    steps = np.square(e).sum(1)
    bend = np.square(e - layout.after(e)).sum(1) / 2
    single = np.where(layout.first, layout.after(steps), steps)
    log_det = 2 * np.log(np.diag(factor)).sum()
    free = T - 1
    log_p = (
        -0.5 * d * free * np.log(2 * np.pi)
        + 0.5 * d * np.log(T)
        - 0.5 * free * log_det
        - 0.5 * layout.total(steps)
    )
    sentences = np.where(layout.first | layout.last, single, bend)
    return Bridges(log_p, log_p / (d * free), steps, sentences)


def expected_score(T: Array, sigma: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of B+ of true bridges with T steps, each as T.

    E = -1/2 (log 2 pi + 1 + log|Sigma| / d) + log T / (2 (T-1)),   sd = (2 d (T-1))^-1/2
    """
    d = len(sigma)
    log_det = np.linalg.slogdet(sigma)[1]
    mean = -0.5 * (np.log(2 * np.pi) + 1 + log_det / d) + np.log(T) / (2 * (T - 1))
    return np.asarray(mean), np.asarray(np.sqrt(1 / (2 * d * (T - 1))))
