"""``timecontrol demo``: the main job on the embedded default, as far as it is built."""

from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli import corpus, encode, generate, plot, score, train
from timecontrol.cli.console import note, say, shown

CITIES = "synthetic:cities"
WRITER, WRITER_BASE, LENGTH = "wikisection", "smollm2-135m", "320"
TEXT = """\
Anna had never baked a cake before. Her grandmother wrote the recipe on a card and gave it to her.
On Saturday Anna bought flour, butter, eggs and sugar at the market. She mixed everything in the
large blue bowl and put the cake in the oven. The price of copper fell again in the second quarter.
After forty minutes the kitchen smelled of vanilla. The cake was a little flat, but it tasted good.
Anna carried a large piece of it to her grandmother. The old woman laughed and asked for another.
"""
"""A text with a sentence from somewhere else in it."""


def run(
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("timecontrol-demo"),
    base: Annotated[str, typer.Option(help="Frozen base: name, folder or hub id.")] = "minilm",
) -> None:
    """Show what the tool does, offline: structure, a latent space, texts judged and written."""
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
        say("\n[bold]── a text with a stranger in it ──[/]\n")
        text = out / "anna.txt"
        text.write_text(TEXT, encoding="utf-8")
        known = "general" if base == "minilm" else str(run_folder)
        score.run([str(text)], encoder=known, to_html=out / "anna.html")
    if base == "minilm":
        _write()
    say("\n[bold]── next ──[/]\n")
    say("Your own documents:  timecontrol corpus text:FOLDER")
    say("Do they flow?        timecontrol score FILE")
    say("Their latent space:  timecontrol train encoder text:FOLDER --out RUN")
    say(f"Another article:     timecontrol generate --model {WRITER} --stream --seed 1")
    say(
        "One like yours:      timecontrol train decoder text:FOLDER --encoder RUN --lora 16 --out W"
    )
    say("All formats:         timecontrol corpus list")
    say(shown("Pretrained bases:    timecontrol bases"))


def _write() -> None:
    """Write an article along a sampled plan, sentence by sentence."""
    from timecontrol.bases import resolve
    from timecontrol.errors import MissingBaseError

    try:
        resolve(WRITER_BASE)
    except MissingBaseError as error:
        note(f"The article is left out. {error}")
        return
    say("\n[bold]── an article about a town that does not exist, along a sampled plan ──[/]\n")
    generate.run(WRITER, length=LENGTH, exact=False, streamed=True)
