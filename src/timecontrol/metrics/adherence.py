"""Does a text follow its plan?

A text was written from a plan p_1 .. p_n of latents; its sentences, encoded again, are f_1 .. f_m
in the same space. The first min(n, m) points are compared, in each dimension, over all documents::

    r2        = 1 - sum (p - f)^2 / sum (p - mean p)^2      1: as planned; 0: as good as a constant
    explained = cov(p, f)^2 / (var p  var f)                the same, free of scale and offset
    progress  = the rank correlation of p and f along an axis within a document, mean of documents

Plans of one corpus are alike: a text follows any of them to some degree. So the same is computed
against plans of other documents (``permuted``); the difference is the part of a plan that is its
own (``own``). Encoding text again adds errors: 1 is out of reach.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.metrics.intervals import Array, estimate, ratio, resamples

Paths = Sequence[Array]
"""Points of each document, (sentences, d)."""

STILL = 1e-9
"""What moves less than this, relative to its size, does not move: rounding."""


@dataclass(frozen=True)
class Map:
    """A linear map from one latent space to another."""

    weight: Array
    """(e, d)."""
    bias: Array
    """(d,)."""

    def __call__(self, points: Array) -> Array:
        """Map points, (n, e) to (n, d)."""
        return np.asarray(points @ self.weight + self.bias)


def linear_map(source: Array, target: Array, ridge: float = 1.0) -> Map:
    """Return the map that takes another encoder's latents into the space of the plans.

    W = (X^T X + ridge I)^-1 X^T (Y - mean Y),   X = source, each feature to mean 0 and variance 1

    Args:
        source: Latents of sentences by the other encoder, (n, e).
        target: Of the same sentences by the encoder of the plans, (n, d).
        ridge: How strongly W is held small. The scale of a feature does not matter.
    """
    centre, scale = source.mean(0), source.std(0)  # (e,)
    scale = np.where(scale > STILL * np.abs(source).max(0), scale, 1)  # a constant stays 0
    x = (source - centre) / scale
    middle = target.mean(0)  # (d,)
    w = np.linalg.solve(x.T @ x + ridge * np.eye(x.shape[1]), x.T @ (target - middle))
    weight = w / scale[:, None]  # (e, d)
    return Map(weight, middle - centre @ weight)


def r2(plans: Paths, found: Paths) -> Array:
    """Return 1 - sum (p - f)^2 / sum (p - mean p)^2, (d,); NaN where no plan moves."""
    return r2_of(sums(plans, found).sum(0))


def explained(plans: Paths, found: Paths) -> Array:
    """Return the squared correlation of p and f, (d,).

    0 where the texts stand still, NaN where the plans do.
    """
    return explained_of(sums(plans, found).sum(0))


def progress(path: Array, axis: Array) -> Array:
    """Return how far along an axis, (d,), each point of a path, (n, d), is: (n,)."""
    length = np.linalg.norm(axis)
    if not length > 0:
        raise ValueError("the axis must have a direction")
    return np.asarray((path * (axis / length)).sum(1))


def progress_correlation(plans: Paths, found: Paths, axis: Array) -> tuple[float, int]:
    """Return the mean rank correlation of planned and found progress, and who was skipped.

    Documents with fewer than three points to compare, or whose plan stands still on the axis, are
    skipped and counted; the mean is NaN where all are. A text that stands still has 0.
    """
    each = correlations(plans, found, axis)
    kept = np.isfinite(each)
    return float(each[kept].mean()) if kept.any() else np.nan, int((~kept).sum())


def correlations(
    plans: Paths, found: Paths, axis: Array, partner: NDArray[np.int64] | None = None
) -> Array:
    """Return the rank correlation of each document, (n,), NaN where it is skipped.

    Args:
        plans: Of each document.
        found: Of each document.
        axis: (d,).
        partner: The document whose plan each is compared with, (n,); its own by default.
    """
    each = []
    for p, f in common(plans, found, partner):
        planned = progress(p, axis)
        moves = len(p) > 2 and np.ptp(planned) > STILL * np.abs(p).max()
        each.append(spearman(planned, progress(f, axis)) if moves else np.nan)
    return np.array(each)


def spearman(x: Array, y: Array) -> float:
    """Return the correlation of the ranks of x and y, each (n,); 0 where either is constant."""
    a, b = ranks(x), ranks(y)
    a, b = a - a.mean(), b - b.mean()
    size = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / size) if size > 0 else 0.0


def ranks(x: Array) -> Array:
    """Return ranks from 1 on, (n,); equal numbers share the mean of theirs."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place])


def common(
    plans: Paths, found: Paths, partner: NDArray[np.int64] | None = None
) -> list[tuple[Array, Array]]:
    """Return plan and found path of each document, cut to the length both have."""
    chosen = plans if partner is None else [plans[j] for j in partner]
    pairs = []
    for p, f in zip(chosen, found, strict=True):
        if p.ndim != 2 or p.shape[1:] != f.shape[1:]:
            raise ValueError(f"a plan {p.shape} and a path {f.shape} are not in one space")
        if not (np.isfinite(p).all() and np.isfinite(f).all()):
            raise ValueError("points must be finite")
        n = min(len(p), len(f))
        pairs.append((p[:n], f[:n]))
    return pairs


def sums(plans: Paths, found: Paths, partner: NDArray[np.int64] | None = None) -> Array:
    """Return of each document n, sum p, f, p^2, f^2, p f and (p - f)^2: (documents, 7, d).

    They add up over documents, so that a resample needs no points. p and f are counted from the
    first point of the first plan and text, so that rounding stays small and a constant is 0.
    """
    origin, other = (next(x[0] for x in paths if len(x)) for paths in (plans, found))  # (d,)
    each = []
    for p, f in common(plans, found, partner):
        a, b = _from(origin, p), _from(other, f)
        each.append(np.stack([np.ones_like(a), a, b, a * a, b * b, a * b, (p - f) ** 2]).sum(1))
    return np.stack(each)


def _from(origin: Array, path: Array) -> Array:
    apart = path - origin
    return np.where(np.abs(apart) > STILL * np.abs(origin), apart, 0)


def r2_of(total: Array) -> Array:
    """Return r2 from the sums over documents, (7, d) to (d,)."""
    n, p, _, pp, _, _, error = total
    return np.asarray(1 - error / _moving(pp - p * p / n, pp))


def explained_of(total: Array) -> Array:
    """Return explained from the sums over documents, (7, d) to (d,)."""
    n, p, f, pp, ff, pf, _ = total
    planned, seen = _moving(pp - p * p / n, pp), _moving(ff - f * f / n, ff)
    share = (pf - p * f / n) ** 2 / planned / seen
    return np.asarray(np.where(np.isnan(seen) & np.isfinite(planned), 0, share))


def _moving(spread: Array, size: Array) -> Array:
    """Return sums of squares about the mean, (d,), NaN where they are only rounding."""
    return np.where(spread > 1e-12 * size, spread, np.nan)


MEASURES = {"r2": r2_of, "explained": explained_of}


def other_documents(n: int, state: np.random.Generator) -> NDArray[np.int64]:
    """Return for each of n documents another one, (n,), each used once."""
    while True:
        order = state.permutation(n)
        if (order != np.arange(n)).all():
            return order


def adherence(
    plans: Paths, found: Paths, axis: Array, permutations: int = 20, seed: int = 0
) -> dict[str, Any]:
    """Return how well texts follow their plans, and how well plans of others, as plain data.

    Args:
        plans: Of each document, (n_i, d).
        found: The text of each, encoded again and in the space of the plans, (m_i, d).
        axis: The direction of progress, (d,), such as from the mean start to the mean end.
        permutations: How often plans are dealt out to other documents.
        seed: Of permutations and resamples.

    Returns:
        ``documents`` and ``points`` that are compared; ``empty``, the documents without any;
        ``skipped``, those without a rank correlation. ``r2`` and ``explained`` have ``each``
        dimension (``None``: no plan moves) and the ``mean`` over those that move; ``progress``
        has a ``mean``; means are estimates over documents (``Estimate.as_dict``).
        ``permuted`` has the same three against plans of other documents, ``own`` the difference:
        both ``None`` with fewer than two documents or no permutations. The interval of
        ``permuted`` is over texts, with the plans they met fixed.

    Raises:
        ValueError: There is nothing to compare.
    """
    pairs = [(p, f) for p, f in zip(plans, found, strict=True) if len(p) and len(f)]
    if not pairs:
        raise ValueError("no document has a point to compare")
    plans, found, given = [p for p, _ in pairs], [f for _, f in pairs], len(plans)
    n, state = len(pairs), np.random.default_rng(seed)
    total, rho = sums(plans, found), correlations(plans, found, axis)  # (n, 7, d), (n,)
    result: dict[str, Any] = {
        "documents": n,
        "points": int(total[:, 0, 0].sum()),
        "empty": given - n,
        "skipped": int(np.isnan(rho).sum()),
        **_summary([total], rho, seed),
        "permutations": permutations,
        "permuted": None,
        "own": None,
    }
    if n > 1 and permutations > 0:
        dealt = [other_documents(n, state) for _ in range(permutations)]
        others = np.mean([sums(plans, found, order) for order in dealt], 0)  # (n, 7, d)
        strange = _mean_known(np.stack([correlations(plans, found, axis, o) for o in dealt]))
        result["permuted"] = _summary([others], strange, seed)
        result["own"] = _summary([total, others], rho - strange, seed)
    return result


def _summary(tables: Sequence[Array], rho: Array, seed: int) -> dict[str, Any]:
    """Return the measures of one table of sums, (n, 7, d), or of the first less the second."""

    def at(w: Array, measure: Callable[[Array], Array]) -> Array:
        """Return a measure, (d,), where document i was drawn w_i times."""
        values = [measure(np.tensordot(w, table, 1)) for table in tables]
        return values[0] if len(values) == 1 else values[0] - values[1]

    n, known = len(rho), rho[np.isfinite(rho)]
    found: dict[str, Any] = {}
    for name, measure in MEASURES.items():
        each = at(np.ones(n), measure)
        drawn = [float(_mean_known(at(w, measure))) for w in resamples(n, seed)]
        drawn = [value for value in drawn if np.isfinite(value)]  # a resample may stand still
        mean = estimate(float(_mean_known(each)), drawn, n).as_dict() if drawn else None
        found[name] = {"each": [x if np.isfinite(x) else None for x in each.tolist()], "mean": mean}
    mean = ratio(known, np.ones(len(known)), seed).as_dict() if len(known) else None
    return {**found, "progress": {"mean": mean}}


def _mean_known(x: Array) -> Array:
    """Return the mean over the first axis of what is not NaN; NaN where nothing is."""
    known = np.isfinite(x)
    counts = known.sum(0)
    return np.asarray(np.where(known, x, 0).sum(0) / np.where(counts > 0, counts, np.nan))
