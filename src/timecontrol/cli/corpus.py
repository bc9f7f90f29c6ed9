"""``timecontrol corpus``: what is in a corpus."""

from typing import Annotated, Any

import typer

from timecontrol.cli.completion import corpora
from timecontrol.cli.console import counted, note, plural, print_json, say, shown, table
from timecontrol.cli.options import AsJson, Encoding, Language, SkipBad, SplitBy, split_named
from timecontrol.corpora import CORPORA, Corpus, Document, open_corpus
from timecontrol.corpora.splits import SPLITS
from timecontrol.errors import InputError, TimeControlError, pick
from timecontrol.statistics import Lengths, Spread, Statistics, gather, words
from timecontrol.tokens import STYLES, Codec, Style

EPILOG = "Example: timecontrol corpus text:my-documents --show 3"
MOST_SENTENCES, MOST_CHARACTERS = 100, 1000
"""How much of a document is shown: sentences, and characters of each."""


def run(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="NAME:PATH",
            help="The corpus, or 'list' for all names.",
            autocompletion=corpora,
        ),
    ],
    split: Annotated[str | None, typer.Option(help="Only train, val or test.")] = None,
    preset: Annotated[str, typer.Option(help="Text form: best, paper or released.")] = "best",
    tokenizer: Annotated[
        str | None,
        typer.Option(help="Count tokens with this base or folder; words are counted without."),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Leave out documents of this many tokens or more.")
    ] = None,
    splitter: Annotated[
        str | None, typer.Option(help="rules, legacy or lines; the preset's otherwise.")
    ] = None,
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    show: Annotated[
        int | None, typer.Option(min=0, help="Show so many documents; 1, with --json 0.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is in a corpus: documents, sentences, tokens and section lengths.

    A path is looked up here, then under the folder that TIMECONTROL_DATA names.
    """
    if spec == "list":
        _list(as_json)
        return
    style = pick(STYLES, preset, "preset")
    if max_tokens is not None and tokenizer is None:
        raise TimeControlError("--max-tokens needs --tokenizer: a base (gpt2) or a folder.")
    split = split_named(split)
    corpus = open_corpus(
        spec,
        splitter_name=splitter or style.splitter,
        language=language,
        split_by=split_by,
        encoding=encoding,
        skip_bad=skip_bad,
    )
    most = show if show is not None else int(not as_json)
    kept: list[Document] = []
    try:
        found = gather(
            counted(corpus.documents(split), "documents"),
            words if tokenizer is None else _token_lengths(tokenizer, corpus, preset),
            max_tokens,
            faults=lambda document: corpus.layout.faults(document.tags),
            keep=lambda document: kept.append(document) if len(kept) < most else None,
        )
    except InputError as error:
        hint = " (--skip-bad goes on without such records)" if error.line is not None else ""
        raise TimeControlError(f"{error}{hint}") from None
    about: dict[str, Any] = {
        "corpus": corpus.name,
        "layout": {
            "name": corpus.layout.name,
            "tags": list(corpus.layout.tags),
            "unit": corpus.layout.unit,
        },
        "files": [f.as_posix() for f in corpus.files],
        "splits_by": corpus.split_by,
        "preset": preset,
        "splitter": splitter or style.splitter,
        "tokenizer": tokenizer,
        "counted_in": "tokens" if tokenizer else "words",
        "max_tokens": max_tokens,
        "skipped": corpus.reading.skipped,
        "skipped_examples": [str(reason) for reason in corpus.reading.reasons],
        "not_in_index": corpus.reading.unlisted,
        "missing_from_index": _missing(corpus, found) if split is None else None,
        "notes": list(corpus.notes),
    }
    names = [s for s in SPLITS if s in found]
    _refuse_nothing(spec, split, about, found)
    if as_json:
        splits = {name: found[name].as_dict() for name in names}
        documents = [_as_dict(d) for d in kept]
        print_json({**about, **_whole(found, names), "splits": splits, "shown": documents})
    else:
        _print(about, found, names, corpus, style)
        for document in kept:
            _print_document(document)
        for remark in corpus.notes:
            note(f"\nnote: {remark}")


def _token_lengths(name: str, corpus: Corpus, preset: str) -> Lengths:
    from timecontrol.bases import load_tokenizer

    codec = Codec(load_tokenizer(name), corpus.layout, preset)

    def lengths(document: Document) -> tuple[int, list[tuple[str | None, int]]]:
        encoded = codec.encode(document)
        return len(encoded.ids), codec.lengths(encoded)

    return lengths


def _missing(corpus: Corpus, found: dict[str, Statistics]) -> int:
    """Return how many records an index file lists that were not found."""
    met = sum(s.documents + s.too_long for s in found.values())
    return 0 if corpus.listed is None else corpus.listed - met


def _refuse_nothing(
    spec: str, split: str | None, about: dict[str, Any], found: dict[str, Statistics]
) -> None:
    """Stop where there is nothing to tell, and say why."""
    if any(s.documents for s in found.values()):
        return
    too_long = sum(s.too_long for s in found.values())
    reasons = [f"splits by {about['splits_by']}"]
    if about["skipped"]:
        reasons.append(f"{plural(about['skipped'], 'malformed record')} skipped")
    if too_long:
        reasons.append(f"{too_long:,} of {about['max_tokens']:,} tokens or more left out")
    where = f"in split {split!r}" if split else "in it"
    raise TimeControlError(f"{spec}: no documents {where} ({'; '.join(reasons)}).")


def _whole(found: dict[str, Statistics], names: list[str]) -> dict[str, Any]:
    """Return the counts over all splits; with one split, everything about it."""
    if len(names) == 1:
        return found[names[0]].as_dict()
    keys = ("documents", "too_long", "misfits", "sentences", "tokens")
    return {key: sum(getattr(found[n], key) for n in names) for key in keys}


def _as_dict(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "split": document.split,
        "source": f"{document.source.file}:{document.source.line}",
        "sections": [{"tag": s.tag, "sentences": list(s.sentences)} for s in document.sections],
    }


def _list(as_json: bool) -> None:
    rows = {name: entry.about for name, entry in CORPORA.items()}
    rows["synthetic"] = "made documents: synthetic:cities, dialogues or recipes"
    if as_json:
        print_json(rows)
    else:
        table(["corpus", "what it reads"], [list(row) for row in rows.items()], numbers=False)


def _print(
    about: dict[str, Any],
    found: dict[str, Statistics],
    names: list[str],
    corpus: Corpus,
    style: Style,
) -> None:
    unit, units = about["counted_in"], f"{corpus.layout.unit}s"
    head = [f"splits by {corpus.split_by}", f"preset {about['preset']}"]
    head.append(f"splitter {about['splitter']}")
    if about["tokenizer"]:
        head.append(f"tokenizer {about['tokenizer']}")
    if about["max_tokens"]:
        head.append(f"documents under {plural(about['max_tokens'], 'token')}")
    say(f"[bold]{shown(corpus.name)}[/]  {shown(', '.join(head))}")
    rows = []
    for name in names:
        s = found[name]
        counts = [f"{n:,}" for n in (s.documents, s.sentences, s.tokens)]
        rows.append([name, *counts, _spread(s.document_sentences), _spread(s.document_tokens)])
    if len(names) > 1:
        whole = _whole(found, names)
        keys = ("documents", "sentences", "tokens")
        rows.append(["all", *(f"{whole[key]:,}" for key in keys), "", ""])
    table(["split", "documents", units, unit, f"{units}/document", f"{unit}/document"], rows)
    tags = list(dict.fromkeys(t for n in names for t in found[n].sections))
    both = ", both ends counted as in the paper" if about["tokenizer"] and style.both_ends else ""
    say(f"\nSection length in {unit}{both}: mean ± standard error (sections)")
    lengths = [
        [tag or "(no tag)", *(_counted(found[n].sections.get(tag)) for n in names)] for tag in tags
    ]
    for tag in (t for t in tags if t in corpus.layout.repeats):
        row = [f"all {tag} of a document"]
        lengths.append(row + [_counted(found[n].totals.get(tag)) for n in names])
    table(["tag", *names], lengths)
    for i, line in enumerate(_left_out(about, found, names)):
        say(("" if i else "\n") + shown(line))


def _left_out(about: dict[str, Any], found: dict[str, Statistics], names: list[str]) -> list[str]:
    """Return what is not in the tables, or odd in them, in words."""
    said = []
    if too_long := sum(found[n].too_long for n in names):
        most = plural(about["max_tokens"], "token")
        said.append(f"{plural(too_long, 'document')} of {most} or more left out")
    if n := about["not_in_index"]:
        said.append(f"{plural(n, 'document')} in no split of the index left out")
    if n := about["missing_from_index"]:
        said.append(f"the index lists {plural(n, 'record')} not found here")
    for name in names:
        s = found[name]
        if s.misfits:
            kinds = ", ".join(f"{fault} ({n:,})" for fault, n in s.faults.most_common(4))
            said.append(
                f"{plural(s.misfits, 'document')} of {name} not as the layout says, kept: {kinds}; "
                f"the first is {s.first_misfit}"
            )
    if about["skipped"]:
        said.append(f"{plural(about['skipped'], 'malformed record')} skipped, the first of them:")
        said += [f"  {reason}" for reason in about["skipped_examples"][:5]]
    return said


def _print_document(document: Document) -> None:
    place = shown(f"{document.source.file}:{document.source.line}")
    say(f"\n[bold]{shown(document.id)}[/]  ({document.split}, {place})")
    left = MOST_SENTENCES
    for section in document.sections:
        if section.tag and left > 0:
            say(f"[cyan]{shown(f'[ {section.tag} ]')}[/]")
        for sentence in section.sentences[: max(left, 0)]:
            cut = "" if len(sentence) <= MOST_CHARACTERS else " ..."
            say(f"  {shown(sentence[:MOST_CHARACTERS])}{cut}")
        left -= len(section.sentences)
    if left < 0:
        say(f"  ... and {-left:,} more; --json --show N has all")


def _spread(spread: Spread) -> str:
    if not spread.n:
        return ""
    return f"{spread.mean:,.1f}" + (f" ± {spread.se:,.1f}" if spread.se is not None else "")


def _counted(spread: Spread | None) -> str:
    return f"{_spread(spread)} ({spread.n:,})" if spread is not None and spread.n else ""
