"""A studio that runs, and a browser that opens it; skipped where there is none."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from timecontrol.bases import resolve
from timecontrol.errors import MissingBaseError

PICTURES = os.environ.get("TIMECONTROL_PICTURES")
"""A folder where pictures of the pages are left."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")
OPENING = 120.0
"""Seconds the studio may take to open."""


@dataclass
class Site:
    """A studio that runs."""

    address: str
    folder: Path
    """Where it works."""
    process: subprocess.Popen[bytes]
    log: Path


@dataclass
class Seen:
    """What a page did that nobody asked for."""

    errors: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    """Requests to anywhere else."""


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """The studio, with a study of two systems, as a user starts it."""
    for base in ("minilm", "smollm2-135m"):
        try:
            resolve(base)
        except MissingBaseError:
            pytest.skip(f"no {base}: timecontrol bases install {base}")
    folder = Path(tempfile.mkdtemp())
    texts = {"first": "Good bye then.\nBye.", "second": "I want two tickets.\nFor which film?"}
    for system, text in texts.items():
        lines = [{"id": i, "text": f"Hello, this is call {i}.\n{text}"} for i in range(3)]
        file = folder / f"{system}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    own = [sys.executable, "-m", "timecontrol"]
    study = ["judge", "create", "calls.sqlite", "first.jsonl", "second.jsonl", "--task", "ending"]
    subprocess.run([*own, *study], cwd=folder, check=True, capture_output=True)
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    command = [*own, "app", "--port", str(port), "--no-browser", "--study", "calls.sqlite"]
    log = folder / "log"
    with log.open("wb") as file_of_log:
        process = subprocess.Popen(
            command, cwd=folder, stdout=file_of_log, stderr=subprocess.STDOUT
        )
    address = f"http://127.0.0.1:{port}/"
    try:
        until_it_answers(address, process, log)
        yield Site(address, folder, process, log)
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def until_it_answers(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait for a studio to open."""
    until = time.monotonic() + OPENING
    while True:
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            with urllib.request.urlopen(f"{address}api/health", timeout=5):
                return
        except OSError:
            assert time.monotonic() < until, log.read_text(encoding="utf-8")
            time.sleep(0.2)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser."""
    found = next((place for name in NAMES if (place := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser: install one of {', '.join(NAMES)}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


def opened(chromium: Any, site: Site, **how: Any) -> tuple[Any, Seen]:
    """Return a page of the studio, in a browser of its own, and what it does unasked."""
    context = chromium.new_context(
        **{"viewport": {"width": 1280, "height": 900}, "accept_downloads": True, **how}
    )
    page, seen = context.new_page(), Seen()
    page.set_default_timeout(90_000)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("console", lambda m: seen.errors.append(m.text) if m.type == "error" else None)

    def note(request: Any) -> None:
        if not request.url.startswith((site.address, "data:", "blob:")):
            seen.strangers.append(request.url)

    page.on("request", note)
    page.goto(site.address)
    page.wait_for_selector("#score-go")
    return page, seen


@pytest.fixture
def page(chromium: Any, site: Site) -> Iterator[Any]:
    """A page of the studio; no script may fail on it, and nothing may be asked of others."""
    found, seen = opened(chromium, site)
    yield found
    found.context.close()
    assert not seen.errors
    assert not seen.strangers
    assert "Traceback" not in site.log.read_text(encoding="utf-8")


def picture(page: Any, name: str) -> None:
    """Leave a picture of a page, where somebody wants to look."""
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"), full_page=True)
