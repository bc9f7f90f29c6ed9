"""Section lengths against a reference, such as the mean lengths of training documents.

With l_is the mean length of the sections of tag s in document i, n_s the documents that have any,
and G_s the reference, over S tags::

    g_s                = sum_i l_is / n_s
    deviation of means = 100 / S sum_s |g_s - G_s| / G_s                    MM, in percent
    mean of deviations = 100 / (n S) sum_i sum_s |l_is - G_s| / G_s

A tag that does not occur has length 0 there: it is off by 100 %. The first number is the paper's;
too long in one document makes up for too short in another. The second is never smaller where every
document has every tag. A document that must fill a budget is longer than the reference everywhere,
so there is the same with the reference stretched to it: G'_s = G_s budget / sum_s G_s.

Lengths come as they are measured elsewhere; both sides need one tokenizer, and the tag itself
counted or not.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from timecontrol.corpora.layout import Layout
from timecontrol.metrics.intervals import Array, estimate, ratio, resamples
from timecontrol.metrics.ordering import two_speakers

Sections = Sequence[tuple[str | None, float]]
"""Tag and length of each section of a document, in order; text without a tag is no section."""


def mean_lengths(documents: Sequence[Sections]) -> dict[str, float]:
    """Return g_s of every tag that occurs: the mean over the documents that have it."""
    return _mean([own_means(document) for document in documents])


def own_means(document: Sections) -> dict[str, float]:
    """Return l_s of every tag of a document: the mean length of its sections of that tag."""
    found: dict[str, list[float]] = {}
    for tag, length in document:
        if tag is not None:
            found.setdefault(tag, []).append(length)
    return {tag: fmean(lengths) for tag, lengths in found.items()}


def deviation_of_means(
    found: Mapping[str, float], reference: Mapping[str, float]
) -> tuple[float, dict[str, float]]:
    """Return the deviation of means in percent, and that of each tag.

    Args:
        found: Mean length by tag; tags that the reference does not have are not looked at.
        reference: G_s by tag, more than 0.
    """
    check(reference)
    each = {tag: 100 * abs(found.get(tag, 0) - goal) / goal for tag, goal in reference.items()}
    return fmean(each.values()), each


def mean_of_deviations(documents: Sequence[Sections], reference: Mapping[str, float]) -> float:
    """Return the mean over documents of how far each alone is off, in percent.

    Args:
        documents: At least one.
        reference: G_s by tag, more than 0.
    """
    return fmean(deviation_of_means(own_means(d), reference)[0] for d in documents)


def stretched(reference: Mapping[str, float], budget: float) -> dict[str, float]:
    """Return a reference scaled so that its lengths add up to a budget.

    It makes sense where every tag occurs once; of a tag that repeats, one section counts.
    """
    check(reference)
    scale = budget / sum(reference.values())
    return {tag: goal * scale for tag, goal in reference.items()}


def released_lengths(documents: Sequence[Sections], layout: Layout) -> dict[str, float]:
    """Return the mean length of every tag that occurs, as the authors' code counts.

    Sections: from the first occurrence of the tag to the next tag of any kind, or the end; further
    sections of the tag do not count. Two speakers: from every turn to the next turn of the *other*
    speaker, so that U U A has two lengths of U, one within the other; turns that the other never
    answers are dropped, however long; the mean in a document, then over documents. Documents where
    nothing is counted are skipped. Tags that the layout does not know are text.
    """
    count = _to_the_other if two_speakers(layout) else _first_of_each
    return _mean([own_means(count(document, layout.tags)) for document in documents])


def _first_of_each(document: Sections, tags: Sequence[str]) -> Sections:
    places, end = _starts(document, tags)
    stops = [*(start for _, start in places[1:]), end]
    found: dict[str | None, float] = {}
    for (tag, start), stop in zip(places, stops, strict=False):  # a document may have no tag
        found.setdefault(tag, stop - start)
    return list(found.items())


def _to_the_other(document: Sections, tags: Sequence[str]) -> Sections:
    places, _ = _starts(document, tags)
    found, answered = list[tuple[str | None, float]](), dict[str, float]()
    for tag, start in reversed(places):
        if other := [stop for speaker, stop in answered.items() if speaker != tag]:
            found.append((tag, other[0] - start))
        answered[tag] = start  # the nearest turn of this speaker, seen from before it
    return found


def _starts(document: Sections, tags: Sequence[str]) -> tuple[list[tuple[str, float]], float]:
    """Return the tags that are known with where each starts, and where the document ends."""
    found, end = list[tuple[str, float]](), 0.0
    for tag, length in document:
        if tag is not None and tag in tags:
            found.append((tag, end))
        end += length
    return found, end


def lengths(
    documents: Sequence[Sections],
    reference: Mapping[str, float],
    budget: float | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Return mean lengths and how far they are from a reference, as plain data.

    Args:
        documents: Tags and lengths of each.
        reference: G_s by tag, more than 0.
        budget: The length that documents had to fill, where there is one.
        seed: Of the resamples over documents.

    Returns:
        ``n``; ``means`` of each tag that occurs; ``reference``; ``deviations`` of each tag's mean
        in percent; ``MM`` and ``mean_of_deviations``. With a budget, ``stretched`` has the last
        four against the stretched reference. Means, MM and mean of deviations are estimates
        (``Estimate.as_dict``). MM cannot be below 0, so a resample of a small one is mostly larger:
        take its error rather than its interval.

    Raises:
        ValueError: There are no documents, or the reference is not above 0.
    """
    check(reference)
    if not documents:
        raise ValueError("there are no documents")
    each = [own_means(document) for document in documents]
    tags = dict.fromkeys([*reference, *(tag for own in each for tag in own)])
    means = {}
    for tag in tags:
        values = np.array([own[tag] for own in each if tag in own])
        if len(values):
            means[tag] = ratio(values, np.ones(len(values)), seed).as_dict()
    found = {"n": len(documents), "means": means, **_against(each, reference, seed)}
    if budget is not None:
        goal = stretched(reference, budget)
        found["stretched"] = {"budget": budget, **_against(each, goal, seed)}
    return found


def _against(
    each: Sequence[Mapping[str, float]], reference: Mapping[str, float], seed: int
) -> dict[str, Any]:
    there = np.array([[tag in own for tag in reference] for own in each], np.float64)  # (n, S)
    table = np.array([[own.get(tag, 0.0) for tag in reference] for own in each])  # (n, S)
    goal = np.array(list(reference.values()))  # (S,)

    def off(w: Array) -> float:
        """Return MM where document i was drawn w_i times."""
        means = (w @ table) / np.maximum(w @ there, 1)
        return float(100 * np.mean(np.abs(means - goal) / goal))

    n = len(each)
    value, deviations = deviation_of_means(_mean(each), reference)
    apart = np.array([deviation_of_means(own, reference)[0] for own in each])
    return {
        "reference": dict(reference),
        "deviations": deviations,
        "MM": estimate(value, [off(w) for w in resamples(n, seed)], n).as_dict(),
        "mean_of_deviations": ratio(apart, np.ones(n), seed).as_dict(),
    }


def _mean(each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    tags = dict.fromkeys(tag for own in each for tag in own)
    return {tag: fmean(own[tag] for own in each if tag in own) for tag in tags}


def check(reference: Mapping[str, float]) -> None:
    """Refuse a reference that nothing can be compared with."""
    if not reference or min(reference.values()) <= 0:
        raise ValueError("reference lengths must be more than 0")
