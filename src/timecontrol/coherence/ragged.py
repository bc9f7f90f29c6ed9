"""Documents of different lengths as one array: rows of all documents, one after the other.

Everything in this room works on many documents at once: ``rows``, (N, ...), and ``lengths``, (n,),
with sum(lengths) = N.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Ragged:
    """Where each row stands, for documents of so many rows each (none is empty)."""

    lengths: Counts

    @classmethod
    def of(cls, lengths: list[int] | Counts) -> "Ragged":
        """Return the layout of documents with so many rows each."""
        return cls(np.asarray(lengths, np.int64))

    @cached_property
    def starts(self) -> Counts:
        """The row each document begins at, (n,)."""
        return np.asarray(np.concatenate([[0], np.cumsum(self.lengths)[:-1]]), np.int64)

    @cached_property
    def document(self) -> Counts:
        """The document of each row, (N,)."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def position(self) -> Counts:
        """The place of each row in its document, from 0, (N,)."""
        return np.arange(len(self.document)) - self.starts[self.document]

    @cached_property
    def share(self) -> Array:
        """The same from 0 to 1, (N,); 0 in documents of one row."""
        return np.asarray(self.position / np.maximum(self.lengths - 1, 1)[self.document])

    @cached_property
    def first(self) -> NDArray[np.bool_]:
        """Whether a row is the first of its document, (N,)."""
        return np.asarray(self.position == 0)

    @cached_property
    def last(self) -> NDArray[np.bool_]:
        """Whether a row is the last of its document, (N,)."""
        return np.asarray(self.position == self.lengths[self.document] - 1)

    def total(self, rows: Array) -> Array:
        """Return the sum over each document's rows, (n, ...)."""
        return np.asarray(np.add.reduceat(rows, self.starts, axis=0)) if len(rows) else rows

    def mean(self, rows: Array) -> Array:
        """Return the mean over each document's rows, (n, ...)."""
        shape = (-1,) + (1,) * (rows.ndim - 1)
        return np.asarray(self.total(rows) / self.lengths.reshape(shape))

    def lowest(self, rows: Array, share: float) -> Array:
        """Return the mean over each document's lowest rows, so large a share of them, (n,)."""
        order = np.lexsort([rows, self.document])
        count = np.ceil(share * self.lengths).astype(np.int64)
        kept = np.where(self.position < count[self.document], rows[order], 0.0)
        return np.asarray(self.total(kept) / count)

    def before(self, rows: Array, by: int = 1) -> Array:
        """Return the row ``by`` places earlier in the same document, or zeros, (N, ...)."""
        found = np.zeros_like(rows)
        found[by:] = rows[:-by]
        found[self.position < by] = 0
        return found

    def after(self, rows: Array, by: int = 1) -> Array:
        """Return the row ``by`` places later in the same document, or zeros, (N, ...)."""
        found = np.zeros_like(rows)
        found[:-by] = rows[by:]
        found[self.position >= (self.lengths - by)[self.document]] = 0
        return found

    def split(self, rows: Array) -> list[Array]:
        """Return each document's rows."""
        return np.split(rows, self.starts[1:])
