"""``timecontrol demo``: the main job on the embedded default, as far as it is built."""

from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli import corpus, encode, plot, train
from timecontrol.cli.console import note, say, shown

CITIES = "synthetic:cities"


def run(
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("timecontrol-demo"),
    base: Annotated[str, typer.Option(help="Frozen base: name, folder or hub id.")] = "minilm",
) -> None:
    """Show what the tool does, offline, on made documents: their structure and a latent space."""
    for kind in ("cities", "dialogues", "recipes"):
        say(f"[bold]── synthetic:{kind} ──[/]\n")
        corpus.run(f"synthetic:{kind}")
        say()
    from timecontrol.bases import resolve
    from timecontrol.errors import MissingBaseError

    try:
        resolve(base)
    except MissingBaseError as error:
        note(f"The latent space is left out. {error}")
    else:
        say("[bold]── a latent space of synthetic:cities ──[/]\n")
        run_folder = out / "cities"
        train.encoder(CITIES, run_folder, base=base)
        say()
        encode.run(CITIES, run_folder, out / "cities.parquet", split="val")
        say()
        plot.run(CITIES, run_folder, out)
    say("\n[bold]── next ──[/]\n")
    say("Your own documents:  timecontrol corpus text:FOLDER")
    say("Their latent space:  timecontrol train encoder text:FOLDER --out RUN")
    say("All formats:         timecontrol corpus list")
    say(shown("Pretrained bases:    timecontrol bases"))
