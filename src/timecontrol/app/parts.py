"""Components of our own: a place in the page, and the script that draws into it.

The scripts are in ``static/``. They make elements of text that is never read as HTML, and hand
over what a user does as events (``reorder``, ``rate``).
"""

from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import gradio as gr

SCRIPTS = {
    "thread": "a document, its sentences to be moved, and its path",
    "tracks": "plans, and the texts written along them",
    "gaps": "a text whose gaps are filled, with its candidates",
    "rating": "five answers to a question",
}


@cache
def static(name: str) -> str:
    """Return a file of ``static/``."""
    return (files("timecontrol") / "app" / "static" / name).read_text(encoding="utf-8")


def part(name: str) -> Any:
    """Return a component; its value is plain data, or nothing."""
    return gr.HTML(
        value=None,
        html_template=f'<div class="tc-{name}"></div>',
        js_on_load="{\n" + static("draw.js") + static(f"{name}.js") + "}",
        apply_default_css=False,
        elem_id=f"tc-{name}",
    )


def words(text: str = "", kind: str = "note") -> str:
    """Return a line of text for a page; nothing for no text.

    Args:
        text: Shown as it is.
        kind: ``note`` or ``failed``.
    """
    role = "alert" if kind == "failed" else "status"
    return f'<p class="tc-{kind}" role="{role}">{escape(text)}</p>' if text else ""
