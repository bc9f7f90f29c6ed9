"""What an objective compares: triplets, pairs and windows of sentences of one document.

All sentences of all documents stand in one row; a document is a stretch of it. Every sentence with
two before it is the end of a triplet once an epoch, and the other two are drawn uniformly from
those before it. (The authors' code also visits the first two sentences of a document and takes the
third instead of them, so that it comes three times.) Every batch has a random state of its own,
(seed, epoch, batch), so that an interrupted epoch can be gone on with.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Index:
    """Where each sentence stands, for n sentences in documents."""

    position: Tensor
    """Its number in its document, from 0, (n,)."""
    length: Tensor
    """The number of sentences of its document, (n,)."""

    @classmethod
    def of(cls, lengths: list[int]) -> "Index":
        """Return the index of documents with so many sentences each."""
        position = torch.cat([torch.arange(n) for n in lengths]) if lengths else torch.arange(0)
        sizes = torch.tensor(lengths, dtype=torch.long)
        return cls(position, sizes.repeat_interleave(sizes))

    def ends(self, before: int) -> Tensor:
        """Return the sentences with at least so many before them in their document."""
        return torch.nonzero(self.position >= before).squeeze(1)


@dataclass(frozen=True)
class Triplets:
    """Sentences x_0, x_t, x_T of one document each, in order; numbers in the whole row, (N,)."""

    first: Tensor
    middle: Tensor
    last: Tensor

    def times(self) -> tuple[Tensor, Tensor]:
        """Return t and T: sentences from the first to the middle and to the last."""
        return (self.middle - self.first).float(), (self.last - self.first).float()


def random_state(*key: int) -> torch.Generator:
    """Return a generator that depends on the numbers of the key, each below 2^31, and no more."""
    seed = 0x9E3779B9
    for number in key:
        seed = (seed * 6364136223846793005 + number + 1442695040888963407) % 2**63
        seed ^= seed >> 29
    return torch.Generator().manual_seed(seed)


def batches(
    index: Index, ends: Tensor, size: int, *key: int, together: int = 1
) -> Iterator[tuple[Tensor, torch.Generator]]:
    """Yield batches of an epoch's shuffled sentences, each with its own random state.

    The last, partial batch is left out unless it is the only one.

    Args:
        index: Where sentences stand.
        ends: The sentences of the epoch, (n,).
        size: Of a batch.
        *key: Of the random state.
        together: So many sentences of one document stay next to each other, so that a sentence's
            negatives are often of its own document. 1: none do.
    """
    state = random_state(*key)
    order = ends[torch.randperm(len(ends), generator=state)]
    if together > 1:
        order = order[grouped(order - index.position[order], together, state)]
    whole = max(1, len(order) // size)
    for number in range(whole):
        yield order[number * size : (number + 1) * size], random_state(*key, number)


def grouped(documents: Tensor, together: int, state: torch.Generator) -> Tensor:
    """Return an order in which items of one document stand in groups, the groups at random.

    Args:
        documents: The document of each item, (n,).
        together: Most items of a group.
        state: Where the order of the groups comes from.
    """
    order = torch.argsort(documents, stable=True)
    counts = torch.bincount(documents)
    counts = counts[counts > 0]
    groups = (counts + together - 1) // together  # of each document
    first = (groups.cumsum(0) - groups).repeat_interleave(counts)
    rank = torch.cat([torch.arange(n) for n in counts.tolist()])
    group = first + rank // together  # (n,)
    place = torch.randperm(int(groups.sum()), generator=state)[group]
    return order[torch.argsort(place, stable=True)]


def triplets(index: Index, ends: Tensor, generator: torch.Generator, distance: int = 0) -> Triplets:
    """Return a triplet that ends in each of the given sentences.

    Args:
        index: Where sentences stand.
        ends: Sentences with at least two (2 ``distance``) before them, (N,).
        generator: Where the draws come from.
        distance: If not 0, the sentences stand exactly so far from each other.
    """
    if distance:
        return Triplets(ends - 2 * distance, ends - distance, ends)
    before = index.position[ends].double()  # T; two distinct positions of 0 .. T - 1
    draws = torch.rand(2, len(ends), generator=generator, dtype=torch.double)
    a = (draws[0] * before).long()
    b = (draws[1] * (before - 1)).long()
    b += b >= a  # uniform over those that are not a
    start = ends - index.position[ends]
    return Triplets(start + torch.minimum(a, b), start + torch.maximum(a, b), ends)


def windows(index: Index, ends: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Return the windows before each sentence, (N, width), and the sentences themselves, (N,).

    A window that would begin before its document is filled with its own last sentence, as in the
    authors' code.
    """
    now = ends - 1
    back = torch.arange(width - 1, -1, -1)
    inside = back <= index.position[now].unsqueeze(1)
    return torch.where(inside, now.unsqueeze(1) - back, now.unsqueeze(1)), ends
