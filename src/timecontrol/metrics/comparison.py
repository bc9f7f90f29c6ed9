"""How often does the original score higher than a corrupted version?

``accuracy``        a document against its own versions
``mixed_accuracy``  a document against the versions of all other documents: can scores of different
                    documents be compared?

A tie counts half; chance is 1/2. With the versions sorted, the number below a score is where it
would stand among them, so that no table of all pairs is needed::

    wins(i) = (#{c < s_i} + #{c <= s_i}) / 2
    mixed   = sum_i (wins(i) - own wins(i)) / sum_i (m - own versions(i))

In a resample a document that is drawn w_i times counts w_i times as an original and w_i times as
an owner of versions; it is never compared with its own versions.
"""

import numpy as np
from numpy.typing import NDArray

from timecontrol.metrics.intervals import Array, Estimate, estimate, ratio, resamples


def accuracy(
    original: Array, corrupted: Array, owner: NDArray[np.int64], seed: int = 0
) -> Estimate | None:
    """Return the share of versions that score lower than their own original.

    Args:
        original: Scores of documents, (n,), higher is better.
        corrupted: Scores of corrupted versions, (m,).
        owner: The document of each version, (m,). Documents without versions are left out.
        seed: Of the resamples.

    Returns:
        ``None`` where there are no versions.
    """
    check(original, corrupted)
    wins, versions = own_wins(original, corrupted, owner)
    kept = versions > 0
    return ratio(wins[kept], versions[kept], seed) if kept.any() else None


def mixed_accuracy(
    original: Array, corrupted: Array, owner: NDArray[np.int64], seed: int = 0
) -> Estimate | None:
    """Return the share of versions of other documents that score lower than an original.

    Args:
        original: Scores of documents, (n,), higher is better.
        corrupted: Scores of corrupted versions, (m,).
        owner: The document of each version, (m,). Documents without versions are left out.
        seed: Of the resamples.

    Returns:
        ``None`` where fewer than two documents have versions.
    """
    check(original, corrupted)
    wins, versions = own_wins(original, corrupted, owner)
    kept = versions > 0
    n = int(kept.sum())
    if n < 2:
        return None
    wins, versions, scores = wins[kept], versions[kept], original[kept]
    number = np.cumsum(kept) - 1  # of a document among those kept
    order = np.argsort(corrupted, kind="stable")
    ranked, holder = corrupted[order], number[owner[order]]
    below = np.searchsorted(ranked, scores, "left")  # (n,)
    not_above = np.searchsorted(ranked, scores, "right")

    def share(w: Array) -> float:
        """Return the accuracy where document i was drawn w_i times."""
        passed = np.concatenate([[0.0], np.cumsum(w[holder])])  # (m + 1,)
        won = w @ ((passed[below] + passed[not_above]) / 2 - w * wins)
        pairs = w.sum() * (w @ versions) - (w * w) @ versions
        return float(won / pairs)

    drawn = [share(w) for w in resamples(n, seed) if (w > 0).sum() > 1]
    return estimate(share(np.ones(n)), drawn, n)


def own_wins(original: Array, corrupted: Array, owner: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return how many of its versions each document beats, and how many it has, each (n,)."""
    n, ahead = len(original), original[owner] - corrupted
    won = np.where(ahead > 0, 1.0, np.where(ahead == 0, 0.5, 0.0))
    return (
        np.bincount(owner, won, n).astype(np.float64),
        np.bincount(owner, minlength=n).astype(np.float64),
    )


def check(*scores: Array) -> None:
    """Refuse scores that cannot be compared."""
    if not all(np.isfinite(part).all() for part in scores):
        raise ValueError("scores must be finite")
