import os
import subprocess
import sys

import pytest

from timecontrol.bases import BASES
from timecontrol.cli import completion
from timecontrol.corpora import CORPORA
from timecontrol.plans import KINDS
from timecontrol.pretrained import DECODERS, SHIPPED
from timecontrol.sentences import SPLITTERS


def completed(line: str) -> list[str]:
    """Return what bash is offered at the end of a line."""
    words = line.split(" ")
    own = {"_TIMECONTROL_COMPLETE": "complete_bash", "COMP_WORDS": line,
           "COMP_CWORD": str(len(words) - 1)}  # fmt: skip
    code = (
        "import sys; sys.argv = ['timecontrol']\n"
        "from timecontrol.cli import main\n"
        "try: main()\n"
        "finally: assert not {'torch', 'transformers'} & set(sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.stdout.split()


def test_names_are_those_that_there_are() -> None:
    assert set(completion.BASES) == set(BASES)
    assert set(completion.DECODERS) == set(DECODERS)
    assert set(completion.ENCODERS) == set(SHIPPED)
    assert set(completion.PLANS) == set(KINDS)
    assert set(completion.SPLITTERS) == set(SPLITTERS)
    offered = completion.corpora("")
    assert {name.removesuffix(":") for name in offered} == {*CORPORA, "synthetic"}


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("timecontrol sco", ["score"]),
        ("timecontrol train ", ["encoder", "decoder"]),
        ("timecontrol score --enc", ["--encoder", "--encoding"]),
        ("timecontrol score --encoder d", ["dialogue"]),
        ("timecontrol generate --model w", ["wikisection"]),
        ("timecontrol generate --plan bridge-", ["bridge-brownian", "bridge-line"]),
        ("timecontrol corpus ro", ["rocstories:"]),
        ("timecontrol bases install mi", ["minilm"]),
    ],
)
def test_the_shell_is_offered_it_at_once(line: str, offered: list[str]) -> None:
    assert sorted(completed(line)) == sorted(offered)
