import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.conftest import Ran
from timecontrol import __version__


def test_the_version_and_the_help_are_printed(timecontrol: Callable[..., Ran]) -> None:
    assert timecontrol("--version").out.strip() == __version__
    for arguments in (["--help"], ["corpus", "--help"], ["bases", "--help"], ["demo", "--help"]):
        ran = timecontrol(*arguments)
        assert ran.code == 0
        assert "Usage" in ran.out


def test_a_wrong_option_exits_with_2(timecontrol: Callable[..., Ran]) -> None:
    assert timecontrol("corpus", "synthetic", "--no-such").code == 2
    assert timecontrol("no-such-verb").code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs sh and head")
def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m timecontrol corpus synthetic --show 200 | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr
    assert done.stderr == ""
