"""Paths as a Gaussian process about their mean, estimated from training documents.

A document strays from the mean path in two ways: slowly, in the time tau of its sections
(``timing``), and quickly, from one sentence to the next; and some documents are more restless than
others. With r = z - m(tau) the residuals of single sentences, not smoothed::

    m(tau)    mean of z at tau,     s(tau)  standard deviation of each coordinate
    L L^T     mean of (r / s) (r / s)^T over the sentences of a stage      (d, d), one for each
    x         = L^-1 (r / s(tau))
    S         = mean of x_i x_j^T over sentences 2 to L apart              (d, d), slow
    Q         = mean of x_i x_i^T - S                                      (d, d), quick
    k(s, t)   = mean of x_i^T S^-1 x_j / d over pairs of a document, tau_i near s, tau_j near t,
                more than 1 apart;  about 1 for s near t
    q(l)      = mean over sentences l apart of x_i^T Q^-1 x_j / d, less what S has;  q(0) = 1
    h(tau)    root mean square of steps at tau, in proportion to that at all times
    log g     ~ N(-v, v),  v fitted to how the size of steps varies between documents

    Cov(x_i, x_j) = k(tau_i, tau_j) S + g^2 h(tau_i) h(tau_j) q(|i - j|) Q

Plans are means over w neighbouring sentences, and so is what is drawn: with A the matrix of the
moving average, a plan is A (m + s L x). A Brownian bridge is the case k(s, t) = min(s, t) - s t,
Q = 0, s = 1 and L = I; here all are what they are in the documents. Where stages follow each other
(abstract, history, ...), the average may stay within each, and mean and covariance change at once
from one to the next; else all is one stage, and L = I.

What is known of a document, be it single sentences that have been written or points of the plan
(start, goal, waypoints), is H z = y, a row of H for each. Given that, a path is a path without it,
moved (Matheron's rule), each coordinate by its own covariance P::

    z' = z + P H^T (H P H^T)^-1 (y - H z)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.latents.fit import GRID, invertible

Array = NDArray[np.float64]

LAGS = 8
"""L: sentences that are near each other."""
LEAST = 20.0
"""Sentences that the deviation over all times counts for at each."""
NEAR = 1e-6
"""From the end of a stage to its last knot."""
JITTER = 1e-6
"""Added to covariances, so that they have an inverse."""


@dataclass(frozen=True)
class Process:
    """Mean and covariance of paths."""

    mean: Array
    """m on the grid, (G, d)."""
    sd: Array
    """s on the grid, (G, d)."""
    slow: Array
    """k on the grid, (G, G)."""
    slow_mixing: Array
    """S, (d, d)."""
    quick: Array
    """q, (L + 1,)."""
    quick_mixing: Array
    """Q, (d, d)."""
    steps: Array
    """h on the grid, (G, 1)."""
    restless: float
    """v."""
    width: int
    """w: sentences over which plans are averaged."""
    edges: Array = field(default_factory=lambda: np.zeros(0))
    """Times at which one stage ends and the next begins, (stages - 1,); none: all are one."""
    roots: Array = field(default_factory=lambda: np.zeros((0, 0, 0)))
    """L of each stage, (stages, d, d); none: I."""

    @classmethod
    def of(
        cls,
        paths: Sequence[Array],
        times: Sequence[Array],
        width: int = 1,
        edges: Array | None = None,
    ) -> "Process":
        """Estimate the process.

        Args:
            paths: Of documents, not smoothed, each (sentences, d).
            times: Of their sentences, each (sentences,), rising.
            width: Sentences over which plans are averaged.
            edges: Times at which stages end, where averages stay within them.
        """
        edges = np.zeros(0) if edges is None else edges
        grid = knots(edges)
        points = [np.asarray(p, np.float64) for p in paths]
        places = [between(t, grid) for t in times]  # (sentences, G) each
        mean = _over_time(points, places, grid)
        r = [p - place @ mean for place, p in zip(places, points, strict=True)]
        sd = np.maximum(np.sqrt(_over_time([a**2 for a in r], places, grid, LEAST)), 1e-8)
        x = [a / (place @ sd) for place, a in zip(places, r, strict=True)]
        roots = np.zeros((0, 0, 0))
        if len(edges):
            stages = [np.searchsorted(edges, t) for t in times]
            roots = _roots(np.concatenate(x), np.concatenate(stages), len(edges) + 1)
            back = np.linalg.inv(roots)
            x = [np.einsum("nij,nj->ni", back[own], a) for own, a in zip(stages, x, strict=True)]
        flat = np.concatenate(x)
        n = len(flat)
        whole = flat.T @ flat / n
        slow_mixing = _inside(_lagged(x, range(2, LAGS + 1)), whole)
        quick_mixing = invertible(positive(whole - slow_mixing), n)
        slow = _slow(x, places, slow_mixing)
        quick = _quick(x, slow_mixing, quick_mixing)
        steps = _steps(x, times, grid)
        parts = (mean, sd, slow, slow_mixing, quick, quick_mixing, steps, _restless(x), width)
        return cls(*parts, edges, roots)

    def places(self, times: Array) -> Array:
        """Return the weights of the grid at times, (n, G)."""
        return between(times, knots(self.edges))

    def averages(self, times: Array) -> Array:
        """Return A of sentences at times, (n, n)."""
        return averages(np.searchsorted(self.edges, times), self.width)

    def centre(self, times: Array) -> Array:
        """Return m of single sentences at times, (n, d)."""
        return np.asarray(self.places(times) @ self.mean)

    def at(self, times: Array) -> Array:
        """Return the mean of plans at times, (n, d)."""
        return np.asarray(self.averages(times) @ self.centre(times))

    def sd_at(self, times: Array) -> Array:
        """Return s at times, (n, d)."""
        return np.asarray(self.places(times) @ self.sd)

    def roots_at(self, times: Array) -> Array:
        """Return L at times, (n, d, d)."""
        if not len(self.roots):
            return np.broadcast_to(
                np.eye(len(self.slow_mixing)), (len(times), *self.slow_mixing.shape)
            )
        return np.asarray(self.roots[np.searchsorted(self.edges, times)])

    def parts(self, times: Array) -> tuple[Array, Array]:
        """Return k and h q h between sentences, each (n, n)."""
        n, place = len(times), self.places(times)
        lags = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        h = place @ self.steps  # (n, 1)
        quick = h * np.where(lags <= LAGS, self.quick[np.minimum(lags, LAGS)], 0.0) * h.T
        more = JITTER * np.eye(n)
        return positive(place @ self.slow @ place.T) + more, positive(quick) + more

    def covariance(self, times: Array, gain: float = 1.0) -> Array:
        """Return P of each coordinate, (d, n, n); ``gain`` is g."""
        sd, roots = self.sd_at(times).T, self.roots_at(times)  # (d, n), (n, d, d)
        found = np.zeros((len(sd), len(times), len(times)))
        mixings = self.slow_mixing, gain**2 * self.quick_mixing
        for part, mixing in zip(self.parts(times), mixings, strict=True):
            mixed = roots @ np.linalg.cholesky(mixing)  # (n, d, d)
            found += part * np.einsum("ick,jck->cij", mixed, mixed)
        return np.asarray(sd[:, :, None] * found * sd[:, None, :])

    def path(
        self, times: Array, state: np.random.Generator, amount: float = 1.0
    ) -> tuple[Array, float]:
        """Return latents of single sentences with nothing known, (n, d), and how restless they are.

        Args:
            times: Of the sentences, (n,).
            state: Where the draws come from.
            amount: What the residuals are multiplied by; 0: the mean.
        """
        shape = (len(times), len(self.slow_mixing))
        gain = float(np.exp(np.sqrt(self.restless) * state.standard_normal() - self.restless))
        x = np.zeros(shape)
        mixings = (self.slow_mixing, 1.0), (self.quick_mixing, gain)
        for part, (mixing, scale) in zip(self.parts(times), mixings, strict=True):
            noise = state.standard_normal(shape)
            x += scale * np.linalg.cholesky(part) @ noise @ np.linalg.cholesky(mixing).T
        strayed = np.einsum("nij,nj->ni", self.roots_at(times), x)
        return np.asarray(
            self.places(times) @ self.mean + amount * self.sd_at(times) * strayed
        ), gain

    def tensors(self) -> dict[str, Array]:
        """Return the process as arrays by name."""
        return {name: np.asarray(value, np.float64) for name, value in vars(self).items()}

    @classmethod
    def from_tensors(cls, found: Mapping[str, NDArray[Any]]) -> "Process":
        """Return the process that ``tensors`` gave; a missing one is a KeyError."""
        found = {"edges": np.zeros(0), "roots": np.zeros((0, 0, 0)), **found}  # old files have none
        parts: dict[str, Any] = {f.name: np.asarray(found[f.name], np.float64) for f in fields(cls)}
        restless, width = float(parts["restless"]), int(parts["width"])
        return cls(**{**parts, "restless": restless, "width": width})


def moved(path: Array, P: Array, H: Array, y: Array) -> Array:
    """Return a path given H z = y, (n, d).

    Args:
        path: Without knowing it, (n, d).
        P: Covariance of each coordinate, (d, n, n).
        H: A row for each thing that is known, (k, n).
        y: What it is, (k, d).
    """
    own = H @ P @ H.T  # (d, k, k)
    size = np.trace(own, axis1=1, axis2=2) / len(y)
    own = own + (JITTER * size + 1e-12)[:, None, None] * np.eye(len(y))
    away = np.linalg.solve(own, (y - H @ path).T[..., None])  # (d, k, 1)
    return np.asarray(path + (P @ H.T @ away)[..., 0].T)


def averages(stages: Sequence[int] | NDArray[np.int64], width: int) -> Array:
    """Return the matrix of the moving average over ``width`` sentences, fewer at the ends, (n, n).

    Args:
        stages: Of each sentence, (n,): no average reaches from one to another.
        width: Sentences.
    """
    rows = np.arange(len(stages))
    apart = np.subtract.outer(rows, rows) * -1  # column less row
    inside = (apart >= -((width - 1) // 2)) & (apart <= width // 2)
    inside &= np.equal.outer(stages, stages)
    return np.asarray(inside / inside.sum(1, keepdims=True))


def positive(covariance: Array) -> Array:
    """Return the nearest covariance without negative eigenvalues, (n, n)."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def knots(edges: Array) -> Array:
    """Return the times at which mean and covariance are kept: evenly, or stage by stage.

    A stage has a knot at its very beginning and at its very end, and others evenly between.
    """
    if not len(edges):
        return GRID
    borders = np.array([0.0, *edges, 1.0])
    found = []
    for low, high in pairwise(borders.tolist()):
        inside = min(NEAR, (high - low) / 4)
        most = max(2, round((len(GRID) - 1) * (high - low)) + 1)
        found.append(np.linspace(low + inside, high - inside, most))
    return np.concatenate(found)


def _over_time(
    values: Sequence[Array], places: Sequence[Array], grid: Array, least: float = 0.0
) -> Array:
    """Return the mean of values over documents on the grid, straight between times, (G, d).

    Args:
        values: Of sentences, each (sentences, d).
        places: Their weights on the grid, each (sentences, G).
        grid: (G,)
        least: Sentences that the overall mean counts for, where there are few.
    """
    mass = np.sum([place.sum(0) for place in places], 0)[:, None]  # (G, 1)
    total = np.sum([p.T @ v for p, v in zip(places, values, strict=True)], 0)
    overall = np.concatenate(values).mean(0)
    weight = max(least, 1e-9)
    known = (mass > 1e-6).squeeze(-1)
    found = ((total + weight * overall) / (mass + weight))[known]
    return np.stack([np.interp(grid, grid[known], column) for column in found.T], -1)


def _roots(x: Array, stages: NDArray[np.int64], count: int) -> Array:
    """Return L of each stage, (stages, d, d); of one that hardly occurs, that of all.

    Args:
        x: Of all sentences, (n, d).
        stages: Theirs, (n,).
        count: Stages.
    """
    whole = x.T @ x / len(x)
    found = []
    for stage in range(count):
        own = x[stages == stage]
        total = own.T @ own + LEAST * whole
        found.append(np.linalg.cholesky(invertible(total / (len(own) + LEAST), len(own))))
    return np.stack(found)


def _lagged(x: Sequence[Array], lags: Sequence[int]) -> Array:
    """Return the mean of x_i x_j^T over sentences so far apart, made symmetric, (d, d)."""
    d = x[0].shape[1]
    total, count = np.zeros((d, d)), 0
    for a in x:
        for lag in lags:
            if len(a) > lag:
                total += a[:-lag].T @ a[lag:]
                count += len(a) - lag
    found = total / max(count, 1)
    return np.asarray((found + found.T) / 2)


def _inside(part: Array, whole: Array) -> Array:
    """Return a covariance that is a part of another, both (d, d): between 2 and 98 % of it."""
    root = np.linalg.cholesky(invertible(whole, 1 << 30))
    back = np.linalg.inv(root)
    values, vectors = np.linalg.eigh(back @ part @ back.T)
    share = np.clip(values, 0.02, 0.98)
    return np.asarray(root @ ((vectors * share) @ vectors.T) @ root.T)


def _slow(x: Sequence[Array], places: Sequence[Array], mixing: Array) -> Array:
    """Return k on the grid: a mean over pairs of sentences more than 1 apart, (G, G)."""
    root = np.linalg.inv(np.linalg.cholesky(mixing)).T / np.sqrt(len(mixing))
    size = places[0].shape[1]
    total, mass = np.zeros((size, size)), np.zeros((size, size))
    for a, place in zip(x, places, strict=True):
        white = a @ root
        far = np.abs(np.subtract.outer(np.arange(len(a)), np.arange(len(a)))) > 1
        total += place.T @ (far * (white @ white.T)) @ place
        mass += place.T @ far @ place
    found = np.where(mass > 1e-9, total / np.maximum(mass, 1e-9), np.nan)
    return positive(_filled(found, mass))


def _filled(found: Array, mass: Array) -> Array:
    """Return a covariance with what was not seen, or hardly, taken from its neighbours."""
    weight = np.where(np.isnan(found), 0.0, mass)
    value = np.where(np.isnan(found), 0.0, found)
    rows = np.arange(len(found))
    near = np.exp(-0.5 * (np.subtract.outer(rows, rows) / 1.5) ** 2)
    top, below = near @ (weight * value) @ near.T, near @ weight @ near.T
    return np.where(below > 1e-12, top / np.maximum(below, 1e-12), 0.0)


def _quick(x: Sequence[Array], slow: Array, quick: Array) -> Array:
    """Return q: what neighbouring sentences share beyond S, (L + 1,)."""
    back = np.linalg.inv(quick)
    found = [np.trace(back @ (_lagged(x, [lag]) - slow)) / len(quick) for lag in range(1, LAGS + 1)]
    return np.array([1.0, *np.clip(found, -0.5, 0.5)])


def _steps(x: Sequence[Array], times: Sequence[Array], grid: Array) -> Array:
    """Return h: the size of steps over time, 1 on average, (G, 1)."""
    sizes = [(np.diff(a, axis=0) ** 2).mean(1, keepdims=True) for a in x]
    places = [between((t[1:] + t[:-1]) / 2, grid) for t in times]
    mean = max(float(np.concatenate(sizes).mean()), 1e-12)
    return np.sqrt(np.maximum(_over_time(sizes, places, grid, LEAST) / mean, 1e-3))


def _restless(x: Sequence[Array]) -> float:
    """Return v: how the logarithm of the size of steps varies beyond chance.

    By chance, the mean square of n steps in d' independent directions varies by 2 / (n d').
    """
    long = [np.diff(a, axis=0) for a in x if len(a) > 2 * LAGS]
    if len(long) < 3:
        return 0.0
    every = np.concatenate(long)
    values = np.linalg.eigvalsh(every.T @ every / len(every))
    if values.max() <= 1e-20:  # points that never change, as those of a clock
        return 0.0
    directions = values.sum() ** 2 / (values**2).sum()
    sizes = np.array([np.log(max((a**2).sum(1).mean(), 1e-20)) for a in long])
    chance = np.mean([3.0 / (len(a) * directions) for a in long])  # neighbouring steps are related
    return float(max(sizes.var() - chance, 0.0) / 4)


def between(times: Array, grid: Array = GRID) -> Array:
    """Return the weights of a grid at times: straight between its points, (n, G)."""
    return np.stack([np.interp(times, grid, unit) for unit in np.eye(len(grid))], -1)
