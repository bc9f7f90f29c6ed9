"""Reports as CSV: a row for each document, or for each sentence; sentences count from 1."""

import csv
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from timecontrol.scoring import Report

DOCUMENT = (
    "id", "sentences", "score", "low", "high", "percentile", "shuffled_higher", "novelty", "far",
    "worst", "worst_fit", "worst_sentence", "breaks", "reason",
)  # fmt: skip
SENTENCE = ("id", "number", "fit", "percentile", "breaks", "sentence")


def documents_to(stream: TextIO) -> Callable[["Report"], None]:
    """Write the header of a table of documents, and return what writes each."""
    return _writer(stream, DOCUMENT, lambda report: [_document(report)])


def sentences_to(stream: TextIO) -> Callable[["Report"], None]:
    """Write the header of a table of sentences, and return what writes those of a document."""
    return _writer(stream, SENTENCE, _sentences)


def _writer(
    stream: TextIO, columns: Sequence[str], rows: Callable[["Report"], Iterable[Sequence[Any]]]
) -> Callable[["Report"], None]:
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(columns)

    def write(report: "Report") -> None:
        table.writerows(rows(report))
        stream.flush()

    return write


def _document(report: "Report") -> list[Any]:
    low, high = report.interval or (None, None)
    worst = report.worst
    about = (
        [None, None, None]
        if worst is None
        else [worst + 1, report.trace[worst], report.sentences[worst]]
    )
    numbers = [report.score, low, high, report.percentile, report.shuffled, report.novelty]
    breaks = " ".join(str(i + 1) for i in report.breaks)
    return [
        report.id, len(report.sentences), *numbers, int(report.far), *about, breaks, report.reason,
    ]  # fmt: skip


def _sentences(report: "Report") -> Iterable[list[Any]]:
    low = set(report.breaks)
    fits = zip(report.sentences, report.trace, report.trace_percentile, strict=False)
    for i, (sentence, fit, percentile) in enumerate(fits):
        yield [report.id, i + 1, fit, percentile, int(i in low), sentence]
