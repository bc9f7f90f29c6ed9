"""The folder of a decoder's run: its files, and making room for a run in it.

    config.json           format, settings, base, layout, encoder, corpus, versions
    model/ or adapter/    the weights: a transformers model, or PEFT's adapter
    law.safetensors       what plans are drawn from
    bridge.safetensors    where sentences lie that are missing
    encoder/              the encoder whose latents it follows
    metrics.json          numbers of every epoch, the health check
    README.md             the model card
    checkpoints/          while it is being trained

Nothing that is not of a run is ever deleted, and no other run unless that is asked for.
"""

import shutil
from pathlib import Path

from timecontrol.errors import TimeControlError
from timecontrol.runs import CONFIG, is_done, is_finished, refuse_strangers, write_text

MODEL, ADAPTER, ENCODER, CHECKPOINTS = "model", "adapter", "encoder", "checkpoints"
LAW, METRICS, CARD = "law.safetensors", "metrics.json", "README.md"
BRIDGE = "bridge.safetensors"
IDENTITY = "identity.txt"
"""In the folder of checkpoints: of which run they are."""
EVALUATIONS = "test-evaluations.jsonl"
FOLDERS = (MODEL, ADAPTER, ENCODER, CHECKPOINTS)
FILES = (LAW, BRIDGE, METRICS, CARD, EVALUATIONS)


def make_ready(folder: Path, identity: str, overwrite: bool) -> bool:
    """Return whether a folder holds this very run, finished; make room for it otherwise."""
    if is_done(folder, "decoder", identity, overwrite):
        return True
    if is_finished(folder):
        clear(folder)
    elif folder.is_dir():
        refuse_others(folder)
        begun = folder / CHECKPOINTS / IDENTITY
        if begun.is_file() and begun.read_text(encoding="utf-8") != identity:
            if not overwrite:
                raise TimeControlError(
                    f"{folder} holds an unfinished run of other data or settings: give another "
                    "--out, or --overwrite."
                )
            clear(folder)
    (folder / CHECKPOINTS).mkdir(parents=True, exist_ok=True)
    write_text(folder / CHECKPOINTS / IDENTITY, identity)
    return False


def refuse_others(folder: Path) -> None:
    """Refuse a folder that holds things which are not of a run, unless one was begun in it."""
    if (folder / CHECKPOINTS / IDENTITY).is_file():
        return
    refuse_strangers(folder, {*FOLDERS, *FILES})


def clear(folder: Path) -> None:
    """Take a run out of a folder, its configuration first: it is then no finished run."""
    for name in (CONFIG, *FILES):
        (folder / name).unlink(missing_ok=True)
    for name in FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
