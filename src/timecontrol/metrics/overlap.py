"""How much of a text stands in the documents that its writer was trained on?

With the word n-grams of the training documents known::

    overlap  = #{n-grams of the text that are known} / #{n-grams of the text}
    longest  = words of the longest stretch of the text of which every n-gram is known

A stretch may be put together from several documents, so what was copied from one is never longer
than ``longest``. A word is what ``repetition`` takes for one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from timecontrol.metrics.repetition import words_of

N = 8
"""Words of an n-gram."""


@dataclass(frozen=True)
class Overlap:
    """What of a text is known."""

    share: float
    """Of its n-grams, between 0 and 1; 0 where it has none."""
    longest: int
    """Words; 0 where no n-gram is known."""


def known_grams(documents: Iterable[Sequence[str]], n: int = N) -> set[int]:
    """Return the n-grams of documents, each given as its sentences, as hashes of this process."""
    found: set[int] = set()
    for sentences in documents:
        found.update(_grams(words_of(sentences), n))
    return found


def overlap(sentences: Sequence[str], known: set[int], n: int = N) -> Overlap:
    """Return how much of a text is known.

    Args:
        sentences: The text.
        known: As ``known_grams`` gives, for the same n.
        n: Words of an n-gram.
    """
    grams = _grams(words_of(sentences), n)
    run = longest = count = 0
    for gram in grams:
        run = run + 1 if gram in known else 0
        count += run > 0
        longest = max(longest, run)
    return Overlap(count / len(grams) if grams else 0.0, longest + n - 1 if longest else 0)


def _grams(words: Sequence[str], n: int) -> list[int]:
    return [hash(tuple(words[i : i + n])) for i in range(len(words) - n + 1)]
