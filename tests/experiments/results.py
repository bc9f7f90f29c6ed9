"""What every result of decoders has."""

import json
from pathlib import Path
from typing import Any

from timecontrol import __version__
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.report import markdown

HERE = Place("cpu")
OPTIONS = {"top_p": 0.9, "temperature": 1.0, "seed": 2}


def checked(found: dict[str, Any], task: str, models: list[str]) -> None:
    """Check what every result has."""
    json.dumps(found, allow_nan=False)
    assert (found["task"], found["corpus"]) == (task, "synthetic:recipes,documents=40")
    assert found["timecontrol"] == found["made_with"]["timecontrol"] == __version__
    assert {"python", "torch", "transformers", "device"} <= set(found["made_with"])
    assert [d["name"] for d in found["decoders"]] == [Path(m).name for m in models]
    for about, name in zip(found["decoders"], models, strict=True):
        config = json.loads((Path(name) / "config.json").read_text())
        assert about["identity"] == config["identity"]
        assert about["settings"] == config["settings"]
        assert about["encoder"] == config["encoder"]
        assert about["base_checksum"] == config["base"]["checksum"]
        assert about["metrics"]["kept_epoch"] >= 1
    page = markdown({"command": "timecontrol", **found})
    for table in found["tables"]:
        for row in table["rows"]:
            assert len(row) == len(table["columns"])
            assert f"| {row[0]} | " in page
    assert found["note"] in page
