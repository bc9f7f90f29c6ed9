"""Paths as charts: over the time of a document, and as a walk from sentence to sentence."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from timecontrol.figures import shuffle
from timecontrol.latents.fit import GRID, at
from timecontrol.pages.drawing import (
    Frame,
    area,
    dot,
    grid,
    line,
    range_of,
    svg,
    ticks,
    words,
)

Array = NDArray[np.float64]

WIDTH, HEIGHT = 480, 260
LABELS = 40
"""Sentences up to which every one has its number beside it."""


def over_time(
    paths: Sequence[Array],
    coordinate: int,
    *,
    seed: int | None = None,
    title: str = "",
    size: tuple[float, float] = (WIDTH, HEIGHT),
) -> str:
    """Return one coordinate of documents over their time t / T, and mean ± sd of all.

    Args:
        paths: Each (sentences, d).
        coordinate: Which, from 0.
        seed: Of the order in which their sentences stand; ``None``: as they are.
        title: Words above.
        size: Width and height, in units of which letters have about 13.
    """
    kind = "coherent" if seed is None else "shuffled"
    some = [p if seed is None else shuffle(p, seed, i) for i, p in enumerate(paths)]
    around = range_of([p[:, coordinate] for p in paths])
    frame = Frame(*size, (0.0, 1.0), around, top=26)
    parts = grid(frame, ticks(*frame.y), [(0, "first sentence"), (1, "last")])
    whole = np.stack([at(p[:, [coordinate]], GRID)[:, 0] for p in some])  # (documents, 33)
    mean, sd = whole.mean(0), whole.std(0)
    edge = np.concatenate([mean - sd, (mean + sd)[::-1]])
    there_and_back = np.concatenate([GRID, GRID[::-1]])
    parts.append(area(frame.at(np.stack([there_and_back, edge], -1)), f"band {kind}"))
    for path in some:
        times = np.linspace(0, 1, len(path))
        parts.append(line(frame.at(np.stack([times, path[:, coordinate]], -1)), f"thread {kind}"))
    parts.append(line(frame.at(np.stack([GRID, mean], -1)), f"middle {kind}"))
    parts.append(words(frame.left, 16, title, "title"))
    order = "in order" if seed is None else "shuffled"
    said = f"Coordinate {coordinate + 1} of {len(some)} documents, sentences {order}. {title}"
    return svg(said, parts, frame.width, frame.height)


def walk(
    flat: Array,
    labels: Sequence[str],
    kind: str,
    about: str,
    hints: Sequence[str] = (),
    frame: Frame | None = None,
) -> str:
    """Return a path in a plane, its points in order and numbered.

    Args:
        flat: (sentences, 2).
        labels: Of the points.
        kind: Its class: ``coherent`` or ``shuffled``.
        about: What it shows, for who cannot see it.
        hints: Of the points.
        frame: Where it is drawn; otherwise just about it.
    """
    frame = frame or Frame.square(flat, WIDTH, HEIGHT)
    places = frame.at(flat)
    parts = [line(places, f"walk {kind}")]
    every = -(-len(places) // LABELS)
    for i, (place, hint) in enumerate(zip(places, hints or [""] * len(places), strict=True)):
        size = 6 if i in (0, len(places) - 1) else 4.2
        parts.append(dot(place, f"stop {kind}", size, hint))
        if i % every == 0 or size > 5:
            ends = {0: "first: ", len(places) - 1: "last: "}.get(i, "")
            parts.append(beside(place, ends + labels[i], frame))
    return svg(about, parts, frame.width, frame.height)


def beside(place: Array, text: str, frame: Frame, kind: str = "number") -> str:
    """Return words beside a point, on its left where there is no room on its right."""
    x, y = place
    left = x + 10 + 7 * len(text) > frame.width
    return words(x - 9 if left else x + 9, y - 6, text, kind, "end" if left else "start")


def hints_of(sentences: Sequence[str]) -> list[str]:
    """Return what is said at each sentence's point."""
    return [f"{i}: {sentence}" for i, sentence in enumerate(sentences, 1)]


def figure(chart: str, caption: str) -> str:
    """Return a chart with what it shows below; the caption is plain text."""
    return f"<figure>{chart}<figcaption>{escape(caption)}</figcaption></figure>"
