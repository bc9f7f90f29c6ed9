"""``timecontrol evaluate infilling|choice``: what is written into gaps, and what belongs there."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from timecontrol.cli.evaluate import (
    Most,
    Out,
    Seed,
    Split,
    _check_folder,
    _open,
    _place,
    _split,
    report,
)
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
)
from timecontrol.errors import TimeControlError


def infilling(
    spec: Spec,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="RUN, RUN:latent-free, RUN:best-8, RUN:greedy, RUN:noise-1; repeated: "
            "compared with the first. RUN+RUN: trainings that are one way.",
        ),
    ] = None,
    split: Split = "val",
    top_p: Annotated[float, typer.Option(help="Mass that is drawn from.")] = 0.95,
    temperature: Annotated[float, typer.Option(help="Of the draws.")] = 1.0,
    likely: Annotated[float | None, typer.Option(help="Weight of the words.")] = None,
    near: Annotated[float | None, typer.Option(help="Weight of the bridge.")] = None,
    follows: Annotated[float | None, typer.Option(help="Weight of what follows.")] = None,
    seed: Seed = 0,
    draws: Annotated[int, typer.Option(min=1, help="Fillings of each gap.")] = 1,
    base: Annotated[str, typer.Option(help="Of BERTScore; none: it is left out.")] = "mpnet",
    bleurt: Annotated[
        str | None,
        typer.Option(help="BLEURT too: a folder or hub id with one output, Elron/bleurt-base-128."),
    ] = None,
    examples: Annotated[int, typer.Option(min=0, help="Gaps of which the fillings are shown.")] = 0,
    max_documents: Most = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Fillings at once.")] = 48,
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
    """How like are fillings to the sentences that stood there?

    Every sentence of every document is left out in turn. What was written is kept in the folder,
    and a second call goes on from there.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    if not model:
        raise TimeControlError("No decoder: give --model RUN; it may be repeated.")
    wanted = _split(split)
    _check_folder(out)
    from timecontrol.experiments.infilling import infillings
    from timecontrol.infilling.fill import weights_of

    found = infillings(
        corpus,
        models=model,
        split=wanted,
        top_p=top_p,
        temperature=temperature,
        weights=weights_of({"likely": likely, "near": near, "follows": follows}),
        seed=seed,
        draws=draws,
        bleurt=bleurt,
        examples=examples,
        base=None if base == "none" else base,
        most=max_documents,
        batch=batch_size,
        out=out,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


def choice(
    spec: Spec,
    encoder: Run,
    split: Split = "val",
    others: Annotated[int, typer.Option(min=1, help="Sentences besides the true one.")] = 9,
    draws: Annotated[int, typer.Option(min=1, help="Of these, for each gap.")] = 1,
    seed: Seed = 0,
    max_documents: Most = None,
    out: Annotated[Path | None, typer.Option(help="A folder for the numbers.")] = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    as_json: AsJson = False,
) -> None:
    """Which of ten sentences of a story stood in the gap, by the bridge alone?

    Beside it: by their likeness to the sentences next to the gap, and to all of the window.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    wanted = _split(split)
    _check_folder(out)
    from timecontrol.experiments.choice import choices

    found = choices(
        corpus,
        encoder,
        split=wanted,
        others=others,
        draws=draws,
        seed=seed,
        most=max_documents,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


VERBS: dict[Callable[..., Any], str] = {
    infilling: "Example: timecontrol evaluate infilling windows --model runs/lm --model "
    "runs/filler:best-8",
    choice: "Example: timecontrol evaluate choice windows --encoder runs/mine",
}
"""Each with what is said at the end of its help."""
