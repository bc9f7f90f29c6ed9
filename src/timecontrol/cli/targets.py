"""Files that a verb writes: refused before any work, and then whole or absent."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from timecontrol.errors import TimeControlError


def check_targets(targets: Mapping[str, Path | None], inputs: Iterable[str] = ()) -> None:
    """Refuse what could not be written, and what would write over something of use.

    Args:
        targets: The option that names each, as in ``--html``.
        inputs: Files that are read.
    """
    taken = {Path(given).resolve(): "an input" for given in inputs}
    for option, file in targets.items():
        if file is None:
            continue
        if file.name == "-":
            raise TimeControlError(f"{option} is -: name a file; only --csv can be printed.")
        if file.is_dir():
            raise TimeControlError(f"{option} is {file}: a folder; name a file in it.")
        if not file.parent.is_dir():
            raise TimeControlError(f"{option} is {file}: there is no folder {file.parent}.")
        if not os.access(file.parent, os.W_OK):
            raise TimeControlError(f"{option} is {file}: {file.parent} cannot be written to.")
        if other := taken.get(file.resolve()):
            raise TimeControlError(f"{option} is {file}: that is {other} already.")
        taken[file.resolve()] = option


@contextmanager
def writing(file: Path) -> Iterator[TextIO]:
    """Open a file to stream to; it appears when all is written, or not at all."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)
