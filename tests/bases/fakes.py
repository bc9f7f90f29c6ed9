"""Packages that look installed, with files of our own in them."""

import sys
from pathlib import Path

import pytest


def fake_package(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, version: str, files: dict[str, bytes]
) -> None:
    """Make a package look installed under ``folder``."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    rows = [f"{info.name}/METADATA,,", f"{info.name}/RECORD,,"]
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        rows.append(f"{path},,")
    (info / "RECORD").write_text("\n".join(rows) + "\n")
    if str(folder) not in sys.path:
        monkeypatch.syspath_prepend(str(folder))
