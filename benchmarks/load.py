"""Many clients at once against ``timecontrol app``: python -m benchmarks.load [--seconds 180].

Each client sends one request after the other to the HTTP API: short texts, long ones, requests that
are wrong, and some that it leaves before the answer. Printed: how many of which kind got which
code, how long answers took, and the memory of the server. Anything but the code that is due and
429 (the queue is full) is an error, a server that still works when all have gone, too, and so is
memory that grows from the middle to the end; with errors the exit code is 1.
"""

import argparse
import asyncio
import random
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

FULL = 429
LEFT = "left"
"""What is counted where a client does not wait for the answer."""
GROWTH = 1.25
"""How much more memory there may be at the end than in the middle."""
BACKOFF = 0.1
"""Seconds, about, that a client waits when the queue is full: much less than it is told."""
STARTING = 180
"""Seconds that a server may take to start, and a request to be answered."""
JSON = {"Content-Type": "application/json"}
WORDS = ("the", "town", "river", "school", "market", "people", "old", "year", "built", "north")


@dataclass(frozen=True)
class Kind:
    """A kind of request."""

    name: str
    weight: float
    code: int
    """What is due, or 429."""
    sentences: int = 0
    path: str = "/api/score"
    body: bytes = b""


KINDS = (
    Kind("short", 0.6, 200, sentences=6),
    Kind("long", 0.1, 200, sentences=120),
    Kind("left", 0.1, 200, sentences=40),
    Kind("no JSON", 0.04, 400, body=b'{"text": NaN}'),
    Kind("no such field", 0.04, 422, body=b'{"text": "a", "file": "/etc/passwd"}'),
    Kind("no such model", 0.04, 422, body=b'{"text": "a", "encoder": "../x"}'),
    Kind("no such path", 0.04, 404, path="/api/nothing", body=b"{}"),
    Kind("too long", 0.04, 413, body=b'{"text": "' + b"x" * 3_000_000 + b'"}'),
)


@dataclass
class Found:
    """What came of it."""

    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


def text(rng: random.Random, sentences: int) -> bytes:
    """Return a request with a text that nobody has sent before."""
    lines = (" ".join(rng.choices(WORDS, k=rng.randint(4, 14))) for _ in range(sentences))
    return ('{"text": "' + " ".join(f"{line.capitalize()}." for line in lines) + '"}').encode()


async def ask(client: httpx.AsyncClient, kind: Kind, rng: random.Random, found: Found) -> None:
    """Send one request, and note what comes of it."""
    body = kind.body or text(rng, kind.sentences)
    begun = time.perf_counter()
    try:
        sent = client.post(kind.path, content=body, headers=JSON)
        if kind.name == LEFT:
            answer = await asyncio.wait_for(sent, rng.uniform(0, 0.5))
        else:
            answer = await sent
    except TimeoutError:
        found.codes[kind.name, LEFT] += 1
        return
    except httpx.HTTPError as error:
        found.codes[kind.name, type(error).__name__] += 1
        found.errors.append(f"{kind.name}: {error!r}")
        return
    found.codes[kind.name, str(answer.status_code)] += 1
    if answer.status_code == FULL:
        await asyncio.sleep(BACKOFF * rng.uniform(0.5, 1.5))
        return
    found.seconds.setdefault(kind.name, []).append(time.perf_counter() - begun)
    told = answer.json()
    if answer.status_code != kind.code or ("error" in told) != (kind.code != 200):
        found.errors.append(f"{kind.name}: {answer.status_code} {answer.text[:200]}")


async def load(address: str, clients: int, seconds: float, server: int, seed: int) -> Found:
    """Let clients ask for some time."""
    found = Found()
    end = time.monotonic() + seconds
    many = httpx.Limits(max_connections=None, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=address, timeout=STARTING, limits=many) as client:

        async def one(number: int) -> None:
            rng = random.Random(f"{seed} {number}")
            while time.monotonic() < end:
                kind = rng.choices(KINDS, [k.weight for k in KINDS])[0]
                await ask(client, kind, rng, found)

        async def watch() -> None:
            while True:
                found.memory.append(megabytes(server))
                await asyncio.sleep(min(1.0, seconds / 20))

        watcher = asyncio.create_task(watch())
        await asyncio.gather(*(one(number) for number in range(clients)))
        watcher.cancel()
        health = await settled(client)
    if health["working"] or health["waiting"] or health["failed"]:
        found.errors.append(f"the server afterwards: {health}")
    print(f"the server afterwards: {health}")
    return found


async def settled(client: httpx.AsyncClient) -> dict[str, int]:
    """Return the server's counts when it has nothing left to do, or does not come to an end."""
    health: dict[str, int] = {}
    for _ in range(100):
        health = (await client.get("/api/health")).json()
        if not health["working"] and not health["waiting"]:
            break
        await asyncio.sleep(0.1)
    return health


def megabytes(process: int) -> float:
    """Return how much memory a process has (Linux; 0 elsewhere)."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
        return int(next(x for x in lines if x.startswith("VmRSS:")).split()[1]) / 1024
    return 0.0


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers, and has loaded its first encoder."""
    end = time.monotonic() + STARTING
    while True:
        if server.poll() is not None or time.monotonic() > end:
            raise SystemExit("the server did not start")
        with suppress(httpx.TransportError):
            httpx.get(f"{address}/api/health").raise_for_status()
            break
        time.sleep(0.2)
    body = text(random.Random(0), 120)
    for _ in range(3):
        httpx.post(
            f"{address}/api/score", content=body, headers=JSON, timeout=STARTING
        ).raise_for_status()


def report(found: Found, clients: int, seconds: float) -> int:
    """Print what was found; return how many errors there were."""
    print(f"{clients} clients for {seconds:g} s\n")
    codes = sorted({code for _, code in found.codes})
    print("| requests | " + " | ".join(codes) + " | p50, s | p95, s |")
    print("|---" * (len(codes) + 3) + "|")
    for kind in KINDS:
        counts = " | ".join(str(found.codes[kind.name, code] or "") for code in codes)
        print(f"| {kind.name} | {counts} | {cells(found.seconds.get(kind.name, ()))} |")
    n = len(found.memory)
    start, middle, end = (found.memory[i] for i in (0, n // 2, n - 1))
    print(
        f"\nmemory of the server: {start:.0f} MB at the start, {middle:.0f} in the middle, "
        f"{end:.0f} at the end, {max(found.memory):.0f} at most"
    )
    if end > GROWTH * middle:
        found.errors.append(f"memory grows: {middle:.0f} to {end:.0f} MB")
    print(f"{sum(found.codes.values())} requests, {len(found.errors)} errors")
    for error, count in Counter(found.errors).most_common(10):
        print(f"  {count} x {error}")
    return len(found.errors)


def cells(seconds: Sequence[float]) -> str:
    """Return the median and the 95th percentile."""
    if len(seconds) < 2:
        return " | "
    return f"{statistics.median(seconds):.2f} | {statistics.quantiles(seconds, n=20)[-1]:.2f}"


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--port", type=int, default=None)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    port = options.port or free_port()
    command = [sys.executable, "-m", "timecontrol", "app", "--port", str(port), "--no-browser"]
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(address, server)
            work = load(address, options.clients, options.seconds, server.pid, options.seed)
            found = asyncio.run(work)
        finally:
            server.terminate()
    sys.exit(bool(report(found, options.clients, options.seconds)))


if __name__ == "__main__":
    main()
