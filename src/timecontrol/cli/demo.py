"""``timecontrol demo``: the main job on the embedded default, as far as it is built."""

from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli import corpus, encode, plot, score, train
from timecontrol.cli.console import note, say, shown

CITIES = "synthetic:cities"
TEXT = """\
Millbrook is a small town on the river Tarn, at the foot of the northern hills. It was founded in
1184 by monks, who built a mill and a bridge. In the seventeenth century most of the town burned
down. Beat the butter with the sugar until the mixture is pale. It was rebuilt in stone, and many
of the houses still stand. The town lies in a narrow valley, with forests on both sides. Winters
are cold, and the pass to the north is often closed. At the last census the town had 4,312
inhabitants. About a fifth of them were older than 65.
"""
"""A text with a sentence from somewhere else in it."""


def run(
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("timecontrol-demo"),
    base: Annotated[str, typer.Option(help="Frozen base: name, folder or hub id.")] = "minilm",
) -> None:
    """Show what the tool does, offline: structure, a latent space, and a text judged."""
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
        text = out / "millbrook.txt"
        text.write_text(TEXT, encoding="utf-8")
        known = "general" if base == "minilm" else str(run_folder)
        score.run([str(text)], encoder=known, to_html=out / "millbrook.html")
    say("\n[bold]── next ──[/]\n")
    say("Your own documents:  timecontrol corpus text:FOLDER")
    say("Do they flow?        timecontrol score FILE")
    say("Their latent space:  timecontrol train encoder text:FOLDER --out RUN")
    say("All formats:         timecontrol corpus list")
    say(shown("Pretrained bases:    timecontrol bases"))
