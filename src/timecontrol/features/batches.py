"""Sentences of unequal length to batches of nearly equal length.

Longest first: padding is then small everywhere, and what does not fit into memory fails at once.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


def by_length(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order that puts the longest first; equals stay in their order."""
    return np.argsort(-lengths, kind="stable")


def spans(lengths: NDArray[np.int64], budget: int) -> Iterator[tuple[int, int]]:
    """Yield [start, stop) of batches with at most ``budget`` tokens, padding counted.

    Args:
        lengths: Descending.
        budget: Most tokens of a batch; a sentence longer than that is a batch of its own.
    """
    start = 0
    while start < len(lengths):
        rows = max(1, budget // int(lengths[start]))
        yield start, min(start + rows, len(lengths))
        start += rows


class Ragged:
    """Many short lists of token ids in one flat array."""

    def __init__(self, rows: list[list[int]]) -> None:
        self.lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.flat = np.fromiter((i for row in rows for i in row), np.int64, int(self.starts[-1]))

    def __len__(self) -> int:
        return len(self.lengths)

    def padded(self, rows: NDArray[np.int64], fill: int) -> NDArray[np.int64]:
        """Return the chosen rows side by side, filled up on the right, (rows, longest)."""
        lengths = self.lengths[rows]
        columns = np.arange(int(lengths.max()))
        inside = columns < lengths[:, None]
        places = np.where(inside, self.starts[rows][:, None] + columns, 0)
        return np.where(inside, self.flat[places], fill)
