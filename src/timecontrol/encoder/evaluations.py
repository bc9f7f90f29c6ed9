"""Looks at test documents are counted: one line each in the run folder.

Whoever reads a test number can see how often the test documents were looked at before.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FILE = "test-evaluations.jsonl"


def log_test(folder: Path, what: str, corpus: str, numbers: Any) -> int:
    """Write down that test documents were evaluated, and return how often they now have been."""
    file = folder / FILE
    line = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "what": what,
        "corpus": corpus,
        "numbers": numbers,
    }
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")
    return count(folder)


def count(folder: Path) -> int:
    """Return how often test documents have been evaluated with this run."""
    file = folder / FILE
    return len(file.read_text(encoding="utf-8").splitlines()) if file.is_file() else 0
