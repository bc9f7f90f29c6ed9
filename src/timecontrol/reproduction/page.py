"""The report as a page: every table, the figures beside it; no script, nothing from elsewhere."""

from collections.abc import Mapping, Sequence
from html import escape

from timecontrol.pages.style import STYLE
from timecontrol.reproduction.lines import Line
from timecontrol.reproduction.records import Record
from timecontrol.reproduction.report import (
    ABOUT,
    SHOWN,
    Section,
    Table,
    caption,
    looks,
    shown_texts,
    summary,
)

OWN_STYLE = """
body { max-width: 76rem; }
nav ul { columns: 18rem; padding-left: 1.2rem; }
td:first-child, tbody th { white-space: nowrap; }
td { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.base { color: var(--quiet); font-size: .85rem; }
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1rem;
}
img { max-width: 100%; height: auto; background: #fff; border-radius: .3rem; }
blockquote { margin: .5rem 0 1rem; padding-left: 1rem; border-left: 3px solid var(--line); }
code { font-size: .85rem; color: var(--quiet); }
"""
WORDS = ("base", "run")
"""Columns of words; all others but the first are numbers."""


def page(
    whole: Sequence[Section], lines: Sequence[Line], found: Mapping[str, Record], command: str
) -> str:
    """Return the report as a page that stands beside its folder of figures."""
    about = escape(ABOUT).replace("**", "").replace("`", "")
    index = "".join(f'<li><a href="#{s.name}">{escape(s.name)}</a></li>' for s in whole)
    seen = f"Looks at test documents: {looks(found)}, one by each probe and perplexity."
    parts = [
        f"<p>{about.replace('*', '')}</p><p>{seen}</p>",
        f'<nav aria-label="Experiments"><ul>{index}</ul></nav>',
        f'<section aria-label="What is there">{_table(summary(lines))}</section>',
        *map(_section, whole),
    ]
    if texts := shown_texts(found):
        rows = "".join(
            f"<h3>{escape(e.title)}</h3>"
            + "".join(
                f"<p><strong>{escape(way)}</strong></p><blockquote>{escape(text)}</blockquote>"
                for way, text in e.rows
            )
            for e in texts
        )
        parts.append(f'<section id="texts"><h2>Ends of texts</h2><p>{SHOWN}</p>{rows}</section>')
    body = "\n".join(parts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:">
<title>Reproduction</title>
<style>{STYLE}{OWN_STYLE}</style>
</head>
<body>
<main>
<h1>Reproduction</h1>
<p><code>{escape(command)}</code></p>
{body}
</main>
<footer>Made with timecontrol.</footer>
</body>
</html>
"""


def _section(section: Section) -> str:
    pictures = "".join(
        f'<figure><img src="{escape(f)}" alt="{escape(caption(f))}" loading="lazy">'
        f"<figcaption>{escape(caption(f))}</figcaption></figure>"
        for f in section.figures
    )
    tables = "\n".join(_table(table) for table in section.tables)
    return (
        f'<section id="{escape(section.name)}"><h2>{escape(section.name)}</h2>'
        f'<p>{escape(section.about)}</p><div class="figures">{pictures}</div>{tables}</section>'
    )


def _table(table: Table) -> str:
    head = "".join(
        f'<th scope="col"{_kind(i, name)}>{escape(name)}</th>'
        for i, name in enumerate(table.columns)
    )
    rows = []
    for row in table.rows:
        cells = [f'<th scope="row">{escape(row[0])}</th>']
        for name, cell in zip(table.columns[1:], row[1:], strict=True):
            kind = ' class="base"' if name in WORDS else ""
            cells.append(f"<td{kind}>{escape(cell)}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    notes = f'<p class="quiet">{escape(" ".join(table.notes))}</p>' if table.notes else ""
    command = f"<p><code>{escape(table.command)}</code></p>" if table.command else ""
    return (
        f'<h3>{escape(table.title)}</h3><div class="wide" tabindex="0"><table><thead><tr>{head}'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>{notes}{command}"
    )


def _kind(place: int, name: str) -> str:
    return ' class="n"' if place and name not in WORDS else ""
