"""Small studies, made on the spot."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from timecontrol.judging import Study, create_study, read_outputs

Line = dict[str, Any]
Writer = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Write lines of JSON to a file, and return it."""

    def written(name: str, lines: Sequence[Line]) -> Path:
        file = tmp_path / name
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return file

    return written


def fills(system: str, n: int, say: str = "") -> list[Line]:
    """Return n gaps of different examples, filled by a system."""
    return [
        {"left": f"Before {i}.", "fill": say or f"{system.upper()}-words {i}.", "right": "After."}
        for i in range(n)
    ]


@pytest.fixture
def study(write: Writer, tmp_path: Path) -> Study:
    """Six gaps, each filled by two systems."""
    files = [write(f"{name}.jsonl", fills(name, 6)) for name in ("alpha", "beta")]
    return create_study(tmp_path / "study.sqlite", read_outputs(files, "infill"), seed=3)
