"""Documents out of order: blocks of sentences permuted, or sentences within short windows.

``block``    a document is cut into blocks of b consecutive sentences (the last may be shorter),
             and the blocks are permuted; first and last sentence move too
``windows``  w windows of 3 consecutive sentences that do not overlap are shuffled inside, the rest
             stays; only documents of more than 10 sentences

The identity is never drawn, nor in any window. Each draw comes from a random state of its own, so
that it does not depend on which other documents there are.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

Orders = NDArray[np.int64]

WINDOW = 3
"""Sentences of a window."""
LONGER_THAN = 10
"""Sentences that a document must exceed for windows."""


def random_state(seed: int, document: str, kind: str) -> np.random.Generator:
    """Return the random state of one kind of draw in one document."""
    digest = hashlib.sha256(f"{kind}\n{document}".encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng((seed, int.from_bytes(digest[:8], "little")))


def block_orders(n: int, block: int, count: int, state: np.random.Generator) -> Orders:
    """Return ``count`` orders of n sentences in which blocks are permuted, (count, n).

    None, (0, n), where there are fewer than two blocks.
    """
    blocks = [np.arange(start, min(start + block, n)) for start in range(0, n, block)]
    if len(blocks) < 2:
        return np.empty((0, n), np.int64)
    drawn = [other_order(len(blocks), state) for _ in range(count)]
    found = [np.concatenate([blocks[i] for i in order]) for order in drawn]
    return np.array(found, np.int64).reshape(count, n)


def window_orders(n: int, windows: int, count: int, state: np.random.Generator) -> Orders:
    """Return ``count`` orders of n sentences in which so many windows are shuffled, (count, n).

    None, (0, n), where the document is too short. All places of the windows are equally probable.
    """
    free = n - windows * (WINDOW - 1)  # each window drawn together to one place
    if n <= LONGER_THAN or free < windows:
        return np.empty((0, n), np.int64)
    found = np.tile(np.arange(n), (count, 1))
    for row in found:
        places = np.sort(state.choice(free, windows, replace=False))
        for number, place in enumerate(places):
            start = place + number * (WINDOW - 1)
            row[start : start + WINDOW] = start + other_order(WINDOW, state)
    return found


def other_order(n: int, state: np.random.Generator) -> Orders:
    """Return an order of n things that is not the one they are in, (n,); all are as probable."""
    while True:
        order = state.permutation(n)
        if (order != np.arange(n)).any():
            return order
