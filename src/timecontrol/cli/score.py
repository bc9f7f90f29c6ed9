"""``timecontrol score``: how well documents flow, and which sentence breaks the thread."""

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timecontrol.cli.completion import ENCODERS, among
from timecontrol.cli.console import counted, note, plural, print_json, say
from timecontrol.cli.gate import Gate
from timecontrol.cli.options import (
    AsJson,
    Device,
    Dtype,
    Encoding,
    Language,
    SkipBad,
    Splitter,
    split_named,
)
from timecontrol.cli.sheets import documents_to, sentences_to
from timecontrol.cli.targets import check_targets, writing
from timecontrol.corpora.texts import STANDARD_INPUT, Text, Texts, open_texts
from timecontrol.errors import InputError, TimeControlError

if TYPE_CHECKING:
    from timecontrol.scoring import Report, TimeControl

See = Callable[["Report"], None]
"""What is done with each report."""
SIDE = "--compare takes one document a side"
EPILOG = "Example: timecontrol score essay.txt --html essay.html"


def run(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT",
            help="Files (.txt, .md, .jsonl), folders, - for standard input, or NAME:PATH.",
        ),
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="OLD NEW", help="Two versions of a document instead of INPUT."),
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Suggest another order of one document's sentences.")
    ] = False,
    encoder: Annotated[
        str,
        typer.Option(
            help="general, wikisection, dialogue, or a run folder.",
            autocompletion=among(ENCODERS),
        ),
    ] = "general",
    shuffles: Annotated[
        int, typer.Option(min=0, help="Of each document, for comparison; 0: none.")
    ] = 100,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show every sentence of several documents.")
    ] = False,
    as_json: AsJson = False,
    to_csv: Annotated[
        Path | None, typer.Option("--csv", help="Write a row for each document; - prints it.")
    ] = None,
    to_trace: Annotated[
        Path | None, typer.Option("--trace-csv", help="Write a row for each sentence.")
    ] = None,
    to_html: Annotated[
        Path | None, typer.Option("--html", help="Write a page to look at in a browser.")
    ] = None,
    min_score: Annotated[
        float | None, typer.Option(help="Exit with 1 if a document scores lower.")
    ] = None,
    min_percentile: Annotated[
        float | None, typer.Option(min=0, max=100, help="Exit with 1 if one's percentile is lower.")
    ] = None,
    fail_short: Annotated[
        bool, typer.Option("--fail-short", help="Exit with 1 if a document is too short.")
    ] = False,
    split: Annotated[str | None, typer.Option(help="Of NAME:PATH, train, val or test.")] = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Score how well documents flow, and point at the sentence that breaks the thread.

    A score of 0 is usual for the texts the encoder knows, -2 unusually low. A folder is searched
    for .txt, .md and .jsonl files; a line of .jsonl is a document. Titles, headings, code and
    tables are left out. Nothing leaves the machine. --suggest takes of the likeliest orders of up
    to 60 sentences the one that scores highest.
    """
    given = list(compare or ()) + list(inputs or ())
    if bool(compare) == bool(inputs):
        raise TimeControlError(
            "Give INPUT or --compare OLD NEW, not both."
            if inputs
            else "Nothing to score: give a file, a folder, NAME:PATH or - for standard input."
        )
    if given.count(STANDARD_INPUT) > 1:
        raise TimeControlError("Standard input (-) can be read once only.")
    if compare and (to_csv or to_trace):
        raise TimeControlError("--csv and --trace-csv do not go with --compare; --json does.")
    if suggest and (compare or to_csv or to_trace or to_html):
        raise TimeControlError(
            "--suggest prints one document: not with --compare, --csv, --trace-csv, --html."
        )
    printed = str(to_csv) == STANDARD_INPUT
    if printed and as_json:
        raise TimeControlError("--json and --csv - would both print: name a file for --csv.")
    files = {"--csv": None if printed else to_csv, "--trace-csv": to_trace, "--html": to_html}
    check_targets(files, given)
    named = split_named(split)

    def opened(places: list[str]) -> Texts:
        return open_texts(
            places,
            splitter_name=splitter,
            language=language,
            encoding=encoding,
            skip_bad=skip_bad,
            split=named,
        )

    if min_score is not None and math.isnan(min_score):
        raise TimeControlError("--min-score is nan: a number.")
    gate = Gate(min_score, min_percentile, fail_short)
    if compare:
        old, new = ([place] for place in compare)
        both = _only(opened(old), compare[0], SIDE), _only(opened(new), compare[1], SIDE)
        _compare(_model(encoder, device, dtype), both, shuffles, gate, as_json, to_html, encoder)
    elif suggest:
        _suggest(opened(given), given, encoder, (device, dtype), shuffles, gate, as_json)
    else:
        texts = opened(given)
        for remark in texts.notes:
            note(f"note: {remark}")
        model = _model(encoder, device, dtype)
        with ExitStack() as stack:
            sinks: list[See] = [gate.see]
            if to_csv:
                stream = sys.stdout if printed else stack.enter_context(writing(to_csv))
                sinks.append(documents_to(stream))
            if to_trace:
                sinks.append(sentences_to(stack.enter_context(writing(to_trace))))
            if to_html:
                sinks.append(stack.enter_context(_page(to_html, encoder)))
            view = "json" if as_json else "none" if printed else "full" if verbose else "rows"
            tests = _score(model, texts, shuffles, view, sinks)
        _close(texts, gate, view)
        if tests:
            _log(encoder, texts, tests)
    for line in gate.named():
        note(line)
    if gate.failed:
        raise typer.Exit(1)


def _model(encoder: str, device: str, dtype: str) -> "TimeControl":
    from timecontrol.scoring import TimeControl

    return TimeControl.from_pretrained(encoder, device, dtype)


@contextmanager
def _page(file: Path, encoder: str) -> Iterator[See]:
    """Collect the documents of a page, and write it when all have come."""
    from timecontrol.pages import Lowest, reports_page
    from timecontrol.runs import write_text

    kept = Lowest()
    yield kept.see
    write_text(file, reports_page(kept.reports, encoder, kept.total))


def _score(model: "TimeControl", texts: Texts, shuffles: int, view: str, sinks: list[See]) -> int:
    """Score documents as they are read, hand each report on at once, and count test documents."""
    tests = 0

    def pairs() -> Iterator[tuple[str, tuple[str, ...]]]:
        nonlocal tests
        for text in texts:
            tests += text.split == "test"
            yield text.id, text.sentences

    scored = model.score_many(pairs(), shuffles)
    with _hinting(), closing(counted(scored, "documents", texts.count())) as found:
        first = list(islice(found, 2))
        if not first:
            skipped = f" ({plural(texts.skipped, 'malformed record')} skipped)"
            raise TimeControlError(f"No documents to score{skipped if texts.skipped else ''}.")
        show = _view(view, alone=len(first) == 1)
        for report in chain(first, found):
            show(report)
            for sink in sinks:
                sink(report)
    return tests


def _view(view: str, alone: bool) -> See:
    """Return what prints a report: alone, or as one of several."""
    from timecontrol.cli import reports

    if view == "none":
        return lambda report: None
    if view == "json":
        return lambda report: print_json(report.as_dict(), line=not alone)
    if alone:
        return reports.show
    if view == "rows":
        reports.heading()
        return reports.row
    return reports.show_next


def _only(texts: Texts, place: str, asked: str) -> Text:
    """Return the one document of a place, or say that one was asked for."""
    with _hinting():
        found = list(islice(texts, 2))
    if len(found) != 1:
        count = "several" if found else "no"
        raise TimeControlError(f"{asked}; {place} holds {count}.")
    return found[0]


def _compare(
    model: "TimeControl",
    both: tuple[Text, Text],
    shuffles: int,
    gate: Gate,
    as_json: bool,
    to_html: Path | None,
    encoder: str,
) -> None:
    """Show two versions of a document; limits are for the new one."""
    from timecontrol.cli.reports import show_versions
    from timecontrol.pages import comparison_page
    from timecontrol.runs import write_text
    from timecontrol.versions import Versions

    old, new = model.score_many([(text.id, text.sentences) for text in both], shuffles)
    versions = Versions(old, new)
    gate.see(new)
    if as_json:
        print_json(versions.as_dict())
    else:
        show_versions(versions)
    if to_html:
        write_text(to_html, comparison_page(versions, encoder))


def _suggest(
    texts: Texts,
    given: list[str],
    encoder: str,
    place: tuple[str, str],
    shuffles: int,
    gate: Gate,
    as_json: bool,
) -> None:
    """Show one document and an order of its sentences that is suggested."""
    from timecontrol.coherence.ordering import check_count

    for remark in texts.notes:
        note(f"note: {remark}")
    text = _only(texts, ", ".join(given), "--suggest takes one document")
    check_count(len(text.sentences))
    model = _model(encoder, *place)
    found = model.suggest(text.sentences, shuffles=shuffles, id=text.id)
    gate.see(found.now)
    if as_json:
        print_json(found.as_dict())
    else:
        from timecontrol.cli.suggestions import show_suggestion

        show_suggestion(found)
    if text.split == "test":
        _log(encoder, texts, 1)


def _close(texts: Texts, gate: Gate, view: str) -> None:
    """Say how many there were, and what was left out."""
    if gate.documents > 1:
        summary = gate.summary()
        if view in ("json", "none"):
            note(summary)
        else:
            say(f"\n{summary}")
    if texts.skipped:
        note(f"{plural(texts.skipped, 'malformed record')} skipped, the first of them:")
        for reason in texts.reasons[:5]:
            note(f"  {reason}")


@contextmanager
def _hinting() -> Iterator[None]:
    """Say what helps where a record cannot be read."""
    try:
        yield
    except InputError as error:
        hint = " (--skip-bad goes on without such records)" if error.line is not None else ""
        raise TimeControlError(f"{error}{hint}") from None


def _log(encoder: str, texts: Texts, tests: int) -> None:
    """Count a look at the test documents of a corpus."""
    from timecontrol.encoder.evaluations import log_test
    from timecontrol.pretrained import looks_folder

    log_test(looks_folder(encoder), "score", ", ".join(texts.corpora), {"documents": tests})
