"""The JSON objects of a file, each with the line it begins on.

One object after the other, on a line each (JSON lines) or over several lines, as
``timecontrol infill --json`` prints one.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from timecontrol.corpora.files import BadRecord, check_lines, open_text
from timecontrol.errors import InputError


def values(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object of a file, plain or gzipped, and its line.

    Raises:
        InputError: The file cannot be read, holds none, or something else than objects.
    """
    with open_text(file) as stream:
        text = stream.read()
    try:
        check_lines(text)
    except BadRecord as bad:
        raise InputError(file, bad.line, str(bad)) from None
    decode = json.JSONDecoder().raw_decode
    at = end = 0
    line, found = 1, 0
    while (at := _skipped(text, end)) < len(text):
        line += text.count("\n", end, at)
        try:
            value, stop = decode(text, at)
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, character {error.colno}"
            raise InputError(file, line, f"not JSON: {error.msg} at {where}") from None
        except (RecursionError, ValueError) as error:  # nested too deep; a number of 5000 digits
            raise InputError(file, line, f"not JSON we can read: {error}") from None
        if not isinstance(value, dict):
            raise InputError(file, line, f"an object {{...}} is wanted, got {type(value).__name__}")
        yield line, value
        line += text.count("\n", at, stop)
        end, found = stop, found + 1
    if not found:
        raise InputError(file, None, "holds no outputs: it is empty")


def _skipped(text: str, at: int) -> int:
    """Return the place of the next character that is no white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at
