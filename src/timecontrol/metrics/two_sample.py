"""Do two samples of paths come from one law?

A path z_0 .. z_T, each coordinate divided by a standard deviation that is given, is told by::

    shape      z(u_k) / 4,  u_k = k / 15,  k = 0 .. 15        (|.|^2: the mean over these times)
    roughness  log(0.01 + rms_t(z_t - z_{t-1})),  log(0.01 + rms_t(z_{t+1} - 2 z_t + z_{t-1}))

of each coordinate, (18 d,) in all. Two tests of such features, x of n paths and y of m::

    energy    2 E|x - y| - E|x - x'| - E|y - y'|     0 for one law, else more (Szekely, Rizzo 2013)
    AUC       P(f(x) > f(y))     1/2 for one law; f is a classifier that saw neither of them

The energy is estimated without bias, so it may fall below 0. The classifier is ridge regression on
the features and their squares, f = K_hs (K_ss + lambda |s| I)^-1 (a_s - mean a_s), with a the
labels, s the rows that are shown and h those that are held. It is linear in the labels, so the
scores of permuted labels cost next to nothing.

Both have a p-value by permutation, right whatever the law is::

    p = (1 + #{permuted >= observed}) / (1 + permutations)

Where each path of y was made for one path of x (of the same length), only labels of paths that
belong together change places: paths of other lengths need not have the same law.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError
from timecontrol.latents.fit import at
from timecontrol.metrics.intervals import Estimate, estimate, resamples

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]

TIMES = np.linspace(0, 1, 16)
"""Relative times at which paths are compared."""
SMALLEST = 0.01
"""A step of so many standard deviations is as good as none."""
SHORTEST = 3
"""Points of a path that has a second difference."""
FEWEST = 4
"""Paths of a sample below which nothing can be told."""
FOLDS = 5
"""Parts of the paths; each is held from the classifier in turn."""
RIDGE = 0.01
"""lambda, where the mean square of a row of features is 1."""
PERMUTATIONS = 999


@dataclass(frozen=True)
class Energy:
    """How far apart two samples are."""

    distance: float
    p: float

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return dict(vars(self))


@dataclass(frozen=True)
class Apart:
    """How well two samples can be told apart."""

    auc: Estimate
    """With its interval over documents."""
    p: float

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {**self.auc.as_dict(), "p": self.p}


def shape(paths: Sequence[Array], scale: Array) -> Array:
    """Return z(u_k) / 4 of paths, each (n, d), in units of ``scale``, (d,): (paths, 16 d)."""
    found = [at(path / scale, TIMES).ravel() for path in _checked(paths)]
    return np.asarray(np.stack(found) / np.sqrt(len(TIMES)))


def roughness(paths: Sequence[Array], scale: Array) -> Array:
    """Return the logs of the steps and of their changes, as ``shape`` does, (paths, 2 d)."""

    def size(steps: Array) -> Array:
        return np.asarray(np.log(SMALLEST + np.sqrt(np.square(steps).mean(0))))

    return np.stack(
        [
            np.concatenate([size(np.diff(p / scale, order, axis=0)) for order in (1, 2)])
            for p in _checked(paths)
        ]
    )


def features(paths: Sequence[Array], scale: Array) -> Array:
    """Return shape and roughness of paths, (paths, 18 d).

    Args:
        paths: Each (sentences, d), three or more sentences.
        scale: Standard deviation of each coordinate, (d,): of documents that are in neither sample,
            so that it does not depend on which is which.
    """
    return np.concatenate([shape(paths, scale), roughness(paths, scale)], 1)


def energy_distance(x: Array, y: Array) -> float:
    """Return 2 E|x - y| - E|x - x'| - E|y - y'| over pairs of different rows.

    Args:
        x: (n, f).
        y: (m, f).
    """
    rows, first = _together(x, y)
    return float(_energies(_distances(rows), first[None])[0])


def energy_test(
    x: Array,
    y: Array,
    owner: Rows | None = None,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Energy:
    """Return the energy distance of two samples, and how often permuted ones are as far apart.

    Args:
        x: Features, (n, f).
        y: Features, (m, f).
        owner: Which row of x each row of y was made for, (m,); without, any labels change places.
        permutations: Of the labels.
        seed: Of the permutations.

    Raises:
        TimeControlError: A sample is too small.
    """
    rows, first = _together(x, y)
    block = np.zeros(len(rows), np.int64) if owner is None else _blocks(len(x), owner)
    labels = _labels(first, block, permutations, seed)
    found = _energies(_distances(rows), labels)
    return Energy(float(found[0]), _p(found))


def told_apart(
    x: Array,
    y: Array,
    owner: Rows | None = None,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Apart:
    """Return the AUC of a classifier of x and y, cross-validated, with its interval.

    Paths that belong together are held together. A score is compared with scores of the same fold,
    that is of the same classifier; ties count half. The interval is over documents, with the
    classifiers as they are: it is a little narrow (under one law it holds 1/2 in about 88 % of
    cases), and the p-value is what decides.

    Args:
        x: Features, (n, f).
        y: Features, (m, f).
        owner: As for ``energy_test``; without, labels change places within a fold.
        permutations: Of the labels; of 0, p is 1.
        seed: Of the folds, the permutations and the resamples.

    Raises:
        TimeControlError: A sample is too small.
    """
    rows, first = _together(x, y)
    n, m = len(x), len(y)
    state = np.random.default_rng((seed, n, m))
    folds = min(FOLDS, n, m)
    own = state.permutation(np.arange(n) % folds)
    other = state.permutation(np.arange(m) % folds) if owner is None else own[owner]
    fold = np.concatenate([own, other])
    labels = _labels(first, fold if owner is None else _blocks(n, owner), permutations, seed)
    scores = _scores(_similarities(rows), labels.astype(np.float64), fold)
    found = np.array([_auc(s, a, fold) for s, a in zip(scores, labels, strict=True)])
    same = (own[:, None] == other).astype(np.float64)  # (n, m)
    wins = same * _wins(scores[0, :n, None], scores[0, n:])
    weights = zip(resamples(n, seed), resamples(m, seed + 1), strict=True)
    drawn = []
    for w, v in weights:
        v = v if owner is None else w[owner]
        if pairs := float(w @ same @ v):
            drawn.append(float(w @ wins @ v) / pairs)
    return Apart(estimate(float(found[0]), drawn, n), _p(found))


def _checked(paths: Sequence[Array]) -> list[Array]:
    for path in paths:
        if len(path) < SHORTEST:
            raise TimeControlError(
                f"A path of {len(path)} points: {SHORTEST} or more are needed to compare it."
            )
    return [np.asarray(path, np.float64) for path in paths]


def _together(x: Array, y: Array) -> tuple[Array, Flags]:
    """Return the rows of both samples, (n + m, f), and which are of x, (n + m,)."""
    if min(len(x), len(y)) < FEWEST:
        raise TimeControlError(
            f"Samples of {len(x)} and {len(y)} paths: at least {FEWEST} of each are needed to "
            "compare them."
        )
    return np.concatenate([x, y]), np.arange(len(x) + len(y)) < len(x)


def _blocks(n: int, owner: Rows) -> Rows:
    return np.concatenate([np.arange(n), owner])


def _labels(first: Flags, block: Rows, permutations: int, seed: int) -> Flags:
    """Return the labels, and then labels permuted within blocks, (1 + permutations, N)."""
    state = np.random.default_rng((seed, len(first)))
    keys = block + state.random((permutations, len(first)))
    found = np.empty(keys.shape, np.bool_)
    found[:, np.argsort(block, kind="stable")] = first[keys.argsort(1)]
    return np.concatenate([first[None], found])


def _p(found: Array) -> float:
    """Return the share of values that are no less than the first, up to rounding."""
    return float(np.mean(found >= found[0] - 1e-9 * (1 + abs(found[0]))))


def _distances(rows: Array) -> Array:
    """Return |x_i - x_j|, (N, N)."""
    square = np.square(rows).sum(1)
    found = np.sqrt(np.maximum(square[:, None] + square - 2 * rows @ rows.T, 0))
    np.fill_diagonal(found, 0)
    return np.asarray(found)


def _energies(distances: Array, labels: Flags) -> Array:
    """Return the energy distance of distances, (N, N), under each row of labels, (P, N)."""
    a = labels.astype(np.float64)
    n = a[0].sum()
    m = len(distances) - n
    total = distances.sum()
    to = a @ distances  # (P, N): from the rows of x to each
    within, touching = (to * a).sum(1), to.sum(1)
    across = touching - within
    rest = total - within - 2 * across
    return np.asarray(2 * across / (n * m) - within / (n * (n - 1)) - rest / (m * (m - 1)))


def _similarities(rows: Array) -> Array:
    """Return K = X X^T / f, X the standardised features and their squares, (N, N)."""
    centred = rows - rows.mean(0)
    wide = np.concatenate([centred, np.square(centred)], 1)
    wide = wide - wide.mean(0)
    sd = wide.std(0)
    wide = wide / np.where(sd > 1e-8, sd, 1.0)
    return np.asarray(wide @ wide.T / wide.shape[1])


def _scores(similarities: Array, labels: Array, fold: Rows) -> Array:
    """Return what the classifiers that did not see a row say of it, (P, N)."""
    found = np.empty(labels.shape)
    for number in np.unique(fold):
        held, shown = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        ridge = RIDGE * len(shown) * np.eye(len(shown))
        seen = similarities[np.ix_(shown, shown)] + ridge
        told = np.linalg.solve(seen, similarities[np.ix_(shown, held)])  # (shown, held)
        known = labels[:, shown]
        found[:, held] = (known - known.mean(1, keepdims=True)) @ told
    return np.round(found, 10)  # equal paths have equal scores


def _auc(scores: Array, labels: Flags, fold: Rows) -> float:
    """Return the share of pairs of a fold in which x scores higher, a tie counting half."""
    wins = pairs = 0.0
    for number in np.unique(fold):
        own, other = (scores[(fold == number) & chosen] for chosen in (labels, ~labels))
        other = np.sort(other)
        sides = [np.searchsorted(other, own, side).sum() for side in ("left", "right")]
        wins += sum(sides) / 2
        pairs += len(own) * len(other)
    return float(wins / pairs)


def _wins(x: Array, y: Array) -> Array:
    return np.asarray((x > y) + 0.5 * (x == y))
