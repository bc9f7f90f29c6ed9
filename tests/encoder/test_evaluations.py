import json
from pathlib import Path

from timecontrol.encoder.evaluations import FILE, count, log_test


def test_looks_at_test_documents_are_counted(tmp_path: Path) -> None:
    assert count(tmp_path) == 0
    assert log_test(tmp_path, "encode", "wikisection", {"shuffled_larger": 0.9}) == 1
    assert log_test(tmp_path, "plot", "wikisection", None) == 2
    lines = (tmp_path / FILE).read_text().splitlines()
    assert json.loads(lines[0])["numbers"] == {"shuffled_larger": 0.9}
