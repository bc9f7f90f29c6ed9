"""What charts are drawn with: numbers to places, lines, points and words as SVG."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pair = tuple[float, float]


@dataclass(frozen=True)
class Frame:
    """A chart's inside, in its own units, and the numbers at its edges."""

    width: float
    height: float
    x: Pair
    """The numbers at the left and the right edge."""
    y: Pair
    """Those at the lower and the upper edge."""
    left: float = 36
    right: float = 10
    top: float = 12
    bottom: float = 30

    def at(self, points: Array) -> Array:
        """Return the places of points, (n, 2) to (n, 2); what lies outside stays outside."""
        (low, high), (down, up) = self.x, self.y
        wide = self.width - self.left - self.right
        tall = self.height - self.top - self.bottom
        x = self.left + wide * (points[:, 0] - low) / ((high - low) or 1.0)
        y = self.height - self.bottom - tall * (points[:, 1] - down) / ((up - down) or 1.0)
        return np.stack([x, y], -1)

    @classmethod
    def square(cls, points: Array, width: float, height: float, edge: float = 30) -> "Frame":
        """Return the frame about points, (n, 2), in which both directions have one scale."""
        low, high = points.min(0), points.max(0)
        middle = (low + high) / 2
        room = np.array([width - 2 * edge, height - 2 * edge])
        span = (float(((high - low) / room).max()) or 1.0) * room / 2
        x, y = zip(middle - span, middle + span, strict=True)
        return cls(width, height, x, y, edge, edge, edge, edge)


def line(places: Array, kind: str) -> str:
    """Return a line through places, (n, 2)."""
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline class="{kind}" points="{joined}"/>'


def area(places: Array, kind: str) -> str:
    """Return what a line through places, (n, 2), goes about."""
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polygon class="{kind}" points="{joined}"/>'


def dot(place: Sequence[float] | Array, kind: str, size: float, hint: str = "") -> str:
    """Return a point; the hint is shown where a mouse stays."""
    x, y = place
    title = f"<title>{escape(hint)}</title>" if hint else ""
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size:g}">{title}</circle>'


def words(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    """Return words at a place."""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def rule(start: Pair, end: Pair, kind: str) -> str:
    """Return a straight line between two places."""
    (x1, y1), (x2, y2) = start, end
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def svg(about: str, parts: Iterable[str], width: float, height: float, kind: str = "") -> str:
    """Return a chart; who cannot see it is told what it is about."""
    inside = "\n".join(parts)
    own = f' class="{kind}"' if kind else ""
    return (
        f'<svg{own} viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(about)}">\n'
        f"{inside}\n</svg>"
    )


def grid(frame: Frame, up: Sequence[float], along: Sequence[tuple[float, str]]) -> list[str]:
    """Return lines at heights with their numbers, and words below."""
    parts = []
    right = frame.width - frame.right
    for value in up:
        [[_, y]] = frame.at(np.array([[frame.x[0], value]]))
        parts.append(rule((frame.left, y), (right, y), "grid"))
        parts.append(words(frame.left - 6, y + 4, f"{value:g}", "tick", "end"))
    for value, said in along:
        [[x, _]] = frame.at(np.array([[value, frame.y[0]]]))
        anchor = "start" if value == frame.x[0] else "end" if value == frame.x[1] else "middle"
        parts.append(words(x, frame.height - frame.bottom + 18, said, "along", anchor))
    return parts


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers between two, so many at most: 1, 2 or 5 times a power of ten apart."""
    if not high > low:
        return [float(low)]
    rough = (high - low) / most
    power = 10.0 ** np.floor(np.log10(rough))
    apart = next(power * n for n in (1, 2, 5, 10) if power * n >= rough * (1 - 1e-9))
    first, last = int(np.ceil(low / apart - 1e-9)), int(np.floor(high / apart + 1e-9))
    return [round(i * apart, 12) for i in range(first, last + 1)]


def range_of(values: Iterable[Array], room: float = 0.06) -> Pair:
    """Return the least and the greatest of all numbers, with some room about them."""
    whole = np.concatenate([np.ravel(v) for v in values])
    low, high = float(whole.min()), float(whole.max())
    extra = room * ((high - low) or 1.0)
    return low - extra, high + extra
