"""``timecontrol push``: a run, or an exported model, to a model hub."""

from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli.console import say, shown

EPILOG = "Example: timecontrol push runs/mine anna/towns --private"


def run(
    folder: Annotated[Path, typer.Argument(help="A run folder, or what timecontrol export wrote.")],
    repo: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The repository on the hub.")],
    private: Annotated[
        bool, typer.Option("--private", help="Only its owner may see it, if it is made now.")
    ] = False,
) -> None:
    """Put a run folder or an exported model on a model hub, after hf auth login.

    A run is named hub:OWNER/NAME from then on, wherever a run folder can be named. What leaves this
    machine are the folder's weights, settings and numbers, and what was noted of the corpus; no
    documents.
    """
    from timecontrol.hub import push

    address = push(folder, repo, private)
    say(shown(f"{folder} is at {address}"))
