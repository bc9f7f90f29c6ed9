"""``timecontrol evaluate structure|perplexity|swap|adherence|steering|reading``.

What decoders write, and how well they predict.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from timecontrol.cli.completion import DECODERS, among
from timecontrol.cli.evaluate import Most, _check_folder, _open, _place, _split, report
from timecontrol.cli.options import (
    AsJson,
    Candidates,
    Device,
    Dtype,
    Encoding,
    Follow,
    Guidance,
    Language,
    Loop,
    SkipBad,
    Spec,
    SplitBy,
    Splitter,
)
from timecontrol.errors import TimeControlError, pick

Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="A decoder: run folder or name; may be repeated.",
        autocompletion=among(DECODERS),
    ),
]
Files = Annotated[
    list[Path] | None,
    typer.Option("--texts", help="JSON lines of generate; may be repeated."),
]
Out = Annotated[Path | None, typer.Option(help="A folder for the table and the numbers.")]
Seed = Annotated[int, typer.Option(min=0, help="Of plans and texts.")]
TopP = Annotated[float | None, typer.Option(help="Mass that is drawn from [0.95].")]
Batch = Annotated[int, typer.Option("--batch-size", min=1, help="Documents at once.")]


def structure(
    spec: Spec,
    model: Models = None,
    texts: Files = None,
    plans: Annotated[str, typer.Option(help="Kinds of plans.")] = "bridge,mean,retrieved,static",
    lengths: Annotated[str, typer.Option(help="normal, forced, or tokens.")] = "normal,forced",
    count: Annotated[int, typer.Option("-n", "--count", min=2, help="Documents of each.")] = 128,
    top_p: TopP = None,
    temperature: Annotated[float, typer.Option(help="Of the draws.")] = 1.0,
    follow: Follow = None,
    guidance: Guidance = 0.0,
    loop: Loop = False,
    candidates: Candidates = 1,
    seed: Seed = 0,
    tokenizer: Annotated[str, typer.Option(help="Counts tokens: a base.")] = "smollm2-135m",
    window: Annotated[int, typer.Option(help="Training documents are trimmed to it.")] = 1024,
    against: Annotated[
        str | None, typer.Option(help="Row that others are compared with [plain].")
    ] = None,
    batch_size: Batch = 64,
    keep: Annotated[Path | None, typer.Option(help="A folder for the texts.")] = None,
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
    """Are the sections of written documents in order, and as long as they should be?

    Decoders that differ only in their seed share a row.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    _check_folder(out)
    _check_folder(keep, "--keep")
    kinds = _words(plans, "--plans")
    from timecontrol.experiments.structure import structures
    from timecontrol.experiments.ways import Ways
    from timecontrol.plans import KINDS

    for kind in kinds:
        pick(KINDS, kind, "plan")
    options = {"top_p": top_p, "temperature": temperature, "seed": seed, "follow": follow}
    options |= {"guidance": guidance, "loop": loop, "candidates": candidates}
    ways = Ways(kinds, _words(lengths, "--lengths"), count, options, batch_size, keep)
    found = structures(
        corpus,
        models=model or [],
        files=texts or [],
        ways=ways,
        tokenizer=tokenizer,
        window=window,
        against=against,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


def perplexity(
    spec: Spec,
    model: Models = None,
    split: Annotated[str, typer.Option(help="train, val or test; test is counted.")] = "test",
    max_documents: Annotated[
        int | None, typer.Option(min=2, help="Only the first so many documents.")
    ] = None,
    seed: Seed = 0,
    batch_size: Batch = 8,
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
    """Are documents better predicted with their own latents than without, or with another's?"""
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    wanted = _split(split)
    _check_folder(out)
    from timecontrol.experiments.perplexity import perplexities

    found = perplexities(
        corpus,
        models=_some(model),
        split=wanted,
        most=max_documents,
        seed=seed,
        batch=batch_size,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


def swap(
    spec: Spec,
    model: Models = None,
    split: Annotated[
        str, typer.Option(help="Whose documents' paths are the plans; test is counted.")
    ] = "val",
    pairs: Annotated[int, typer.Option(min=2, help="Pairs of plans.")] = 64,
    length: Annotated[str, typer.Option(help="normal, forced, or tokens.")] = "forced",
    top_p: TopP = None,
    seed: Seed = 0,
    batch_size: Batch = 64,
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
    """Do the section profiles of two texts change places when their plans do?"""
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    wanted = _split(split)
    _check_folder(out)
    from timecontrol.experiments.swap import swaps

    found = swaps(
        corpus,
        models=_some(model),
        split=wanted,
        pairs=pairs,
        length=length,
        options={"top_p": top_p, "seed": seed},
        batch=batch_size,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


def adherence(
    spec: Spec,
    encoder: Annotated[str, typer.Option(help="The encoder that planned: a name or a run.")],
    judge: Annotated[str, typer.Option(help="Another encoder: of another seed and base.")],
    texts: Files = None,
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
    """Do texts go along their plans, as another encoder than the planning one sees it?"""
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    _check_folder(out)
    if not texts:
        raise TimeControlError("No texts: give --texts FILE, the output of generate as jsonl.")
    from timecontrol.experiments.adherence import adherences

    found = adherences(
        corpus, files=texts, planner=encoder, judge=judge, place=_place(device, dtype)
    )
    report(found, out, as_json)


def steering(
    spec: Spec,
    judge: Annotated[
        str, typer.Option(help="Another encoder than the decoder's: of another seed and base.")
    ],
    model: Models = None,
    what: Annotated[str, typer.Option(help="goal, waypoint or both.")] = "both",
    share: Annotated[float, typer.Option(help="Where in a document the waypoint is.")] = 0.5,
    count: Annotated[int, typer.Option("-n", "--count", min=2, help="Documents of each.")] = 64,
    split: Annotated[
        str, typer.Option(help="Whose documents the goals are from; test is counted.")
    ] = "val",
    length: Annotated[str, typer.Option(help="normal, forced, or tokens.")] = "normal",
    plan: Annotated[str | None, typer.Option(help="A kind; the decoder's own otherwise.")] = None,
    top_p: TopP = None,
    follow: Follow = None,
    guidance: Guidance = 0.0,
    loop: Loop = False,
    candidates: Candidates = 1,
    seed: Seed = 0,
    batch_size: Batch = 64,
    keep: Annotated[Path | None, typer.Option(help="A folder for the texts.")] = None,
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
    """Do a goal and a waypoint, given as texts, show in what is written?

    Each document is asked for a sentence of a held-out one; another encoder tells whether it comes
    nearer to that than to what others were asked for. Beside it: documents that were asked for
    nothing.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    wanted = _split(split)
    _check_folder(out)
    _check_folder(keep, "--keep")
    from timecontrol.experiments.steering import Way, steerings
    from timecontrol.plans import KINDS

    if plan is not None:
        pick(KINDS, plan, "plan")
    options = {"top_p": top_p, "seed": seed, "follow": follow}
    options |= {"guidance": guidance, "loop": loop, "candidates": candidates}
    found = steerings(
        corpus,
        models=_some(model),
        judge=judge,
        what=what,
        share=share,
        split=wanted,
        way=Way(count, length, plan, options, batch_size, keep),
        place=_place(device, dtype),
    )
    report(found, out, as_json)


def reading(
    spec: Spec,
    base: Annotated[str, typer.Option(help="A causal base that did not write the texts.")],
    texts: Files = None,
    max_documents: Most = None,
    batch_size: Annotated[int, typer.Option("--batch-size", min=1, help="Windows at once.")] = 4,
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
    """How well do texts read? Their perplexity under a base that did not write them.

    Without tags and marks, beside real validation documents cut to the same number of tokens.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    _check_folder(out)
    from timecontrol.experiments.reading import readings

    found = readings(
        corpus,
        files=texts or [],
        base=base,
        most=max_documents,
        batch=batch_size,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


VERBS: dict[Callable[..., Any], str] = {
    structure: "Example: timecontrol evaluate structure text:FOLDER --model runs/writer",
    perplexity: "Example: timecontrol evaluate perplexity text:FOLDER --model runs/writer",
    swap: "Example: timecontrol evaluate swap text:FOLDER --model runs/writer",
    adherence: "Example: timecontrol evaluate adherence text:FOLDER --texts t.jsonl "
    "--encoder runs/mine --judge runs/other",
    steering: "Example: timecontrol evaluate steering text:FOLDER --model runs/writer "
    "--judge runs/other",
    reading: "Example: timecontrol evaluate reading text:FOLDER --texts t.jsonl --base gpt2",
}
"""Each with what is said at the end of its help."""


def _words(text: str, option: str) -> list[str]:
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found:
        raise TimeControlError(f"{option} is empty.")
    return list(dict.fromkeys(found))


def _some(models: list[str] | None) -> list[str]:
    if not models:
        raise TimeControlError("No decoder: give --model RUN; it may be repeated.")
    return models
