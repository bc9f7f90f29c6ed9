"""*Plan & write*: a path is drawn, and a text streams in along it; several plans side by side."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gradio as gr

from timecontrol.app.asked import Asked
from timecontrol.app.desk import Desk, said
from timecontrol.app.parts import part, words
from timecontrol.app.service import BARE
from timecontrol.errors import TimeControlError
from timecontrol.plans.kinds import NO_GOAL, NO_WAYPOINT

ROOM = "write"
MOST_WAYS = 4
SHORTEST, USUAL = 64, 256
"""Tokens of a text."""
WAYS = {
    "bridge": "bridge: a path sampled between start and goal",
    "mean": "mean: the usual path, nothing sampled",
    "static": "static: one point all the way",
    "retrieved": "retrieved: the path of a real document",
    "linear": "linear: a straight line",
    BARE: "no plan: the same decoder, told nothing",
}
"""What can be compared, and how it is called."""

Ways = list[dict[str, Any]]
"""What the page shows of each plan (``static/tracks.js``)."""


def room(desk: Desk) -> None:
    """Build the room."""
    decoders = desk.studio.about()["decoders"]
    most = desk.studio.limits.tokens
    with gr.Row(equal_height=False):
        with gr.Column(scale=3):
            start = gr.Textbox(
                label="Start", info="What the first sentence is about; empty: sampled.",
                elem_id="write-start", max_lines=2,
            )  # fmt: skip
            goal = gr.Textbox(
                label="Goal", info="What the last sentence is about; empty: sampled.",
                elem_id="write-goal", max_lines=2,
            )  # fmt: skip
            between = gr.Textbox(
                label="Waypoints", info="One a line, as 0.5: what is said half-way. May be empty.",
                elem_id="write-waypoints", lines=2, max_lines=6,
            )  # fmt: skip
            kinds = gr.CheckboxGroup(
                [(label, name) for name, label in WAYS.items()],
                value=["bridge"],
                label="Plans",
                info=f"Up to {MOST_WAYS}, side by side, with the same random numbers.",
                elem_id="write-kinds",
            )
        with gr.Column(scale=2, min_width=260):
            decoder = gr.Dropdown(
                decoders, value=decoders[0], label="Decoder", elem_id="write-decoder"
            )
            length = gr.Radio(
                [("as long as usual", "normal"), ("so many tokens", "forced")],
                value="forced",
                label="Length",
                elem_id="write-length",
            )
            tokens = gr.Slider(
                SHORTEST, most, value=min(USUAL, most), step=32, label="Tokens",
                elem_id="write-tokens",
            )  # fmt: skip
            sentences = gr.Number(
                value=0, precision=0, label="Sentences of the plan", info="0: as many as usual.",
                elem_id="write-sentences",
            )  # fmt: skip
            seed = gr.Number(value=0, precision=0, label="Seed", elem_id="write-seed")
            with gr.Accordion("More", open=False):
                noise = gr.Slider(0, 3, value=1, step=0.1, label="Noise of the plan")
                temperature = gr.Slider(0, 2, value=1, step=0.05, label="Temperature")
                top_p = gr.Slider(0.05, 1, value=0.95, step=0.01, label="Top-p")
    with gr.Row():
        draw = gr.Button("Draw the plan", elem_id="write-draw")
        go = gr.Button("Write", variant="primary", elem_id="write-go")
        stop = gr.Button("Stop", elem_id="write-stop")
    status = gr.HTML(elem_id="write-status")
    tracks = part("tracks")
    given = [start, goal, between, kinds, decoder, length, tokens, sentences, seed, noise,
             temperature, top_p]  # fmt: skip

    def on(work: Callable[[Ways, list[Asked], Any], Iterator[None]], first: str) -> Any:
        """Return a handler that shows what work makes of the ways."""

        def handler(*values: Any) -> Iterator[Any]:
            request = values[-1]
            try:
                asked = asked_of(*values[:-1])
            except TimeControlError as error:
                yield gr.skip(), words(str(error), "failed")
                return
            yield gr.skip(), words(first)
            ways = [fresh(a) for a in asked]

            def steps(check: Any) -> Iterator[Ways]:
                for _ in work(ways, asked, check):
                    yield [dict(way, sentences=list(way["sentences"])) for way in ways]

            for found in desk.run(str(request.session_hash), ROOM, steps):
                if found.kind == "event":
                    yield {"ways": found.value}, words(progress(found.value))
                elif found.kind == "done":
                    yield gr.skip(), words("Done." if ways[-1]["state"] == "done" else "")
                else:
                    stopped = [dict(way, state="stopped") if way["state"] == "writing" else way
                               for way in ways]  # fmt: skip
                    shown = {"ways": stopped} if any(way["at"] or way["sentences"]
                                                     for way in ways) else gr.skip()  # fmt: skip
                    yield shown if found.kind != "waiting" else gr.skip(), words(*said(found))

        def with_request(
            a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any, j: Any, k: Any,
            m: Any, request: gr.Request,
        ) -> Iterator[Any]:  # fmt: skip
            yield from handler(a, b, c, d, e, f, g, h, i, j, k, m, request)

        return with_request

    def plan_all(ways: Ways, asked: list[Asked], check: Any) -> Iterator[None]:
        for way, one in zip(ways, asked, strict=True):
            show_plan(way, desk.studio.plan(one, check=check))
            yield

    def write_all(ways: Ways, asked: list[Asked], check: Any) -> Iterator[None]:
        yield from plan_all(ways, asked, check)
        for way, one in zip(ways, asked, strict=True):
            way["state"] = "writing"
            for event in desk.studio.write(one, check=check):
                follow(way, event)
                yield

    quiet = {"concurrency_limit": None, "show_progress": "hidden"}
    draw.click(on(plan_all, "Drawing …"), given, [tracks, status], **quiet)
    go.click(
        on(write_all, "Opening the decoder; the first time, that takes some ten seconds …"),
        given,
        [tracks, status],
        **quiet,
    )

    def on_stop(request: gr.Request) -> None:
        desk.stop(str(request.session_hash), ROOM)

    stop.click(on_stop, None, None)


def asked_of(
    start: str | None, goal: str | None, between: str | None, kinds: list[str], decoder: str,
    length: str, tokens: float, sentences: float | None, seed: float | None, noise: float,
    temperature: float, top_p: float,
) -> list[Asked]:  # fmt: skip
    """Return what is asked for, one a plan.

    Raises:
        TimeControlError: Something of it is not what it should be.
    """
    if not 1 <= len(kinds) <= MOST_WAYS:
        raise TimeControlError(f"{len(kinds)} plans are chosen: from 1 to {MOST_WAYS}.")
    common = Asked(
        model=decoder,
        start=(start or "").strip() or None,
        goal=(goal or "").strip() or None,
        waypoints=waypoints_of(between or ""),
        sentences=int(sentences) if sentences else None,
        length="normal" if length == "normal" else str(int(tokens)),
        noise=noise,
        seed=int(seed or 0),
        top_p=top_p,
        temperature=temperature,
    )
    return [fitting(common, kind) for kind in kinds]


def fitting(asked: Asked, kind: str) -> Asked:
    """Return what is asked of one kind of plan: without a goal and waypoints that it cannot have.

    So a constant plan can stand beside a bridge to a goal.
    """
    goal = None if kind in NO_GOAL else asked.goal
    waypoints = () if kind in NO_WAYPOINT else asked.waypoints
    return replace(asked, kind=kind, goal=goal, waypoints=waypoints)


def waypoints_of(text: str) -> tuple[tuple[float, str], ...]:
    """Return lines of ``0.5: what is said there``.

    Raises:
        TimeControlError: A line is none.
    """
    found = []
    for line in text.splitlines():
        if not line.strip():
            continue
        share, colon, what = line.partition(":")
        try:
            at = float(share.strip().removesuffix("%")) / (100 if "%" in share else 1)
            found.append((at, what.strip()))
        except ValueError:
            colon = ""
        if not colon or not what.strip():
            raise TimeControlError(
                f"A waypoint is {line.strip()[:60]!r}: its place, a colon and a text, as in "
                "0.5: the river."
            )
    return tuple(found)


def fresh(asked: Asked) -> dict[str, Any]:
    """Return what is shown of a plan before there is anything."""
    name = asked.kind or ""
    return {"name": name if name != BARE else "no plan", "state": "waiting", "at": [],
            "sentences": [], "units": None, "note": "", "about": without(name),
            "plan": None, "markdown": None}  # fmt: skip


def without(kind: str) -> str:
    """Return what a kind of plan is not told."""
    if kind in NO_GOAL:
        return "Has no goal and no waypoints."
    return "Has no waypoints." if kind in NO_WAYPOINT else ""


def show_plan(way: dict[str, Any], found: dict[str, Any]) -> None:
    """Put a plan into what is shown; of a text without one, nothing."""
    bare = way["name"] == "no plan"
    way["at"] = [] if bare else found["at"]
    way["plan"] = None if bare else found["plan"]
    if bare:
        way["note"] = "Nothing is planned."


def follow(way: dict[str, Any], event: dict[str, Any]) -> None:
    """Put what has happened into what is shown."""
    if event["event"] == "plan":
        show_plan(way, event)
        way["note"] = ""
    elif event["event"] == "sentence":
        way["sentences"].append({"tag": event["tag"], "text": event["text"]})
    else:
        way["state"] = "done"
        way["units"] = None if way["plan"] is None else event["units"]
        way["markdown"] = event["markdown"]
        tail = "" if event["ended"] else "; it was stopped at its length, within a sentence"
        way["note"] = f"{event['tokens']} tokens{tail}."


def progress(ways: Ways) -> str:
    """Return how far the writing is."""
    parts = []
    for way in ways:
        if way["state"] == "writing":
            of = f" of about {len(way['at'])}" if way["at"] else ""
            parts.append(f"{way['name']}: sentence {len(way['sentences'])}{of}")
    return "Writing. " + ", ".join(parts) + "." if parts else ""
