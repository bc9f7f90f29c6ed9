"""``timecontrol corpus``: what is in a corpus."""

from typing import Annotated, Any

import typer
from rich.markup import escape

from timecontrol.cli.console import counted, note, out, print_json, table
from timecontrol.corpora import CORPORA, Corpus, Document, open_corpus
from timecontrol.errors import TimeControlError, pick
from timecontrol.statistics import Lengths, Spread, Statistics, gather, words
from timecontrol.tokens import STYLES, Codec

EPILOG = "Example: timecontrol corpus text:my-documents --show 1"


def run(
    spec: Annotated[
        str, typer.Argument(metavar="NAME:PATH", help="The corpus, or 'list' for all names.")
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
    language: Annotated[str, typer.Option(help="Language of the text, for the splitter.")] = "en",
    split_by: Annotated[str, typer.Option(help="auto, index, published or hash.")] = "auto",
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8",
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Skip and count malformed records.")
    ] = False,
    show: Annotated[int, typer.Option(min=0, help="Show so many documents.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
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
    corpus = open_corpus(
        spec,
        splitter_name=splitter or style.splitter,
        language=language,
        split_by=split_by,
        encoding=encoding,
        skip_bad=skip_bad,
    )
    shown: list[Document] = []
    lengths = words if tokenizer is None else _token_lengths(tokenizer, corpus, preset)
    found = gather(
        counted(corpus.documents(split), "documents"),
        lengths,
        max_tokens,
        fits=lambda document: not corpus.layout.faults(document.tags),
        keep=lambda document: shown.append(document) if len(shown) < show else None,
    )
    if not sum(s.documents + s.too_long for s in found.values()):
        where = f"in split {split!r}" if split else "in it"
        skipped = f", {corpus.reading.skipped} malformed skipped" if corpus.reading.skipped else ""
        raise TimeControlError(
            f"{spec}: no documents {where} (splits by {corpus.split_by}{skipped})."
        )
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
        "max_tokens": max_tokens,
        "skipped": corpus.reading.skipped,
        "skipped_examples": [str(reason) for reason in corpus.reading.reasons],
        "notes": list(corpus.notes),
    }
    names: list[str] = [s for s in ("train", "val", "test", "") if s in found]
    if as_json:
        whole = gather_one(found, names)
        splits = {name: found[name].as_dict() for name in names}
        documents = [_as_dict(d) for d in shown]
        print_json({**about, **whole, "splits": splits, "shown": documents})
    else:
        _print(about, found, names, shown, corpus)


def gather_one(found: dict[str, Statistics], names: list[str]) -> dict[str, Any]:
    """Return the counts over all splits; with one split, everything about it."""
    if len(names) == 1:
        return found[names[0]].as_dict()
    keys = ("documents", "too_long", "misfits", "sentences", "tokens")
    return {key: sum(getattr(found[n], key) for n in names) for key in keys}


def _token_lengths(name: str, corpus: Corpus, preset: str) -> Lengths:
    from timecontrol.bases import load_tokenizer

    codec = Codec(load_tokenizer(name), corpus.layout, preset)

    def lengths(document: Document) -> tuple[int, list[tuple[str | None, int]]]:
        encoded = codec.encode(document)
        return len(encoded.ids), codec.lengths(encoded)

    return lengths


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
        table(["corpus", "what it reads"], [[name, about] for name, about in rows.items()], False)


def _print(
    about: dict[str, Any],
    found: dict[str, Statistics],
    names: list[str],
    shown: list[Document],
    corpus: Corpus,
) -> None:
    unit = "tokens" if about["tokenizer"] else "words"
    units = f"{corpus.layout.unit}s"
    out.print(
        f"[bold]{escape(corpus.name)}[/]  splits by {about['splits_by']}; "
        f"preset {about['preset']}, splitter {about['splitter']}"
    )
    rows = []
    for name in names:
        s = found[name]
        rows.append(
            [
                name,
                f"{s.documents:,}",
                f"{s.sentences:,}",
                f"{s.tokens:,}",
                _spread(s.document_sentences),
                _spread(s.document_tokens),
            ]
        )
    if len(names) > 1:
        sums = [
            sum(getattr(found[n], k) for n in names) for k in ("documents", "sentences", "tokens")
        ]
        rows.append(["all", *(f"{x:,}" for x in sums), "", ""])
    table(["split", "documents", units, unit, f"{units}/document", f"{unit}/document"], rows)
    tags = list(dict.fromkeys(t for n in names for t in found[n].sections))
    repeated = [t for t in tags if t in corpus.layout.repeats]
    out.print(f"\nSection length in {unit}, mean ± standard error (sections)")
    table(
        ["tag", *names],
        [
            [tag or "(no tag)", *(_counted(found[n].sections.get(tag)) for n in names)]
            for tag in tags
        ]
        + [
            [f"all {tag} of a document", *(_counted(found[n].totals.get(tag)) for n in names)]
            for tag in repeated
        ],
    )
    _print_remarks(about, found, names)
    for document in shown:
        out.print(
            f"\n[bold]{escape(document.id)}[/]  ({document.split}, "
            f"{escape(document.source.file)}:{document.source.line})"
        )
        for section in document.sections:
            tag = f"[ {section.tag} ]" if section.tag else ""
            out.print(f"[cyan]{escape(tag)}[/]" if tag else "")
            for sentence in section.sentences:
                out.print(f"  {escape(sentence)}")


def _print_remarks(about: dict[str, Any], found: dict[str, Statistics], names: list[str]) -> None:
    """Say what was left out, and what else a user should know, on stderr."""
    too_long = sum(found[n].too_long for n in names)
    misfits = sum(found[n].misfits for n in names)
    if too_long:
        note(f"\n{too_long:,} documents of {about['max_tokens']:,} tokens or more left out")
    if misfits:
        note(f"\n{misfits:,} documents have tags other than the layout says (kept)")
    if about["skipped"]:
        note(f"\n{about['skipped']:,} malformed records skipped, the first of them:")
        for reason in about["skipped_examples"][:5]:
            note(f"  {reason}")
    for remark in about["notes"]:
        note(f"\nnote: {remark}")


def _spread(spread: Spread) -> str:
    if not spread.n:
        return ""
    return f"{spread.mean:,.1f}" + (f" ± {spread.se:.1f}" if spread.se is not None else "")


def _counted(spread: Spread | None) -> str:
    return f"{_spread(spread)} ({spread.n:,})" if spread is not None and spread.n else ""
