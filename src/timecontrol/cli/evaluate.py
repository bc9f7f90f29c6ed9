"""``timecontrol evaluate``: how good scores, traces and latents are, with intervals."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from timecontrol.cli.console import note, print_json, progress, say, shown, table
from timecontrol.cli.options import (
    AsJson,
    Device,
    Dtype,
    Encoding,
    Language,
    Run,
    SkipBad,
    Spec,
    SplitBy,
    Splitter,
    split_named,
)
from timecontrol.corpora import Corpus, open_corpus
from timecontrol.errors import TimeControlError

if TYPE_CHECKING:
    from timecontrol.experiments.evaluate import Place

app = typer.Typer(
    help="Measure scores on shuffled documents, traces on intruders, latents on sentence order, "
    "and what decoders write.",
    no_args_is_help=True,
)

Split = Annotated[str, typer.Option(help="train, val or test; looks at test are counted.")]
Seed = Annotated[int, typer.Option(min=0, help="Of the draws.")]
Most = Annotated[
    int | None, typer.Option("--max-documents", min=2, help="Only the first so many documents.")
]
Out = Annotated[Path | None, typer.Option(help="A folder for the table and the numbers.")]


@app.command(
    "shuffle", epilog="Example: timecontrol evaluate shuffle text:FOLDER --encoder runs/mine"
)
def shuffle(
    spec: Spec,
    encoder: Run,
    split: Split = "test",
    blocks: Annotated[str, typer.Option(help="Sizes of blocks.")] = "1,2,5,10",
    windows: Annotated[str, typer.Option(help="Numbers of windows.")] = "1,2,3",
    shuffles: Annotated[int, typer.Option(min=1, help="Of each document and kind.")] = 20,
    seed: Seed = 0,
    likelihood: Annotated[
        str | None, typer.Option(help="Compare with the likelihood under this causal base.")
    ] = None,
    likelihood_shuffles: Annotated[
        int | None, typer.Option(min=1, help="Shuffles for it, where all take too long.")
    ] = None,
    entity_grid: Annotated[
        bool, typer.Option("--entity-grid", help="Compare with an entity grid.")
    ] = False,
    max_documents: Most = None,
    out: Out = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    as_json: AsJson = False,
) -> None:
    """Does the score tell a document from the same document shuffled?

    Blocks of sentences are permuted, or sentences inside short windows; "mixed" compares a document
    with shuffles of other documents. Nothing is trained on shuffled documents.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    wanted, sizes = _split(split), numbers(blocks, "--blocks")
    counts = numbers(windows, "--windows")
    if not sizes and not counts:
        raise TimeControlError("Nothing to shuffle: give --blocks or --windows.")
    _check_folder(out)
    from timecontrol.experiments import evaluate

    found = evaluate.shuffle(
        corpus,
        encoder,
        split=wanted,
        blocks=sizes,
        windows=counts,
        shuffles=shuffles,
        seed=seed,
        likelihood=likelihood,
        likelihood_shuffles=likelihood_shuffles,
        entity_grid=entity_grid,
        most=max_documents,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


@app.command(
    "intruder", epilog="Example: timecontrol evaluate intruder text:FOLDER --encoder runs/mine"
)
def intruder(
    spec: Spec,
    encoder: Run,
    split: Split = "test",
    draws: Annotated[int, typer.Option(min=1, help="Intruders of each document.")] = 10,
    seed: Seed = 0,
    max_documents: Most = None,
    out: Out = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    as_json: AsJson = False,
) -> None:
    """Does the trace find a sentence that comes from another document?

    One inner sentence is replaced; top-1 is how often it has the lowest trace, MRR the mean of one
    over its rank.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    wanted = _split(split)
    _check_folder(out)
    from timecontrol.experiments import evaluate

    found = evaluate.intruder(
        corpus,
        encoder,
        split=wanted,
        draws=draws,
        seed=seed,
        most=max_documents,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


@app.command(
    "discourse",
    epilog="Example: timecontrol evaluate discourse text:FOLDER --train bridge --out order",
)
def discourse(
    spec: Spec,
    out: Annotated[Path, typer.Option(help="A folder for the table, and for trained encoders.")],
    encoder: Annotated[
        list[str] | None, typer.Option(help="A run folder or a shipped encoder; may be repeated.")
    ] = None,
    train: Annotated[
        str, typer.Option(help="Train these: bridge,brownian,implicit,vae or some of them.")
    ] = "",
    dims: Annotated[str, typer.Option(help="Sizes of their latents.")] = "8,16,32",
    encoder_seeds: Annotated[int, typer.Option(min=1, help="Encoders of each kind.")] = 3,
    base: Annotated[str, typer.Option(help="Their base: name, folder or hub id.")] = "minilm",
    preset: Annotated[str, typer.Option(help="Their preset: best, paper or released.")] = "best",
    features: Annotated[
        list[str] | None, typer.Option(help="A base whose features are a row; may be repeated.")
    ] = None,
    k: Annotated[str, typer.Option("--k", help="Distances of the two sentences.")] = "1,5,10",
    definition: Annotated[str, typer.Option(help="paper, released or best.")] = "paper",
    probe_seeds: Annotated[int, typer.Option(min=1, help="Probes of each encoder.")] = 3,
    split: Split = "test",
    max_documents: Most = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    as_json: AsJson = False,
) -> None:
    """Do latents tell which of two sentences comes first? The paper's first table.

    A linear probe is trained on pairs of training documents. Definitions: the paper's, that of the
    authors' code, and the best linear classifier.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    wanted, ks = _split(split), numbers(k, "--k")
    objectives = [name.strip() for name in train.split(",") if name.strip()]
    sizes = numbers(dims, "--dims") if objectives else []
    if not ks or (objectives and not sizes):
        raise TimeControlError(f"{'--dims' if ks else '--k'} is empty: for example 5,10.")
    _check_folder(out)
    from timecontrol.errors import pick
    from timecontrol.experiments import evaluate
    from timecontrol.metrics.probe import DEFINITIONS

    pick(dict.fromkeys(DEFINITIONS), definition, "definition")
    folder = out / "encoders"
    grid = evaluate.Grid(objectives, sizes, encoder_seeds, base, preset, folder)
    found = evaluate.discourse(
        corpus,
        encoders=encoder or [],
        grid=grid if objectives else None,
        features=features or [],
        split=wanted,
        ks=ks,
        definition=definition,
        probe_seeds=probe_seeds,
        most=max_documents,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


@app.command(
    "likeness", epilog="Example: timecontrol evaluate likeness text:FOLDER --encoder runs/mine"
)
def likeness(
    spec: Spec,
    encoder: Run,
    plans: Annotated[str, typer.Option(help="Kinds of plans.")] = "bridge,mean,retrieved",
    split: Annotated[str, typer.Option(help="val or test; looks at test are counted.")] = "val",
    folds: Annotated[int, typer.Option(min=2, help="Parts of the training documents.")] = 5,
    draws: Annotated[int, typer.Option(min=1, help="Plans for each document.")] = 4,
    seed: Seed = 0,
    smooth: Annotated[int, typer.Option(min=1, help="Sentences latents are averaged over.")] = 5,
    window: Annotated[int, typer.Option(min=16, help="Tokens documents are trimmed to.")] = 1024,
    tokenizer: Annotated[str, typer.Option(help="Counts tokens: a base.")] = "smollm2-135m",
    max_documents: Most = None,
    out: Out = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    as_json: AsJson = False,
) -> None:
    """Do plans look like the paths of documents that they were not fitted to?

    Plans as long as held-out documents are told from their paths by a classifier (AUC 0.5: it
    cannot), and by their distance; the same with parts of the training documents left out.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    wanted = _split(split)
    kinds = list(dict.fromkeys(part.strip() for part in plans.split(",") if part.strip()))
    if not kinds:
        raise TimeControlError("--plans is empty: for example bridge,mean.")
    _check_folder(out)
    from timecontrol.experiments.likeness import likenesses

    found = likenesses(
        corpus,
        encoder,
        plans=kinds,
        split=wanted,
        folds=folds,
        draws=draws,
        seed=seed,
        smooth=smooth,
        window=window,
        tokenizer=tokenizer,
        most=max_documents,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


def numbers(text: str, option: str) -> list[int]:
    """Return the numbers of ``1,2,5``, each once; none of an empty text."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise TimeControlError(f"{option} is {text!r}: whole numbers from 1, such as 1,2,5.")
    return list(dict.fromkeys(int(part) for part in parts))


def report(found: dict[str, Any], out: Path | None, as_json: bool) -> None:
    """Print a result, and write it as Markdown and JSON where a folder is given."""
    from timecontrol.experiments.report import facts, markdown, tables
    from timecontrol.runs import write_json, write_text

    found = {"command": shlex.join(["timecontrol", *sys.argv[1:]]), **found}
    if out:
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / f"{found['task']}.json", found)
        write_text(out / f"{found['task']}.md", markdown(found))
    if as_json:
        print_json(found)
        return
    for line in facts(found):
        say(shown(line))
    for part in tables(found):
        say(f"\n{shown(part.title)}")
        table(part.columns, part.rows)
    if found["too_short"]:
        note(f"note: {found['too_short']} documents under 3 sentences left out")
    if out:
        say(shown(f"\nWritten to {out / found['task']}.md and .json."))


def _open(
    spec: str, splitter: str, language: str, split_by: str, encoding: str, skip_bad: bool
) -> Corpus:
    return open_corpus(
        spec,
        splitter_name=splitter,
        language=language,
        split_by=split_by,
        encoding=encoding,
        skip_bad=skip_bad,
    )


def _split(name: str) -> str:
    found = split_named(name)
    assert found is not None
    return found


def _check_folder(out: Path | None, option: str = "--out") -> None:
    if out is not None and out.exists() and not out.is_dir():
        raise TimeControlError(f"{option} is {out}: a file; give a folder.")


def _place(device: str, dtype: str) -> "Place":
    from timecontrol.experiments.evaluate import Place

    return Place(device, dtype, progress)
