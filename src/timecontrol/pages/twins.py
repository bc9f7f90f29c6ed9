"""A document beside the same sentences in another order: their scores, paths and fits."""

from dataclasses import dataclass
from html import escape

import numpy as np

from timecontrol.figures import own_plane
from timecontrol.pages.charts import trace_chart
from timecontrol.pages.drawing import Frame, area, dot, grid, rule, svg, words
from timecontrol.pages.paths import HEIGHT, WIDTH, walk
from timecontrol.pages.report import prose
from timecontrol.pages.words import SCORE, between, chance, meaning, share, signed
from timecontrol.scoring import Report


@dataclass(frozen=True)
class Twins:
    """A document, and the same sentences in another order."""

    encoder: str
    coherent: Report
    shuffled: Report
    order: tuple[int, ...]
    """The number of each sentence of the shuffled one in the coherent one, from 0."""


def twins_part(twins: Twins) -> str:
    """Return the part of the page: both texts, their scores, paths and fits."""
    coherent, shuffled = twins.coherent, twins.shuffled
    n = len(coherent.sentences)
    if coherent.score is None or shuffled.score is None or coherent.latents is None:
        return f"<p>{escape(meaning(coherent))}</p>"
    flat = own_plane(coherent.latents)
    frame = Frame.square(flat, WIDTH, HEIGHT)
    columns = []
    for kind, title, report, order in (
        ("coherent", "As written", coherent, tuple(range(n))),
        ("shuffled", "Shuffled", shuffled, twins.order),
    ):
        labels = [str(i + 1) for i in order]
        hints = [f"{i + 1}: {coherent.sentences[i]}" for i in order]
        about = f"{title}: the path through sentences {', '.join(labels)}."
        columns.append(
            f'<div class="twin"><h3>{escape(title)}</h3>{_numbers(report)}'
            f"<figure>{walk(flat[list(order)], labels, kind, about, hints, frame)}</figure>"
            f"<figure>{trace_chart(report)}</figure>{prose(report, kind)}</div>"
        )
    return (
        f'<p class="lead">The same {n} sentences, twice: in the order in which they were written, '
        f"and in another. {escape(verdict(twins))}</p>"
        f"<figure>{_scale(coherent, shuffled)}<figcaption>Score: {SCORE}. Whiskers: 95 % "
        f"intervals. Encoder: {escape(twins.encoder)}.</figcaption></figure>"
        f'<div class="pair">{"".join(columns)}</div>'
        '<p class="quiet">Above: the path through the latent space, in its two widest directions; '
        "both texts have the same points, numbered as they were written. Below: how well each "
        "sentence fits where it stands.</p>"
    )


def verdict(twins: Twins) -> str:
    """Return what the scores of the twins say."""
    coherent, shuffled = twins.coherent, twins.shuffled
    if coherent.score is None or shuffled.score is None:
        return meaning(coherent)
    wins = "scores higher than" if coherent.score > shuffled.score else "does not score higher than"
    said = f"The text as it was written {wins} its shuffled twin."
    if coherent.shuffled is not None:
        many = chance(coherent.shuffled).replace(" ", "\u00a0")
        said += f" Of other orders of its sentences, {many} score as high as its own."
    return said


def _scale(coherent: Report, shuffled: Report) -> str:
    """Return both scores on one line, with their intervals."""
    shown = [(coherent, "coherent", "as written", 46.0), (shuffled, "shuffled", "shuffled", 84.0)]
    every = [v for r, *_ in shown for v in (r.score, *(r.interval or ())) if v is not None]
    low, high = min([-2.5, *every]) - 0.3, max([2.5, *every]) + 0.3
    frame = Frame(640, 138, (low, high), (0.0, 1.0), left=16, right=16, top=10, bottom=28)

    def x(value: float) -> float:
        return float(frame.at(np.array([[value, 0.0]]))[0, 0])

    corners = np.array([[x(-1), 10], [x(1), 10], [x(1), 110], [x(-1), 110]])
    parts = [area(corners, "usual"), words(x(0), 104, "usual", "inside", "middle")]
    whole = range(int(np.ceil(low)), int(np.floor(high)) + 1)
    parts += grid(frame, [], [(float(v), f"{v:+d}" if v else "0") for v in whole])
    parts.append(rule((16, 110), (624, 110), "axis"))
    for report, kind, name, y in shown:
        assert report.score is not None
        if report.interval:
            parts.append(
                rule((x(report.interval[0]), y), (x(report.interval[1]), y), f"whisker {kind}")
            )
        parts.append(
            dot((x(report.score), y), f"stop {kind}", 9, f"{name}: {signed(report.score)}")
        )
        parts.append(
            words(x(report.score), y - 14, f"{name} {signed(report.score)}", "number", "middle")
        )
    about = f"Scores: as written {signed(coherent.score)}, shuffled {signed(shuffled.score)}."
    return svg(about, parts, frame.width, frame.height, "scale")


def _numbers(report: Report) -> str:
    shown = [
        ("Score", signed(report.score), f"95 % interval {between(report.interval)}"),
        ("Percentile", share(report.percentile), "of 100 known documents score lower"),
        ("Other orders", chance(report.shuffled), "of them score as high"),
    ]
    cells = "".join(
        f"<div><dt>{name}</dt><dd>{escape(value)}<small>{escape(note)}</small></dd></div>"
        for name, value, note in shown
        if value
    )
    return f"<dl>{cells}</dl>"
