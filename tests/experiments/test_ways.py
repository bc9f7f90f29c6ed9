"""What decoders write in several ways is kept, and read as it was."""

from pathlib import Path

import numpy as np

from tests.experiments.results import HERE, OPTIONS
from timecontrol.decoder import Decoder
from timecontrol.experiments.texts import read_texts
from timecontrol.experiments.ways import Ways, written


def test_texts_that_are_kept_are_read_as_they_were(model: str, tmp_path: Path) -> None:
    ways = Ways(["mean"], ["30"], 2, OPTIONS, folder=tmp_path)
    (made,) = written(model, Decoder.load(model, "cpu"), ways, HERE)
    found = read_texts(tmp_path / "planned-30-mean.jsonl")
    assert (made.run, found.run) == ("planned", "planned-30-mean")
    a, b = ({k: v for k, v in vars(t).items() if k not in ("run", "plans")} for t in (made, found))
    assert a == b
    np.testing.assert_array_equal(np.stack(found.plans), np.stack(made.plans))  # type: ignore[arg-type]
