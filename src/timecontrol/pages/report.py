"""Reports as one page that needs nothing else: no network, no script; every text is escaped."""

from collections.abc import Sequence
from html import escape

from timecontrol.pages.charts import path_chart, trace_chart
from timecontrol.pages.style import STYLE
from timecontrol.pages.words import (
    FAR,
    MARKS,
    SCORE,
    between,
    breaking,
    chance,
    level,
    meaning,
    share,
    signed,
    verdict,
)
from timecontrol.scoring import Report
from timecontrol.versions import Change, Versions

SIGNS = {"kept": "=", "moved": "↕", "removed": "−", "added": "+"}


def reports_page(reports: Sequence[Report], encoder: str, total: int | None = None) -> str:
    """Return the page of one document or several.

    Args:
        reports: Those to show.
        encoder: Its name.
        total: How many there were, where only those that score lowest are shown.
    """
    few = len(reports) == 1 and total in (None, 1)
    found = len(reports) if total is None else total
    about = "" if few else f"<p>{found:,} documents.</p>"
    if found > len(reports):
        about = (
            f'<p class="warning">{found:,} documents were scored. This page shows the '
            f"{len(reports):,} that score lowest.</p>"
        )
    index = "" if few else _index(reports)
    sections = [_section(report, f"d{i}") for i, report in enumerate(reports, 1)]
    return _page("Coherence report", about + index + "\n".join(sections), encoder)


def comparison_page(versions: Versions, encoder: str) -> str:
    """Return the page of two versions of a document."""
    parts = [
        _summary(versions),
        _changes(versions.changes),
        _section(versions.old, "old", "Old version: "),
        _section(versions.new, "new", "New version: "),
    ]
    return _page("Two versions compared", "\n".join(parts), encoder)


def _page(title: str, body: str, encoder: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p class="quiet">Encoder: {escape(encoder)}. Score: {SCORE}.</p>
{body}
</main>
<footer>Made with timecontrol, on this machine alone.</footer>
</body>
</html>
"""


def _index(reports: Sequence[Report]) -> str:
    names = ("Document", "Sentences", "Score", "Percentile", "Shuffled", "Far", "Worst sentence")
    head = "".join(f'<th scope="col"{_right(1 <= i <= 5)}>{n}</th>' for i, n in enumerate(names))
    rows = "\n".join(_row(report, f"d{i}") for i, report in enumerate(reports, 1))
    return (
        f'<section aria-label="All documents"><div class="wide" tabindex="0"><table>'
        f"<caption>All documents</caption><thead><tr>{head}</tr></thead>\n"
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _row(report: Report, anchor: str) -> str:
    name = f'<th scope="row"><a href="#{anchor}">{escape(report.id)}</a></th>'
    count = f'<td class="n">{len(report.sentences)}</td>'
    if report.short or report.worst is None:
        return f'<tr>{name}{count}<td colspan="5">{escape(report.reason or "")}</td></tr>'
    kind = level(report, report.worst)
    worst = (
        f'<span class="level {kind}">{report.worst + 1}, {MARKS[kind]}:</span> '
        f"{escape(report.sentences[report.worst])}"
    )
    far = "far" if report.far else ""
    numbers = (signed(report.score), share(report.percentile), chance(report.shuffled), far)
    cells = "".join(f'<td class="n">{escape(n)}</td>' for n in numbers)
    return f'<tr>{name}{count}{cells}<td class="text">{worst}</td></tr>'


def _section(report: Report, anchor: str, before: str = "") -> str:
    parts = [f'<section id="{anchor}" aria-labelledby="{anchor}-name">']
    parts.append(f'<h2 id="{anchor}-name">{before}{escape(report.id)}</h2>')
    if not report.short:
        parts.append(_numbers(report))
    if report.far:
        parts.append(f'<p class="warning"><strong>Take care.</strong> {escape(FAR)}</p>')
    parts.append(f"<p>{escape(meaning(report))}</p>")
    if report.short:
        parts.append(f'<p class="prose">{escape(" ".join(report.sentences))}</p>')
    else:
        parts.append(f"<p>{escape(breaking(report))}</p>")
        parts.append(prose(report, anchor))
        parts.append(_charts(report))
        parts.append(_sentences(report))
    return "\n".join([*parts, "</section>"])


def _numbers(report: Report) -> str:
    shown = [
        ("Score", signed(report.score), f"95 % interval {between(report.interval)}"),
        ("Percentile", share(report.percentile), "of 100 known documents score lower"),
        ("Shuffled", chance(report.shuffled), "of other orders score as high"),
        ("Sentences", f"{len(report.sentences):,}", ""),
    ]
    cells = "".join(
        f"<div><dt>{name}</dt><dd>{escape(value)}<small>{escape(note)}</small></dd></div>"
        for name, value, note in shown
        if value
    )
    return f"<dl>{cells}</dl>"


def prose(report: Report, anchor: str) -> str:
    """Return the text of a report, each sentence marked by how well it fits."""
    parts = []
    for i, sentence in enumerate(report.sentences):
        kind = level(report, i)
        mark = "&#8239;&#10007;" if kind == "breaks" else ""
        tip = f"{anchor}-s{i + 1}"
        parts.append(
            f'<span class="s {kind}" tabindex="0" aria-describedby="{tip}"><sup>{i + 1}{mark}</sup>'
            f'{escape(sentence)}<span class="tip" role="tooltip" id="{tip}">'
            f"{escape(_fit(report, i))}</span></span>"
        )
    return '<p class="prose">' + "\n".join(parts) + "</p>"


def _charts(report: Report) -> str:
    trace = "How well each sentence fits: 0 is usual, low breaks the thread (&#10007;)."
    path = "The path from the first sentence to the last, in its two widest directions."
    return (
        f'<div class="charts"><figure>{trace_chart(report)}<figcaption>{trace}</figcaption>'
        f"</figure><figure>{path_chart(report)}<figcaption>{path}</figcaption></figure></div>"
    )


def _sentences(report: Report) -> str:
    names = ("No.", "Fit", "Percentile", "Reading", "Sentence")
    head = "".join(f'<th scope="col"{_right(i < 3)}>{n}</th>' for i, n in enumerate(names))
    rows = []
    for i, sentence in enumerate(report.sentences):
        kind = level(report, i)
        rows.append(
            f'<tr><th scope="row" class="n">{i + 1}</th>'
            f'<td class="n">{signed(report.trace[i])}</td>'
            f'<td class="n">{share(report.trace_percentile[i])}</td>'
            f'<td class="level {kind}">{MARKS[kind]}</td>'
            f'<td class="text">{escape(sentence)}</td></tr>'
        )
    return (
        '<details><summary>Sentence by sentence</summary><div class="wide" tabindex="0"><table>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>"
        + "\n".join(rows)
        + "</tbody></table></div></details>"
    )


def _summary(versions: Versions) -> str:
    names = ("Version", "Sentences", "Score", "95 % interval", "Percentile", "Shuffled")
    head = "".join(f'<th scope="col"{_right(i > 0)}>{n}</th>' for i, n in enumerate(names))
    rows = []
    for name, anchor, report in (("Old", "old", versions.old), ("New", "new", versions.new)):
        cells = (
            f"{len(report.sentences)}",
            signed(report.score) or "too short",
            between(report.interval),
            share(report.percentile),
            chance(report.shuffled),
        )
        rest = "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells)
        link = f'<a href="#{anchor}">{name}: {escape(report.id)}</a>'
        rows.append(f'<tr><th scope="row">{link}</th>{rest}</tr>')
    if versions.difference is not None:
        rows.append(
            f'<tr><th scope="row">Difference</th><td></td>'
            f'<td class="n">{signed(versions.difference)}</td>'
            f'<td class="n">{between(versions.interval)}</td><td></td><td></td></tr>'
        )
    return (
        '<section aria-label="Summary"><div class="wide" tabindex="0"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        f"<p>{escape(verdict(versions))}</p></section>"
    )


def _changes(changes: Sequence[Change]) -> str:
    names = ("Change", "Sentence", "Old no.", "New no.", "Old fit", "New fit", "Gain")
    head = "".join(f'<th scope="col"{_right(i > 1)}>{n}</th>' for i, n in enumerate(names))
    rows = []
    for c in changes:
        places = ["" if n is None else str(n + 1) for n in (c.old, c.new)]
        fits = [signed(value) for value in (c.old_fit, c.new_fit, c.gain)]
        cells = "".join(f'<td class="n">{cell}</td>' for cell in [*places, *fits])
        rows.append(
            f'<tr class="{c.kind}"><th scope="row" class="kind">{SIGNS[c.kind]} {c.kind}</th>'
            f'<td class="text">{escape(c.sentence)}</td>{cells}</tr>'
        )
    return (
        '<section aria-label="Changes"><h2>Sentences</h2><div class="wide" tabindex="0"><table>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>"
        + "\n".join(rows)
        + "</tbody></table></div></section>"
    )


def _right(numbers: bool) -> str:
    return ' class="n"' if numbers else ""


def _fit(report: Report, i: int) -> str:
    fit, percentile = report.trace[i], report.trace_percentile[i]
    reading = MARKS[level(report, i)]
    return (
        f"Sentence {i + 1}: {reading}. Fit {signed(fit)}, percentile {share(percentile)} of "
        "known sentences."
    )
