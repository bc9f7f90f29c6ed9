"""``timecontrol encode``: the latents of a corpus as Parquet, and what its paths look like."""

from pathlib import Path
from typing import Annotated, Any

import typer

from timecontrol.cli.console import note, plural, print_json, progress, say, shown, table
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
from timecontrol.corpora import open_corpus
from timecontrol.errors import TimeControlError

EPILOG = "Example: timecontrol encode text:FOLDER --encoder runs/mine --out latents.parquet"


def run(
    spec: Spec,
    encoder: Run,
    out: Annotated[Path, typer.Option(help="The Parquet file to write; a .json beside it.")],
    split: Annotated[str | None, typer.Option(help="Only train, val or test.")] = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    shuffles: Annotated[int, typer.Option(min=1, help="Of each document, for comparison.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Of the shuffles.")] = 0,
    device: Device = "auto",
    dtype: Dtype = "auto",
    as_json: AsJson = False,
) -> None:
    """Write the latent of every sentence of a corpus, and describe the paths of its documents.

    Beside FILE.parquet, FILE.json holds end points, mean path, noise scale and diagnostics.
    """
    wanted = split_named(split)
    if out.suffix != ".parquet":
        raise TimeControlError(f"--out is {out}: a file that ends in .parquet.")
    if not out.parent.is_dir():
        raise TimeControlError(f"--out is {out}: there is no folder {out.parent}.")
    corpus = open_corpus(
        spec,
        splitter_name=splitter,
        language=language,
        split_by=split_by,
        encoding=encoding,
        skip_bad=skip_bad,
    )
    documents = list(corpus.documents(wanted))
    if not documents:
        where = f"in split {split!r}" if split else "in it"
        raise TimeControlError(f"{spec}: no documents {where} (splits by {corpus.split_by}).")
    from timecontrol.encoder.evaluations import log_test
    from timecontrol.latents import describe
    from timecontrol.pretrained import looks_folder, open_encoder
    from timecontrol.runs import write_json

    model = open_encoder(encoder, device, dtype)
    paths = model.paths(documents, progress)
    about = {
        "corpus": corpus.name,
        "split": wanted,
        "encoder": {k: model.config[k] for k in ("identity", "base", "settings")},
    }
    found: dict[str, Any] = {**about, **describe(paths, model.fit_, shuffles, seed)}
    paths.write(out, about)
    write_json(out.with_suffix(".json"), found)
    if wanted in ("test", None) and "test" in {d.split for d in documents}:
        log_test(looks_folder(encoder), "encode", corpus.name, found.get("diagnostics"))
    if as_json:
        print_json(found)
        return
    report(found)
    short = found["too_short"]
    if short:
        note(f"note: {plural(short, 'document')} under 3 sentences encoded, not described")
    say(shown(f"\nWritten to {out} and {out.with_suffix('.json').name}."))


def report(found: dict[str, Any]) -> None:
    """Print what the paths look like."""
    size = found["encoder"]["settings"]["latent_dim"]
    counts = plural(found["documents"], "document"), plural(found["sentences"], "sentence")
    say(f"[bold]{shown(found['corpus'])}[/]  {', '.join(counts)}, d = {size}")
    rows = []
    if judged := found.get("diagnostics"):
        wins, error = 100 * judged["shuffled_larger"], 100 * judged["shuffled_error"]
        of = f"{plural(judged['documents'], 'document')} x {judged['shuffles']}"
        rows += [
            ["variance explained by time", f"{judged['time_share']:.3f}"],
            ["residuals against t(T-t)/T, R²", f"{judged['profile_fit']:.3f}"],
            ["correlation of neighbouring steps", f"{judged['step_correlation']:.3f}"],
            ["larger residual when shuffled", f"{wins:.1f} ± {error:.1f} % of {of}"],
        ]
    if fit := found.get("fit"):
        rows += [
            ["noise scale about the line", f"{fit['line_sigma']:.3f}"],
            ["noise scale about the mean path", f"{fit['mean_sigma']:.3f}"],
        ]
    if rows:
        table(["paths", ""], rows)
