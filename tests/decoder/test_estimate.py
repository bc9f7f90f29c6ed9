import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from tests.decoder.test_training import CODEC, TRAIN, made, settings
from timecontrol.decoder import estimate as module
from timecontrol.decoder.estimate import MORE, Estimate, check_disk, estimate
from timecontrol.decoder.examples import Collator, Examples
from timecontrol.errors import TimeControlError


def estimated(checkpoints: bool = False, **changes: Any) -> tuple[Estimate, Any]:
    chosen = settings(**changes)
    model = made(chosen)
    examples = Examples(TRAIN, CODEC, chosen, 64, np.ones(2))
    collate = Collator(CODEC.end, (CODEC.unit_end,), False)
    cpu = torch.device("cpu")
    return estimate(model, examples, collate, chosen, cpu, False, checkpoints), model


def test_what_is_counted() -> None:
    found, model = estimated()
    whole = sum(p.numel() for p in model.parameters())
    assert (found.parameters, found.trained) == (whole, whole)
    assert found.steps == 9
    assert found.tokens == 12 * 20
    assert found.seconds > 0
    assert found.disk == 4 * whole  # float32
    kept, _ = estimated(checkpoints=True)
    assert kept.disk == 4 * whole + 2 * (4 + 8) * whole  # two of weights and AdamW's two moments


def test_of_adapters_only_they_are_kept() -> None:
    found, model = estimated(checkpoints=True, lora=2)
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert found.trained == trained < found.parameters / 4
    assert found.disk == 4 * trained + 2 * (4 + 8) * trained


def test_more_steps_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    short, _ = estimated()  # a second for two documents
    long, _ = estimated(epochs=6, accumulate=3)
    assert short.seconds == pytest.approx(MORE * 3 * 12 / 2)  # epochs, documents, two a second
    assert long.seconds == pytest.approx(MORE * 6 * 12 / 2)


def test_the_model_is_left_as_it_was() -> None:
    found, model = estimated()
    assert found.steps
    assert all(p.grad is None for p in model.parameters())
    fresh = made(settings()).state_dict()
    assert all(torch.equal(tensor, fresh[name]) for name, tensor in model.state_dict().items())


@pytest.mark.parametrize(
    ("seconds", "words"), [(30.0, "about 30 s"), (600.0, "about 10 min"), (9000.0, "about 2.5 h")]
)
def test_it_is_said_in_a_line(seconds: float, words: str) -> None:
    text = Estimate(1200, seconds, 45_000, 1_500_000, 135_000_000, 3_200_000_000).words
    assert words in text
    assert "1,200 steps" in text
    assert "1.5M of 135.0M parameters" in text
    assert "45,000 tokens an epoch" in text
    assert "3.2 GB of disk" in text


class Usage(NamedTuple):
    free: int


def test_a_disk_that_is_too_small_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Estimate(1, 1.0, 1, 1, 1, disk=2_000_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(3_000_000_000))
    check_disk(found, tmp_path / "not" / "there" / "yet")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(1_000_000_000))
    with pytest.raises(TimeControlError, match=r"1\.0 GB of disk are free, about 2\.0 GB are"):
        check_disk(found, tmp_path / "not" / "there" / "yet")
