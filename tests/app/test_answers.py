import json
import logging

import pytest
from starlette.exceptions import HTTPException

from timecontrol.app.answers import CODES, Json, Wrong, answer, tidy
from timecontrol.app.limits import TooMuch
from timecontrol.app.strict import BadJson
from timecontrol.app.turns import Busy, Cancelled, OutOfTime
from timecontrol.errors import MissingBaseError, TimeControlError, UnknownNameError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadJson("a\nb"), 400),
        (Wrong(401, "a\nb"), 401),
        (HTTPException(405, "a\nb"), 405),
        (TooMuch("a\nb"), 413),
        (TimeControlError("a\nb"), 422),
        (UnknownNameError("a\nb"), 422),
        (Busy("a\nb", 7), 429),
        (MissingBaseError("a\nb"), 503),
        (OutOfTime("a\nb"), 504),
    ],
)
def test_every_mistake_has_its_code_and_one_line(error: Exception, code: int) -> None:
    found = answer(error)
    assert (found.status_code, json.loads(bytes(found.body))) == (code, {"error": "a b"})
    assert code in CODES


def test_one_who_is_refused_is_told_when_to_come_again() -> None:
    assert answer(Busy("full", 7)).headers["retry-after"] == "7"


def test_an_error_without_words_has_a_line_nevertheless() -> None:
    for error in (TimeControlError(), HTTPException(404), Cancelled(), ValueError()):
        assert json.loads(bytes(answer(error).body))["error"]


def test_a_long_message_is_cut() -> None:
    assert len(answer(TimeControlError("x" * 10_000)).body) < 500


def test_of_a_defect_the_message_is_neither_told_nor_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    try:
        raise ValueError("a secret text")
    except ValueError as error:
        found = answer(error)
    assert found.status_code == 500
    assert b"secret" not in found.body
    assert caplog.messages[0].startswith("ValueError at ")
    assert "test_answers.py" in caplog.messages[0]
    assert "secret" not in caplog.text
    assert caplog.records[0].levelno == logging.ERROR


def test_what_no_json_can_hold_is_made_to_fit() -> None:
    odd = {"a": float("nan"), 1: ["é\ud800", (float("-inf"), True, None)]}
    assert tidy(odd) == {"a": None, "1": ["é?", [None, True, None]]}
    assert json.loads(bytes(Json(odd).body)) == tidy(odd)
