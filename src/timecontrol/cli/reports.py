"""Reports on a terminal: one document sentence by sentence, or a row for each of many."""

from rich.cells import cell_len
from rich.text import Text

from timecontrol.cli.console import CONTROLS, out, plural, say, shown, unicode
from timecontrol.pages.words import (
    FAR,
    MARKS,
    Level,
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
from timecontrol.versions import Versions

COLOURS: dict[Level, str] = {"breaks": "red", "weak": "yellow", "fits": "green"}
BAR = 10
"""Cells of a bar."""
WIDEST = 110
"""Columns a text is wrapped to where a terminal is wider."""
NAME = 32
"""Columns of a document's name in a table."""
CHANGES = {
    "kept": ("=", "dim"),
    "moved": ("~", "yellow"),
    "removed": ("-", "red"),
    "added": ("+", "green"),
}


def show(report: Report) -> None:
    """Print one document: its score, what that means, and every sentence with its fit."""
    say(f"[bold]{shown(report.id)}[/]  {plural(len(report.sentences), 'sentence')}")
    if report.short:
        paragraph(meaning(report))
        return
    say()
    rows = [
        ("score", signed(report.score), f"95 % interval {between(report.interval)}"),
        ("percentile", share(report.percentile), "of 100 documents the encoder knows score lower"),
        ("shuffled", chance(report.shuffled), "of other orders of its sentences score as high"),
    ]
    rows = [row for row in rows if row[1]]
    wide = max(len(value) for _, value, _ in rows)
    for name, value, about in rows:
        hang(f"  {name:<10}  [bold]{value:>{wide}}[/]  ", wide + 16, about)
    say()
    if report.far:
        paragraph(f"Take care: {FAR[0].lower()}{FAR[1:]}", "yellow")
    paragraph(meaning(report))
    say()
    digits = len(str(len(report.sentences)))
    for i, sentence in enumerate(report.sentences):
        percentile = report.trace_percentile[i]
        kind = level(report, i)
        mark = "" if kind == "fits" else f"<- {MARKS[kind]}"
        head = f"{i + 1:>{digits}} [{COLOURS[kind]}]{bar(percentile)}[/] {percentile:>3.0f}  "
        hang(head, digits + BAR + 7, sentence, mark, COLOURS[kind])
    say()
    paragraph(breaking(report), "red" if report.breaks else "green")
    for i in sorted(report.breaks):
        hang(f"  {i + 1:>{digits}}  ", digits + 4, report.sentences[i])


def show_next(report: Report) -> None:
    """Print one of several documents in full."""
    show(report)
    say()


def heading() -> None:
    """Print the names of the columns of ``row``."""
    names = (
        f"{'document':<{_name_width()}}  sentences   score  percentile  shuffled  far  lowest fit"
    )
    say(f"[bold]{names}[/]")


def row(report: Report) -> None:
    """Print one document as a row, cut to the width of a terminal."""
    name = CONTROLS.sub("\ufffd", report.id)
    if out.is_terminal:
        name = _tail(name, _name_width())
    line = Text(name + " " * (_name_width() - cell_len(name)) + f"  {len(report.sentences):>9,}  ")
    if report.worst is None:
        line.append(report.reason or "", "dim")
    else:
        kind = level(report, report.worst)
        line.append(f"{signed(report.score):>6}  {share(report.percentile):>10}  ")
        line.append(f"{chance(report.shuffled):>8}  {'far' if report.far else '':<3}  ")
        line.append(f"{report.worst + 1}", COLOURS[kind])
        mark = "" if kind == "fits" else f" ({MARKS[kind]})"
        line.append(f"{mark} {CONTROLS.sub(chr(0xFFFD), report.sentences[report.worst])}")
    line.truncate(out.width if out.is_terminal else NAME + 110, overflow="ellipsis")
    out.print(line)


def show_versions(versions: Versions) -> None:
    """Print two versions of a document: their scores, and what became of each sentence."""
    names = [_tail(CONTROLS.sub("\ufffd", r.id), NAME) for r in (versions.old, versions.new)]
    wide = max(map(cell_len, names))
    for side, name, report in zip(("old", "new"), names, (versions.old, versions.new), strict=True):
        counted = plural(len(report.sentences), "sentence")
        space = " " * (wide - cell_len(name))
        line = f"  {side:<10}  [bold]{shown(name)}[/]{space}  {counted:>13}  "
        if report.short:
            say(line + "too short")
        else:
            score = f"[bold]{signed(report.score)}[/]  95 % interval {between(report.interval)}"
            say(line + f"{score}, percentile {share(report.percentile)}")
    if versions.difference is not None:
        space = " " * (wide + 15)
        found = f"[bold]{signed(versions.difference)}[/]  95 % interval"
        say(f"  {'difference':<10}  {space}  {found} {between(versions.interval)}")
    say()
    paragraph(verdict(versions))
    if versions.old.far or versions.new.far:
        paragraph(f"Take care: {FAR[0].lower()}{FAR[1:]}", "yellow")
    say("\n[bold]           old   new     fit    gain  sentence[/]")
    for c in versions.changes:
        sign, colour = CHANGES[c.kind]
        old, new = ("" if n is None else str(n + 1) for n in (c.old, c.new))
        fit = signed(c.old_fit if c.new is None else c.new_fit)
        head = (
            f"[{colour}]{sign} {c.kind:<7}[/] {old:>4}  {new:>4}  {fit:>6}  {signed(c.gain):>6}  "
        )
        hang(head, 38, c.sentence)


def _name_width() -> int:
    """Return the columns of a document's name: fewer where the terminal is narrow."""
    return NAME if not out.is_terminal or out.width >= 110 else NAME // 2


def bar(percentile: float) -> str:
    """Return a bar whose length is the percentile."""
    full, empty = ("█", "·") if unicode() else ("#", ".")
    cells = min(BAR, max(0, round(percentile * BAR / 100)))
    return full * cells + empty * (BAR - cells)


def paragraph(text: str, style: str = "") -> None:
    """Print text wrapped to the width of the terminal."""
    for line in _wrapped(text, 0):
        out.print(Text(line, style))


def hang(head: str, indent: int, text: str, mark: str = "", style: str = "") -> None:
    """Print text behind a head, its further lines indented, a mark behind it.

    Args:
        head: In rich's markup.
        indent: Columns the head takes.
        text: As it is.
        mark: Printed behind the text.
        style: Of the mark.
    """
    lines = _wrapped(text, indent)
    if mark and cell_len(lines[-1]) + len(mark) + 2 > _width() - indent:
        lines.append("")
    for i, line in enumerate(lines):
        before = head if i == 0 else " " * indent
        after = f"  [{style}]{mark}[/]" if mark and i == len(lines) - 1 else ""
        say(f"{before}{shown(line)}{after if line else after.lstrip()}")


def _width() -> int:
    return min(out.width, WIDEST)


def _wrapped(text: str, indent: int) -> list[str]:
    plain = Text(CONTROLS.sub("\ufffd", text))
    found = plain.wrap(out, max(20, _width() - indent), no_wrap=False, overflow="fold")
    return [line.plain.rstrip() for line in found] or [""]


def _tail(name: str, columns: int) -> str:
    """Return a name, its beginning cut off where it is too long: the end tells files apart."""
    if cell_len(name) <= columns:
        return name
    dots = "…" if unicode() else "..."
    while cell_len(name) > columns - len(dots):
        name = name[1:]
    return dots + name
