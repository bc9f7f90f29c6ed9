"""``timecontrol plan``: draw plans, look at them, keep them."""

from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli.completion import PLANS, among
from timecontrol.cli.console import print_json, say, shown, table
from timecontrol.cli.generate import Goal, Length, Model, Sentences, Start, Waypoints, waypoints_of
from timecontrol.cli.options import AsJson, Device, Noise
from timecontrol.errors import TimeControlError

EPILOG = "Example: timecontrol plan --model wikisection --sentences 12 --out plan.json"


def run(
    model: Model,
    kind: Annotated[
        str | None,
        typer.Option(
            help="bridge, bridge-line, mean, retrieved, linear, static ...",
            autocompletion=among(PLANS),
        ),
    ] = None,
    count: Annotated[int, typer.Option("-n", "--count", help="Plans.")] = 1,
    start: Start = None,
    goal: Goal = None,
    waypoint: Waypoints = None,
    sentences: Sentences = None,
    length: Length = "normal",
    noise: Noise = 1.0,
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 0,
    to: Annotated[Path | None, typer.Option("--out", help="A JSON file for the plans.")] = None,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Draw plans without writing; the file can be given to generate as --plan."""
    if to is not None and to.suffix != ".json":
        raise TimeControlError(f"--out is {to}: a .json file.")
    points = waypoints_of(waypoint)
    from timecontrol.decoder import Decoder
    from timecontrol.generation.request import default_writing, plans_for
    from timecontrol.plans import write_plans

    decoder = Decoder.load(model, device)
    writing = default_writing(decoder, length, seed=seed)
    found = plans_for(
        decoder,
        count,
        writing,
        kind=kind,
        sentences=sentences,
        start=start,
        goal=goal,
        waypoints=points,
        noise=noise,
    )
    plans = [plan for plan in found if plan is not None]
    if not plans:
        raise TimeControlError("This decoder was trained without plans (method plain).")
    if to is not None:
        write_plans(to, plans)
    if as_json:
        print_json([plan.as_dict() for plan in plans])
        return
    for plan in plans:
        say(f"[bold]{shown(plan.kind)}[/] {plan.number}, seed {plan.seed}: {len(plan)} sentences")
        width = plan.points.shape[1]
        rows = [[str(i + 1), *(f"{x:+.2f}" for x in row)] for i, row in enumerate(plan.points)]
        table(["sentence", *(f"z{j + 1}" for j in range(width))], rows)
        say()
    if to is not None:
        say(shown(f"Written to {to}. Next: timecontrol generate --model {model} --plan {to}"))
