"""BBScore: the earlier score, as its authors coded it and as it should be. Lower is more coherent.

Sheng, Zhang, Jiang and Kang, AAAI 2024. For n latents x_0 .. x_{n-1}, a = x_0, b = x_{n-1}.

As coded (``legacy``)::

    sigma_doc = 1/(n-2) sum_{j=1}^{n-2} n |x_j - a - (j/n)(b-a)|^2 / (2 j (n-j)),  sigma their mean
    B = |sum_{j=1}^{n-2} -log(2 pi v_t) - |x_j - a - (t/n)(b-a)|^2 / (2 v_t)| / (n-2)
        with t = j + 1,  v_t = sigma t (n-t) / n

Corrected: T = n - 1 steps, the same t = j throughout, a Gaussian in d dimensions, no absolute
value::

    sigma^2 = mean of |x_j - a - (j/T)(b-a)|^2 / (d v_j),   v_j = j (T-j) / T
    B = - mean over j of log N(x_j; a + (j/T)(b-a), sigma^2 v_j I) / d

Inner sentences are taken as independent in both: ``bridge`` has the covariance between them.
"""

from collections.abc import Sequence

import numpy as np

from timecontrol.coherence.ragged import Array


def legacy_sigma(paths: Sequence[Array]) -> float:
    """Return sigma of training documents, each (n, d) with n >= 3."""
    found = []
    for path in paths:
        n = len(path)
        j = np.arange(1, n - 1)
        squares = _squares(path, j / n)
        found.append((n * squares / (2 * j * (n - j))).mean())
    return float(np.mean(found))


def legacy(path: Array, sigma: float) -> float:
    """Return B of a document, (n, d) with n >= 3, as coded."""
    n = len(path)
    t = np.arange(2, n)
    v = sigma * t * (n - t) / n
    terms = -np.log(2 * np.pi * v) - _squares(path, t / n) / (2 * v)
    return float(abs(terms.sum()) / (n - 2))


def legacy_window(path: Array, sigma: float, width: int) -> float:
    """Return the coded variant of half-width w: each x_{j+w} between x_j and x_{j+2w}.

    It takes t = w + 1 and T = 2 w + 1, skips the last window, and divides by n - 2.
    """
    n, w = len(path), width
    j = np.arange(0, n - 1 - 2 * w)
    share, v = (w + 1) / (2 * w + 1), sigma * (w + 1) * w / (2 * w + 1)
    mean = (1 - share) * path[j] + share * path[j + 2 * w]
    squares = np.square(path[j + w] - mean).sum(1)
    return float(abs((-np.log(2 * np.pi * v) - squares / (2 * v)).sum()) / (n - 2))


def corrected_sigma(paths: Sequence[Array]) -> float:
    """Return the noise scale of training documents, each (n, d) with n >= 3."""
    found = []
    for path in paths:
        T = len(path) - 1
        j = np.arange(1, T)
        found.append(_squares(path, j / T) / (path.shape[1] * j * (T - j) / T))
    return float(np.sqrt(np.concatenate(found).mean()))


def corrected(path: Array, sigma: float) -> float:
    """Return B of a document, (n, d) with n >= 3, corrected."""
    T, d = len(path) - 1, path.shape[1]
    j = np.arange(1, T)
    v = sigma**2 * j * (T - j) / T
    log_p = -0.5 * d * np.log(2 * np.pi * v) - _squares(path, j / T) / (2 * v)
    return float(-log_p.mean() / d)


def _squares(path: Array, share: Array) -> Array:
    """Return |x_j - a - share_j (b - a)|^2 of the inner sentences, (n - 2,)."""
    line = (1 - share[:, None]) * path[0] + share[:, None] * path[-1]
    return np.asarray(np.square(path[1:-1] - line).sum(1))
