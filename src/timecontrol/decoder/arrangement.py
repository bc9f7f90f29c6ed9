"""A document with a gap, as one sequence in which the missing sentences come last.

A causal model sees only what comes before. With L and R the sentences before and after the gap, M
the missing ones, each with its marks::

    right-first   BEGIN R [ BLANK ] L [ FILL ] M END       M follows L as in the document
    blanks        BEGIN L [ BLANK ] R [ FILL ] M END       (Donahue, Lee and Liang, 2020)

Units are counted in the order in which they stand here, so the plan's points are put into that
order, too. Where not all of L and R has room, the sentences next to the gap stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timecontrol.decoder.settings import RIGHT_FIRST
from timecontrol.tokens import Codec, Piece

MARKS = 4
"""Tokens besides sentences: begin, the two marks, end."""


@dataclass(frozen=True)
class Arranged:
    """What is read before the missing sentences."""

    ids: list[int]
    """Tokens, up to what begins the filling."""
    order: list[int]
    """Which sentences of the document these are, in the order in which they stand."""


def drawn_gap(sentences: int, most: int, random: np.random.Generator) -> range:
    """Return which sentences of a document are missing: 1 to ``most``, one or more are left.

    Their number is drawn, then their place, each evenly.
    """
    n = int(random.integers(1, min(most, sentences - 1) + 1))
    first = int(random.integers(0, sentences - n + 1))
    return range(first, first + n)


def near(costs: Sequence[int], gap: range, room: int) -> range:
    """Return the stretch of sentences about a gap that fits, the gap with it.

    Sentences are taken from both sides in turn, the left one first, as long as they have room; a
    side that has no room for its next one is given up.

    Args:
        costs: Tokens of each sentence of a document.
        gap: The missing ones.
        room: Tokens for the others.
    """
    low, high = gap.start, gap.stop
    open_left, open_right = low > 0, high < len(costs)
    while open_left or open_right:
        if open_left:
            open_left = costs[low - 1] <= room
            if open_left:
                low -= 1
                room -= costs[low]
                open_left = low > 0
        if open_right:
            open_right = costs[high] <= room
            if open_right:
                room -= costs[high]
                high += 1
                open_right = high < len(costs)
    return range(low, high)


def arranged(
    codec: Codec, pieces: Sequence[Piece], gap: range, within: range, how: str
) -> Arranged:
    """Return the sentences about a gap as a model of this arrangement reads them.

    Args:
        codec: With the marks of gaps.
        pieces: The sentences of the document; those in the gap are not looked at.
        gap: Which are missing.
        within: Which are read, the gap among them.
        how: ``right-first`` or ``blanks``.
    """
    assert codec.blank is not None
    assert codec.fill is not None
    left, right = range(within.start, gap.start), range(gap.stop, within.stop)
    one, other = (right, left) if how == RIGHT_FIRST else (left, right)
    ids = [codec.begin]
    for part, mark in ((one, codec.blank), (other, codec.fill)):
        for i in part:
            ids += codec.written(pieces[i])
        ids.append(mark)
    return Arranged(ids, [*one, *other])
