"""What makes one run again, as a user types it."""

import shlex
from collections.abc import Mapping

from timecontrol.reproduction.scales import SCALES, Scale
from timecontrol.reproduction.works import Work

CHANGED = ("encoder_base", "decoder_base", "documents", "judged")
"""What of a scale can be changed by options that decide a run."""


def command_of(work: Work, scale: Scale, given: Mapping[str, str]) -> str:
    """Return the command of one run.

    Args:
        work: Which.
        scale: With all that was changed.
        given: Decoders that were there already.
    """
    usual = SCALES[scale.name]
    words = ["timecontrol", "reproduce", "--scale", scale.name, "--only", work.name]
    if work.preset != "best":
        words += ["--preset", work.preset]
    if work.seed >= usual.seeds:
        words += ["--seeds", str(work.seed + 1)]
    for name in CHANGED:
        if (value := getattr(scale, name)) != getattr(usual, name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    own = scale.corpora.get(work.dataset)
    if own is not None and own != usual.corpora.get(work.dataset):
        words += ["--corpus", f"{work.dataset}={own.spec}"]
    row = f"{work.dataset}/{work.row}"
    if row in given:
        words += ["--decoder", f"{row}={given[row]}"]
    return shlex.join(words)
