"""What the verbs print with: plain tables to stdout, notes to stderr, JSON when asked."""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

T = TypeVar("T")

out = Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def note(text: str) -> None:
    """Say something that is not the result."""
    print(text, file=sys.stderr)


def counted(items: Iterable[T], what: str) -> Iterator[T]:
    """Pass items on, with their number and the time on stderr where somebody watches."""
    if not sys.stderr.isatty():
        yield from items
        return
    columns = (SpinnerColumn(), TextColumn(f"{{task.completed:,}} {what}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        for item in items:
            bar.advance(task)
            yield item


def print_json(value: Any) -> None:
    """Print a result as JSON."""
    print(json.dumps(value, ensure_ascii=False, indent=1))


def table(columns: list[str], rows: list[list[str]], numbers: bool = True) -> None:
    """Print a table; where it holds numbers, every column but the first is right-aligned."""
    made = Table(box=None, pad_edge=False)
    for i, column in enumerate(columns):
        right = numbers and i > 0
        made.add_column(column, justify="right" if right else "left", no_wrap=i == 0)
    for row in rows:
        made.add_row(*row)
    out.print(made)
