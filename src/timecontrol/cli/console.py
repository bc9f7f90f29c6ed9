"""What the verbs print with: plain tables to stdout, notes to stderr, JSON when asked."""

import json
import re
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from timecontrol.progress import Advance

T = TypeVar("T")

LINE_EVERY = 30.0
"""Seconds between lines about long work where nobody watches."""

out = Console(highlight=False, soft_wrap=True, emoji=False)

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that steer a terminal, or the direction of its text, instead of being shown."""


def shown(text: str) -> str:
    """Return text of a document so that it is shown as it is: no markup, no control characters."""
    return escape(CONTROLS.sub("\ufffd", text))


def say(text: str = "") -> None:
    """Print a line of the result; rich's markup is understood."""
    out.print(text)


def note(text: str) -> None:
    """Say something that is not the result."""
    print(text, file=sys.stderr)


def counted(items: Iterable[T], what: str, total: int | None = None) -> Generator[T, None, None]:
    """Pass items on, with their number and the time on stderr where somebody watches.

    Results may be printed meanwhile: they appear above it.

    Args:
        items: A stream.
        what: They are, in the plural.
        total: How many at most, where that is known; then a line tells every half minute how far
            it is where nobody watches.
    """
    if not sys.stderr.isatty():
        with _lines(what, total or 0, 0, "") as advance:
            for item in items:
                if total:
                    advance()
                yield item
        return
    shown = [SpinnerColumn(), TextColumn(f"{{task.completed:,}} {what}"), TimeElapsedColumn()]
    if total:
        many = TextColumn(f"{{task.completed:,}}/{{task.total:,}} {what}")
        shown = [SpinnerColumn(), BarColumn(), many, TimeElapsedColumn(), TimeRemainingColumn()]
    # One terminal for both: the console that prints results knows where the bar is.
    both = sys.stdout.isatty()
    here = out if both else Console(stderr=True)
    with Progress(*shown, console=here, transient=True, redirect_stdout=both) as bar:
        task = bar.add_task(what, total=total)
        for item in items:
            bar.advance(task)
            yield item


@contextmanager
def progress(what: str, total: int, done: int = 0, unit: str = "") -> Iterator[Advance]:
    """Show how far long work is, its rate and the time left, on stderr.

    A bar where somebody watches, else a line every half minute.
    """
    if not sys.stderr.isatty():
        with _lines(what, total, done, unit) as advance:
            yield advance
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f} {task.fields[unit]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[shown]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, completed=done, unit=unit, rate="", shown="")
        begun, moved = time.monotonic(), 0

        def advance(n: int = 1, **numbers: float) -> None:
            nonlocal moved
            moved += n
            rate = f"{moved / max(time.monotonic() - begun, 1e-9):,.1f}/s"
            bar.update(task, advance=n, rate=rate, shown=_numbers(numbers))

        yield advance


@contextmanager
def _lines(what: str, total: int, done: int, unit: str) -> Iterator[Advance]:
    begun = last = time.monotonic()
    moved = 0

    def advance(n: int = 1, **numbers: float) -> None:
        nonlocal last, moved
        moved += n
        now = time.monotonic()
        if now - last >= LINE_EVERY:
            last = now
            rate = moved / (now - begun)
            left = (total - done - moved) / rate
            ahead = f"{left // 60:.0f}:{left % 60:02.0f} left at most"
            at = f"{done + moved:,}/{total:,} {unit}, {rate:,.1f}/s, {ahead}"
            note(f"{what}: {at} {_numbers(numbers)}".rstrip())

    yield advance


def _numbers(numbers: dict[str, float]) -> str:
    wanted = ("loss", "val_loss", "val_information")
    return "  ".join(f"{k} {numbers[k]:.3f}" for k in wanted if k in numbers)


def print_json(value: Any, line: bool = False) -> None:
    """Print a result as JSON; escaped where the output cannot take all characters.

    Args:
        value: Plain data.
        line: On one line, at once, as one of several.
    """
    indent = None if line else 1
    text = json.dumps(value, ensure_ascii=not unicode(), indent=indent, allow_nan=False)
    print(text, flush=line)


def unicode() -> bool:
    """Return whether the output takes all characters."""
    return "utf" in (sys.stdout.encoding or "").lower()


def table(columns: list[str], rows: list[list[str]], numbers: bool = True) -> None:
    """Print a table, never cut; where it holds numbers, all but the first column stand right."""
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    for i, row in enumerate([columns, *rows]):
        cells = [
            cell.rjust(width) if numbers and j else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        line = escape("  ".join(cells).rstrip())
        say(f"[bold]{line}[/]" if i == 0 else line)


def plural(n: int, word: str) -> str:
    """Return a number with its word: 1 document, 2,000 documents."""
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"
