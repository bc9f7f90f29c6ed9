"""A run folder: JSON and safetensors, each file whole or absent.

``config.json`` is written last: a folder with one is a finished run. It carries the version of the
format, so that a later program can say what it cannot read.
"""

import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timecontrol.errors import TimeControlError

if TYPE_CHECKING:
    from torch import Tensor

FORMAT = 1
CONFIG = "config.json"


def write_text(file: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def write_json(file: Path, value: Any) -> None:
    """Write plain data as JSON, whole or not at all."""
    write_text(file, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_tensors(file: Path, tensors: "dict[str, Tensor]", about: Any = None) -> None:
    """Write tensors, with plain data in the file's header, whole or not at all."""
    from safetensors.torch import save_file

    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    whole = {name: t.detach().cpu().contiguous().clone() for name, t in tensors.items()}
    try:
        save_file(whole, fresh, {"about": json.dumps(about)})
        fresh.chmod(0o644)  # the library leaves it to its owner alone
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def read_tensors(file: Path) -> "tuple[dict[str, Tensor], Any]":
    """Return what ``write_tensors`` wrote."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, "pt") as found:
            tensors = {name: found.get_tensor(name) for name in found.keys()}  # noqa: SIM118
            about = json.loads((found.metadata() or {}).get("about", "null"))
    except (SafetensorError, ValueError) as error:
        raise TimeControlError(f"{file} cannot be read: {error}") from None
    return tensors, about


def is_finished(folder: Path) -> bool:
    """Return whether a folder holds a finished run."""
    return (folder / CONFIG).is_file()


def kind_of(folder: Path) -> str | None:
    """Return the kind of a finished run (``encoder``, ``decoder``), or ``None``."""
    try:
        found = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        return str(found["kind"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_done(folder: Path, kind: str, identity: str, overwrite: bool) -> bool:
    """Return whether a folder holds this very run, finished, so that nothing is to be done.

    Raises:
        TimeControlError: It is a file, or holds another finished run that may not be replaced.
    """
    if folder.exists() and not folder.is_dir():
        raise TimeControlError(f"{folder} is a file: give a folder as --out.")
    if not is_finished(folder):
        return False
    same = read_config(folder, kind).get("identity") == identity
    if not same and not overwrite:
        raise TimeControlError(
            f"{folder} holds a finished run of other data or settings: give another --out, or "
            "--overwrite."
        )
    return same and not overwrite


def refuse_strangers(folder: Path, ours: Collection[str]) -> None:
    """Refuse a folder that holds anything but what is ours, and hidden files."""
    found = {p.name for p in folder.iterdir()} if folder.is_dir() else set()
    if not {name for name in found if not name.startswith(".")} <= set(ours):
        raise TimeControlError(
            f"{folder} holds other files than those of a run: give another folder."
        )


def read_config(folder: Path, kind: str) -> dict[str, Any]:
    """Return the configuration of a finished run of a kind (``encoder``).

    Raises:
        TimeControlError: It is no such run, or one of a later format.
    """
    if not folder.is_dir():
        raise TimeControlError(f"No {kind} at {folder}: no such folder.")
    if not is_finished(folder):
        raise TimeControlError(f"{folder} holds no finished {kind}: no {CONFIG} in it.")
    try:
        found = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        version, what = int(found["format"]), found["kind"]
    except (ValueError, KeyError, TypeError):
        raise TimeControlError(f"{folder / CONFIG} is not the configuration of a run.") from None
    if what != kind:
        raise TimeControlError(f"{folder} holds a run of kind {what!r}, not {kind!r}.")
    if version > FORMAT:
        raise TimeControlError(
            f"{folder} has format {version}, made by a later version; this one reads up to "
            f"{FORMAT}: upgrade time-control."
        )
    return dict(found)
