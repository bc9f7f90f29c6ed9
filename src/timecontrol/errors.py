"""What a user can do wrong, said in one line: what, the value, what is allowed, what next.

The command line prints a ``TimeControlError`` without a traceback and exits with code 2.
Any other exception is a defect of ours and keeps its traceback.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class TimeControlError(Exception):
    """A mistake in what we were given, not in what we do with it."""


class UnknownNameError(TimeControlError):
    """A name that is in no table."""


class MissingBaseError(TimeControlError):
    """Pretrained weights that are known but not here."""


class InputError(TimeControlError):
    """A place in a file that cannot be read."""

    def __init__(self, file: Path, line: int | None, reason: str) -> None:
        self.file, self.line, self.reason = file, line, reason
        place = str(file) if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {reason}")


def pick(table: Mapping[str, T], name: str, kind: str) -> T:
    """Return ``table[name]``, or raise an error that says which names there are."""
    try:
        return table[name]
    except KeyError:
        raise UnknownNameError(unknown(name, table, kind)) from None


def unknown(name: str, known: Mapping[str, object], kind: str) -> str:
    """Return the message for a name that is not among ``known``."""
    near = get_close_matches(name.lower(), known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"No {kind} named {name!r}.{hint} Known: {', '.join(known)}."


def brief(error: Exception, most: int = 160) -> str:
    """Return what an error says in one short line; of a file, its name and what is wrong."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{Path(str(error.filename)).name}: {error.strerror}"
    return " ".join(str(error).split())[:most] or type(error).__name__
