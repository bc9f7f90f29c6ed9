"""Which documents train an encoder, which validate it, and what is read of them.

A document needs three sentences: two ends and a middle. A document that occurs again is used once;
one that occurs in validation too is left out there. Without validation documents, a tenth of the
training documents (chosen by a hash of their text) is held out.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from timecontrol.corpora import Corpus, Document
from timecontrol.errors import TimeControlError
from timecontrol.vocabulary import tag_text

SHORTEST = 3
FEWEST = 4
"""Training documents below which none is held out."""


@dataclass(frozen=True)
class Chosen:
    """Documents to train on and to validate with."""

    train: list[Document]
    val: list[Document]
    notes: list[str]
    """What was left out, and why."""

    @property
    def both(self) -> tuple[list[Document], list[Document]]:
        """Training and validation documents."""
        return self.train, self.val

    @property
    def digest(self) -> str:
        """A hash of all their sentences and tags."""
        found = hashlib.sha256()
        for part in self.both:
            for document in part:
                read = [(section.tag, section.sentences) for section in document.sections]
                found.update(repr(read).encode("utf-8", "replace"))
            found.update(b"|")
        return found.hexdigest()


def choose(train: Iterable[Document], val: Iterable[Document], name: str) -> Chosen:
    """Return the documents that can be used.

    Args:
        train: Training documents.
        val: Validation documents.
        name: Of the corpus, for messages.

    Raises:
        TimeControlError: Fewer than two training documents are left.
    """
    notes: list[str] = []
    seen: set[str] = set()
    kept = _usable(train, seen, "training", notes)
    held = _usable(val, seen, "validation", notes)
    if len(kept) < 2:
        left = f" ({'; '.join(notes)})" if notes else ""
        raise TimeControlError(
            f"{name}: {len(kept)} training documents of {SHORTEST} or more sentences{left}; at "
            "least 2 are needed, a contrast is between documents."
        )
    if not held and len(kept) >= FEWEST:
        count = max(1, len(kept) // 10)
        chosen = {d.digest for d in sorted(kept, key=lambda d: d.digest)[:count]}
        held = [d for d in kept if d.digest in chosen]
        kept = [d for d in kept if d.digest not in chosen]
        notes.append(f"no validation documents: {len(held)} training documents held out instead")
    elif not held:
        notes.append("no validation documents and too few to hold out: last weights kept")
    return Chosen(kept, held, notes)


def choose_from(corpus: Corpus) -> Chosen:
    """Return the training and validation documents of a corpus that can be used."""
    return choose(corpus.documents("train"), corpus.documents("val"), corpus.name)


def _usable(
    documents: Iterable[Document], seen: set[str], what: str, notes: list[str]
) -> list[Document]:
    kept, short, again = [], 0, 0
    for document in documents:
        if len(document.sentences) < SHORTEST:
            short += 1
        elif document.digest in seen:
            again += 1
        else:
            seen.add(document.digest)
            kept.append(document)
    if short:
        notes.append(f"{short} {what} documents under {SHORTEST} sentences left out")
    if again:
        notes.append(f"{again} repeated {what} documents left out")
    return kept


def texts_of(documents: Sequence[Document], tags: bool = False) -> list[str]:
    """Return what the base reads of each sentence, all documents in order.

    Args:
        documents: Of these.
        tags: Whether the first sentence of a section has the section's tag before it.
    """
    found = []
    for document in documents:
        for section in document.sections:
            for number, sentence in enumerate(section.sentences):
                tagged = tags and number == 0 and section.tag is not None
                found.append(f"{tag_text(section.tag or '')} {sentence}" if tagged else sentence)
    return found
