"""The page of the demo: what was judged, written, filled and learned, as pictures.

One file that needs nothing else: no network, no script; every text is escaped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from timecontrol.pages.articles import Articles, articles_part
from timecontrol.pages.charts import trace_chart
from timecontrol.pages.gap import Told, gap_part
from timecontrol.pages.learned import Learned, hero, learned_part
from timecontrol.pages.paths import figure
from timecontrol.pages.planned import lights
from timecontrol.pages.report import prose
from timecontrol.pages.style import SHOW, STYLE
from timecontrol.pages.twins import Twins, twins_part
from timecontrol.pages.words import FAR, breaking
from timecontrol.scoring import Report

TITLES = {
    "flow": "Does it flow?",
    "stranger": "Which sentence does not belong?",
    "article": "An article along a plan",
    "gap": "A gap, filled",
    "learned": "A latent space, learned",
}
"""Of the parts, in order."""
FITS = "How well each sentence fits: 0 is usual, low breaks the thread (✗)."


@dataclass
class Shown:
    """All that is on the page; what is not there is left out."""

    twins: Twins | None = None
    stranger: Report | None = None
    articles: Articles | None = None
    told: Told | None = None
    learned: Learned | None = None
    left_out: list[str] = field(default_factory=list)
    """What is missing, and why."""
    steps: list[tuple[str, float]] = field(default_factory=list)
    """What was done, and how many seconds it took."""


def demo_page(shown: Shown, version: str = "") -> str:
    """Return the page."""
    bodies = {
        "flow": shown.twins and twins_part(shown.twins),
        "stranger": shown.stranger and _stranger(shown.stranger),
        "article": shown.articles and articles_part(shown.articles),
        "gap": shown.told and gap_part(shown.told),
        "learned": shown.learned and learned_part(shown.learned),
    }
    there = [(name, TITLES[name], body) for name, body in bodies.items() if body]
    index = "".join(f'<li><a href="#{n}">{escape(t)}</a></li>' for n, t, _ in there)
    sections = "\n".join(
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">'
        f'<span class="no">{number}</span>{escape(title)}</h2>\n{body}\n</section>'
        for number, (name, title, body) in enumerate(there, 1)
    )
    missing = "".join(f'<p class="warning">{escape(said)}</p>' for said in shown.left_out)
    own = lights(shown.articles.articles[0], "s", "article") if shown.articles else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Time Control: a document is a path</title>
<style>{STYLE}{SHOW}{own}</style>
</head>
<body class="show">
<header>
<p class="kicker">Time Control{escape(f" {version}" if version else "")}</p>
<h1>A document is a path</h1>
<p class="lead">Time Control learns, from texts and without labels, a space in which a document is a
path from its first sentence to its last. On such a path one can see whether a text flows, draw the
plan of a text before it is written, and tell what is missing in a gap.</p>
{hero(shown.learned) if shown.learned else ""}
</header>
<main>
{missing}
<nav aria-label="Contents"><ol>{index}</ol></nav>
{sections}
{_steps(shown.steps)}
</main>
<footer>Made by <code>timecontrol demo</code>, on this machine alone. The texts that were judged are
made up; so is everything a language model wrote here.</footer>
</body>
</html>
"""


def _stranger(report: Report) -> str:
    care = f'<p class="warning"><strong>Take care.</strong> {escape(FAR)}</p>' if report.far else ""
    return (
        '<p class="lead">A sentence from somewhere else was put into a story. How well does each '
        f"sentence fit? <strong>{escape(breaking(report))}</strong></p>"
        f'<div class="pair"><div>{prose(report, "stranger")}</div>'
        f"{figure(trace_chart(report), FITS)}"
        f"</div>{care}"
    )


def _steps(steps: Sequence[tuple[str, float]]) -> str:
    if not steps:
        return ""
    total = sum(seconds for _, seconds in steps)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="n">'
        f"{seconds:.{int(seconds < 10)}f} s</td></tr>"
        for name, seconds in [*steps, ("all", total)]
    )
    return (
        '<section aria-labelledby="took"><h2 id="took">How long it took</h2>'
        f'<table class="small"><tbody>{rows}</tbody></table></section>'
    )
