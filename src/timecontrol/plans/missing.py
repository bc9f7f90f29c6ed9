"""Where missing sentences lie in latent space: a bridge between those that are there.

A document of sentences 0 .. T goes along a path p, which is seen through noise::

    p_0 ~ N(mu_0, S_0),   p_T ~ N(mu_T, S_T),   p_{i+1} - p_i ~ N(0, S),   z_i = p_i + e_i,
    e_i ~ N(0, R)

All is Gaussian, so the latents of missing sentences given the others are, too. Their precision is
block-tridiagonal; with H the precision of the path and D that of the noise at known sentences::

    path | known  ~  N( (H + D)^-1 (h + D z),  (H + D)^-1 )

Without noise (R = 0) a gap between two sentences is the paper's: a straight line, with variance
S t (T - t) / T about it. With noise, sentences further away help, too. Steps and noise are told
apart by how far sentences k apart differ: E (z_{i+k} - z_i)(..)^T = k S + 2 R.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.latents.fit import Fit, Gaussian, invertible

Array = NDArray[np.float64]

LAGS = 4
"""Sentences apart, at most, by which steps and noise are told apart."""
TOLD = 0.05
"""Share of the variance of latents by which first (or last) sentences must lie apart from others
for their place to say something: cut out of the middle of a text, they do not."""
NARROW = 0.8
"""Or the share of that variance below which theirs must be."""
LEAST = 1e-3
"""Share of the whole variance that steps and noise have in any direction, at least."""


@dataclass(frozen=True)
class Posterior:
    """Latents of missing sentences, given the others."""

    mean: Array
    """(missing, d)"""
    covariance: Array
    """(missing, d, missing, d)"""

    def log_prob(self, latents: Array, places: Sequence[int] | None = None) -> float:
        """Return the log density of latents of the missing sentences, (missing, d), together.

        Args:
            latents: One row a sentence.
            places: Which of the missing sentences these are, where not all are there.
        """
        which = list(range(len(self.mean)) if places is None else places)
        size = latents.size
        spread = self.covariance[which][:, :, which].reshape(size, size)
        apart = (latents - self.mean[which]).reshape(size)
        factor = np.linalg.cholesky(spread)
        white = np.linalg.solve(factor, apart)
        logdet = 2 * np.log(np.diag(factor)).sum()
        return float(-0.5 * (white @ white + logdet + size * math.log(2 * math.pi)))

    def sample(self, random: np.random.Generator, scale: float = 1.0) -> Array:
        """Return latents drawn from it, (missing, d), the noise multiplied by ``scale``."""
        size = self.mean.size
        factor = np.linalg.cholesky(self.covariance.reshape(size, size))
        noise = factor @ random.standard_normal(size)
        return np.asarray(self.mean + scale * noise.reshape(self.mean.shape))


@dataclass(frozen=True)
class Bridge:
    """How the paths of documents go, from one sentence to the next."""

    start: Gaussian
    end: Gaussian
    steps: Array
    """S, (d, d)."""
    noise: Array
    """R, (d, d)."""
    begins: bool = True
    """Whether documents begin somewhere; otherwise their first sentences are like any."""
    ends: bool = True
    """Whether they end somewhere."""

    @classmethod
    def of(cls, paths: Sequence[Array], noisy: bool = False, alike: bool = True) -> "Bridge":
        """Return what fits the paths of documents, each (sentences, d).

        Args:
            paths: Of training documents.
            noisy: Whether sentences are noisy; otherwise they lie on the path, as in the paper.
            alike: Whether all directions have the same steps and noise, as in the paper.
        """
        whole = np.concatenate(paths)
        most = min(LAGS, max(len(p) for p in paths) - 1)
        lags = range(1, most + 1)
        moments = [_differences(paths, k) for k in lags]
        if alike:
            moments = [np.trace(m) / len(m) * np.eye(len(m)) for m in moments]
        if noisy and most > 1:
            slope, level = np.polyfit(list(lags), np.stack([m.ravel() for m in moments]), 1)
            shape = moments[0].shape
            noise = _positive(level.reshape(shape) / 2, np.cov(whole.T).reshape(shape))
            steps = _positive(slope.reshape(shape), moments[0])
        else:
            steps, noise = invertible(moments[0], len(whole)), np.zeros_like(moments[0])
        start, end = (Gaussian.of(np.stack([p[i] for p in paths])) for i in (0, -1))
        told = [_told(law, whole) for law in (start, end)]
        return cls(start, end, steps, noise, *told)

    @classmethod
    def of_fit(cls, fit: Fit) -> "Bridge":
        """Return the bridge of an encoder's training documents, without noise."""
        return cls(fit.start, fit.end, fit.line_steps, np.zeros_like(fit.line_steps))

    def given(
        self,
        known: Mapping[int, Array],
        missing: Sequence[int],
        length: int,
        begins: bool = True,
        ends: bool = True,
    ) -> Posterior:
        """Return the latents of missing sentences, given those that are known.

        Args:
            known: Place and latent, (d,), of each known sentence.
            missing: Places.
            length: Sentences of the stretch, from place 0.
            begins: Whether place 0 is the beginning of a document.
            ends: Whether the last place is its end.
        """
        d = len(self.steps)
        small = 1e-6 * np.trace(self.steps) / d * np.eye(d)  # latents on the path: hardly any
        noise = self.noise + small
        H = np.zeros((length, d, length, d))
        h = np.zeros((length, d))
        between = np.linalg.inv(self.steps)
        for i in range(length - 1):
            H[i, :, i] += between
            H[i + 1, :, i + 1] += between
            H[i, :, i + 1] -= between
            H[i + 1, :, i] -= between
        opens, closes = begins and self.begins, ends and self.ends
        for place, law, told in ((0, self.start, opens), (length - 1, self.end, closes)):
            if told or not known:  # something has to say where the path is
                own = np.linalg.inv(law.covariance)
                H[place, :, place] += own
                h[place] += own @ law.mean
        seen = np.linalg.inv(noise)
        for place, latent in known.items():
            H[place, :, place] += seen
            h[place] += seen @ latent
        covariance = np.linalg.inv(H.reshape(length * d, length * d))
        mean = (covariance @ h.ravel()).reshape(length, d)
        where = list(missing)
        found = covariance.reshape(length, d, length, d)[where][:, :, where]
        for row in range(len(where)):
            found[row, :, row] += noise
        return Posterior(mean[where], np.asarray(found, np.float64))

    def tensors(self) -> dict[str, Array]:
        """Return its numbers by name."""
        return {
            "start_mean": self.start.mean,
            "start_covariance": self.start.covariance,
            "end_mean": self.end.mean,
            "end_covariance": self.end.covariance,
            "steps": self.steps,
            "noise": self.noise,
            "told": np.array([self.begins, self.ends], np.float64),
        }

    @classmethod
    def from_tensors(cls, found: Mapping[str, Array]) -> "Bridge":
        """Return the bridge that ``tensors`` wrote."""
        start, end = (
            Gaussian(found[f"{name}_mean"], found[f"{name}_covariance"], 0.0)
            for name in ("start", "end")
        )
        begins, ends = (bool(value) for value in found["told"])
        return cls(start, end, found["steps"], found["noise"], begins, ends)


def left_out(bridge: Bridge, path: Array, begins: bool = True, ends: bool = True) -> Array:
    """Return where each sentence of a document lies by its neighbours, (sentences, d).

    Without noise a path has no memory: the sentences next to one say all that is known of it.

    Args:
        bridge: Of training documents.
        path: Latents of its sentences.
        begins: Whether the first is the beginning of a document.
        ends: Whether the last is its end.
    """
    n = len(path)
    if n < 2:
        return path.copy()
    found = np.empty_like(path)
    for i in range(n):
        low, high = max(i - 1, 0), min(i + 2, n)
        known = {k - low: path[k] for k in range(low, high) if k != i}
        opens, closes = begins and low == 0, ends and high == n
        found[i] = bridge.given(known, [i - low], high - low, opens, closes).mean[0]
    return found


def _told(law: Gaussian, whole: Array) -> bool:
    """Return whether sentences at an end of documents are not like any, (n, d)."""
    variance = whole.var(0).sum()
    apart = ((law.mean - whole.mean(0)) ** 2).sum()
    return bool(apart > TOLD * variance or np.trace(law.covariance) < NARROW * variance)


def _differences(paths: Sequence[Array], k: int) -> Array:
    """Return the second moment of the differences of sentences k apart, (d, d)."""
    apart = np.concatenate([p[k:] - p[:-k] for p in paths if len(p) > k])
    return np.asarray(apart.T @ apart / len(apart))


def _positive(matrix: Array, whole: Array) -> Array:
    """Return the nearest symmetric matrix with a share of ``whole``'s variance everywhere."""
    least = LEAST * np.trace(whole) / len(whole)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)
