"""How long work tells how far it is: whoever shows it passes a function in, else it is silent."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[..., None]
"""``advance(n, **shown)``: so much more is done, and what else may be shown."""


class Progress(Protocol):
    """Opens a report on one piece of work."""

    def __call__(
        self, what: str, total: int, done: int = 0, unit: str = ""
    ) -> AbstractContextManager[Advance]:
        """Return a context that gives the function to call on the way."""


@contextmanager
def silent(what: str, total: int, done: int = 0, unit: str = "") -> Iterator[Advance]:
    """Report to nobody."""
    yield lambda n=1, **shown: None
