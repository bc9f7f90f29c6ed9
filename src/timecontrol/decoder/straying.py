"""Sentences of a training document that have changed places.

What a decoder writes is never quite what its plan says: an abstract tells of wars, and then the tag
of the history does not come, for in training no history stood in an abstract. Here some sentences
change places, from anywhere in the document, while the plan stays what it was. They are read, and
their words are not learnt (that no tag stands within them still is); what comes after them is
learnt from the plan. Nothing is said twice, and the document is as long as before.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from timecontrol.tokens import Piece


def strayed(
    pieces: Sequence[Piece],
    share: float,
    random: np.random.Generator,
    numbered: Collection[str] = (),
) -> tuple[list[Piece], list[int]]:
    """Return the sentences of a document, and which of them are not where they were.

    Args:
        pieces: The sentences, in order; their tags and marks stay.
        share: Of the sentences that change places: none where but one is drawn.
        random: Where the draws come from; with a share of 0, none are.
        numbered: Tags of sections whose first sentence holds a number: it stays where it is.
    """
    found, which = list(pieces), list[int]()
    if not share:
        return found, which
    free = [i for i, p in enumerate(pieces) if not (p.first and p.tag in numbered)]
    drawn = [i for i in free if random.random() < share]
    for marked in (False, True):  # without a mark, a sentence has its own period
        own = [i for i in drawn if pieces[i].marked == marked]
        order = random.permutation(len(own)).tolist()
        for k, place in enumerate(order):  # each goes to the next in a circle
            other = pieces[own[order[k - 1]]].ids
            if other != pieces[own[place]].ids:
                found[own[place]] = replace(pieces[own[place]], ids=other)
                which.append(own[place])
    return found, sorted(which)


def spans(pieces: Sequence[Piece]) -> list[range]:
    """Return where the words of each sentence stand in the document that they make."""
    found, at = [], 1  # after the begin token
    for piece in pieces:
        at += piece.tag is not None if piece.first else piece.opened
        found.append(range(at, at + len(piece.ids)))
        at += len(piece.ids) + piece.marked
    return found
