"""The studio on a port: the page, the HTTP API beside it, until somebody stops it."""

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from typing import Any

import uvicorn

from timecontrol.app.api import api
from timecontrol.app.desk import Desk
from timecontrol.app.hosts import LOOPBACK
from timecontrol.app.limits import Limits
from timecontrol.app.models import Models
from timecontrol.app.service import Studio
from timecontrol.app.studies import Studies
from timecontrol.app.turns import Turns

USER = "studio"
"""Who to sign in as where a token is set; the token is the password."""
UPLOAD = "20mb"


class Server(uvicorn.Server):
    """A server that sends those away who wait, when it is to stop."""

    async def shutdown(self, sockets: Any = None) -> None:
        """Stop."""
        self.config.app.state.turns.close()  # type: ignore[union-attr]
        await super().shutdown(sockets)


def studio_app(
    models: Models,
    limits: Limits | None = None,
    token: str | None = None,
    hosts: Sequence[str] = LOOPBACK,
    studies: Studies | None = None,
) -> Any:
    """Return the whole as an ASGI application.

    Args:
        models: What it has.
        limits: What it takes at most.
        token: What callers and visitors must know; nobody need without.
        hosts: Names it may be called by.
        studies: What there is to be judged.
    """
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    import gradio as gr

    from timecontrol.app.page import look, page

    limits = limits or Limits()
    studio, turns = Studio(models, limits), Turns(limits)
    app = api(studio, turns, limits, token, hosts)
    app.state.turns = turns
    mounted = partial(
        gr.mount_gradio_app,
        app,
        path="/",
        auth=None if token is None else (USER, token),
        auth_message=f"User: {USER}. Password: the token it was started with.",
        footer_links=[],
        run_history=False,
        show_error=True,
        max_file_size=UPLOAD,
        ssr_mode=False,
        enable_monitoring=False,
        mcp_server=False,
        **look(),
    )

    async def whole() -> Any:  # gradio leaves a loop open for each event where none is running
        return mounted(page(Desk(studio, turns), studies or Studies()))

    return asyncio.run(whole())
