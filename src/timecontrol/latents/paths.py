"""The latents of documents, one row a sentence, and their Parquet file."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.corpora import Document
from timecontrol.errors import TimeControlError, brief

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Paths:
    """Latents of documents, one after the other."""

    ids: list[str]
    """Of the documents."""
    splits: list[str | None]
    lengths: list[int]
    """Sentences of each document."""
    sections: list[str | None]
    """The tag of each sentence's section."""
    latents: NDArray[np.float32]
    """(sentences, d)"""

    @classmethod
    def of(cls, documents: Sequence[Document], latents: NDArray[np.float32]) -> "Paths":
        """Return the paths of documents, given the latents of all their sentences in order."""
        sections = [s.tag for d in documents for s in d.sections for _ in s.sentences]
        return cls(
            [d.id for d in documents],
            [d.split for d in documents],
            [len(d.sentences) for d in documents],
            sections,
            latents,
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Array]:
        """Yield each document's path, (sentences, d)."""
        start = 0
        for length in self.lengths:
            yield self.latents[start : start + length].astype(np.float64)
            start += length

    def long_enough(self) -> list[Array]:
        """Return the paths of at least three sentences: two ends and something between."""
        return [path for path in self if len(path) >= 3]

    def write(self, file: Path, about: dict[str, Any] | None = None) -> None:
        """Write a Parquet file: document, split, sentence, section, latent; whole or not at all."""
        import pyarrow as pa
        from pyarrow import parquet

        d = self.latents.shape[1]
        repeats = np.asarray(self.lengths, np.int64)
        numbers = [np.arange(n, dtype=np.int32) for n in self.lengths]
        flat = pa.array(np.ascontiguousarray(self.latents, np.float32).reshape(-1))
        columns = {
            "document": pa.array(np.repeat(np.array(self.ids, object), repeats), pa.string()),
            "split": pa.array(np.repeat(np.array(self.splits, object), repeats), pa.string()),
            "sentence": pa.array(np.concatenate(numbers) if numbers else [], pa.int32()),
            "section": pa.array(self.sections, pa.string()),
            "latent": pa.FixedSizeListArray.from_arrays(flat, d),
        }
        table = pa.table(columns)
        table = table.replace_schema_metadata({"timecontrol": json.dumps(about or {})})
        fresh = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            parquet.write_table(table, fresh)
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)

    @classmethod
    def read(cls, file: Path) -> tuple["Paths", dict[str, Any]]:
        """Return the paths of a Parquet file that ``write`` made, and what was said about it."""
        import pyarrow as pa
        from pyarrow import parquet

        try:
            table = parquet.read_table(file)
            names, splits = table["document"].to_pylist(), table["split"].to_pylist()
            starts = [i for i, n in enumerate(table["sentence"].to_pylist()) if n == 0]
            column = table["latent"].combine_chunks()
            latents = column.flatten().to_numpy().reshape(len(column), -1)
            sections = table["section"].to_pylist()
        except (KeyError, ValueError, pa.ArrowException) as error:
            reason = brief(error)
            raise TimeControlError(f"{file} holds no latents of documents: {reason}") from None
        lengths = np.diff([*starts, len(names)]).tolist()
        about = json.loads((table.schema.metadata or {}).get(b"timecontrol", b"{}"))
        ids = [names[i] for i in starts]
        return cls(ids, [splits[i] for i in starts], lengths, sections, latents), about
