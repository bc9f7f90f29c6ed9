"""Which point of its plan each sentence of a text was written along.

A unit-end mark moves the plan on even where no sentence stands before it, and a tag ends a sentence
without moving it on, so sentence k need not belong to point k::

    ids        BEGIN  A A  [ . ]  [ . ]  B B  [ TAG ]  C C  [ . ]  END
    unit         0    0 0    1      2    2 2     2     2 2    3     3
    sentences         A                  B             C              units 0, 2, 2
"""

from collections.abc import Sequence

from timecontrol.tokens import Codec


def units_of(codec: Codec, ids: Sequence[int], index: Sequence[int]) -> tuple[int, ...]:
    """Return the unit of each sentence that ``codec.decode`` finds.

    Args:
        codec: How the text is written as tokens.
        ids: Of the text, from its begin token on.
        index: The unit of each token, as ``decoder.alignment.unit_index`` counts.
    """
    tags = set(codec.tag_ids.values())
    closing = {codec.unit_end, codec.end, *tags}
    lead = [codec.begin]  # with the tag, as long as its section is empty: a number may follow
    found, start = [], 1
    for stop, token in enumerate([*ids[1:], codec.end], 1):
        if token not in closing:
            continue
        unit = [*ids[start:stop], token]
        if codec.decode([codec.begin, *unit]):
            if codec.decode([*lead, *unit]):  # more than the number
                found.append(index[stop - 1])
            lead = [codec.begin]
        if token == codec.end:
            break
        if token in tags:
            lead = [codec.begin, token]
        start = stop + 1
    return tuple(found)
