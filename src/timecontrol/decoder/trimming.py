"""Long documents made shorter inside their sections.

A document cut at the window loses its last sections and its end, and a model trained on such
documents does not learn to come to either. Here sentences at the ends of sections are left out
until the rest fits; the last section keeps its last sentence, the document's end, and loses a
stretch before it. Which section gives one up is drawn by how many tokens it could still give, so
sections keep their proportions, and the draw is another one each epoch.
"""

from collections.abc import Sequence

import numpy as np

from timecontrol.tokens import Piece


def size(pieces: Sequence[Piece]) -> int:
    """Return the tokens of a document of these sentences, begin and end token included."""
    tags = sum(p.first and p.tag is not None for p in pieces)
    return 2 + tags + sum(cost(p) for p in pieces)


def cost(piece: Piece) -> int:
    """Return the tokens of a sentence with the marks about it, a tag left out."""
    return piece.opened + len(piece.ids) + piece.marked


def trim(pieces: Sequence[Piece], most: int, random: np.random.Generator) -> list[int]:
    """Return which sentences stay, so that the document has at most ``most`` tokens.

    Every section keeps its first sentence, the last one its last too. Where that is still too much
    (a dialogue has one utterance a section), neighbouring sections are left out in pairs from the
    inside, so that turns still alternate; at last, later sections go.

    Args:
        pieces: The sentences of a document, in order.
        most: Tokens, begin and end included.
        random: Where the draws come from.
    """
    over = size(pieces) - most
    if over <= 0:
        return list(range(len(pieces)))
    costs = np.array([cost(p) for p in pieces])
    section = np.array([p.section for p in pieces])
    parts = [np.flatnonzero(section == s) for s in range(section[-1] + 1)]
    goes = [list(rows[:0:-1]) for rows in parts[:-1]]  # from the end, all but the first
    goes.append(_stretch(parts[-1][1:-1], random))
    kept = np.ones(len(pieces), bool)
    spare = np.array([costs[rows].sum() if rows else 0 for rows in goes], float)
    while over > 0 and spare.any():
        s = int(random.choice(len(spare), p=spare / spare.sum()))
        row = goes[s].pop(0)
        kept[row] = False
        over -= int(costs[row])
        spare[s] -= costs[row]
    if over > 0 and len(parts[-1]) > 1:
        kept[-1] = False
        over -= int(costs[-1])
    if over > 0:
        kept &= _inner(pieces, section, over, random)
    return np.flatnonzero(kept).tolist()


def _stretch(rows: np.ndarray, random: np.random.Generator) -> list[int]:
    """Return rows in an order in which what has gone is always one stretch, drawn anywhere."""
    if len(rows) == 0:
        return []
    at = int(random.integers(len(rows)))
    return [*rows[at:].tolist(), *rows[:at][::-1].tolist()]


def _inner(
    pieces: Sequence[Piece], section: np.ndarray, over: int, random: np.random.Generator
) -> np.ndarray:
    """Return what stays when whole sections must go: each has but its first sentence left."""
    whole = [size([p for p in pieces if p.section == s and p.first]) - 2 for s in set(section)]
    here = list(range(len(whole)))
    while over > 0 and len(here) >= 4:
        at = int(random.integers(1, len(here) - 2))
        over -= whole[here[at]] + whole[here[at + 1]]
        del here[at : at + 2]
    while over > 0 and len(here) > 1:
        over -= whole[here.pop()]
    found: np.ndarray = np.isin(section, here)
    return found
