"""Features of a set of texts in a memory-mapped file, computed once and resumed if interrupted.

The file's name is a hash of all that its numbers depend on: the base's weights and tokenizer, the
pooling, the precision, the cut, and the texts in their order. Texts that occur twice have one row.
It lies in the cache folder; until it is whole it is called ``.partial``, and ``done`` beside it
says how many rows are good.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from timecontrol.bases import cache_folder
from timecontrol.errors import TimeControlError
from timecontrol.features.batches import by_length
from timecontrol.features.extract import Reader, refuse_holes
from timecontrol.progress import Progress, silent

VERSION = 1
Table = np.memmap[tuple[int, ...], np.dtype[np.float32]]
SAVE_EVERY = 5.0
"""Seconds between notes of how far it is."""


@dataclass(frozen=True)
class Features:
    """One vector a text."""

    table: NDArray[np.float32]
    """The vectors of the texts that differ, (unique, D); memory-mapped."""
    row: NDArray[np.int64]
    """Which of them belongs to each text, (n,)."""

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, texts: slice | NDArray[np.int64]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self.table[self.row[texts]]
        return found


def features_of(texts: Sequence[str], reader: Reader, progress: Progress = silent) -> Features:
    """Return the features of texts, from the file where they are, or computed into it.

    Raises:
        TimeControlError: A feature is not finite, or the cache folder cannot be written.
    """
    unique: dict[str, int] = {}
    row = np.fromiter((unique.setdefault(t, len(unique)) for t in texts), np.int64, len(texts))
    kept = list(unique)
    place = cache_folder() / "features" / key_of(kept, reader)
    try:
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(place.with_suffix(".lock")):
                if not place.exists():
                    _compute(kept, reader, place, progress)
            with suppress(OSError):
                place.with_suffix(".lock").unlink()
        table = np.load(place / "features.npy", mmap_mode="r")
    except (FileNotFoundError, ValueError):
        raise TimeControlError(f"{place} is damaged: delete it, and it is made anew.") from None
    except OSError as error:
        raise TimeControlError(
            f"Cannot keep features in {place.parent}: {error.strerror or error}; "
            "set TIMECONTROL_CACHE to a folder that can be written"
        ) from None
    return Features(table, row)


def key_of(texts: Sequence[str], reader: Reader) -> str:
    """Return the name of the file that holds the features of these texts."""
    hashed = hashlib.sha256(json.dumps(_about(reader), sort_keys=True).encode())
    for text in texts:
        coded = text.encode("utf-8", "surrogatepass")
        hashed.update(len(coded).to_bytes(8, "little") + coded)
    return hashed.hexdigest()[:32]


def _about(reader: Reader) -> dict[str, str | int]:
    return {
        "version": VERSION,
        "base": reader.label,
        "checksum": reader.checksum,
        "pooling": reader.pooling,
        "dtype": str(reader.dtype),
        "most_tokens": reader.most_tokens,
    }


def _compute(texts: list[str], reader: Reader, place: Path, progress: Progress) -> None:
    partial = place.with_suffix(".partial")
    partial.mkdir(exist_ok=True)
    file, mark = partial / "features.npy", partial / "done"
    tokens = reader.tokens(texts)
    order = by_length(tokens.lengths)
    shape = (len(texts), reader.dim)
    done, table = _begin(file, mark, shape, reader.budget)
    last = time.monotonic()
    with progress("features", len(texts), done, "sentences") as advance:
        for start, rows in reader(tokens, order, done):
            refuse_holes(rows, 0, [texts[i] for i in order[start : start + len(rows)]], reader)
            table[order[start : start + len(rows)]] = rows
            done = start + len(rows)
            advance(len(rows))
            if time.monotonic() - last > SAVE_EVERY:
                _note(table, mark, done, reader.budget)
                last = time.monotonic()
    _note(table, mark, done, reader.budget)
    del table
    (partial / "about.json").write_text(
        json.dumps({**_about(reader), "texts": len(texts), "dim": reader.dim}, indent=1)
    )
    partial.rename(place)
    (place / "done").unlink()


def _begin(file: Path, mark: Path, shape: tuple[int, int], budget: int) -> tuple[int, Table]:
    """Return how many rows are done, and the open file; begin anew where that is not sure."""
    with suppress(OSError, ValueError):
        done, cut = map(int, mark.read_text().split())
        table = np.lib.format.open_memmap(file, mode="r+")
        # another device cuts other batches: rows between would be left out
        if table.shape == shape and table.dtype == np.float32 and cut == budget:
            return done, table
    mark.unlink(missing_ok=True)
    free = shutil.disk_usage(file.parent).free
    wanted = shape[0] * shape[1] * 4
    if wanted > free:
        raise TimeControlError(
            f"The features of {shape[0]:,} sentences take {wanted / 2**30:.1f} GiB, and "
            f"{file.parent.parent} has {free / 2**30:.1f} GiB left; set TIMECONTROL_CACHE to a "
            "larger disk"
        )
    return 0, np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=shape)


def _note(table: Table, mark: Path, done: int, budget: int) -> None:
    """Write down how many rows are good and how batches are cut, after the rows themselves."""
    table.flush()
    fresh = mark.with_suffix(".new")
    fresh.write_text(f"{done} {budget}")
    fresh.replace(mark)
