"""``timecontrol generate``: plans are drawn, and documents written along them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from timecontrol.cli.completion import DECODERS, PLANS, among
from timecontrol.cli.console import note, out, print_json, progress, say, shown
from timecontrol.cli.options import Candidates, Device, Dtype, Follow, Guidance, Loop, Noise
from timecontrol.errors import TimeControlError, pick

if TYPE_CHECKING:
    from timecontrol.decoder import Decoder
    from timecontrol.generation import Writing, Written
    from timecontrol.plans import Plan

EPILOG = "Example: timecontrol generate --model wikisection -n 4 --format markdown"

Model = Annotated[
    str,
    typer.Option(
        "--model",
        help="A decoder: a run folder, or wikisection of the package.",
        autocompletion=among(DECODERS),
    ),
]
Start = Annotated[str | None, typer.Option(help="What the first sentence is about.")]
Goal = Annotated[str | None, typer.Option(help="What the last sentence is about.")]
Waypoints = Annotated[
    list[str] | None, typer.Option("--waypoint", help="SHARE:TEXT, as 0.5:TEXT; may be repeated.")
]
Sentences = Annotated[
    int | None, typer.Option(help="Sentences of a plan; as many as usual otherwise.")
]
Length = Annotated[
    str, typer.Option(help="normal, forced (the whole window), or so many tokens, forced.")
]
FORMATS = {"text": ".txt", "jsonl": ".jsonl", "markdown": ".md"}


def run(
    model: Model,
    count: Annotated[int | None, typer.Option("-n", "--count", help="Documents [1].")] = None,
    plan: Annotated[
        str | None,
        typer.Option(
            help="A kind (bridge, mean, retrieved, linear, static ...) or a file.",
            autocompletion=among(PLANS),
        ),
    ] = None,
    start: Start = None,
    goal: Goal = None,
    waypoint: Waypoints = None,
    sentences: Sentences = None,
    length: Length = "normal",
    noise: Noise = 1.0,
    seed: Annotated[int, typer.Option(help="Of plans and texts.")] = 0,
    first: Annotated[int, typer.Option(help="The number of the first document.")] = 0,
    top_p: Annotated[
        float | None, typer.Option(help="Mass of the tokens that are drawn from [0.95].")
    ] = None,
    temperature: Annotated[float, typer.Option(help="0: the most probable token.")] = 1.0,
    follow: Follow = None,
    guidance: Guidance = 0.0,
    latents: Annotated[
        bool, typer.Option("--latents/--no-latents", help="Whether the plan is told.")
    ] = True,
    loop: Loop = False,
    candidates: Candidates = 1,
    beams: Annotated[int, typer.Option(help="More than 1: beam search, nothing is drawn.")] = 1,
    stop: Annotated[
        str, typer.Option(help="end: when the model ends; plan: with it, too.")
    ] = "end",
    batch_size: Annotated[int, typer.Option(help="Documents at once.")] = 16,
    fast: Annotated[
        bool | None, typer.Option("--fast/--no-fast", help="Fixed shapes; a graph on a GPU.")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact/--no-exact", help="On a CPU: alike for any batch size.")
    ] = True,
    streamed: Annotated[
        bool, typer.Option("--stream", help="Show each sentence when it is written.")
    ] = False,
    to: Annotated[Path | None, typer.Option("--out", help="A file instead of the screen.")] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="text, jsonl or markdown; else by the file.")
    ] = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Write documents along sampled plans.

    JSON lines hold text, sections, sentences, plan, the point of each sentence, seed and settings;
    such a file can be given as --plan again. The same seed gives the same text, whatever the number
    of documents at once.
    """
    form = _format(form, to)
    if streamed and (to is not None or form == "jsonl"):
        raise TimeControlError("--stream shows text on the screen: no --out and no jsonl with it.")
    if to is not None and to.is_dir():
        raise TimeControlError(f"--out is {to}: a folder; give a file.")
    if to is not None and not to.parent.is_dir():
        raise TimeControlError(f"--out is {to}: there is no folder {to.parent}.")
    points = waypoints_of(waypoint)
    from timecontrol.decoder import Decoder
    from timecontrol.generation.request import default_writing, plans_for, plans_from

    decoder = Decoder.load(model, device, dtype)
    more: dict[str, Any] = {
        "top_p": top_p,
        "temperature": temperature,
        "beams": beams,
        "stop": stop,
        "seed": seed,
    }
    more |= {"follow": follow, "guidance": guidance, "exact": exact, "latents": latents}
    more |= {"loop": loop, "candidates": candidates}
    writing = default_writing(decoder, length, **more)
    plans: list[Plan | None]
    if is_file(plan):
        assert plan is not None
        if points or noise != 1 or any(o is not None for o in (start, goal, sentences)):
            raise TimeControlError(
                "A plan from a file is followed as it is: no --start, --goal, --waypoint, "
                "--sentences or --noise."
            )
        plans = [*plans_from(decoder, Path(plan), count, writing)]
    else:
        plans = plans_for(
            decoder,
            1 if count is None else count,
            writing,
            kind=plan,
            sentences=sentences,
            start=start,
            goal=goal,
            waypoints=points,
            noise=noise,
            first=first,
        )
    if streamed:
        _stream(decoder, plans, writing, first, form)
        return
    from timecontrol.generation import write

    cut: list[int] = []
    texts = _watched(
        write(decoder, plans, writing, first=first, batch=batch_size, fast=fast, progress=progress),
        cut,
    )
    facts = decoder.about()
    if to is not None:
        n = _save(texts, to, form, facts, alone=len(plans) == 1)
        say(shown(f"Written to {to}: {n} {'documents' if n != 1 else 'document'}."))
    else:
        for text in texts:
            _show(text, form, facts, alone=len(plans) == 1)
    if cut and not writing.forced:
        note(
            f"{len(cut)} of {len(plans)} had not ended after {writing.budget} tokens, and "
            f"{'was' if len(cut) == 1 else 'were'} cut there"
        )


def _watched(texts: "Iterator[Written]", cut: list[int]) -> "Iterator[Written]":
    """Hand on documents, and note the numbers of those that filled the window without ending."""
    for text in texts:
        if len(text.ids) >= text.settings["budget"] and not text.ended:
            cut.append(text.number)
        yield text


def waypoints_of(given: list[str] | None) -> list[tuple[float, str]]:
    """Return ``0.5:TEXT`` as share and text."""
    found = []
    for text in given or []:
        share, colon, what = text.partition(":")
        try:
            found.append((float(share), what.strip()))
        except ValueError:
            colon = ""
        if not colon:
            raise TimeControlError(f"--waypoint is {text!r}: SHARE:TEXT, such as 0.5:TEXT.")
    return found


def is_file(plan: str | None) -> bool:
    """Return whether a plan is given as a file."""
    from timecontrol.plans.files import READERS

    if plan is None:
        return False
    return Path(plan).is_file() or Path(plan).suffix.lower() in READERS


def _format(form: str | None, to: Path | None) -> str:
    if form is None:
        endings = {ending: name for name, ending in FORMATS.items()}
        return endings.get(to.suffix, "jsonl") if to is not None else "text"
    pick(FORMATS, form, "format")
    return form


def _show(text: "Written", form: str, facts: dict[str, Any], alone: bool) -> None:
    if form == "jsonl":
        print_json({**text.as_dict(), "decoder": facts}, line=True)
        return
    if not alone:
        say(f"[bold]{_head(text, form)}[/]\n" if form == "text" else f"{_head(text, form)}\n")
    say(shown(text.markdown() if form == "markdown" else text.text))
    if not alone:
        say()


def _head(text: "Written", form: str) -> str:
    """Return the line that begins one of several documents."""
    return f"── {text.number} ──" if form == "text" else f"# {text.number}"


def _save(
    texts: "Iterator[Written]", to: Path, form: str, facts: dict[str, Any], alone: bool
) -> int:
    """Write documents to a file that appears when all are there; what came before stays.

    Interrupted, what has been written is kept beside it, and where is said.
    """
    import os

    fresh, n = to.with_name(f".{to.name}.{os.getpid()}"), 0
    try:
        with fresh.open("w", encoding="utf-8") as file:
            for text in texts:
                if form == "jsonl":
                    file.write(json.dumps({**text.as_dict(), "decoder": facts}) + "\n")
                else:
                    head = "" if alone else _head(text, form) + "\n\n"
                    whole = text.markdown() if form == "markdown" else text.text
                    file.write(("\n" if n else "") + head + whole + "\n")
                n += 1
        fresh.replace(to)
    except KeyboardInterrupt:
        if n:
            part = to.with_name(f"{to.name}.part")
            fresh.replace(part)
            note(f"{n} documents are in {part}; --first {n} goes on from there")
        raise
    finally:
        fresh.unlink(missing_ok=True)
    return n


def _stream(
    decoder: "Decoder", plans: "list[Plan | None]", writing: "Writing", first: int, form: str
) -> None:
    from timecontrol.generation import stream

    for i, plan in enumerate(plans):
        if i:
            say("\n")
        begun = False

        def tell(tag: str | None, sentence: str) -> None:
            nonlocal begun
            if tag is not None:
                head = f"## {tag.capitalize()}\n" if form == "markdown" else f"[ {tag} ]"
                out.print(shown(("\n" if begun else "") + head))
            begun = True
            out.print(shown(sentence), end=" ")

        stream(decoder, plan, writing, tell, first + i)
        out.print()
    if not plans:
        note("nothing to write")
