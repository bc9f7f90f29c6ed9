"""Other libraries' own lines are kept off the terminal while they work."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the lines, bars and warnings of transformers off the terminal; errors are shown."""
    from transformers.utils import logging as their_logging

    theirs: Any = their_logging
    logger = logging.getLogger("transformers")
    before, bars = logger.level, theirs.is_progress_bar_enabled()
    logger.setLevel(logging.ERROR)
    theirs.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
        if bars:
            theirs.enable_progress_bar()
