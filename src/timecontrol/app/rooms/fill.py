"""*Infill*: a text with a gap, candidates in the order of how well they fit, and where they lie."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from timecontrol.app.desk import Desk, said
from timecontrol.app.parts import part, words

ROOM = "infill"
EXAMPLE = (
    "The old fisherman lived alone in a hut by the sea. Every morning he rowed out before the sun "
    "rose. [ ... ] He pulled and pulled until the boat was full of water. In the net lay a small "
    "golden chest."
)


def room(desk: Desk) -> None:
    """Build the room."""
    about = desk.studio.about()
    fillers = [*about["fillers"], *about["decoders"]]
    with gr.Row(equal_height=False):
        text = gr.Textbox(
            value=EXAMPLE,
            label="Text with a gap",
            info="A gap is [ ... ], one of three sentences [ ...3 ]. There may be several.",
            lines=6,
            max_lines=14,
            scale=4,
            elem_id="infill-text",
        )
        with gr.Column(scale=1, min_width=240):
            model = gr.Dropdown(fillers, value=fillers[0], label="Decoder", elem_id="infill-model")
            candidates = gr.Slider(
                1, desk.studio.limits.candidates, value=4, step=1, label="Candidates",
                elem_id="infill-candidates",
            )  # fmt: skip
            with gr.Accordion("More", open=False):
                first = gr.Textbox(label="First words", info="Of the first gap.")
                length = gr.Number(
                    value=0, precision=0, label="Words in a sentence, about", info="0: any."
                )
                temperature = gr.Slider(0, 2, value=0.7, step=0.05, label="Temperature")
                seed = gr.Number(value=0, precision=0, label="Seed")
            go = gr.Button("Fill the gap", variant="primary", elem_id="infill-go")
            stop = gr.Button("Stop", elem_id="infill-stop")
    status = gr.HTML(elem_id="infill-status")
    gaps = part("gaps")

    def on_fill(
        given: str | None, name: str, many: float, begin: str | None, about_words: float | None,
        heat: float, number: float | None, request: gr.Request,
    ) -> Iterator[Any]:  # fmt: skip
        yield {}, words("Filling; the first time, a decoder is opened …")

        def work(check: Any) -> list[dict[str, Any]]:
            return [
                desk.studio.infill(
                    given or "",
                    model=name,
                    candidates=int(many),
                    words=int(about_words) if about_words else None,
                    first=(begin or "").strip() or None,
                    seed=int(number or 0),
                    temperature=heat,
                    check=check,
                )
            ]

        for found in desk.run(str(request.session_hash), ROOM, work):
            if found.kind == "event":
                yield found.value, ""
            elif found.kind != "done":
                yield gr.skip(), words(*said(found))

    go.click(
        on_fill,
        [text, model, candidates, first, length, temperature, seed],
        [gaps, status],
        concurrency_limit=None,
        show_progress="hidden",
    )

    def on_stop(request: gr.Request) -> None:
        desk.stop(str(request.session_hash), ROOM)

    stop.click(on_stop, None, None)
