r"""Does a text repeat itself?

``distinct``               different n-grams of words over all n-grams; 1 where nothing comes twice
``repeated_4_grams``       1 - ``distinct`` of 4: the share of 4-grams that came before
``tail_repeated_4_grams``  the same among those of the last quarter of the sentences: texts get
                           stuck towards their end; before is anywhere in the document
``repeated_sentences``     sentences that occur again in the document over all sentences
``longest_cycle``          the longest stretch of one repeated word or short cycle of words, as a
                           share of the document: where a model got stuck

A word is a run of ``\w`` characters of the case-folded text; n-grams run across sentences. Longer
texts have fewer distinct n-grams whatever they say: compare texts of like length.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from timecontrol.metrics.intervals import ratio

WORD = re.compile(r"\w+")
LONGEST = 8
"""Words of the longest cycle that is looked for."""


def words_of(sentences: Sequence[str]) -> list[str]:
    """Return the words of a document, in order."""
    return [word for sentence in sentences for word in WORD.findall(sentence.casefold())]


def distinct(words: Sequence[str], n: int) -> float | None:
    """Return #{different n-grams} / #{n-grams}; ``None`` where there are fewer than n words."""
    grams = [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
    return len(set(grams)) / len(grams) if grams else None


def tail_repeated(sentences: Sequence[str], n: int = 4, share: float = 0.25) -> float | None:
    """Return the share of n-grams of the tail that occur before, in the document or in the tail.

    #{i >= t : g_i in {g_0 .. g_{i-1}}} / #{i >= t}

    with g_i the n-gram that begins at word i of the document, and t the first word of the tail, its
    last ceil(share * sentences) sentences; empty ones are no sentences. ``None`` where the tail has
    fewer than n words.

    Args:
        sentences: Of a document.
        n: Words of an n-gram.
        share: Of the sentences, above 0.
    """
    said = [s for s in sentences if s.strip()]
    words = words_of(said)
    tail = len(words_of(said[len(said) - math.ceil(share * len(said)) :]))
    before: set[tuple[str, ...]] = set()
    again = []
    for i in range(len(words) - n + 1):
        gram = tuple(words[i : i + n])
        if i >= len(words) - tail:
            again.append(gram in before)
        before.add(gram)
    return sum(again) / len(again) if again else None


def repeated_sentences(sentences: Sequence[str]) -> float | None:
    """Return 1 - #{different sentences} / #{sentences}; ``None`` where there are none.

    Of k equal sentences all but one occur again. Equal is equal in every character, case and outer
    white space aside; empty ones are no sentences.
    """
    said = [s.strip().casefold() for s in sentences if s.strip()]
    return 1 - len(set(said)) / len(said) if said else None


def longest_cycle(words: Sequence[str], longest: int = LONGEST) -> float | None:
    """Return the longest cyclic stretch over the words of the document; ``None`` without words.

    A stretch i .. j - 1 has period p where w_k = w_{k+p} for i <= k < j - p; it is a cycle where it
    goes through at least twice, j - i >= 2 p. 0 where there is none.

    Args:
        words: Of a document, (n,).
        longest: The longest period p.
    """
    n, most = len(words), 0
    if not n:
        return None
    known: dict[str, int] = {}
    numbers = np.array([known.setdefault(word, len(known)) for word in words])  # (n,)
    for p in range(1, min(longest, n // 2) + 1):
        breaks = np.flatnonzero(numbers[p:] != numbers[:-p])  # k where w_k != w_{k+p}
        runs = np.diff(np.concatenate([[-1], breaks, [n - p]])) - 1  # equal pairs between breaks
        if runs.max() >= p:
            most = max(most, int(runs.max()) + p)
    return most / n


def measures(sentences: Sequence[str]) -> dict[str, float | None]:
    """Return every measure of one document."""
    words = words_of(sentences)
    found = {f"distinct_{n}": distinct(words, n) for n in (1, 2, 3, 4)}
    four = found["distinct_4"]
    return {
        **found,
        "repeated_4_grams": None if four is None else 1 - four,
        "tail_repeated_4_grams": tail_repeated(sentences),
        "repeated_sentences": repeated_sentences(sentences),
        "longest_cycle": longest_cycle(words),
    }


def repetition(documents: Sequence[Sequence[str]], seed: int = 0) -> dict[str, Any]:
    """Return the means of the measures over documents, as plain data.

    Args:
        documents: The sentences of each.
        seed: Of the resamples over documents.

    Returns:
        ``n``, and of every measure an estimate (``Estimate.as_dict``) over the documents long
        enough for it, or ``None`` where there are none.

    Raises:
        ValueError: There are no documents.
    """
    if not documents:
        raise ValueError("there are no documents")
    each = [measures(sentences) for sentences in documents]
    found: dict[str, Any] = {"n": len(documents)}
    for name in each[0]:
        values = np.array([value for own in each if (value := own[name]) is not None])
        found[name] = ratio(values, np.ones(len(values)), seed).as_dict() if len(values) else None
    return found
