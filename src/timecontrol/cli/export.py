"""``timecontrol export``: a run for other libraries."""

from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli.console import say, shown

EPILOG = "Example: timecontrol export runs/mine --to exported"


def run(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder of an encoder.")],
    to: Annotated[Path, typer.Option(help="The folder to write.")],
) -> None:
    """Write an encoder as a plain sentence-transformers model, usable without this package."""
    from timecontrol.encoder import Encoder
    from timecontrol.encoder.export import export

    export(Encoder.load(folder, device="cpu"), to)
    say(shown(f"{to} is a sentence-transformers model: SentenceTransformer({str(to)!r})"))
