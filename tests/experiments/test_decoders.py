"""What results say of decoders."""

import json
from pathlib import Path
from typing import Any

import pytest

from timecontrol import __version__
from timecontrol.corpora import Corpus
from timecontrol.decoder import Decoder
from timecontrol.decoder.folder import ENCODER
from timecontrol.errors import TimeControlError
from timecontrol.experiments.decoders import about, check, result
from timecontrol.experiments.evaluate import Place


def test_what_is_no_decoder_is_refused(decoder_run: Path, tmp_path: Path) -> None:
    check([])
    check([str(decoder_run)])
    with pytest.raises(TimeControlError, match="No decoder at"):
        check([str(decoder_run), str(tmp_path / "nowhere")])
    with pytest.raises(TimeControlError, match="of kind 'encoder', not 'decoder'"):
        check([str(decoder_run / ENCODER)])


def test_a_decoder_is_told_by_what_decided_it(decoder_run: Path) -> None:
    decoder = Decoder.load(decoder_run, "cpu")
    found = about(str(decoder_run), decoder)
    assert found["name"] == decoder_run.name
    for name in ("identity", "encoder", "settings"):
        assert found[name] == decoder.config[name]
    assert set(found["metrics"]) == {"kept", "kept_epoch", "health", "seconds"}
    json.dumps(found, allow_nan=False)


def test_a_result_has_what_is_needed_to_get_it_again(corpus: Corpus) -> None:
    settings: dict[str, Any] = {"seed": 0, "top_p": None, "texts": []}
    found = result("swap", corpus, [{"name": "a"}], settings, [{"label": "a"}], Place("cpu"))
    assert (found["task"], found["corpus"]) == ("swap", "synthetic:recipes,documents=40")
    assert (found["split"], found["documents"]) == ("train", 32)
    assert (found["decoders"], found["rows"]) == ([{"name": "a"}], [{"label": "a"}])
    assert found["settings"] == {"seed": 0}  # what is not told is left out
    assert found["timecontrol"] == found["made_with"]["timecontrol"] == __version__
    assert found["made_with"]["device"] == "cpu"
