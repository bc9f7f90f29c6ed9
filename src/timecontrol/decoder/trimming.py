"""Long documents made shorter inside their sections.

A document cut at the window loses its last sections and its end, and a model trained on such
documents does not learn to come to either. Here sentences at the ends of sections are left out
until the rest fits; which section gives one up is drawn by how many tokens it could still give, so
sections keep their proportions, and the draw is another one each epoch.
"""

from collections.abc import Sequence

import numpy as np

from timecontrol.tokens import Piece


def size(pieces: Sequence[Piece]) -> int:
    """Return the tokens of a document of these sentences, begin and end token included."""
    tags = sum(p.first and p.tag is not None for p in pieces)
    return 2 + tags + sum(len(p.ids) + p.marked for p in pieces)


def trim(pieces: Sequence[Piece], most: int, random: np.random.Generator) -> list[int]:
    """Return which sentences stay, so that the document has at most ``most`` tokens.

    Every section keeps its first sentence. Where that is still too much (a dialogue has one
    utterance a section), neighbouring sections are left out in pairs from the inside, so that turns
    still alternate; at last, later sections go.

    Args:
        pieces: The sentences of a document, in order.
        most: Tokens, begin and end included.
        random: Where the draws come from.
    """
    over = size(pieces) - most
    if over <= 0:
        return list(range(len(pieces)))
    cost = np.array([len(p.ids) + p.marked for p in pieces])
    section = np.array([p.section for p in pieces])
    last = [int(np.flatnonzero(section == s)[-1]) for s in range(section[-1] + 1)]
    first = [int(np.flatnonzero(section == s)[0]) for s in range(section[-1] + 1)]
    spare = np.array([cost[a + 1 : b + 1].sum() for a, b in zip(first, last, strict=True)])
    kept = np.ones(len(pieces), bool)
    while over > 0 and spare.any():
        s = int(random.choice(len(spare), p=spare / spare.sum()))
        kept[last[s]] = False
        over -= int(cost[last[s]])
        spare[s] -= cost[last[s]]
        last[s] -= 1
    if over > 0:
        kept &= _inner(pieces, section, over, random)
    return np.flatnonzero(kept).tolist()


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
