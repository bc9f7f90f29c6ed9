import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from tests.app.calls import call
from tests.conftest import Ran
from timecontrol.cli import studio

Run = Callable[..., Ran]
SECRET = "a long enough secret"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been served."""
    found: list[Any] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda server: found.append(server.config))
    monkeypatch.delenv(studio.TOKEN, raising=False)
    return found


def test_it_listens_on_this_machine_alone(timecontrol: Run, served: list[Any]) -> None:
    ran = timecontrol("app", "--no-browser")
    assert ran.code == 0, ran.err
    [config] = served
    assert config.host == "127.0.0.1"
    assert f"http://127.0.0.1:{config.port}/" in ran.out
    assert call(config.app, "GET", "/api/health").status_code == 200


def test_beyond_this_machine_it_needs_a_token(
    timecontrol: Run, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = timecontrol("app", "--host", "0.0.0.0", "--no-browser")
    assert (ran.code, served) == (2, [])
    assert "it needs a --token" in ran.err
    monkeypatch.setenv(studio.TOKEN, SECRET)
    ran = timecontrol("app", "--host", "0.0.0.0", "--no-browser")
    assert ran.code == 0, ran.err
    assert SECRET not in ran.out + ran.err
    assert call(served[0].app, "GET", "/api/about").status_code == 401


def test_a_short_token_is_refused(timecontrol: Run, served: list[Any]) -> None:
    ran = timecontrol("app", "--token", "abc", "--no-browser")
    assert (ran.code, served) == (2, [])
    assert "--token has 3 characters: 12 or more" in ran.err


def test_a_port_that_is_taken_is_told(timecontrol: Run, served: list[Any]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        ran = timecontrol("app", "--port", str(port), "--no-browser")
    assert (ran.code, served) == (2, [])
    assert f"--port is {port}: address already in use" in ran.err


def test_own_models_come_first_and_folders_that_are_none_are_told(
    timecontrol: Run, served: list[Any], decoder_run: Path, tmp_path: Path
) -> None:
    ran = timecontrol("app", "--model", str(decoder_run), "--no-browser")
    assert ran.code == 0, ran.err
    about = call(served[0].app, "GET", "/api/about").json()
    assert about["decoders"] == [decoder_run.name, "wikisection"]
    ran = timecontrol("app", "--model", str(tmp_path), "--no-browser")
    assert ran.code == 2
    assert "is no finished run folder" in ran.err


def test_a_browser_is_opened_unless_nobody_sits_there(
    timecontrol: Run, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []

    class Timer:
        def __init__(self, seconds: float, work: object, words: list[str]) -> None:
            opened.append(words)

        def start(self) -> None:
            pass

    monkeypatch.setattr(threading, "Timer", Timer)
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    timecontrol("app")
    timecontrol("app", "--no-browser")
    monkeypatch.setenv("SSH_CONNECTION", "from far")
    timecontrol("app")
    assert opened == [[f"http://127.0.0.1:{served[0].port}/"]]


def test_without_the_extra_it_says_what_to_install(
    timecontrol: Run, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gradio", None)
    ran = timecontrol("app", "--no-browser")
    assert (ran.code, served) == (2, [])
    assert "pip install 'time-control[app]'" in ran.err
