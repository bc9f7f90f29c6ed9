"""A text beside its plan: the path runs down the page, and every sentence has its point on it.

The path is drawn along one direction, from where training documents start to where they end. The
same points, in a plane, stand beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from timecontrol.figures import plane_axes
from timecontrol.generation.written import Written
from timecontrol.latents.fit import Fit
from timecontrol.pages.drawing import Frame, Pair, range_of

Array = NDArray[np.float64]

COLOURS = 6
"""Colours of sections; a seventh section has the first one again."""


@dataclass(frozen=True)
class Article:
    """A text that was written, and where its encoder sees it."""

    name: str
    """How it was planned."""
    about: str
    """The same in a sentence."""
    written: Written
    read: Array | None = None
    """The latents of its sentences, smoothed as plans are, (sentences, d)."""

    @property
    def points(self) -> Array:
        """The plan's points, (n, d)."""
        assert self.written.plan is not None
        return self.written.plan.points

    @property
    def told(self) -> bool:
        """Whether the model was told the plan."""
        return bool(self.written.settings.get("latents", True))

    @property
    def followed(self) -> list[int]:
        """The number of the plan's point of each sentence; behind its end, the last."""
        last = len(self.points) - 1
        return [min(u, last) for u in self.written.units or ()]


@dataclass(frozen=True)
class View:
    """From where plans are looked at: the same for all that shall be compared."""

    axes: Array
    """From mean start to mean end, and the widest direction across, (2, d)."""
    plane: Frame
    along: Pair
    """The range of the first direction."""
    ends: Pair
    """Mean start and mean end of training documents in it."""

    @classmethod
    def of(cls, articles: Sequence[Article], fit: Fit) -> "View":
        """Return a view in which all plans, and the texts read back, have room."""
        every = [p for a in articles for p in (a.points, a.read) if p is not None]
        axes = plane_axes([fit.mean_path, *every], fit)
        flat = np.concatenate([p @ axes.T for p in every])
        ends = (float(axes[0] @ fit.start.mean), float(axes[0] @ fit.end.mean))
        return cls(axes, Frame.square(flat, 480, 300), range_of([flat[:, 0], np.array(ends)]), ends)

    def share(self, points: Array) -> Array:
        """Return how far points, (n, d), lie along the first direction, in percent, (n,)."""
        low, high = self.along
        return np.asarray(100 * (points @ self.axes[0] - low) / ((high - low) or 1.0))


def colour(number: int) -> str:
    """Return the class of a section's colour."""
    return f"c{number % COLOURS + 1}"


def sections_of(written: Written) -> list[int]:
    """Return the number of the section of each sentence."""
    return [i for i, section in enumerate(written.sections) for _ in section.sentences]


def river(article: Article, view: View, name: str) -> str:
    """Return the text, its plan beside it.

    Args:
        article: What was written.
        view: From where.
        name: Before the names of its sentences, which are of this article alone.
    """
    written = article.written
    x = view.share(article.points)[article.followed]
    read = None if article.read is None else view.share(article.read)
    bends = [x[:1], *((a + b) / 2 for a, b in pairwise(x[:, None])), x[-1:]]
    start, end = (100 * (e - view.along[0]) / (view.along[1] - view.along[0]) for e in view.ends)
    rows, i = [], 0
    for number, section in enumerate(written.sections):
        for k, sentence in enumerate(section.sentences):
            above, below = float(bends[i][0]), float(bends[i + 1][0])
            tint = colour(number)
            head = ""
            if k == 0 and section.tag is not None:
                head = f'<span class="tag {tint}">{escape(section.tag.capitalize())}</span>'
            bed = [
                _upright(start, "shore"),
                _upright(end, "shore"),
                _percent(above, 0, float(x[i]), 50, "flow"),
                _percent(float(x[i]), 50, below, 100, "flow"),
            ]
            if read is not None:
                bed.append(_round(float(read[i]), "read", 4))
            bed.append(_round(float(x[i]), f"point {tint}", 5.5))
            rows.append(
                f'<li class="row" id="{name}{i + 1}" tabindex="0"><span class="bed">'
                f'<svg aria-hidden="true">{"".join(bed)}</svg></span><p>{head}'
                f"<sup>{i + 1}</sup>{escape(sentence)}</p></li>"
            )
            i += 1
    key = (
        '<li class="row key" aria-hidden="true"><span class="bed"><svg>'
        f'<text x="{start:.1f}%" y="14" text-anchor="middle">start</text>'
        f'<text x="{end:.1f}%" y="14" text-anchor="middle">end</text></svg></span><p></p></li>'
    )
    return f'<ol class="river">{key}{"".join(rows)}</ol>'


def lights(article: Article, name: str, page: str) -> str:
    """Return the style by which a sentence that is pointed at lights up its point in the plane."""
    numbers = range(1, len(article.written.sentences) + 1)
    every = [f"#{page}:has(#{name}{i}:is(:hover,:focus)) .{name}p{i}" for i in numbers]
    return ",".join(every) + "{stroke:var(--ink);stroke-width:3px;r:9px}" if every else ""


def _upright(x: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.1f}%" x2="{x:.1f}%" y1="0" y2="100%"/>'


def _percent(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}%" y1="{y1:g}%" x2="{x2:.1f}%" y2="{y2:g}%"/>'


def _round(x: float, kind: str, size: float) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}%" cy="50%" r="{size:g}"/>'
