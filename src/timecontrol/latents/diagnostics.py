"""Does a path behave like a bridge?

A bridge has residuals whose variance is t (T - t) / T, steps that are uncorrelated, and a residual
that grows when its points are put in another order.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.latents.fit import Fit, at, clock, fit_paths, residuals
from timecontrol.latents.paths import Paths

Array = NDArray[np.float64]

BINS = 10
"""Stretches of relative time for the variance profile."""


@dataclass(frozen=True)
class Diagnostics:
    """How bridge-like the paths of a corpus are."""

    documents: int
    time_share: float
    """Share of the latents' variance that relative time explains (by the mean path)."""
    time_share_best: float
    """The same of the coordinate where it is largest."""
    profile: list[float]
    """Mean squared residual about the mean path over t (T - t) / T, in ten stretches of relative
    time, divided by its mean: all 1 for a bridge."""
    profile_fit: float
    """R^2 of the mean squared residuals in those stretches against the bridge's variance there."""
    step_correlation: float
    """Correlation of neighbouring steps about the mean path: 0 for a bridge, -1/2 for noise."""
    ends_apart: float
    """Distance of mean start and mean end, in standard deviations of the latents."""
    shuffled_larger: float
    """Share of documents whose residual grows when their sentences are shuffled."""
    shuffled_error: float
    """Its standard error over documents."""
    shuffles: int
    """Shuffles of each document."""

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return asdict(self)


def diagnose(paths: list[Array], fit: Fit, shuffles: int = 10, seed: int = 0) -> Diagnostics:
    """Return how bridge-like paths are, against the fit of training documents.

    Args:
        paths: Each (sentences, d), at least three sentences.
        fit: Of training documents: mean path and noise are taken from it.
        shuffles: Of each document.
        seed: Of the shuffles.
    """
    everything = np.concatenate(paths)
    total = everything.var(0)  # (d,)
    total = np.where(total > 0, total, 1.0)
    times = np.concatenate([np.linspace(0, 1, len(p)) for p in paths])
    expected = at(fit.mean_path, times)
    left = ((everything - expected) ** 2).mean(0)
    shares = 1 - left / total
    bent = [residuals(p, fit.mean_path) for p in paths]
    profile, profile_fit = variance_profile(bent)
    wins = shuffled_larger(paths, fit.line_steps, shuffles, seed)
    scale = np.sqrt(total.mean())
    return Diagnostics(
        documents=len(paths),
        time_share=float(1 - left.sum() / total.sum()),
        time_share_best=float(shares.max()),
        profile=profile,
        profile_fit=profile_fit,
        step_correlation=step_correlation(bent),
        ends_apart=float(np.linalg.norm(fit.end.mean - fit.start.mean) / scale),
        shuffled_larger=float(wins.mean()),
        shuffled_error=float(wins.std(ddof=1) / np.sqrt(len(wins))) if len(wins) > 1 else 0.0,
        shuffles=shuffles,
    )


def variance_profile(found: list[Array]) -> tuple[list[float], float]:
    """Return the relative residual variance by stretch of time, and how well a bridge explains it.

    Args:
        found: Residuals of documents, each (sentences, d).
    """
    squares = np.concatenate([(r[1:-1] ** 2).mean(1) for r in found])
    clocks = np.concatenate([clock(len(r)) for r in found])
    share = np.concatenate([np.arange(1, len(r) - 1) / (len(r) - 1) for r in found])
    bins = np.minimum((share * BINS).astype(int), BINS - 1)
    n = np.bincount(bins, minlength=BINS)
    kept = n > 0
    seen = np.bincount(bins, squares, BINS)[kept] / n[kept]
    bridge = np.bincount(bins, clocks, BINS)[kept] / n[kept]
    ratio = seen / bridge
    scale = (seen @ bridge) / (bridge @ bridge)
    spread = ((seen - seen.mean()) ** 2).sum()
    r2 = 1 - ((seen - scale * bridge) ** 2).sum() / spread if spread > 0 else 0.0
    return (ratio / ratio.mean()).tolist() if ratio.mean() > 0 else [], float(r2)


def step_correlation(found: list[Array]) -> float:
    """Return the correlation of neighbouring steps, all coordinates together.

    The steps of a bridge must add up to zero, which alone correlates them by -1/(T - 1); that is
    taken out, so that a bridge of any length has 0.
    """
    steps = [np.diff(r, axis=0) for r in found]  # each (T, d)
    free = sum((len(e) - 1) * e.shape[1] for e in steps)
    variance = sum(float((e**2).sum()) for e in steps) / free  # sigma^2
    both = sum(float((e[1:] * e[:-1]).sum()) for e in steps)
    expected = -variance * sum((len(e) - 1) * e.shape[1] / len(e) for e in steps)
    return (both - expected) / (free * variance) if variance > 0 else 0.0


def bridge_residual(path: Array, covariance: Array) -> float:
    """Return the quadratic part of a path's bridge density, a number a coordinate and step.

    sum_t e_t^T Sigma^-1 e_t / (d (T - 1)); 1 is expected of a bridge with that noise.
    """
    steps = np.diff(residuals(path), axis=0)
    return float(
        (steps * np.linalg.solve(covariance, steps.T).T).sum() / (steps.shape[1] * (len(path) - 2))
    )


def shuffled_larger(paths: list[Array], covariance: Array, shuffles: int, seed: int) -> Array:
    """Return, by document, the share of full shuffles with a larger residual than the original.

    Args:
        paths: Each (sentences, d).
        covariance: Of a step, (d, d), from training documents.
        shuffles: Of each document.
        seed: Document i is shuffled from the random state (seed, i).
    """
    found = []
    for number, path in enumerate(paths):
        state = np.random.default_rng((seed, number))
        own = bridge_residual(path, covariance)
        orders = [state.permutation(len(path)) for _ in range(shuffles)]
        found.append(np.mean([bridge_residual(path[o], covariance) > own for o in orders]))
    return np.array(found)


def describe(paths: Paths, trained: Fit, shuffles: int = 10, seed: int = 0) -> dict[str, Any]:
    """Return all that is known of the paths of documents, as plain data.

    Args:
        paths: Of any documents; those under three sentences are counted and left out.
        trained: The fit of the training documents, against which they are judged.
        shuffles: Of each document.
        seed: Of the shuffles.
    """
    usable = paths.long_enough()
    return {
        "documents": len(paths),
        "sentences": int(sum(paths.lengths)),
        "too_short": len(paths) - len(usable),
        "fit": fit_paths(usable).as_dict() if len(usable) > 1 else None,
        "diagnostics": diagnose(usable, trained, shuffles, seed).as_dict() if usable else None,
    }
