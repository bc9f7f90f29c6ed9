"""The page: its rooms, its look, and what it says about itself."""

from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr

from timecontrol.app.desk import Desk
from timecontrol.app.parts import static
from timecontrol.app.rooms import fill, judge, score, write
from timecontrol.app.studies import Studies

TITLE = "Time Control"
LOCAL = (
    '<p class="tc-local">What you type stays on the machine this page comes from: nothing is sent '
    'anywhere else. <a href="api/docs">HTTP API</a></p>'
)
FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")

KEPT = (3600, 3600)
"""Seconds after which files that were brought here are deleted, and between two looks."""
ROOMS: Mapping[str, Callable[[Desk], None]] = {
    "Score": score.room,
    "Plan & write": write.room,
    "Infill": fill.room,
}


def page(desk: Desk, studies: Studies) -> Any:
    """Return the page.

    Args:
        desk: Where its rooms bring their work.
        studies: What there is to be judged.
    """
    with gr.Blocks(
        title=TITLE, analytics_enabled=False, fill_width=False, delete_cache=KEPT
    ) as found:
        gr.HTML(f"<h1>{TITLE}</h1>{LOCAL}")
        for name, build in {**ROOMS, "Judge": judge.room(studies)}.items():
            with gr.Tab(name, id=name):
                build(desk)

        def leave(request: gr.Request) -> None:
            desk.stop(str(request.session_hash))

        found.unload(leave)
    found.queue(default_concurrency_limit=None, max_size=None)
    return found


def look() -> dict[str, Any]:
    """Return how the page looks: no font and no script from anywhere else."""
    theme = gr.themes.Base(
        primary_hue="blue", neutral_hue="slate", font=list(FONTS), font_mono=list(MONO)
    )
    theme.set(
        block_info_text_color="#56616d",
        block_info_text_color_dark="#a5afba",
        body_text_color_subdued="#56616d",
        body_text_color_subdued_dark="#a5afba",
    )
    return {"theme": theme, "css": static("studio.css")}
