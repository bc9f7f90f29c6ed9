"""``timecontrol infill``: the missing sentences of a text are written."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli.completion import DECODERS, among
from timecontrol.cli.console import note, print_json, progress, say, shown
from timecontrol.cli.options import AsJson, Device, Dtype
from timecontrol.errors import TimeControlError

EPILOG = (
    'Example: echo "She packed a bag. [ ... ] The train left at noon." | '
    "timecontrol infill - --candidates 8"
)


def run(
    file: Annotated[
        str, typer.Argument(help="A text with gaps marked [ ... ] or [ ...3 ]; -: standard input.")
    ],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="A decoder: a run folder, or one of the package.",
            autocompletion=among(DECODERS),
        ),
    ] = "stories",
    candidates: Annotated[
        int, typer.Option(help="Drawn for each gap; the best one is put in.")
    ] = 1,
    first: Annotated[
        str | None,
        typer.Option("--first", help="Words that the first missing sentence begins with."),
    ] = None,
    words: Annotated[
        int | None, typer.Option(help="About so many words in each missing sentence.")
    ] = None,
    context: Annotated[
        int | None, typer.Option(help="Sentences that are read on each side, at most.")
    ] = None,
    likely: Annotated[
        float | None, typer.Option(help="How much the words' probability counts in ranking.")
    ] = None,
    near: Annotated[
        float | None, typer.Option(help="How much nearness to the bridge counts.")
    ] = None,
    follows: Annotated[
        float | None, typer.Option(help="How much counts how well the rest follows.")
    ] = None,
    noise: Annotated[
        float, typer.Option(help="Noise of the bridge, times what is usual; 0: its mean.")
    ] = 0.0,
    latents: Annotated[
        bool, typer.Option("--latents/--no-latents", help="Whether the plan is told.")
    ] = True,
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 0,
    top_p: Annotated[float, typer.Option(help="Mass of the tokens that are drawn from.")] = 0.95,
    temperature: Annotated[float, typer.Option(help="0: the most probable token.")] = 0.7,
    to: Annotated[Path | None, typer.Option("--out", help="A file for the filled text.")] = None,
    show: Annotated[
        bool, typer.Option("--show", help="List the candidates with their numbers.")
    ] = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    as_json: AsJson = False,
) -> None:
    """Write the sentences that are missing in a text.

    Candidates are ranked by how probable their words are, how near they lie to the bridge between
    the sentences about the gap, and how well what follows follows. Several gaps are filled from
    left to right.
    """
    if to is not None and (to.is_dir() or not to.parent.is_dir()):
        raise TimeControlError(f"--out is {to}: give a file in a folder that is there.")
    text = _read(file)
    from timecontrol.decoder import Decoder
    from timecontrol.infilling.drafts import Drawing
    from timecontrol.infilling.fill import Filling, filling_of, infill
    from timecontrol.infilling.gaps import read_gaps

    gaps = read_gaps(text).gaps  # what is wrong is said before a model is loaded
    drawing = Drawing(top_p=top_p, temperature=temperature, seed=seed)
    Filling(candidates=candidates, drawing=drawing, noise=noise, context=context)
    decoder = Decoder.load(model, device, dtype)
    filling = filling_of(
        decoder,
        candidates=candidates,
        first=first,
        words=words,
        context=context,
        weights={"likely": likely, "near": near, "follows": follows},
        noise=noise,
        latents=latents,
        seed=seed,
        top_p=top_p,
        temperature=temperature,
    )
    each = filling.drawing.most + 2  # what opens a sentence, its tokens, and its end
    steps = sum(map(len, gaps)) * each
    with progress("filling", steps, unit="tokens at most") as advance:
        found = infill(decoder, text, filling, advance)
    for number, gap in enumerate(found.gaps, 1):
        if gap.candidates[0].cut:
            note(f"note: a sentence in gap {number} was cut off: --candidates 8 offers others")
    if as_json:
        print_json({**found.as_dict(), "decoder": decoder.about()})
    if to is not None:
        from timecontrol.runs import write_text

        write_text(to, found.text + "\n")
        note(f"Written to {to}.")
    elif not as_json:
        say(shown(found.text))
    if show and not as_json:
        for number, gap in enumerate(found.gaps, 1):
            say(f"\n[bold]gap {number}[/]  score, likely, near, follows")
            for c in gap.candidates:
                m = c.measured
                numbers = [c.score, m.likely, m.near, m.follows]
                cells = ["     -" if v is None else f"{v:6.2f}" for v in numbers]
                say(shown(f"{' '.join(cells)}  {c.text}"))


def _read(file: str) -> str:
    """Return the text of a file, or of standard input."""
    path = Path(file)
    if file != "-" and path.is_dir():
        raise TimeControlError(f"{file} is a folder: give one file.")
    if file != "-" and not path.is_file():
        raise TimeControlError(f"No such file: {file}.")
    raw = sys.stdin.buffer.read() if file == "-" else path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        name = "Standard input" if file == "-" else file
        raise TimeControlError(f"{name} is not UTF-8 text (byte {error.start}).") from None
