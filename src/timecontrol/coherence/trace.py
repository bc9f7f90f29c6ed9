"""How well each sentence fits, compared with known sentences: low where the thread breaks.

In nats, for a sentence of a document with trust g, where learned terms count l::

    v = g l (context + place - u / 4) - g STRANGE o + LIKE nearness

with u its surprise given its neighbours on the bridge and o how much farther outside the directions
of the context it lies than EDGE standard deviations of known sentences. A sentence from another
world has nothing to say within the directions of this one: o finds it. The trace is v less its mean
over known sentences, over its standard deviation there; first and last sentences are compared with
such ones, the others with the others.
"""

import numpy as np

from timecontrol.coherence.ragged import Array, Ragged
from timecontrol.coherence.reference import percentiles

LIKE = 30.0
"""Nats a unit of cosine is worth."""
WEIGHTS = np.array([0.25, 1.0, 1.0, LIKE])
"""Of -u, place, context and nearness."""
STRANGE, EDGE = 12.0, 2.0
"""Nats that a standard deviation outside the known directions costs, and from where on."""
LEAST = 0.02
"""The least standard deviation of a squared distance from the directions, of unit features."""
OUTSIDE, END = 4, 5
"""Columns behind the four terms: the squared distance, and whether it is a first or last one."""


def trace_of(
    rows: Array, known: Array, trust: Array, learned: float, layout: Ragged
) -> tuple[Array, Array]:
    """Return the trace of sentences, and its percentiles among known ones, 0 to 100, each (N,).

    Args:
        rows: Terms of sentences and their squared distances outside, (N, 5).
        known: The same of reference sentences, and whether first or last, (r, 6).
        trust: g of the documents, (n,).
        learned: l.
        layout: Of the documents.
    """
    far = known[:, OUTSIDE]
    mean, sd = float(far.mean()), max(float(far.std()), LEAST)
    weights = np.column_stack([WEIGHTS * fading(learned * trust), -STRANGE * trust])  # (n, 5)
    each = weights[layout.document]
    at_end = layout.first | layout.last
    trace, ranks = np.empty(len(rows)), np.empty(len(rows))
    for end in (False, True):
        usual = stranger(known[known[:, END] == end, :END], mean, sd)
        here = at_end == end
        own, values = each[here], stranger(rows[here], mean, sd)
        spread = np.sqrt(np.einsum("nk,kl,nl->n", own, np.cov(usual.T), own))
        trace[here] = ((values - usual.mean(0)) * own).sum(1) / np.maximum(spread, 1e-12)
        ranks[here] = percentiles(usual, own, (values * own).sum(1))
    return trace, ranks


def stranger(rows: Array, mean: float, sd: float) -> Array:
    """Return rows with how much farther outside than usual they lie in the last column."""
    beyond = np.maximum((rows[:, OUTSIDE] - mean) / sd - EDGE, 0)
    return np.column_stack([rows[:, :OUTSIDE], beyond])


def fading(trust: Array) -> Array:
    """Return (g, g, g, 1) for each document's g, (n, 4)."""
    return np.column_stack([trust, trust, trust, np.ones(len(trust))])
