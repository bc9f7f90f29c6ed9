"""``timecontrol train decoder``: fine-tune a language model that follows plans."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from timecontrol.cli.completion import BASES, ENCODERS, among
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

if TYPE_CHECKING:
    from timecontrol.decoder.estimate import Estimate

EPILOG = (
    "Example: timecontrol train decoder text:FOLDER --encoder runs/mine --lora 16 --out runs/writer"
)


def run(
    spec: Spec,
    out: Annotated[Path, typer.Option(help="The run folder to write, or to go on with.")],
    encoder: Annotated[
        str | None,
        typer.Option(
            help="The encoder whose latents it follows: a run or a name.",
            autocompletion=among(ENCODERS),
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="planned, plain, clock, section-dense or section-sparse.")
    ] = "planned",
    base: Annotated[
        str,
        typer.Option(help="Causal base: name, folder or hub id.", autocompletion=among(BASES)),
    ] = "smollm2-135m",
    lora: Annotated[int | None, typer.Option(help="Rank of adapters; 0: all weights.")] = None,
    lora_dropout: Annotated[
        float | None, typer.Option(help="Share of what adapters read that a step does not see.")
    ] = None,
    preset: Annotated[str, typer.Option(help="best, paper or released.")] = "best",
    seed: Annotated[int, typer.Option(help="Of batches, trimming and noise.")] = 0,
    epochs: Annotated[int | None, typer.Option(help="At most so many.")] = None,
    batch: Annotated[
        int | None, typer.Option(help="Documents at once [8; fewer of a small corpus].")
    ] = None,
    grouped: Annotated[
        bool | None,
        typer.Option("--grouped/--mixed", help="Documents of like length in a batch: less to fill"),
    ] = None,
    documents: Annotated[
        int | None, typer.Option(help="Training documents at most; 0: all.")
    ] = None,
    accumulate: Annotated[int | None, typer.Option(help="Batches a step.")] = None,
    rate: Annotated[float | None, typer.Option(help="Learning rate (of adapters too).")] = None,
    keep: Annotated[
        str | None,
        typer.Option(help="last: the weights of the last epoch; best: of the best on validation."),
    ] = None,
    patience: Annotated[
        int | None, typer.Option(help="Epochs without improvement before it stops; 0: never.")
    ] = None,
    window: Annotated[
        int | None, typer.Option(help="Tokens of a document at most; 0: what the base takes.")
    ] = None,
    trim: Annotated[
        str | None, typer.Option(help="Longer documents: sections, cut or drop.")
    ] = None,
    depths: Annotated[
        int | None, typer.Option(help="Places where the plan enters; 1: the input alone.")
    ] = None,
    fusion: Annotated[
        str | None, typer.Option(help="How it enters: add, or film (scale and shift).")
    ] = None,
    look: Annotated[
        int | None, typer.Option(help="Points before and after told along; 0: none.")
    ] = None,
    form: Annotated[
        str | None, typer.Option(help="How documents are written as tokens: best, decided, ...")
    ] = None,
    arrangement: Annotated[
        str | None, typer.Option(help="forward; to fill gaps: right-first or blanks.")
    ] = None,
    told: Annotated[
        str | None,
        typer.Option(help="Of missing sentences: latents, or bridge, what those about them say."),
    ] = None,
    gap: Annotated[
        int | None, typer.Option(help="Sentences missing in training, at most, to fill gaps.")
    ] = None,
    units: Annotated[
        int | None, typer.Option(help="Hidden units of the projection; 0: linear.")
    ] = None,
    smooth: Annotated[int | None, typer.Option(help="Average latents over so many.")] = None,
    within: Annotated[
        bool | None, typer.Option("--within/--across", help="Average within stages alone.")
    ] = None,
    noise: Annotated[float | None, typer.Option(help="On latents, in training.")] = None,
    latent_dropout: Annotated[
        float | None, typer.Option(help="Share of documents without latents.")
    ] = None,
    clock: Annotated[
        bool | None, typer.Option("--clock/--no-clock", help="Tell how much of the plan is done.")
    ] = None,
    end_row: Annotated[
        bool | None, typer.Option("--end-row/--no-end-row", help="Tell that the plan is over.")
    ] = None,
    final_mark: Annotated[
        bool | None, typer.Option("--final-mark/--no-final-mark", help="Mark the last sentence.")
    ] = None,
    end_weight: Annotated[
        float | None, typer.Option(help="Weight of decisions at sentence ends.")
    ] = None,
    jitter: Annotated[
        float | None, typer.Option(help="Sentences by which plans are ahead or behind, sd.")
    ] = None,
    astray: Annotated[
        float | None, typer.Option(help="Share of sentences that change places, 0 to 1.")
    ] = None,
    apart: Annotated[
        float | None, typer.Option(help="What thinking of tags within sentences costs.")
    ] = None,
    distinct: Annotated[
        float | None, typer.Option(help="How far from their words tags start, 0 to 1.")
    ] = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    compiled: Annotated[
        bool, typer.Option("--compile", help="Compile the model: for long training on a GPU.")
    ] = False,
    captured: Annotated[
        bool,
        typer.Option("--capture/--no-capture", help="Layers in CUDA graphs, where there is a GPU."),
    ] = True,
    checkpoints: Annotated[
        bool, typer.Option("--checkpoints/--no-checkpoints", help="Keep the state to go on.")
    ] = True,
    tensorboard: Annotated[
        Path | None, typer.Option(help="A folder for TensorBoard's files.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace another run in the folder.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Fine-tune a language model to write one sentence for each latent.

    Interrupted, the same command goes on from the last epoch.
    """
    corpus = open_corpus(
        spec,
        splitter_name=splitter,
        language=language,
        split_by=split_by,
        encoding=encoding,
        skip_bad=skip_bad,
    )
    from timecontrol.decoder import Decoder
    from timecontrol.decoder import preset as chosen

    settings = chosen(
        preset,
        method=method,
        seed=seed,
        lora=lora,
        lora_dropout=lora_dropout,
        epochs=epochs,
        batch=0 if batch is None and preset == "best" else batch,
        accumulate=accumulate,
        grouped=grouped,
        documents=documents,
        rate=rate,
        lora_rate=rate,
        keep=keep,
        patience=patience,
        window=window,
        trim=trim,
        depths=depths,
        fusion=fusion,
        look=look,
        form=form,
        arrangement=arrangement,
        gap=gap,
        told=told,
        units=units,
        smooth=smooth,
        within=within,
        noise=noise,
        latent_dropout=latent_dropout,
        clock=clock,
        end_row=end_row,
        final_mark=final_mark,
        end_weight=end_weight,
        apart=apart,
        jitter=jitter,
        astray=astray,
        distinct=distinct,
    )
    try:
        trained = Decoder.fit(
            corpus,
            encoder=encoder,
            base=base,
            settings=settings,
            out=out,
            overwrite=overwrite,
            device=device,
            dtype=dtype,
            compiled=compiled,
            captured=captured,
            checkpoints=checkpoints,
            tensorboard=tensorboard,
            before=_before,
            progress=progress,
        )
    except KeyboardInterrupt:
        _stopped(out)
        raise
    if as_json:
        print_json({"run": out.as_posix(), "config": trained.config, "metrics": trained.metrics})
        return
    report(trained.config, trained.metrics)
    if remark := few(trained.config["corpus"]["documents"]["train"]):
        note(remark)
    for remark in trained.config["corpus"]["notes"]:
        note(f"note: {remark}")
    say(shown(f"\nWritten to {out}. Next: timecontrol generate --model {out} -n 4"))


def _stopped(out: Path) -> None:
    """Say what is left of a training that was interrupted."""
    from timecontrol.decoder.folder import CHECKPOINTS
    from timecontrol.decoder.training import last_checkpoint

    if last_checkpoint(out / CHECKPOINTS) is None:
        note("stopped before an epoch was over: the same command begins anew")
    else:
        note("stopped: the same command goes on after the last whole epoch")


def _before(found: "Estimate") -> None:
    note(found.words)


def report(config: dict[str, Any], metrics: dict[str, Any]) -> None:
    """Print what was trained and how good it is."""
    s, corpus, kept = config["settings"], config["corpus"], metrics["kept"]
    n = corpus["used"]
    trained = f"LoRA of rank {s['lora']}" if s["lora"] else "all weights"
    say(
        f"[bold]{shown(corpus['name'])}[/]  {s['method']}, preset {s['preset']}, seed {s['seed']}, "
        f"{trained}"
    )
    said = f"base {config['base']['label']}"
    if config["encoder"]:
        e = config["encoder"]
        said += f", encoder {e['objective']} d = {e['latent_dim']} ({e['base']})"
    say(shown(said))
    say(
        f"{plural(n['train'], 'training document')}, {plural(n['val'], 'validation document')}; "
        f"{plural(metrics['epochs'], 'epoch')} in {metrics['seconds']:.0f} s, the weights of epoch "
        f"{metrics['kept_epoch']} kept\n"
    )
    rows = [["training loss", kept.get("loss")], ["validation loss", kept.get("val_loss")]]
    if known := metrics.get("health"):
        rows.append([f"right tag first, of {known['n']} section starts", known["first"]])
        rows.append(["loss of the choice at a sentence's end", known.get("choice_loss")])
    table(["of the weights kept", ""], [[a, f"{b:.3f}"] for a, b in rows if b is not None])
    if known and known["first"] is not None and known["first"] < 0.5:
        note("take care: at section starts the right tag is seldom first: train longer")
