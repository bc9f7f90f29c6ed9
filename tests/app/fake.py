"""A studio without models: it answers at once, or when it is let."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from timecontrol.app.asked import Asked
from timecontrol.app.limits import Limits
from timecontrol.errors import MissingBaseError, TimeControlError

Check = Callable[[], None]


class Fake:
    """What the API asks; texts say what shall happen."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.begun, self.free = threading.Event(), threading.Event()
        self.asked: list[Any] = []
        self.ended: list[str] = []

    def about(self) -> dict[str, Any]:
        return {
            "version": "0",
            "encoders": ["general", "own"],
            "decoders": ["towns"],
            "fillers": ["stories"],
            "kinds": ["bridge"],
            "limits": vars(self.limits),
        }

    def score(self, text: str | Sequence[str], *, encoder: str | None, check: Check) -> Any:
        self.asked.append(text)
        check()
        if text == "wait":
            self.until_free(check)
        if text == "mistake":
            raise TimeControlError("The text is\nno text: give another.")
        if text == "weights":
            raise MissingBaseError("minilm is not here: timecontrol bases install minilm.")
        if text == "defect":
            raise KeyError("a secret text of a user")
        sentences = text.split(".") if isinstance(text, str) else list(text)
        return {"score": float("nan"), "sentences": sentences, "encoder": encoder}

    def order(self, sentences: Sequence[str], *, encoder: str | None, check: Check) -> Any:
        check()
        return {"order": sorted(range(len(sentences)), key=lambda i: sentences[i])}

    def plan(self, asked: Asked, *, check: Check) -> Any:
        self.asked.append(asked)
        check()
        return {"plan": {"kind": asked.kind, "seed": asked.seed}}

    def write(self, asked: Asked, *, check: Check) -> Iterator[dict[str, Any]]:
        self.asked.append(asked)
        if asked.start == "mistake":
            raise TimeControlError("No such start: give another.")
        yield {"event": "plan", "plan": {"seed": asked.seed}}
        try:
            for number in range(2):
                yield {"event": "sentence", "number": number, "tag": None, "text": "One\u2028two."}
                if asked.start == "wait":
                    self.until_free(check)
                if asked.start == "defect":
                    raise KeyError("a secret text of a user")
            yield {"event": "done", "text": "One two. One two.", "tokens": 6}
            self.ended.append("done")
        finally:
            self.ended.append("closed")

    def infill(self, text: str, **how: Any) -> Any:
        how.pop("check")()
        self.asked.append((text, how))
        return {"text": text.replace("[ ... ]", "It rained."), "gaps": []}

    def until_free(self, check: Check) -> None:
        """Wait, and check on the way, until it is let go on."""
        self.begun.set()
        while not self.free.is_set():
            check()
            time.sleep(0.002)
