"""Does a text come to what was asked for?

Text i was asked for goal a_i, one of m. Another encoder reads what the text says at the place where
the goal belongs, x_i, and the goals themselves, g_1 .. g_m, in one latent space::

    D_ij   = |x_i - g_j|
    nearer = mean over j != a_i of [D_{i a_i} < D_ij]      0.5: no steering; a tie counts half
    rank   = 1 + (m - 1) (1 - nearer)                      of the own goal; (m + 1) / 2: no steering
    margin = mean over j != a_i of D_ij - D_{i a_i}        how much nearer; 0: no steering

each of a text, and the mean over texts. Some goals are nearer to any text than others; where every
goal is asked for equally often that is nobody's gain. Texts that were asked for nothing, compared
with the same goals, show what chance gives.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.metrics.intervals import Array, mean_over

Numbers = NDArray[np.int64]

WIDTH = 3
"""Sentences that are read at a place."""


def sentence_at(share: float, n: int) -> int:
    """Return which of n sentences stands at a share of a document: round(share * (n - 1))."""
    return round(share * (n - 1))


def sentences_about(share: float, n: int, width: int = WIDTH) -> range:
    """Return the sentences about a share of a document of n, as many on either side.

    Near an end they are the nearest that there are: about 1 the last, about 0 the first.

    Args:
        share: From 0 to 1.
        n: Sentences.
        width: How many are wanted; all, where there are fewer.
    """
    first = max(0, min(sentence_at(share, n) - width // 2, n - width))
    return range(first, min(first + width, n))


def distances(found: Array, asked: Array) -> Array:
    """Return |x_i - g_j|, (n, d) and (m, d) to (n, m)."""
    return np.asarray(np.linalg.norm(found[:, None] - asked[None], axis=-1))


def nearer(apart: Array, own: Numbers) -> Array:
    """Return the share of other goals that a text is farther from than from its own, (n,).

    Args:
        apart: Distances from the goals, (n, m), m > 1.
        own: The goal that each text was asked for, (n,).
    """
    mine, others = _parts(apart, own)
    return np.asarray(((mine < others) + 0.5 * (mine == others)).mean(1))


def margin(apart: Array, own: Numbers) -> Array:
    """Return how much farther a text is from other goals than from its own, (n,)."""
    mine, others = _parts(apart, own)
    return np.asarray((others - mine).mean(1))


def _parts(apart: Array, own: Numbers) -> tuple[Array, Array]:
    """Return the distance from the own goal, (n, 1), and those from the others, (n, m - 1)."""
    n, m = apart.shape
    if m < 2:
        raise ValueError("there are no other goals")
    theirs = np.arange(m) != own[:, None]  # (n, m)
    return apart[np.arange(n), own][:, None], apart[theirs].reshape(n, m - 1)


def steered(found: Array, asked: Array, own: Numbers, seed: int = 0) -> dict[str, Any]:
    """Return how near texts come to their own goals, as plain data.

    Args:
        found: What texts say at the place, (n, d).
        asked: The goals, (m, d), m > 1.
        own: The goal that each text was asked for, (n,).
        seed: Of the resamples.

    Returns:
        ``nearer``, ``rank`` and ``margin``: estimates (``Estimate.as_dict``) over texts; texts of
        one goal are drawn together.
    """
    apart = distances(found, asked)
    share = nearer(apart, own)
    each = {
        "nearer": share,
        "rank": 1 + (len(asked) - 1) * (1 - share),
        "margin": margin(apart, own),
    }
    return {name: mean_over(values, own, seed).as_dict() for name, values in each.items()}


def gained(
    found: Array, control: Array, asked: Array, own: Numbers, seed: int = 0
) -> dict[str, float]:
    """Return by how much ``nearer`` is larger than where nothing was asked for, an estimate.

    Args:
        found: What texts say at the place, (n, d).
        control: The same of texts of the same random numbers that were asked for nothing, (n, d).
        asked: The goals, (m, d), m > 1.
        own: The goal that each text was asked for, (n,).
        seed: Of the resamples.
    """
    one, two = (nearer(distances(x, asked), own) for x in (found, control))
    return mean_over(one - two, own, seed).as_dict()
