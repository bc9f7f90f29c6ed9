from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from timecontrol.decoder import Decoder, PlannedLM
from timecontrol.decoder.export import export
from timecontrol.errors import TimeControlError


def test_a_planned_decoder_opens_with_the_auto_class(decoder_run: Path, tmp_path: Path) -> None:
    decoder = Decoder.load(decoder_run, device="cpu")
    export(decoder, tmp_path / "out")
    found: Any = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert isinstance(found, PlannedLM)
    ids = torch.tensor([[decoder.codec.begin, 5, decoder.codec.unit_end, 7]])
    plan = torch.randn(1, 2, decoder.model.config.plan_dim)
    with torch.no_grad():
        assert torch.equal(found(ids, plan=plan).logits, decoder.model(ids, plan=plan).logits)
    assert "tokenizer.bos_token" in (tmp_path / "out" / "README.md").read_text()
    assert "import timecontrol.decoder" in (tmp_path / "out" / "README.md").read_text()


def test_a_plain_decoder_is_its_base(bases: dict[str, str], tmp_path: Path) -> None:
    corpus = "synthetic:recipes,documents=20"
    decoder = Decoder.fit(
        corpus, base=bases["writer"], method="plain", epochs=1, window=64, device="cpu"
    )
    export(decoder, tmp_path / "out")
    found: Any = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert type(found) is type(decoder.model.lm)
    ids = torch.tensor([[decoder.codec.begin, 5, decoder.codec.unit_end, 7]])
    with torch.no_grad():
        assert torch.equal(found(ids).logits, decoder.model.lm(ids).logits)


def test_a_folder_that_holds_something_is_refused(decoder_run: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(TimeControlError, match="there already"):
        export(Decoder.load(decoder_run, device="cpu"), tmp_path)
    assert (tmp_path / "file").read_text() == "mine"
