"""JSON of strangers, read strictly: what is no JSON, or more than a request needs, is refused.

Python's reader takes NaN, numbers of any length, keys given twice and halves of characters, and
text in other encodings. Here they are a ``BadJson`` with a line that says what is wrong.
"""

import json
import math
import re
from typing import Any

from timecontrol.errors import TimeControlError

DIGITS = 40
"""Of a number, at most."""
HALF = re.compile(r"\\u[dD][89abAB]|\\u[dD][c-fC-F]")
"""An escape that may be half of a character."""


class BadJson(TimeControlError):
    """A request whose body is no JSON, or none that is taken."""


def read_json(body: bytes) -> Any:
    """Return what JSON says.

    Raises:
        BadJson: It is none, or has something that is not taken.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadJson(f"The body is not UTF-8 text (byte {error.start}): send JSON.") from None
    try:
        found = json.loads(
            text,
            parse_constant=_constant,
            parse_int=_whole,
            parse_float=_real,
            object_pairs_hook=_pairs,
        )
    except json.JSONDecodeError as error:
        raise BadJson(f"The body is no JSON: {error.msg} at character {error.pos}.") from None
    except RecursionError:
        raise BadJson("The body is nested too deeply: no field needs more than a list.") from None
    if HALF.search(text) and not _whole_characters(found):
        raise BadJson("The body is not UTF-8: it holds half of a character (\\ud800 to \\udfff).")
    return found


def _constant(name: str) -> float:
    raise BadJson(f"The body holds {name}, which is no JSON: give a number.")


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise BadJson(f"The body holds a number of {len(digits):,} digits: at most {DIGITS}.")
    return int(digits)


def _real(digits: str) -> float:
    value = float(digits) if len(digits) <= 2 * DIGITS else math.inf
    if not math.isfinite(value):
        raise BadJson(f"The body holds the number {digits[:DIGITS]}, which is too large or long.")
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadJson("The body holds a key twice: give each once.")
    return found


def _whole_characters(value: Any) -> bool:
    """Return whether no string holds half of a character."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str) and any("\ud800" <= c <= "\udfff" for c in one):
            return False
        if isinstance(one, dict):
            left += [*one, *one.values()]
        elif isinstance(one, list):
            left += one
    return True
