"""``timecontrol train``: fit an encoder to a corpus."""

from pathlib import Path
from typing import Annotated, Any

import typer

from timecontrol.cli.completion import BASES, among
from timecontrol.cli.console import note, plural, print_json, progress, say, shown, table
from timecontrol.cli.options import (
    AsJson,
    Device,
    Dtype,
    Encoding,
    Language,
    SkipBad,
    Spec,
    SplitBy,
    Splitter,
    few,
)
from timecontrol.corpora import open_corpus

app = typer.Typer(help="Train an encoder or a decoder on a corpus.", no_args_is_help=True)


@app.command("encoder", epilog="Example: timecontrol train encoder text:FOLDER --out runs/mine")
def encoder(
    spec: Spec,
    out: Annotated[Path, typer.Option(help="The run folder to write, or to go on with.")],
    objective: Annotated[str, typer.Option(help="bridge, brownian, implicit or vae.")] = "bridge",
    latent_dim: Annotated[int, typer.Option(help="Coordinates of a latent.")] = 8,
    base: Annotated[
        str,
        typer.Option(help="Frozen base: name, folder or hub id.", autocompletion=among(BASES)),
    ] = "minilm",
    preset: Annotated[str, typer.Option(help="best, paper or released.")] = "best",
    seed: Annotated[int, typer.Option(help="Of weights, batches and draws.")] = 0,
    loss: Annotated[
        str | None, typer.Option(help="paper, released or masked; the preset's otherwise.")
    ] = None,
    distance: Annotated[
        int | None, typer.Option(help="Contrast sentences exactly so far apart.")
    ] = None,
    pooling: Annotated[str | None, typer.Option(help="mean, last or eos.")] = None,
    tags: Annotated[
        bool | None, typer.Option("--tags/--no-tags", help="Read section tags with the text.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="At most so many.")] = None,
    batch: Annotated[int | None, typer.Option(help="Samples a step.")] = None,
    rate: Annotated[float | None, typer.Option(help="Learning rate.")] = None,
    learned: Annotated[
        float | None, typer.Option(help="How much what is learned counts in scores, 0 to 1.")
    ] = None,
    patience: Annotated[
        int | None, typer.Option(help="Epochs without improvement before it stops; 0: never.")
    ] = None,
    lm: Annotated[
        str | None, typer.Option(help="Language model of the VAE: small, or a causal base.")
    ] = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace another run in the folder.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train the head of an encoder on a corpus; the base stays as it is.

    Features of the base are computed once and kept. Interrupted, the same command goes on.
    """
    corpus = open_corpus(
        spec,
        splitter_name=splitter,
        language=language,
        split_by=split_by,
        encoding=encoding,
        skip_bad=skip_bad,
    )
    from timecontrol.encoder import Encoder
    from timecontrol.encoder import preset as chosen

    settings = chosen(
        preset,
        objective=objective,
        latent_dim=latent_dim,
        seed=seed,
        loss=loss,
        distance=distance,
        pooling=pooling,
        tags=tags,
        epochs=epochs,
        batch=batch,
        rate=rate,
        patience=patience,
        learned=learned,
        lm=lm,
    )
    trained = Encoder.fit(
        corpus,
        base=base,
        settings=settings,
        out=out,
        overwrite=overwrite,
        device=device,
        dtype=dtype,
        progress=progress,
    )
    if as_json:
        print_json({"run": out.as_posix(), "config": trained.config, "metrics": trained.metrics})
    else:
        report(trained.config, trained.metrics)
        if remark := few(trained.config["corpus"]["documents"]["train"]):
            note(remark)
        for remark in trained.config["corpus"]["notes"]:
            note(f"note: {remark}")
        held = any("held out instead" in remark for remark in trained.config["corpus"]["notes"])
        options = " --skip-bad" * skip_bad + " --split train" * held
        command = f"timecontrol plot {spec} --encoder {out} --out plots{options}"
        say(shown(f"\nWritten to {out}. Next: {command}"))
        say(shown(f"or: timecontrol score FILE --encoder {out}"))


def report(config: dict[str, Any], metrics: dict[str, Any]) -> None:
    """Print what was trained and how good it is."""
    s, corpus, best = config["settings"], config["corpus"], metrics["best"]
    n = corpus["documents"]
    about = [s["objective"], f"preset {s['preset']}", f"d = {s['latent_dim']}", f"seed {s['seed']}"]
    if s["objective"] in ("bridge", "brownian"):
        about.insert(2, f"loss {s['loss']}")
    say(f"[bold]{shown(corpus['name'])}[/]  {shown(', '.join(about))}")
    say(shown(f"base {config['base']['label']}, pooling {s['pooling']}"))
    say(
        f"{plural(n['train'], 'training document')}, {plural(n['val'], 'validation document')}; "
        f"{metrics['epochs']} epochs in {metrics['seconds']:.1f} s, the head of epoch "
        f"{metrics['best_epoch']} kept\n"
    )
    rows = [["training loss", best.get("loss")], ["validation loss", best.get("val_loss")]]
    if "val_information" in best:
        rows.append([f"  bound log N - L, N = {best['val_n']:.0f} (nats)", best["val_information"]])
        rows.append(["  own sample ranked first", best["val_retrieval"]])
    if "val_evidence" in best:
        rows.append(["  evidence lower bound (nats a triplet)", best["val_evidence"]])
        rows.append(["  divergence (nats a triplet)", best["val_divergence"]])
    if judged := metrics.get("validation"):
        rows += [
            ["variance explained by time", judged["time_share"]],
            ["residuals against t(T-t)/T, R²", judged["profile_fit"]],
            ["correlation of neighbouring steps", judged["step_correlation"]],
            ["documents with larger residual when shuffled", judged["shuffled_larger"]],
        ]
    table(
        ["of the head kept", ""],
        [[name, f"{value:.3f}"] for name, value in rows if value is not None],
    )
