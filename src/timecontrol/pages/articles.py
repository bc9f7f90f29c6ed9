"""Articles along plans: one beside its plan, the others in short, to be compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from timecontrol.generation.written import Written
from timecontrol.latents.fit import Fit
from timecontrol.pages.paths import figure
from timecontrol.pages.planned import Article, View, colour, river
from timecontrol.pages.plans import outcome_chart, plan_chart


@dataclass(frozen=True)
class Articles:
    """Articles along plans, and what the plans are drawn from."""

    articles: tuple[Article, ...]
    fit: Fit
    """Of the paths of training documents."""
    tags: tuple[str, ...]
    """Of a whole document, in order."""
    decoder: str


def articles_part(found: Articles) -> str:
    """Return the part of the page: the first article beside its plan, the others as cards."""
    first, *rest = found.articles
    view = View.of(found.articles, found.fit)
    echo = (
        " Small rings: where the encoder puts the finished text, smoothed as plans are."
        if first.read is not None
        else ""
    )
    plane = (
        f"The same plan in a plane: across, from where training documents start to where they end; "
        f"upward, the widest direction across it.{echo}"
    )
    ended = "" if first.written.ended else " It was stopped there: the model had not ended it."
    compared = "".join(
        f'<div class="card"><h4>{escape(a.name)}</h4><p class="quiet">{escape(a.about)}</p>'
        f"{outcome_chart(a, view)}{bar(a.written)}"
        f"<p>{escape(outline(a.written, found.tags))}</p>"
        f"<details><summary>Read it</summary>{_text(a)}</details></div>"
        for a in (first, *rest)
    )
    cards = (
        '<h3>Other plans</h3><p class="wider">Line or ring: the plan. Points: where the encoder '
        "puts what was written, in the colours of the sections. Bars: words of each section. One "
        "text of each is here to be looked at; it proves nothing.</p>"
        f'<div class="cards">{compared}</div>'
        if rest
        else ""
    )
    return (
        '<p class="lead">First a path is drawn: a point for every sentence, from a start to an '
        "end. Then a small language model writes one sentence for each point. "
        "Everything it says is made up; what the plan decides is when it says what. Point at a "
        "sentence to see where it stands.</p>"
        f'<div class="beside"><div>{river(first, view, "s")}<p class="quiet">'
        f"{escape(outline(first.written, found.tags))}{ended} Decoder: "
        f"{escape(found.decoder)}.</p></div>"
        f'<div class="stay">{figure(plan_chart(first, view, "s"), plane)}</div></div>{cards}'
    )


def _text(article: Article) -> str:
    parts = []
    for section in article.written.sections:
        tag = f"<strong>{escape(section.tag.capitalize())}.</strong> " if section.tag else ""
        parts.append(f"<p>{tag}{escape(section.text)}</p>")
    return "".join(parts)


def lengths(written: Written) -> list[tuple[str, int]]:
    """Return the words of each section, by its tag."""
    return [
        (section.tag or "text", sum(len(s.split()) for s in section.sentences))
        for section in written.sections
    ]


def bar(written: Written) -> str:
    """Return the sections as a bar, each as wide as it has words."""
    parts = []
    for number, (tag, n) in enumerate(lengths(written)):
        parts.append(
            f'<span class="{colour(number)}" style="flex-grow:{max(n, 1)}" '
            f'title="{escape(tag.capitalize())}: {n} words"></span>'
        )
    return f'<div class="bar" aria-hidden="true">{"".join(parts)}</div>'


def outline(written: Written, tags: Sequence[str]) -> str:
    """Return in words which sections a text has, and whether they are those it should have.

    Args:
        written: The text.
        tags: The tags of a whole document, in order.
    """
    found = [tag for tag, _ in written.outline]
    said = ", ".join(f"{tag.capitalize()} {n}" for tag, n in lengths(written))
    counted = f"{len(written.sentences)} sentences. Words: {said}."
    if not tags:
        return counted
    if found == list(tags):
        return f"All {len(tags)} sections, once and in order. {counted}"
    missing = [tag.capitalize() for tag in tags if tag not in found]
    if missing:
        return f"Missing: {', '.join(missing)}. {counted}"
    return f"Sections not once and in order. {counted}"
