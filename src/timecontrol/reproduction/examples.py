"""Which of what was written is shown: ends of texts that copy no training document.

Only of corpora whose licence is open, and only where little of the excerpt stands in the training
documents; of the others numbers are all that is kept.
"""

from collections.abc import Sequence
from typing import Any

from timecontrol.corpora.documents import Section
from timecontrol.metrics.overlap import overlap

SHOWN = 2
"""Documents of each way of writing."""
SENTENCES = 4
"""Of a document, the last."""
WORDS = 90
"""Of an excerpt, at most; what comes before is left out."""
SHARE, LONGEST = 0.5, 30
"""An excerpt is shown where no more of its 8-grams, and no longer stretch of words, is known."""


def examples(
    documents: Sequence[Sequence[Section]], known: set[int], wanted: int = SHOWN
) -> list[dict[str, Any]]:
    """Return the ends of the first documents that may be shown, as plain data.

    Args:
        documents: The sections of each.
        known: n-grams of the training documents (``known_grams``).
        wanted: How many at most.
    """
    found: list[dict[str, Any]] = []
    for number, sections in enumerate(documents):
        if len(found) >= wanted:
            break
        sentences = tail(sections)
        copied = overlap([sentence for _, sentence in sentences], known)
        if not sentences or copied.share > SHARE or copied.longest > LONGEST:
            continue
        found.append(
            {
                "document": number,
                "tail": shown("".join(f" {tag} {sentence}" for tag, sentence in sentences)),
                "known 8-grams": round(100 * copied.share, 1),
                "longest known": copied.longest,
            }
        )
    return found


def shown(text: str) -> str:
    """Return a text in one line, what steers terminals and pages left out."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def tail(sections: Sequence[Section]) -> list[tuple[str, str]]:
    """Return the last sentences of a document, each with the tag that stands before it, or none.

    Tags are kept apart: training documents are compared without them.
    """
    whole = [
        (f"[ {section.tag} ]" if section.tag is not None and i == 0 else "", sentence)
        for section in sections
        for i, sentence in enumerate(section.sentences)
    ]
    shown: list[tuple[str, str]] = []
    room = WORDS
    for tag, sentence in reversed(whole[-SENTENCES:]):
        words = sentence.split()
        if len(words) > room:
            if room > 0:
                shown.append(("", "... " + " ".join(words[-room:])))
            break
        shown.append((tag, sentence))
        room -= len(words)
    return shown[::-1]
