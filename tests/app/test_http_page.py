"""What docs/http.md says is so, and what it shows runs against a studio of tiny models."""

import json
import re
from typing import Any

import httpx
import pytest

from tests.app.calls import served
from tests.shown import ROOT, fenced
from timecontrol.app.answers import CODES
from timecontrol.app.api import api
from timecontrol.app.limits import Limits
from timecontrol.app.service import Studio
from timecontrol.app.turns import Turns

PAGE = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
HOME = "http://127.0.0.1:7860"


@pytest.fixture
def studio_api(studio: Studio) -> Any:
    return api(studio, Turns(studio.limits), studio.limits)


def test_every_path_is_there_and_no_other(studio_api: Any) -> None:
    paths = {f"{m.upper()} {p}" for p, ms in studio_api.openapi()["paths"].items() for m in ms}
    assert set(re.findall(r"^\| `(\w+ /api/\w+)` \|", PAGE, re.MULTILINE)) == paths


def test_every_code_is_told() -> None:
    told = dict(re.findall(r"^\| (\d{3}) \| (.+) \|$", PAGE, re.MULTILINE))
    assert told.keys() == {str(code) for code in CODES}
    for code, what in CODES.items():
        assert told[str(code)].lower() == what.lower().rstrip(".")


def test_every_limit_is_told() -> None:
    told = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", PAGE, re.MULTILINE))
    assert told == {name: f"{value:,}" for name, value in vars(Limits()).items()}


def test_the_calls_of_a_shell_are_answered(studio_api: Any) -> None:
    calls = re.findall(rf"curl .*?{HOME}(\S+).*?-d '(.*?)'", PAGE, re.DOTALL)
    assert len(calls) == PAGE.count("curl ")
    with served(studio_api) as address:
        for path, body in calls:
            found = httpx.post(f"{address}{path}", json=json.loads(body), timeout=60)
            assert found.status_code == 200, found.text
            events = [json.loads(line) for line in found.text.splitlines()]
            if json.loads(body).get("stream"):
                assert (events[0]["event"], events[-1]["event"]) == ("plan", "done")


def test_its_python_runs(studio_api: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = fenced(PAGE, "py")
    with served(studio_api) as address:
        exec(compile(block.replace(HOME, address), "docs/http.md", "exec"), {})
    order = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert sorted(order) == [0, 1, 2]
