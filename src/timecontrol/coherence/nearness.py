"""How alike a sentence is to those around it, in the space of the base: needs no training.

    c_t = sum_s w_s cos(x_t, x_s) / sum_s w_s,     w_s = 2^-|t - s|,  s != t,  |t - s| <= 8

A sentence that says the same again (a cosine above 0.98) tells nothing new, and counts as not alike
at all. The one term that means the same for a text of any kind.
"""

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.ragged import Array, Ragged

DECAY = 0.5
REACH = 8
SAME = 0.98
"""Cosine above which a sentence is one that was said before."""


def nearness(unit: NDArray[np.floating], layout: Ragged, decay: float = DECAY) -> Array:
    """Return c_t of every sentence; 0 for a document of one sentence.

    Args:
        unit: Features at unit length, (N, D).
        layout: Of the documents.
        decay: Of the weight with each sentence farther away.
    """
    found, weights = np.zeros(len(unit)), np.zeros(len(unit))
    position, length = layout.position, layout.lengths[layout.document]
    for lag in range(1, REACH + 1):
        near = np.zeros(len(unit))  # cos of t and t - lag
        near[lag:] = np.einsum("nd,nd->n", unit[lag:], unit[:-lag])
        near[(position < lag) | (near > SAME)] = 0
        w = decay ** (lag - 1)
        found += w * (near + layout.after(near, lag))
        weights += w * ((position >= lag) + (position < length - lag) * 1.0)
    return np.asarray(found / np.where(weights > 0, weights, 1))
