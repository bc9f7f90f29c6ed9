"""The records of a file, one after the other, with the line each begins on.

Lines, JSON lines, JSON arrays and CSV, plain or gzipped. Files are streamed: what is held at a
time is one record. A record that cannot be parsed is yielded as ``Malformed`` in its place,
so that the numbers of the others do not shift.
"""

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from timecontrol.errors import InputError


@dataclass(frozen=True, slots=True)
class Malformed:
    """A record that cannot be read, and why."""

    reason: str


class BadRecord(Exception):
    """Raised by a reader for a record that parses but is not what its format promises."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        """Give the reason, and the line where it is not the one the record begins on."""
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file."""

    file: Path
    line: int
    index: int
    value: Any


Records = Callable[[Path, str], Iterator[Record]]
"""A file and its encoding to its records."""


@contextmanager
def open_text(path: Path, encoding: str = "utf-8", newline: str | None = "") -> Iterator[TextIO]:
    """Open a file, gunzipped where its name ends in .gz; a byte order mark is dropped.

    Bytes that are not valid UTF-8 come through as lone surrogates: the record they stand in is
    refused later (``check``), the others are not.
    """
    encoding = "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
    try:
        with ExitStack() as stack:
            raw = stack.enter_context(path.open("rb"))
            data = stack.enter_context(gzip.open(raw)) if path.suffix.lower() == ".gz" else raw
            try:
                text = io.TextIOWrapper(data, encoding, "surrogateescape", newline)
            except LookupError:
                reason = f"no text encoding named {encoding!r}; try utf-8, cp1252"
                raise InputError(path, None, reason) from None
            yield stack.enter_context(text)
    except UnicodeError as error:
        raise InputError(path, None, f"not {encoding}: {error}; try --encoding utf-8") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(path, None, f"damaged gzip file: {error}") from None
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror or error}") from None


def path_text(path: Path) -> str:
    """Return a path as text that can be shown and stored, whatever bytes its name holds."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def check(text: str) -> str:
    """Return ``text``, or refuse what no tokenizer or terminal should be given."""
    if "\0" in text:
        utf16 = text.count("\0") > len(text) / 4
        hint = "; say --encoding utf-16" if utf16 else ": is it a text file?"
        raise BadRecord(f"holds a NUL character{hint}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        if 0xDC80 <= code <= 0xDCFF:
            raise BadRecord(
                f"byte 0x{code - 0xDC00:02x} cannot be read; say --encoding as the file was "
                "written (cp1252, latin-1, ...), or convert it to UTF-8"
            ) from None
        raise BadRecord(f"holds a lone surrogate \\u{code:04x}") from None
    return text


def check_lines(text: str) -> str:
    """Return ``text``, or refuse it with the line of the first bad character."""
    try:
        return check(text)
    except BadRecord as bad:
        place = re.search("[\0\ud800-\udfff]", text)
        raise BadRecord(str(bad), 1 + text.count("\n", 0, place.start() if place else 0)) from None


def lines(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """Yield the lines of a file that are not blank, their ends included."""
    index = 0
    with open_text(path, encoding, newline="\n") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield Record(path, number, index, line)
                index += 1


def json_lines(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """Yield the object on each line that is not blank."""
    for record in lines(path, encoding):
        yield Record(path, record.line, record.index, parse(record.value))


def parse(text: str) -> Any:
    """Return the JSON value of ``text``, or ``Malformed``."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at")
        return Malformed(f"not a JSON object: {reason} at character {error.pos + 1}")
    except (RecursionError, ValueError) as error:  # nested too deep; a number of 5000 digits
        return Malformed(f"not JSON we can read: {error}")
    if not isinstance(value, dict):
        return Malformed(f"a JSON object is wanted, this is {type(value).__name__}")
    return value


def csv_rows(path: Path, encoding: str = "utf-8", delimiter: str = ",") -> Iterator[Record]:
    """Yield the rows of a CSV file as lists of strings, its header (if any) among them.

    A quoted field may run over several lines; the record's line is the one it begins on.
    """
    csv.field_size_limit(2**31 - 1)  # the default of 128 KiB refuses long documents
    with open_text(path, encoding, newline="") as stream:
        rows = csv.reader(stream, delimiter=delimiter, strict=True)
        index = 0
        while True:
            line = rows.line_num + 1
            try:
                row: Any = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                rest = "; the rest of the file is lost in it" if "end of data" in str(error) else ""
                row = Malformed(f"not CSV: {error}{rest}")
            if row:  # a blank line is an empty row
                yield Record(path, line, index, row)
                index += 1


def tsv_rows(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """Yield the rows of a tab-separated file with CSV quoting."""
    return csv_rows(path, encoding, "\t")


def csv_table(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """Yield the rows of a CSV file with a header as dicts."""
    rows = csv_rows(path, encoding)
    header = next(rows, None)
    if header is None:
        return
    if isinstance(header.value, Malformed):
        yield header
        return
    names = [name.strip() for name in header.value]
    for record in rows:
        value = record.value
        if isinstance(value, list):
            value = (
                dict(zip(names, value, strict=True))
                if len(value) == len(names)
                else Malformed(f"{len(value)} columns, the header has {len(names)}")
            )
        yield Record(path, record.line, record.index - 1, value)


BLOCK = 1 << 16
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|["{}\[\],]', re.DOTALL)


def json_array(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """Yield the objects of a file that is one JSON array, without loading it whole.

    Items are found by counting brackets outside strings, so an item that is not JSON is
    reported in its place and the next one is read.
    """
    with open_text(path, encoding, newline="") as stream:
        line, index, depth, place = 1, 0, 0, 0
        while (text := stream.read(BLOCK)) and not text.strip():
            line += text.count("\n")
        start = len(text) - len(text.lstrip())
        line += text.count("\n", 0, start)
        if not text:
            return
        if text[start] != "[":
            yield Record(path, line, 0, Malformed("a JSON array of documents is wanted"))
            return
        text = text[start + 1 :]
        while True:
            token = TOKEN.search(text, place)
            if token is None or token[0] == '"':  # nothing more here, or a string is cut off
                block = stream.read(max(BLOCK, len(text)))
                if not block:
                    reason = "the file ends inside the JSON array: is it cut off?"
                    yield Record(path, line + text.count("\n"), index, Malformed(reason))
                    return
                place = len(text) if token is None else token.start()
                text += block
                continue
            place, mark = token.end(), token[0]
            if mark in "{[":
                depth += 1
            elif mark in "}]" and depth:
                depth -= 1
            elif mark in ",]" and not depth:  # between two items, or the end of the array
                item = text[: token.start()]
                first = line + item.count("\n", 0, len(item) - len(item.lstrip()))
                if item.strip() or mark == ",":
                    yield Record(path, first, index, parse(item))
                    index += 1
                if mark == "]":
                    after = text[place:] + stream.read(BLOCK)
                    if after.strip():
                        reason = "text after the end of the JSON array: it is not read"
                        yield Record(path, first, index, Malformed(reason))
                    return
                line += text.count("\n", 0, place)
                text, place = text[place:], 0
