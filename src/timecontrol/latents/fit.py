"""What the paths of a corpus look like: where they start and end, how they go, how much they stray.

With z_0 .. z_T the latents of a document and m its mean (the line between its ends, or the corpus's
mean path moved to its ends)::

    r_t = z_t - m_t,     e_t = r_t - r_{t-1}
    residual noise   sigma^2 = mean over t of |r_t|^2 / (d t (T - t) / T)
    step noise       Sigma   = sum e_t e_t^T / sum (T - 1)

A true bridge has both the same, Sigma = sigma^2 I. Latents of sentences also carry noise that does
not add up over time, which makes the steps look noisier than the path is.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError

Array = NDArray[np.float64]

GRID = np.linspace(0, 1, 33)
"""Relative times t/T at which the mean path is kept."""


@dataclass(frozen=True)
class Gaussian:
    """N(mean, covariance)."""

    mean: Array
    """(d,)"""
    covariance: Array
    """(d, d), shrunk towards a multiple of the identity, so that it has an inverse."""
    shrinkage: float
    """How far, from 0 to 1."""

    @classmethod
    def of(cls, points: Array) -> "Gaussian":
        """Fit a Gaussian to points, (n, d), with the oracle approximating shrinkage.

        Chen, Wiesel, Eldar and Hero, 2010: S' = (1 - rho) S + rho (tr S / d) I.
        """
        mean = points.mean(0)
        centred = points - mean
        shrunk, rho = shrink(centred.T @ centred / len(points), len(points))
        return cls(mean, shrunk, rho)


def shrink(S: Array, n: int) -> tuple[Array, float]:
    """Return a covariance, (d, d), estimated from n points, with an inverse; and how far it moved.

    rho = min(1, (mean S_ij^2 + mu^2) / ((n + 1) (mean S_ij^2 - mu^2 / d))),   mu = tr S / d
    """
    d = len(S)
    mu = np.trace(S) / d
    alpha = np.mean(S**2)
    above = alpha + mu**2
    below = (n + 1) * (alpha - mu**2 / d)
    rho = 1.0 if below <= 0 else min(1.0, above / below)
    return (1 - rho) * S + (rho * mu + 1e-12) * np.eye(d), float(rho)


def invertible(S: Array, n: int) -> Array:
    """Return a covariance of steps with an inverse: shrunk where n is small, else hardly touched.

    Shrinkage would drown a quiet coordinate beside a loud one, so it is kept for want of data.
    """
    d = len(S)
    if n < 10 * d:
        return shrink(S, n)[0]
    return np.asarray(S + (1e-9 * np.trace(S) / d + 1e-12) * np.eye(d))


@dataclass(frozen=True)
class Fit:
    """The paths of a corpus in numbers."""

    documents: int
    sentences: float
    """Mean number of sentences of a document."""
    start: Gaussian
    end: Gaussian
    mean_path: Array
    """Mean of z at the relative times ``GRID``, (33, d)."""
    spread: Array
    """Standard deviation about it, (33, d)."""
    line_sigma: float
    """Noise scale from residuals about the straight line."""
    mean_sigma: float
    """Noise scale from residuals about the mean path, moved to each document's ends."""
    line_steps: Array
    """Sigma from steps about the line, (d, d): the covariance of BBScoreV2."""
    mean_steps: Array
    """The same about the mean path."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fit as plain data."""
        found: dict[str, Any] = {"grid": GRID.tolist()}
        for name, value in vars(self).items():
            if isinstance(value, Gaussian):
                value = {
                    k: v.tolist() if hasattr(v, "tolist") else v for k, v in vars(value).items()
                }
            found[name] = value.tolist() if isinstance(value, np.ndarray) else value
        return found

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> "Fit":
        """Return the fit that ``as_dict`` wrote."""
        plain = {k: v for k, v in found.items() if k != "grid"}
        for name in ("start", "end"):
            g = found[name]
            plain[name] = Gaussian(np.array(g["mean"]), np.array(g["covariance"]), g["shrinkage"])
        for name in ("mean_path", "spread", "line_steps", "mean_steps"):
            plain[name] = np.array(found[name])
        return cls(**plain)


def fit_paths(paths: list[Array]) -> Fit:
    """Describe paths, each (sentences, d) with at least three sentences.

    Raises:
        TimeControlError: There are fewer than two.
    """
    if len(paths) < 2:
        raise TimeControlError(
            f"{len(paths)} documents of three sentences or more: at least 2 are needed to describe "
            "the paths of a corpus."
        )
    on_grid = np.stack([at(path, GRID) for path in paths])  # (n, 33, d)
    mean_path = on_grid.mean(0)
    line = [residuals(p) for p in paths]
    bent = [residuals(p, mean_path) for p in paths]
    free = sum(len(p) - 2 for p in paths)  # steps, less one a document
    return Fit(
        documents=len(paths),
        sentences=float(np.mean([len(p) for p in paths])),
        start=Gaussian.of(np.stack([p[0] for p in paths])),
        end=Gaussian.of(np.stack([p[-1] for p in paths])),
        mean_path=mean_path,
        spread=on_grid.std(0),
        line_sigma=residual_sigma(line),
        mean_sigma=residual_sigma(bent),
        line_steps=invertible(step_covariance(line), free),
        mean_steps=invertible(step_covariance(bent), free),
    )


def at(path: Array, times: Array) -> Array:
    """Return a path at relative times within [0, 1], straight between sentences, (times, d)."""
    own = np.linspace(0, 1, len(path))
    return np.stack([np.interp(times, own, column) for column in path.T], -1)


def residuals(path: Array, mean_path: Array | None = None) -> Array:
    """Return r_t, zero at both ends, (sentences, d).

    Args:
        path: (sentences, d).
        mean_path: On ``GRID``; the path is compared with it, moved to the path's own ends. Without,
            with the straight line.
    """
    share = np.linspace(0, 1, len(path))
    if mean_path is not None:
        path = path - np.stack([np.interp(share, GRID, column) for column in mean_path.T], -1)
    return np.asarray(path - (1 - share[:, None]) * path[0] - share[:, None] * path[-1])


def clock(length: int) -> Array:
    """Return the bridge's variance t (T - t) / T at the inner sentences, (length - 2,)."""
    T = length - 1
    t = np.arange(1, T)
    return np.asarray(t * (T - t) / T)


def residual_sigma(found: list[Array]) -> float:
    """Return the noise scale from residuals of documents."""
    ratios = [(r[1:-1] ** 2).mean(1) / clock(len(r)) for r in found]
    return float(np.sqrt(np.concatenate(ratios).mean()))


def step_covariance(found: list[Array]) -> Array:
    """Return Sigma, the covariance of a step, from residuals of documents, (d, d)."""
    total = sum(np.diff(r, axis=0).T @ np.diff(r, axis=0) for r in found)
    return np.asarray(total / sum(len(r) - 2 for r in found))
