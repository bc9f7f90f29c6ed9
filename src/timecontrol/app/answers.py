"""What the HTTP API answers: JSON as it should be, and every mistake as one line with its code.

The text of users is in no log: of an unexpected error only its kind and its places are written
down, since its message may quote a text.
"""

import json
import logging
import math
import traceback
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timecontrol.app.limits import TooMuch
from timecontrol.app.strict import BadJson
from timecontrol.app.turns import Busy, Cancelled, OutOfTime
from timecontrol.errors import MissingBaseError, TimeControlError, brief

log = logging.getLogger("timecontrol.app")

CODES = {
    400: "The body is no JSON, or the Host header is wrong.",
    401: "The token is missing or wrong.",
    403: "The request comes from a page of another site.",
    404: "There is no such path.",
    405: "The path takes another method.",
    408: "The body did not arrive.",
    413: "The body or a text is too long.",
    415: "The body is no application/json.",
    422: "A field is missing, unknown or out of its range.",
    429: "The queue is full; Retry-After says when to try again.",
    500: "An error of the server.",
    503: "Weights are not installed, or the server is stopping.",
    504: "The work took longer than it may.",
}
"""What can go wrong."""

KINDS: dict[type[Exception], int] = {
    BadJson: 400,
    TooMuch: 413,
    OutOfTime: 504,
    MissingBaseError: 503,
    TimeControlError: 422,
}
"""The first that fits gives the code."""
SAID = {
    "extra_forbidden": "there is no such field",
    "missing": "this field is needed",
    "model_attributes_type": "The body has to be an object, {...}",
    "model_type": "this has to be an object, {...}",
}
"""What is said of some mistakes, instead of what the reader of forms says."""
LONGEST, SHOWN = 400, 40
"""Characters of an error, and of a value in it."""


class Wrong(Exception):
    """A request that is refused with a code."""

    def __init__(self, code: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.code, self.headers = code, headers or {}


class Left(Exception):
    """A client that takes nothing: there is nobody to answer."""


class Json(Response):
    """JSON in UTF-8; numbers that are none become null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the content as JSON."""
        return json.dumps(tidy(content), ensure_ascii=False, allow_nan=False).encode("utf-8")


def tidy(value: Any) -> Any:
    """Return plain data as JSON can have it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {str(tidy(k)): tidy(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [tidy(v) for v in value]
    return value


def problem(code: int, message: str, headers: dict[str, str] | None = None) -> Json:
    """Return an error: one line, and its code."""
    line = " ".join(message.split()) or HTTPStatus(code).phrase
    return Json({"error": line}, status_code=code, headers=headers)


def answer(error: Exception) -> Json:
    """Return what an error is answered with; one that nobody expects is logged."""
    if isinstance(error, Wrong):
        return problem(error.code, brief(error, LONGEST), error.headers)
    if isinstance(error, Busy):
        return problem(429, brief(error, LONGEST), {"Retry-After": str(error.after)})
    if isinstance(error, Cancelled):
        return problem(503, "The work was cancelled.")
    if isinstance(error, RequestValidationError):
        return problem(422, mistakes(error))
    if isinstance(error, HTTPException):
        headers = dict(error.headers or {})
        return problem(error.status_code, str(error.detail)[:LONGEST], headers)
    for kind, code in KINDS.items():
        if isinstance(error, kind):
            return problem(code, brief(error, LONGEST))
    record(error)
    return problem(500, "The server made a mistake; its log says where.")


def mistakes(error: RequestValidationError) -> str:
    """Return what is wrong with the fields of a request: the first mistake, and how many more."""
    found = list(error.errors())
    first = found[0]
    place = ".".join(str(part)[:SHOWN] for part in first["loc"] if part != "body")
    said = str(first["msg"]).removeprefix("Value error, ").rstrip(".")[:LONGEST]
    said, value = SAID.get(first["type"], said), first.get("input")
    if place:
        plain = isinstance(value, str | int | float) and first["type"] not in SAID
        shown = f" is {(value[:SHOWN] if isinstance(value, str) else value)!r}" if plain else ""
        said = f"{place}{shown}: {said[0].lower()}{said[1:]}"
    more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
    return f"{said}{more}. GET /api/docs lists the fields."


def record(error: BaseException) -> None:
    """Log an unexpected error: its kind and where it came from, without its message."""
    frames = traceback.extract_tb(error.__traceback__)
    places = " <- ".join(f"{f.filename}:{f.lineno} {f.name}" for f in reversed(frames))
    log.error("%s at %s", type(error).__name__, places)
