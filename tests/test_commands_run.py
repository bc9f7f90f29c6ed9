"""Every command that README and docs show runs, page by page, in order (``make slow``).

A page's commands run one after the other in a folder of their own, in which there is what a reader
would have: texts, and run folders from before (small ones, of random weights) where the page does
not make them itself. What cannot be run is in ``NOT_RUN``, with the reason.
"""

import os
import re
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.conftest import DATA
from tests.shown import TODAY, Command, commands, label
from tests.stage import prepare
from tests.test_commands import parsed
from timecontrol.corpora import CORPORA

COMMANDS = {label(page): found for page in TODAY if (found := commands(page))}

HUB = "needs weights or a tokenizer from a model hub"
HOURS = "takes hours on a CPU, or wants a GPU"
SERVES = "serves until it is stopped: tests/app and `make browser` start it"
MAKE = "makes the environment that the tests run in, or runs the tests"
NOT_RUN = {
    "make *": MAKE,
    "pip install *": MAKE,
    "timecontrol app*": SERVES,
    "timecontrol push *": "needs a model hub",
    "timecontrol * hub:*": "needs a model hub",
    "timecontrol corpus wikisection * --tokenizer gpt2 *": (
        f"{HUB}; tests/corpora/test_real_corpora.py has the same numbers by a folder"
    ),
    "timecontrol train encoder wikisection+episodes+*": HOURS,
    "timecontrol evaluate infilling windows *": HOURS,
    "timecontrol reproduce discourse_coherence --scale small --dataset wikisection": HOURS,
}
"""Patterns of commands that are not run, and why."""
CODES = {"timecontrol score docs --min-score -2": {0, 1}}
"""Exit codes that are right, where 0 is not the only one."""
OWN = {"text", "jsonl", "synthetic"}
LONGEST = 3 * 3600
"""Seconds that one command may take."""


def reason(command: Command) -> str | None:
    """Return why a command is not run, or ``None``."""
    return next((why for form, why in NOT_RUN.items() if fnmatch(command.line, form)), None)


def wants_data(command: Command) -> bool:
    """Return whether a command reads a published corpus."""
    for call in command.calls:
        if call[0] != "timecontrol":
            continue
        verb, values = parsed(call[1:])
        names = {part.partition(":")[0] for part in str(values.get("spec") or "").split("+")}
        runs = not (values.get("listed") or values.get("check") or values.get("report"))
        if (names & set(CORPORA)) - OWN or (
            verb == "reproduce" and values["scale"] != "smoke" and runs
        ):
            return True
    return False


def made_by(page: str) -> set[str]:
    """Return what the commands of a page make themselves."""
    return {
        name
        for command in COMMANDS.get(page, [])
        if reason(command) is None
        for name in re.findall(r"(?:--out|--to) (\S+)", command.line)
    }


def environment(cache: Path) -> dict[str, str]:
    """Return the environment of a command: this package's programs first, data if there are any."""
    programs = Path(sys.executable).parent
    given = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    given |= {"TIMECONTROL_CACHE": str(cache), "HF_HUB_OFFLINE": "1"}
    return {**given, "TIMECONTROL_DATA": str(DATA)} if DATA else given


def test_what_is_not_run_is_still_there() -> None:
    shown = [c.line for found in COMMANDS.values() for c in found]
    for form in NOT_RUN:
        if form not in ("pip install *",):
            assert any(fnmatch(line, form) for line in shown), form
    assert set(CODES) <= set(shown)


def test_most_commands_are_run() -> None:
    every = [c for found in COMMANDS.values() for c in found]
    assert sum(reason(c) is None for c in every) > 0.7 * len(every)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Features and converted bases, made once for all pages."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.slow
@pytest.mark.parametrize("page", COMMANDS)
def test_its_commands_run(
    page: str, tmp_path: Path, cache: Path, run: Path, decoder_run: Path, plain_run: str
) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    runs = {"RUN": decoder_run, "runs/mine": run, "runs/writer": decoder_run}
    prepare(folder, {**runs, "runs/lm": Path(plain_run)}, made_by(page))
    failed = []
    for command in COMMANDS[page]:
        why = reason(command)
        if why is None and wants_data(command) and DATA is None:
            why = "no real corpora: TIMECONTROL_DATA"
        if why is not None:
            sys.stderr.write(f"not run: {command.line}: {why}\n")
            continue
        began = time.monotonic()
        ran = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command.line],
            cwd=folder,
            env=environment(cache),
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        took = time.monotonic() - began
        sys.stderr.write(f"{ran.returncode}, {took:.0f} s: {command.line}\n")
        if ran.returncode not in CODES.get(command.line, {0}):
            failed.append(f"{command.line}\n{ran.stderr[-1500:]}")
    assert not failed, "\n\n".join(failed)
