"""Laws of quiet: nothing of transformers is heard, and all is afterwards as it was."""

import logging
import warnings
from typing import Any

from transformers.utils import logging as their_logging

from timecontrol.quiet import quiet

theirs: Any = their_logging


def test_lines_and_bars_are_off_and_come_back() -> None:
    logger = logging.getLogger("transformers")
    logger.setLevel(logging.INFO)
    theirs.enable_progress_bar()
    with quiet():
        assert not logger.isEnabledFor(logging.WARNING)
        assert logger.isEnabledFor(logging.ERROR)
        assert not theirs.is_progress_bar_enabled()
        warnings.warn("not heard", stacklevel=1)  # an error in these tests, were it heard
    assert logger.level == logging.INFO
    assert theirs.is_progress_bar_enabled()
    logger.setLevel(logging.WARNING)


def test_a_bar_that_was_off_stays_off() -> None:
    theirs.disable_progress_bar()
    with quiet():
        pass
    assert not theirs.is_progress_bar_enabled()
    theirs.enable_progress_bar()
