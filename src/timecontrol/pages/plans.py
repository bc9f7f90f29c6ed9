"""Plans in a plane: the points of one, numbered by its sentences, or what came of it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from timecontrol.pages.drawing import dot, line, svg
from timecontrol.pages.paths import beside
from timecontrol.pages.planned import Article, View, colour, sections_of

Array = NDArray[np.float64]

CLOSE = 16
"""Points nearer than that have their numbers together, in units of the chart."""


def plan_chart(article: Article, view: View, name: str) -> str:
    """Return the plan in a plane, its points numbered by their sentences.

    Args:
        article: What was written along it.
        view: From where.
        name: As for ``river``: a sentence that is pointed at there shows its point here.
    """
    frame, parts = view.plane, []
    places = frame.at(article.points @ view.axes.T)
    if article.read is not None:
        back = frame.at(article.read @ view.axes.T)
        parts += [line(back, "echo"), *(dot(p, "read", 3.5) for p in back)]
    parts.append(line(places, "plan"))
    sections, said = sections_of(article.written), article.written.sentences
    along: dict[int, list[int]] = {}
    for i, unit in enumerate(article.followed):
        along.setdefault(unit, []).append(i)
    parts += [dot(p, "point none", 3) for u, p in enumerate(places) if u not in along]
    for unit, here in along.items():
        classes = ["point", colour(sections[here[0]]), *(f"{name}p{i + 1}" for i in here)]
        hint = "\n".join(f"{i + 1}: {said[i]}" for i in here)
        parts.append(dot(places[unit], " ".join(classes), 5.5, hint))
    for first, here in near(places, along):
        parts.append(beside(places[first], span(here), frame))
    about = (
        f"The plan {article.name}: {len(places)} points from start to end, "
        f"{len(said)} sentences along it."
    )
    return svg(about, parts, frame.width, frame.height)


def outcome_chart(article: Article, view: View) -> str:
    """Return the plan as a line, and where the sentences came to lie, in the colours of sections.

    Where nothing has read them, the plan's points are in these colours.
    """
    frame, parts = view.plane, []
    places = frame.at(article.points @ view.axes.T)
    if article.told:
        parts.append(line(places, "plan"))
        if np.ptp(places, 0).max() < 1:  # one point all the way
            parts.append(dot(places[0], "mean", 9, article.name))
    own = places[article.followed] if article.read is None else frame.at(article.read @ view.axes.T)
    if article.read is not None:
        parts.append(line(own, "echo"))
    said = article.written.sentences
    rows = zip(own, sections_of(article.written), said, strict=True)
    for i, (place, section, sentence) in enumerate(rows, 1):
        parts.append(dot(place, f"point {colour(section)}", 5.5, f"{i}: {sentence}"))
    what = f"of {len(places)} points, and" if article.told else "that was not told, and"
    about = f"The plan {article.name}, {what} where {len(said)} sentences lie."
    return svg(about, parts, frame.width, frame.height)


def near(places: Array, along: Mapping[int, list[int]]) -> list[tuple[int, list[int]]]:
    """Return points that lie apart, each with the sentences at it and at those close by.

    Args:
        places: Of the points, (n, 2).
        along: The sentences at each point, by its number.
    """
    found: list[tuple[int, list[int]]] = []
    for unit, here in along.items():
        for first, others in found:
            if np.hypot(*(places[unit] - places[first])) < CLOSE:
                others.extend(here)
                break
        else:
            found.append((unit, list(here)))
    return found


def span(numbers: Sequence[int]) -> str:
    """Return numbers of sentences, from 0, in words from 1: 3; 3, 5; 2-9."""
    numbers = sorted(numbers)
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0] + 1}–{numbers[-1] + 1}"
    if len(numbers) > 4:
        return f"{numbers[0] + 1}, {numbers[1] + 1} ... {numbers[-1] + 1}"
    return ", ".join(str(i + 1) for i in numbers)
