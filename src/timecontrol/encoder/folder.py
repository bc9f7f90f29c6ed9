"""The folder of an encoder's run: its files, and making room for a run in it.

Nothing that is not of a run is ever deleted, and no other run unless that is asked for.
"""

from pathlib import Path

from timecontrol.encoder.evaluations import FILE
from timecontrol.errors import TimeControlError
from timecontrol.runs import CONFIG, is_done, is_finished, read_tensors, refuse_strangers

HEAD, FIT, METRICS, CARD = "head.safetensors", "fit.json", "metrics.json", "README.md"
COHERENCE = "coherence.safetensors"
CHECKPOINT = "checkpoint.safetensors"


def make_ready(folder: Path, identity: str, overwrite: bool) -> bool:
    """Return whether a folder holds this very run, finished; make room for it otherwise."""
    if is_done(folder, "encoder", identity, overwrite):
        return True
    refuse_others(folder)
    if is_finished(folder) or (overwrite and not is_of(folder / CHECKPOINT, identity)):
        clear(folder)  # else it goes on
    folder.mkdir(parents=True, exist_ok=True)
    return False


def refuse_others(folder: Path) -> None:
    """Refuse a folder that holds things which are not of a run, also beside a finished one."""
    refuse_strangers(folder, {CONFIG, HEAD, FIT, COHERENCE, METRICS, CARD, CHECKPOINT, FILE})


def is_of(checkpoint: Path, identity: str) -> bool:
    """Return whether a checkpoint is of the run with this identity."""
    try:
        return checkpoint.is_file() and read_tensors(checkpoint)[1]["identity"] == identity
    except (TimeControlError, KeyError, TypeError):
        return False


def clear(folder: Path) -> None:
    """Take a run out of a folder, its configuration first: it is then no finished run."""
    for name in (CONFIG, HEAD, FIT, COHERENCE, METRICS, CARD, CHECKPOINT, FILE):
        (folder / name).unlink(missing_ok=True)
