"""Are a document's sections in the order of its layout?

``ordered``           the paper's rule: every tag that must occur does, none more often than it may,
                      in the order of the layout; where turns alternate, they do; running numbers
                      rise
``ordered_released``  the rule of the authors' code, which is milder: a missing tag is no fault, and
                      of two speakers only the i-th turns of both are compared
``all_present``       every tag that must occur does

Over n documents, each with its binomial standard error::

    share = k / n,    error = sqrt(share (1 - share) / n)
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from timecontrol.corpora.layout import Layout

Tags = Sequence[str | None]
"""One a section, in the order of the document; ``None`` is text before the first tag."""
Numbers = Sequence[int | None]
"""One a section: the running number after its tag, ``None`` where there is none."""


def ordered(tags: Tags, layout: Layout, numbers: Numbers | None = None) -> bool:
    """Return whether a document is in order by the paper's rule.

    Args:
        tags: Of the sections.
        layout: What the document should look like.
        numbers: Of the sections. Paper: the steps of a how-to come in the order of their numbers.
            Not looked at where they are not given.
    """
    return not layout.faults(tags) and rising(tags, layout, numbers)


def ordered_released(tags: Tags, layout: Layout, numbers: Numbers | None = None) -> bool:
    """Return whether a document is in order by the rule of the authors' code.

    Sections: no tag twice unless it may repeat, the first places of the tags that occur rise in
    the order of the layout, and running numbers rise. Two speakers: the i-th turn of the first
    comes before the i-th turn of the second, for as many turns as both have; U U A A is in order,
    A U is not. Tags that the layout does not know are not seen.

    In the authors' code rising steps can hide a title that comes twice; here they do not.

    Args:
        tags: Of the sections.
        layout: What the document should look like.
        numbers: Of the sections; not looked at where they are not given.
    """
    places = {tag: [i for i, t in enumerate(tags) if t == tag] for tag in layout.tags}
    if two_speakers(layout):
        first, second = (places[tag] for tag in layout.tags)
        return all(a < b for a, b in zip(first, second, strict=False))
    if any(len(found) > 1 and tag not in layout.repeats for tag, found in places.items()):
        return False
    firsts = [found[0] for tag, found in places.items() if found and tag not in layout.floating]
    return firsts == sorted(firsts) and rising(tags, layout, numbers)


def all_present(tags: Tags, layout: Layout) -> bool:
    """Return whether every tag that may not be missing occurs."""
    return set(layout.tags) - layout.optional <= set(tags)


def two_speakers(layout: Layout) -> bool:
    """Return whether documents are turns of two speakers."""
    return (
        layout.unit == "utterance"
        and len(layout.tags) == 2
        and layout.floating == frozenset(layout.tags)
    )


def rising(tags: Tags, layout: Layout, numbers: Numbers | None) -> bool:
    """Return whether the numbers of every numbered tag rise, by one or more; ``None`` never does.

    Where no numbers are given there is nothing to object to.
    """
    if numbers is None:
        return True
    for tag in layout.numbered:
        found = [n for t, n in zip(tags, numbers, strict=True) if t == tag]
        known = [n for n in found if n is not None]
        if len(known) < len(found) or any(a >= b for a, b in pairwise(known)):
            return False
    return True


def ordering(
    documents: Sequence[Tags], layout: Layout, numbers: Sequence[Numbers] | None = None
) -> dict[str, Any]:
    """Return the shares of documents in order, as plain data.

    Args:
        documents: The tags of each.
        layout: What they should look like.
        numbers: The running numbers of each.

    Returns:
        ``n``; ``ordered``, ``released`` and ``all_present``, each a ``value`` and its ``error``.

    Raises:
        ValueError: There are no documents, or not as many numbers as tags.
    """
    if not documents:
        raise ValueError("there are no documents")
    given = [None] * len(documents) if numbers is None else numbers
    pairs = list(zip(documents, given, strict=True))
    return {
        "n": len(documents),
        "ordered": _share([ordered(tags, layout, own) for tags, own in pairs]),
        "released": _share([ordered_released(tags, layout, own) for tags, own in pairs]),
        "all_present": _share([all_present(tags, layout) for tags in documents]),
    }


def _share(found: list[bool]) -> dict[str, float]:
    share = sum(found) / len(found)
    return {"value": share, "error": math.sqrt(share * (1 - share) / len(found))}
