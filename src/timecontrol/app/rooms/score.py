"""*Score*: how well a text flows, which sentence breaks the thread, and what another order does."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr

from timecontrol.app.desk import Desk, said
from timecontrol.app.parts import part, words
from timecontrol.app.uploads import ENDINGS, read_upload
from timecontrol.errors import TimeControlError

EXAMPLE = """\
Anna had never baked a cake before. Her grandmother wrote the recipe on a card and gave it to \
her. On Saturday Anna bought flour, butter, eggs and sugar at the market. She mixed everything in \
the large blue bowl and put the cake in the oven. The price of copper fell again in the second \
quarter. After forty minutes the kitchen smelled of vanilla. The cake was a little flat, but it \
tasted good. Anna carried a large piece of it to her grandmother. The old woman laughed and asked \
for another.
"""
"""A text with a sentence from somewhere else in it."""
ROOM = "score"
FAR = "Take care: of texts that the encoder does not know it can hardly tell the order."
FIRST = "Reading the text; the first time, a model is loaded …"


def room(desk: Desk) -> None:
    """Build the room."""
    encoders = desk.studio.about()["encoders"]
    with gr.Row(equal_height=False):
        text = gr.Textbox(
            value=EXAMPLE,
            label="Text",
            lines=8,
            max_lines=16,
            scale=4,
            elem_id="score-text",
            info="Three sentences or more. Your own text: paste it, or open a file.",
        )
        with gr.Column(scale=1, min_width=220):
            encoder = gr.Dropdown(
                encoders, value=encoders[0], label="Encoder", elem_id="score-encoder"
            )
            upload = gr.UploadButton("Open a file (.txt, .md)", elem_id="score-upload")
            go = gr.Button("Score", variant="primary", elem_id="score-go")
            suggest = gr.Button("Suggest an order", elem_id="score-suggest")
            stop = gr.Button("Stop", elem_id="score-stop")
    status = gr.HTML(elem_id="score-status")
    thread = part("thread")

    def scored(given: Any, name: str, before: float | None, session: str) -> Iterator[Any]:
        """Yield what the document and the line above it show."""
        yield gr.skip(), words(FIRST)
        asked = desk.run(
            session, ROOM, lambda check: [desk.studio.score(given, encoder=name, check=check)]
        )
        for found in asked:
            if found.kind == "event":
                yield {**found.value, "before": before}, ""
            elif found.kind != "done":
                yield gr.skip(), words(*said(found))

    def on_score(given: str | None, name: str, request: gr.Request) -> Iterator[Any]:
        yield from scored(given or "", name, None, str(request.session_hash))

    def on_move(shown: Any, name: str, event: gr.EventData, request: gr.Request) -> Iterator[Any]:
        sentences = [str(s) for s in event.sentences]
        session, came = str(request.session_hash), False
        for value, line in scored(sentences, name, first_score(shown), session):
            if line != words(FIRST):
                came = came or isinstance(value, dict)
                yield value, line
        if not came:  # as it was; the page waits for an answer
            yield {**shown, "again": time.time()}, gr.skip()

    def on_suggest(shown: Any, given: str, name: str, request: gr.Request) -> Iterator[Any]:
        sentences = [s["text"] for s in shown["sentences"]] if shown else given or ""
        yield gr.skip(), words("Looking for a better order among the likeliest paths …")

        def work(check: Any) -> Iterator[Any]:
            found = desk.studio.order(sentences, encoder=name, check=check)
            yield {**found, "before": first_score(shown) if shown else found["before"]}

        for found in desk.run(str(request.session_hash), ROOM, work):
            if found.kind == "event":
                value = {**found.value["report"], "before": found.value["before"]}
                value["was"] = as_it_was(found.value)
                yield value, words(about_order(found.value))
            elif found.kind != "done":
                yield gr.skip(), words(*said(found))

    def on_upload(file: str | None) -> tuple[Any, str]:
        try:
            return read_upload(file, desk.studio.limits.characters), ""
        except TimeControlError as error:
            return gr.skip(), words(str(error), "failed")
        finally:
            if file:
                Path(file).unlink(missing_ok=True)

    shown = [thread, status]
    go.click(on_score, [text, encoder], shown, concurrency_limit=None, show_progress="hidden")
    suggest.click(
        on_suggest, [thread, text, encoder], shown, concurrency_limit=None, show_progress="hidden"
    )
    thread.reorder(
        on_move,
        [thread, encoder],
        shown,
        concurrency_limit=None,
        show_progress="hidden",
        trigger_mode="multiple",
    )
    # Typed, pasted or opened (gradio's ``input`` misses the last two); in the browser, since an
    # answer of the server could come late and clear what has been scored by then.
    gr.on([text.change, encoder.change], None, None, thread, js="() => ({})")
    upload.upload(on_upload, upload, [text, status])

    def on_stop(request: gr.Request) -> None:
        desk.stop(str(request.session_hash), ROOM)

    stop.click(on_stop, None, None)


def first_score(shown: Any) -> float | None:
    """Return the score of a document as it was before its sentences were moved."""
    if not shown:
        return None
    before = shown.get("before")
    return float(before) if before is not None else shown.get("score")


def as_it_was(found: dict[str, Any]) -> list[str]:
    """Return the sentences of an order that was found in the order they had before."""
    texts = [s["text"] for s in found["report"]["sentences"]]
    return [text for _, text in sorted(zip(found["order"], texts, strict=True))]


def about_order(found: dict[str, Any]) -> str:
    """Return what is said of an order that was found."""
    same = found["order"] == list(range(len(found["order"])))
    if same:
        return "No order was found that scores higher."
    far = f" {FAR}" if found["report"]["far"] else ""
    numbers = ", ".join(str(i + 1) for i in found["order"])
    return (
        "Of the likeliest paths between any two ends, this one scores highest. Sentences by their "
        f"old numbers: {numbers}.{far}"
    )


__all__ = ["ENDINGS", "room"]
