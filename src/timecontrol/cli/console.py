"""What the verbs print with: plain tables to stdout, notes to stderr, JSON when asked."""

import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

out = Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def note(text: str) -> None:
    """Say something that is not the result."""
    print(text, file=sys.stderr)


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
