"""Plans in files.

    .json       {"format": 1, "plans": [{"points": [[...], ...], "kind": ..., ...}, ...]}
    .jsonl      one object a line, with a "plan" in it (as texts are saved), or a plan itself
    .npy        an array (n, d), or (k, n, d) of k plans
    .csv        one point a line; a first line without any number is a header
    .parquet    latents that ``timecontrol encode`` wrote: a plan a document

A plan whose file does not say how it came about is of the kind ``given``.
"""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import read_array

from timecontrol.errors import InputError, TimeControlError
from timecontrol.latents.paths import Paths
from timecontrol.plans.plan import DOCUMENT, Plan, check
from timecontrol.plans.timing import NO_STAGE, begins
from timecontrol.runs import write_json

FORMAT = 1

Found = tuple[int | None, str, Any]
"""The line of a plan, what to call it, and the plan as plain data."""


def read_plans(
    file: Path, dim: int | None = None, most: int | None = None, window: int | None = None
) -> list[Plan]:
    """Return the plans of a file, at least one.

    Args:
        file: Its name ends in one of ``READERS``.
        dim: Numbers of a point that the model reads; any without.
        most: Sentences that fit in its window; any without.
        window: That window in tokens, for the message.

    Raises:
        InputError: The file cannot be read, or one of its plans cannot be followed.
    """
    read = READERS.get(file.suffix.lower())
    if read is None:
        raise InputError(file, None, f"not a file of plans: they end in {', '.join(READERS)}")
    if not file.is_file():
        raise InputError(file, None, "no such file")
    plans = []
    try:
        for line, name, found in read(file):
            try:
                plan = Plan.from_dict(found)
                check(plan.points, dim, most, window)
            except TimeControlError as error:
                raise InputError(file, line, f"{name}{error}") from None
            plans.append(plan)
    except UnicodeDecodeError:
        raise InputError(file, None, "not UTF-8: is it a text file?") from None
    except OSError as error:
        raise InputError(file, None, f"cannot be read: {error.strerror or error}") from None
    if not plans:
        raise InputError(file, None, "holds no plan")
    return plans


def write_plans(file: Path, plans: Sequence[Plan]) -> None:
    """Write plans as JSON, whole or not at all; they come back to the last bit.

    Raises:
        InputError: The name does not end in .json, or the file cannot be written.
    """
    if file.suffix.lower() != ".json":
        raise InputError(file, None, "plans are written as JSON: choose a name that ends in .json")
    for plan in plans:
        check(plan.points)
    try:
        write_json(file, {"format": FORMAT, "plans": [plan.as_dict() for plan in plans]})
    except OSError as error:
        raise InputError(file, None, f"cannot be written: {error.strerror or error}") from None


def read_json(file: Path) -> Iterator[Found]:
    """Yield the plans of a JSON file, or the only one."""
    hint = "; name it .jsonl if it holds an object a line"
    found = _parsed(file, 1, file.read_text(encoding="utf-8-sig"), hint)
    if not isinstance(found, dict):
        raise InputError(file, None, 'holds no plans: {"plans": [...]} is wanted')
    version = found.get("format", FORMAT)
    if not isinstance(version, int) or version > FORMAT:
        reason = f"has format {version!r:.20}; this version reads up to {FORMAT}"
        raise InputError(file, None, reason)
    if "plans" not in found:
        yield None, "", found.get("plan", found)
    elif not isinstance(found["plans"], list):
        raise InputError(file, None, '"plans" must be a list')
    else:
        for number, plan in enumerate(found["plans"], 1):
            yield None, f"plan {number}: ", plan


def read_json_lines(file: Path) -> Iterator[Found]:
    """Yield the plan of each line that is not blank."""
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                found = _parsed(file, number, line)
                yield number, "", found.get("plan", found) if isinstance(found, dict) else found


def read_npy(file: Path) -> Iterator[Found]:
    """Yield the plans of a NumPy array."""
    with file.open("rb") as stream:
        try:
            found = read_array(stream, allow_pickle=False)
        except (ValueError, OverflowError, MemoryError):  # its header may promise anything
            raise InputError(file, None, "not a NumPy array of numbers") from None
    if found.ndim != 3:
        yield None, "", {"points": found}
        return
    for number, points in enumerate(found):
        yield None, f"plan {number + 1}: ", {"points": points, "number": number}


def read_csv(file: Path) -> Iterator[Found]:
    """Yield the one plan of a CSV file."""
    with file.open(encoding="utf-8-sig", newline="") as stream:
        lines = csv.reader(stream, strict=True)
        try:
            rows = [(lines.line_num, row) for row in lines if any(map(str.strip, row))]
        except csv.Error as error:
            raise InputError(file, lines.line_num, f"not CSV: {error}") from None
    if rows and not any(map(_is_number, rows[0][1])):
        del rows[0]  # a header
    yield None, "", {"points": [_point(file, line, row, len(rows[0][1])) for line, row in rows]}


def read_parquet(file: Path) -> Iterator[Found]:
    """Yield the path of each document."""
    try:
        paths, _ = Paths.read(file)
    except TimeControlError as error:
        raise InputError(file, None, str(error).removeprefix(f"{file} ")) from None
    names = {tag: i for i, tag in enumerate(dict.fromkeys(paths.sections))} | {None: NO_STAGE}
    whole = zip(paths.ids, paths.splits, paths, strict=True)
    done = 0
    for number, (name, split, points) in enumerate(whole):
        about = {"document": name} | ({"split": split} if split else {})
        own = [names[tag] for tag in paths.sections[done : done + len(points)]]
        done += len(points)
        plan = {"points": points, "kind": DOCUMENT, "number": number, "about": about}
        plan |= {"starts": list(begins(own))}
        yield None, f"document {name!r}: ", plan


READERS: dict[str, Callable[[Path], Iterator[Found]]] = {
    ".json": read_json,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".npy": read_npy,
    ".csv": read_csv,
    ".parquet": read_parquet,
}
"""By how a file's name ends."""


def _parsed(file: Path, line: int, text: str, hint: str = "") -> Any:
    """Return the JSON value of a text that begins on a line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = line + error.lineno - 1
        reason = f"not JSON: {error.msg} at column {error.colno}"
        extra = hint if error.msg == "Extra data" else ""
        raise InputError(file, place, reason + extra) from None
    except (RecursionError, ValueError) as error:  # nested too deep; a number of 5000 digits
        raise InputError(file, line, f"not JSON we can read: {error}") from None


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _point(file: Path, line: int, row: list[str], width: int) -> list[float]:
    """Return the numbers of a line, as many as the first point has."""
    for field in row:
        if not _is_number(field) or not np.isfinite(float(field)):
            raise InputError(file, line, f"{field.strip()!r:.40} is not a finite number")
    if len(row) != width:
        raise InputError(file, line, f"{len(row)} numbers, the first point has {width}")
    return [float(field) for field in row]
