"""``timecontrol app``: the studio in the browser, with an HTTP API beside it."""

import os
from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli.console import note, say, shown
from timecontrol.cli.options import Device, Dtype
from timecontrol.errors import TimeControlError

EPILOG = "Example: timecontrol app --model runs/writer --port 7861"
EXTRA = "pip install 'time-control[app]'"
TOKEN = "TIMECONTROL_TOKEN"
"""The environment variable of a token, which then is in no list of processes."""
SHORTEST = 12
"""Characters of a token."""


def run(
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="A run folder of your own, shown first; may be repeated."),
    ] = None,
    study: Annotated[
        list[Path] | None,
        typer.Option(
            "--study", help="A file of timecontrol judge create, to be rated; may be repeated."
        ),
    ] = None,
    studies: Annotated[
        Path, typer.Option(help="The folder for studies that are made in the browser.")
    ] = Path("timecontrol-studies"),
    host: Annotated[str, typer.Option(help="Where it listens.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="[the first free one from 7860 on]")
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(envvar=TOKEN, help="What callers must know; needed beyond this machine."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="A host name it may be called by; may be repeated."),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether a browser is opened.")
    ] = True,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Open the studio: score, plan and write, infill, judge.

    It listens on this machine alone; nothing is sent anywhere. The HTTP API is at /api/docs.
    """
    from timecontrol.app.hosts import is_loopback

    own = is_loopback(host)
    if not own and token is None:
        raise TimeControlError(
            f"--host is {host}: others could reach it, so it needs a --token (or {TOKEN})."
        )
    if token is not None and len(token) < SHORTEST:
        raise TimeControlError(f"--token has {len(token)} characters: {SHORTEST} or more.")
    try:
        import gradio  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise TimeControlError(f"The studio needs {error.name}: {EXTRA}") from None
    from timecontrol.app.hosts import free_port, names_of
    from timecontrol.app.models import Models
    from timecontrol.app.serve import Server, studio_app
    from timecontrol.app.studies import Studies

    note("starting ...")
    place = free_port(host, port)
    models = Models.of(model or [], device, dtype)
    known = Studies.of(study or [], studies)
    app = studio_app(models, token=token, hosts=names_of(host, name or []), studies=known)
    address = f"http://{f'[{host}]' if ':' in host else host}:{place}/"
    say(f"The studio is at [bold]{shown(address)}[/]  (Ctrl-C stops it)")
    say(shown(f"The HTTP API is at {address}api/docs"))
    if not own:
        say("Others on the network can reach it with the token: user studio, the token as password")
    if browser and own and not os.environ.get("SSH_CONNECTION"):
        import threading
        import webbrowser

        threading.Timer(1.0, webbrowser.open, [address]).start()
    config = uvicorn.Config(
        app,
        host=host,
        port=place,
        log_config=None,  # what others have set up of logging stays; warnings go to stderr
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=3,
    )
    Server(config).run()
