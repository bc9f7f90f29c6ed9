"""``timecontrol plot``: look at the paths of documents."""

from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli.console import plural, progress, say, shown
from timecontrol.cli.options import (
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
from timecontrol.corpora import open_corpus
from timecontrol.errors import TimeControlError

EPILOG = "Example: timecontrol plot text:FOLDER --encoder runs/mine --out plots"
FORMATS = ("png", "svg", "pdf")


def run(
    spec: Spec,
    encoder: Run,
    out: Annotated[Path, typer.Option(help="The folder to write to.")],
    split: Annotated[str, typer.Option(help="train, val or test.")] = "val",
    documents: Annotated[int, typer.Option(min=1, help="Documents drawn one by one.")] = 6,
    form: Annotated[str, typer.Option("--format", help="png, svg or pdf.")] = "png",
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the shuffles.")] = 0,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Draw trajectories of documents against shuffled ones, the mean path, and the bridge.

    Writes trajectories, band and plane into the folder. A corpus without validation documents is
    drawn with --split train.
    """
    wanted = split_named(split)
    if form not in FORMATS:
        raise TimeControlError(f"No format named {form!r}: {', '.join(FORMATS)}.")
    corpus = open_corpus(
        spec,
        splitter_name=splitter,
        language=language,
        split_by=split_by,
        encoding=encoding,
        skip_bad=skip_bad,
    )
    found = [d for d in corpus.documents(wanted) if len(d.sentences) >= 3]
    if not found:
        raise TimeControlError(
            f"{spec}: no documents of 3 sentences in split {wanted!r} (splits by "
            f"{corpus.split_by}); --split train, val or test."
        )
    from timecontrol import figures
    from timecontrol.encoder.evaluations import log_test
    from timecontrol.pretrained import looks_folder, open_encoder

    model = open_encoder(encoder, device, dtype)
    paths = list(model.paths(found, progress))
    drawn = {
        "trajectories": figures.trajectories(paths, model.fit_, seed, documents),
        "band": figures.band(paths, model.fit_, seed),
        "plane": figures.plane(paths, model.fit_, min(documents, 4)),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, figure in drawn.items():
        figures.save(figure, out / f"{name}.{form}")
    if wanted == "test":
        log_test(looks_folder(encoder), "plot", corpus.name, None)
    names = ", ".join(f"{name}.{form}" for name in drawn)
    say(shown(f"{plural(len(paths), 'document')} of {wanted} drawn: {names} in {out}"))
