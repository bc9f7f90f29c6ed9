"""Charts of one report as SVG inside a page: the fit of each sentence, and the path."""

from html import escape

import numpy as np

from timecontrol.figures import own_plane
from timecontrol.pages.words import MARKS, level, share, signed
from timecontrol.scoring import Report

WIDTH, HEIGHT, EDGE = 480, 280, 34
"""Of a chart, in its own units, and of the space around what is drawn."""
LABELS = 40
"""Sentences up to which every one has its number beside it."""
STEEPEST = 4.0
"""Standard deviations at which a bar is cut off, unless none is shorter."""


def trace_chart(report: Report) -> str:
    """Return the fit of each sentence as bars about zero, low ones marked."""
    fits = np.array(report.trace)
    reach = max(2.0, min(STEEPEST, float(np.abs(fits).max())))
    step = (WIDTH - EDGE) / len(fits)
    middle, scale = HEIGHT / 2, (HEIGHT / 2 - EDGE) / reach
    parts = []
    for line in range(-int(reach), int(reach) + 1):
        y = middle - line * scale
        kind = "axis" if line == 0 else "grid"
        parts.append(f'<line class="{kind}" x1="{EDGE}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        said = f"{line:+d}" if line else "0"
        parts.append(f'<text class="tick" x="{EDGE - 6}" y="{y + 4:.1f}">{said}</text>')
    every = -(-len(fits) // LABELS)
    for i, fit in enumerate(fits):
        kind = level(report, i)
        shown = float(np.clip(fit, -reach, reach))
        height = max(abs(shown) * scale, 1.5)
        left, top = EDGE + i * step, middle - max(shown, 0) * scale
        parts.append(
            f'<rect class="{kind}" x="{left + 0.1 * step:.2f}" y="{top:.1f}" '
            f'width="{0.8 * step:.2f}" height="{height:.1f}">'
            f"<title>{_hint(report, i)}</title></rect>"
        )
        centre = left + step / 2
        if kind == "breaks":
            y = middle - shown * scale + (14 if shown < 0 else -6)
            parts.append(f'<text class="mark" x="{centre:.1f}" y="{y:.1f}">&#10007;</text>')
        if i % every == 0:
            parts.append(f'<text class="label" x="{centre:.1f}" y="{HEIGHT - 6}">{i + 1}</text>')
    low = ", ".join(str(i + 1) for i in sorted(report.breaks)) or "none"
    about = f"Fit of each of {len(fits)} sentences. Sentences that break the thread: {low}."
    return _svg(about, parts)


def path_chart(report: Report) -> str:
    """Return the path in its own two widest directions, points numbered, low ones marked."""
    if report.latents is None:
        return ""
    flat = own_plane(report.latents)  # (n, 2)
    low, high = flat.min(0), flat.max(0)
    room = np.array([WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE])
    span = float(((high - low) / room).max()) or 1.0
    places = (flat - (low + high) / 2) / span * [1, -1] + [WIDTH / 2, HEIGHT / 2]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline class="path" points="{line}"/>']
    last = len(places) - 1
    every = -(-len(places) // LABELS)
    for i, (x, y) in enumerate(places):
        kind = level(report, i)
        hint = f"<title>{_hint(report, i)}</title>"
        if i == report.worst:
            parts.append(f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="10"/>')
        size = 6 if kind == "breaks" or i in (0, last) else 4.5
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size}">{hint}</circle>')
        words = {0: " start", last: " end"}.get(i, "")
        words += " worst" if i == report.worst else ""
        if i % every == 0 or words or kind == "breaks":
            side, shift = ("end", -11) if x > WIDTH - 90 and words else ("start", 11)
            parts.append(
                f'<text class="number" text-anchor="{side}" x="{x + shift:.1f}" y="{y - 7:.1f}">'
                f"{i + 1}{words}</text>"
            )
    worst = "" if report.worst is None else f" The worst is sentence {report.worst + 1}."
    return _svg(f"Path of {len(places)} sentences from the first to the last.{worst}", parts)


def _hint(report: Report, i: int) -> str:
    fit, percentile = report.trace[i], report.trace_percentile[i]
    about = f"{i + 1}: {MARKS[level(report, i)]}, fit {signed(fit)}, percentile {share(percentile)}"
    return escape(f"{about}\n{report.sentences[i]}")


def _svg(about: str, parts: list[str]) -> str:
    inside = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(about)}">\n'
        f"{inside}\n</svg>"
    )
