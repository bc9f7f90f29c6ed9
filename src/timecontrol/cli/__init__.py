"""The command line: one verb a file. Results go to stdout, the rest to stderr.

A user's mistake gives one line and exit code 2. Heavy libraries are imported inside the verbs, so
that ``--help`` answers at once.
"""

import contextlib
import io
import os
import sys
from typing import Annotated, Any

import typer

from timecontrol import __version__
from timecontrol.cli import (
    bases,
    corpus,
    demo,
    encode,
    evaluate,
    export,
    gapped,
    generate,
    infill,
    judge,
    orders,
    plan,
    plot,
    push,
    reproduce,
    score,
    studio,
    train,
    train_decoder,
    writings,
)
from timecontrol.errors import TimeControlError

USAGE_ERROR: Any = typer.BadParameter.__mro__[1]
"""What typer raises for a wrong option; it has no public name of its own there."""

app = typer.Typer(
    name="timecontrol",
    help="Plan documents in a latent space, judge their flow, and write long text that keeps "
    "its structure.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("corpus", epilog=corpus.EPILOG)(corpus.run)
train.app.command("decoder", epilog=train_decoder.EPILOG)(train_decoder.run)
app.add_typer(train.app, name="train")
app.command("encode", epilog=encode.EPILOG)(encode.run)
app.command("plan", epilog=plan.EPILOG)(plan.run)
app.command("generate", epilog=generate.EPILOG)(generate.run)
app.command("infill", epilog=infill.EPILOG)(infill.run)
for verb, epilog in {**writings.VERBS, **gapped.VERBS, **orders.VERBS}.items():
    evaluate.app.command(verb.__name__, epilog=epilog)(verb)
app.add_typer(evaluate.app, name="evaluate")
app.command("reproduce", epilog=reproduce.EPILOG)(reproduce.run)
app.command("score", epilog=score.EPILOG)(score.run)
app.command("app", epilog=studio.EPILOG)(studio.run)
app.command("plot", epilog=plot.EPILOG)(plot.run)
app.command("export", epilog=export.EPILOG)(export.run)
app.command("push", epilog=push.EPILOG)(push.run)
app.add_typer(judge.app, name="judge")
app.add_typer(bases.app, name="bases")
app.command("demo", epilog=demo.EPILOG)(demo.run)


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    # Threads that spin while they wait make a busy machine several times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal or file may not take all characters
            stream.reconfigure(errors="replace")
    try:
        try:
            sys.exit(app(standalone_mode=False) or 0)
        finally:
            sys.stdout.flush()
    except typer.Abort:
        print("timecontrol: interrupted", file=sys.stderr)
        sys.exit(130)
    except TimeControlError as error:
        print(f"timecontrol: {error}", file=sys.stderr)
        sys.exit(2)
    except USAGE_ERROR as error:  # one line instead of a box
        message = " ".join(error.format_message().split()).removesuffix(".")
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "timecontrol"
        if message:  # empty where the help was printed because nothing was asked
            print(f"timecontrol: {message}. See {command} --help.", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        _forget_output()
        sys.exit(1)  # what typer does, should it come earlier
    except OSError as error:
        place = f"{error.filename}: " if error.filename else "output: "
        print(f"timecontrol: {place}{error.strerror or error}", file=sys.stderr)
        _forget_output()
        sys.exit(2)


def _forget_output() -> None:
    """Keep Python from writing again, at its end, what could not be written."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
