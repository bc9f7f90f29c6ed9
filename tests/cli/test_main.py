import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from timecontrol import __version__


def test_the_version_and_the_help_are_printed(timecontrol: Callable[..., Ran]) -> None:
    assert timecontrol("--version").out.strip() == __version__
    for arguments in (["--help"], ["corpus", "--help"], ["bases", "--help"], ["demo", "--help"]):
        ran = timecontrol(*arguments)
        assert ran.code == 0
        assert "Usage" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("corpus", "synthetic", "--no-such"), "No such option: --no-such"),
        (("corpus", "synthetic", "--max-tokens", "0"), "--max-tokens"),
        (("corpus",), "Missing argument"),
        (("no-such-verb",), "No such command 'no-such-verb'"),
        (("bases", "instal"), "instal"),
    ],
)
def test_a_wrong_option_is_one_line_and_exits_with_2(
    timecontrol: Callable[..., Ran], arguments: tuple[str, ...], words: str
) -> None:
    ran = timecontrol(*arguments)
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "--help" in ran.err


def test_nothing_asked_is_answered_with_the_help(timecontrol: Callable[..., Ran]) -> None:
    ran = timecontrol()
    assert "corpus" in ran.out + ran.err
    assert "Usage" in ran.out + ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs sh and head")
def test_a_reader_that_goes_away_is_no_error() -> None:
    tool = f"{sys.executable} -m timecontrol corpus synthetic --show 200"
    command = f"({tool}; echo $? >&2) | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr in ("0\n", "1\n")  # a pipe may hold all of it


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "timecontrol", *arguments]
    return subprocess.run(command, capture_output=True, env={**os.environ, **environment})


def test_an_output_that_takes_few_characters_gets_what_it_can(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("雨が降っている。", encoding="utf-8")
    done = run("corpus", f"text:{tmp_path}", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    done = run("corpus", f"text:{tmp_path}", "--json", "--show", "1", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["shown"][0]["sections"][0]["sentences"] == ["雨が降っている。"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "timecontrol", "corpus", "synthetic"],
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 2
    assert done.stderr.decode().strip() == "timecontrol: output: No space left on device"


def test_an_interrupt_is_one_line(
    timecontrol: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("timecontrol.cli.corpus.open_corpus", interrupt)
    ran = timecontrol("corpus", "synthetic")
    assert ran.code == 130
    assert "Traceback" not in ran.err


def test_threads_that_wait_do_not_spin_unless_somebody_wants_it(
    timecontrol: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    for given, found in ((None, "passive"), ("active", "active")):
        monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
        if given:
            monkeypatch.setenv("OMP_WAIT_POLICY", given)
        assert timecontrol("--version").code == 0
        assert os.environ["OMP_WAIT_POLICY"] == found
