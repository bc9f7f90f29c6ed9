"""The documents of a corpus as arrays: what experiments on coherence work on.

Documents under three sentences are left out and counted. Sentences of all documents stand one after
the other; a corrupted version of a document is a list of their rows, never encoded again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence import Ragged
from timecontrol.coherence.bridge import SHORTEST
from timecontrol.corpora import Corpus, Document
from timecontrol.encoder.documents import choose_from, texts_of
from timecontrol.errors import InputError, TimeControlError
from timecontrol.features import Reader, features_of
from timecontrol.progress import Progress, silent

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Material:
    """n documents of N sentences together."""

    ids: list[str]
    """(n,)"""
    texts: list[str]
    """What the base reads of each sentence, (N,)."""
    features: Floats
    """(N, D)"""
    layout: Ragged
    short: int
    """Documents that were left out."""

    @property
    def documents(self) -> list[list[str]]:
        """The sentences of each document."""
        spans = zip(self.layout.starts, self.layout.lengths, strict=True)
        return [self.texts[start : start + length] for start, length in spans]


def read(
    documents: Sequence[Document], reader: Reader, tags: bool = False, progress: Progress = silent
) -> Material:
    """Return documents as arrays; their features are kept for the next time.

    Args:
        documents: Of one split.
        reader: The base.
        tags: Whether section tags are read with the text.
        progress: Shows how far it is.
    """
    texts = texts_of(documents, tags)
    lengths = np.array([len(d.sentences) for d in documents], np.int64)
    kept = lengths >= SHORTEST
    rows = np.flatnonzero(np.repeat(kept, lengths))
    features = (
        features_of(texts, reader, progress)[rows]
        if texts
        else np.empty((0, reader.dim), np.float32)
    )
    return Material(
        [d.id for d, keep in zip(documents, kept, strict=True) if keep],
        [texts[row] for row in rows],
        features,
        Ragged.of(lengths[kept]),
        int((~kept).sum()),
    )


def held_out(corpus: Corpus, split: str, most: int | None = None) -> list[Document]:
    """Return the documents of a split, or the first so many of them.

    Raises:
        TimeControlError: There are not two that can be used.
    """
    found = list(corpus.documents(split))[:most]
    usable = sum(len(d.sentences) >= SHORTEST for d in found)
    if usable < 2:
        raise TimeControlError(
            f"{corpus.name}: {usable} documents of {SHORTEST} or more sentences in split "
            f"{split!r} (splits by {corpus.split_by}); at least 2 are needed."
        )
    return found


def trained_on(corpus: Corpus) -> list[Document]:
    """Return the documents an encoder of this corpus is trained on; none where it has too few."""
    try:
        return choose_from(corpus).train
    except InputError:
        raise
    except TimeControlError:
        return []
