"""In which order somebody sees the items: by chance, and the same whenever they come back.

The order is one permutation for each annotator, keyed by the study's seed and the name, spread so
that items of one example do not follow each other: from left to right the next item is taken that
is of another example than the one before, and an example that has more than half of what is left is
taken while there is another to put between. Two of one example are then neighbours only if one
example has more than half of all items.

Where a study wants so many annotators for each item, those with the fewest ratings come first, in
the same order, and those that have enough no more.
"""

import hashlib
from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence


def order(items: Mapping[str, str], seed: int, annotator: str) -> list[str]:
    """Return the items in the order of an annotator.

    Args:
        items: The example of each.
        seed: Of the study.
        annotator: By name.
    """

    def key(item: str) -> bytes:
        return hashlib.sha256(f"{seed}\0{annotator}\0{item}".encode()).digest()

    return spread(sorted(items, key=key), items)


def spread(items: Sequence[str], examples: Mapping[str, str]) -> list[str]:
    """Return items so that neighbours are of different examples, as far as that can be.

    Args:
        items: In any order, which is kept as far as that can be.
        examples: Of each.
    """
    waiting: dict[str, deque[str]] = {}
    for item in items:
        waiting.setdefault(examples[item], deque()).append(item)
    counts = Counter({example: len(own) for example, own in waiting.items()})
    largest = max(counts.values(), default=0)
    line, later, found = deque(items), deque[str](), list[str]()
    done: set[str] = set()
    last = None
    for left in range(len(items), 0, -1):
        taken: str | None = None
        if 2 * largest > left:  # only then can one example have more than half
            example, count = counts.most_common(1)[0]
            largest = count
            if 2 * count > left and example != last:
                taken = next(own for own in waiting[example] if own not in done)
        if taken is None:
            taken = _next(line, later, done, examples, last)
        done.add(taken)
        found.append(taken)
        last = examples[taken]
        counts[last] -= 1
    return found


def _next(
    line: deque[str],
    later: deque[str],
    done: set[str],
    examples: Mapping[str, str],
    last: str | None,
) -> str:
    """Return the first item of another example than the last, or the first there is.

    Args:
        line: Items that have not been looked at.
        later: Items that were passed over: all of one example.
        done: Items that have been taken.
        examples: Of each item.
        last: The example of the last one.
    """
    while later and later[0] in done:
        later.popleft()
    if later and examples[later[0]] != last:
        return later.popleft()
    while line:
        item = line.popleft()
        if item in done:
            continue
        if examples[item] != last:
            return item
        later.append(item)
    return later.popleft()


def next_of(
    line: Sequence[str],
    examples: Mapping[str, str],
    rated: Collection[str],
    counts: Mapping[str, int],
    wanted: int | None = None,
    last: str | None = None,
) -> str | None:
    """Return what an annotator sees next; ``None``: nothing is left.

    Args:
        line: The annotator's order.
        examples: Of each item.
        rated: What the annotator has rated.
        counts: How often each item has been rated, by anybody.
        wanted: Ratings of each item; ``None``: everybody rates all.
        last: The item that the annotator rated last.
    """
    left = [item for item in line if item not in rated]
    if wanted is None or not left:
        return left[0] if left else None
    left = [item for item in left if counts.get(item, 0) < wanted]
    fewest = min((counts.get(item, 0) for item in left), default=0)
    first = [item for item in left if counts.get(item, 0) == fewest]
    before = examples[last] if last is not None else None
    other = (item for item in first if examples[item] != before)
    return next(other, first[0] if first else None)
