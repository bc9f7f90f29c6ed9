"""The variance profile of paths: how far documents stray from the bridge, over their time.

A bridge from z_0 to z_T has about the straight line between them the variance::

    Var[r_t] = sigma^2 t (T - t) / T        at each coordinate

What is drawn is, for each tenth of the way, the mean of |r_t|^2 / d over the sentences there, and
the mean of the bridge's variance at the same sentences. Sentences of one document stray together,
so the error is that of the mean over documents: each counts as often as it has sentences there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.latents.diagnostics import BINS, variance_profile
from timecontrol.latents.fit import clock, residual_sigma
from timecontrol.pages.drawing import Frame, dot, grid, line, rule, svg, ticks, words

Array = NDArray[np.float64]

WIDTH, HEIGHT = 480, 280


@dataclass(frozen=True)
class Profile:
    """How far documents stray, by stretches of their time."""

    share: Array
    """Middles of the stretches in which there are sentences, t / T, (stretches,)."""
    seen: Array
    """Mean squared residual of a coordinate there."""
    error: Array
    """Its standard error over documents; NaN where only one has sentences there."""
    bridge: Array
    """sigma^2 t (T - t) / T, mean over the same sentences."""
    sigma: float
    r2: float
    """Of what is seen against a bridge, of the sigma that fits best."""
    documents: int

    @classmethod
    def of(cls, found: Sequence[Array], sigma: float | None = None) -> "Profile":
        """Return the profile of residuals.

        Args:
            found: Of documents, each (sentences, d), zero at both ends, some three or longer.
            sigma: Of the bridge, as that of training documents; fitted to these otherwise.
        """
        inner = [r for r in found if len(r) >= 3]
        sigma = residual_sigma(inner) if sigma is None else sigma
        counts, squares, clocks = np.zeros((3, len(inner), BINS))
        for i, r in enumerate(inner):
            n = len(r) - 2
            bins = np.minimum((np.arange(1, n + 1) / (n + 1) * BINS).astype(int), BINS - 1)
            counts[i] = np.bincount(bins, minlength=BINS)
            squares[i] = np.bincount(bins, (r[1:-1] ** 2).mean(1), BINS)
            clocks[i] = np.bincount(bins, clock(len(r)), BINS)
        total = counts.sum(0)
        kept = total > 0
        mean = squares.sum(0)[kept] / total[kept]
        return cls(
            share=((np.arange(BINS) + 0.5) / BINS)[kept],
            seen=mean,
            error=_error(squares[:, kept], counts[:, kept], mean),
            bridge=sigma**2 * clocks.sum(0)[kept] / total[kept],
            sigma=sigma,
            r2=variance_profile(inner)[1],
            documents=len(inner),
        )


def _error(squares: Array, counts: Array, mean: Array) -> Array:
    """Return the standard error of a ratio of sums over documents, (stretches,)."""
    documents = (counts > 0).sum(0)
    apart = ((squares - mean * counts) ** 2).sum(0)
    known = documents > 1
    few = np.where(known, documents / np.maximum(documents - 1, 1), np.nan)
    return np.asarray(np.sqrt(few * apart) / counts.sum(0))


def profile_chart(profile: Profile, title: str) -> str:
    """Return the profile as points with their errors, and the bridge as a line."""
    errors = np.nan_to_num(profile.error)
    high = float(max((profile.seen + errors).max(), profile.bridge.max())) * 1.08 or 1.0
    frame = Frame(WIDTH, HEIGHT, (0.0, 1.0), (0.0, high), left=44, top=30)
    along = [(0.0, "first sentence"), (0.5, "t / T"), (1.0, "last")]
    parts = grid(frame, ticks(0, high), along)
    ends = np.array([[0.0, 0.0], [1.0, 0.0]])
    curve = np.stack([profile.share, profile.bridge], -1)
    parts.append(line(frame.at(np.concatenate([ends[:1], curve, ends[1:]])), "bridge"))
    rows = zip(profile.share, profile.seen, errors, profile.bridge, strict=True)
    for share, seen, error, bridge in rows:
        [low, middle, top] = frame.at(
            np.array([[share, max(seen - error, 0)], [share, seen], [share, seen + error]])
        )
        parts.append(rule((low[0], low[1]), (top[0], top[1]), "error"))
        hint = f"t/T {share:.2f}: {seen:.3f} ± {error:.3f}, a bridge {bridge:.3f}"
        parts.append(dot(middle, "seen", 4.5, hint))
    parts.append(words(frame.left, 16, title, "title"))
    about = f"{title}: {profile.documents} documents. R squared against a bridge {profile.r2:.2f}."
    return svg(about, parts, WIDTH, HEIGHT)
