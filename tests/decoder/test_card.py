import json
from pathlib import Path
from typing import Any

import pytest

from timecontrol.decoder.card import METHODS, card
from timecontrol.decoder.settings import METHODS as KNOWN
from timecontrol.runs import CONFIG


@pytest.fixture(scope="module")
def run(decoder_run: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The configuration and the numbers of the shared run."""
    config, metrics = ((decoder_run / name).read_text() for name in (CONFIG, "metrics.json"))
    return json.loads(config), json.loads(metrics)


def test_it_says_what_it_was_trained_on_and_how_good_it_is(run: Any, decoder_run: Path) -> None:
    config, metrics = run
    text = card(config, metrics)
    assert text == (decoder_run / "README.md").read_text()
    assert text.startswith("---\nlibrary_name: timecontrol\npipeline_tag: text-generation\n")
    assert "| method | planned: follows latents, one a sentence |" in text
    assert "| corpus | synthetic:recipes,documents=40, splits by the generator |" in text
    assert "| documents | 32 training, 4 validation |" in text
    assert "at most 256, longer ones: sections" in text
    assert "AdamW, rate 0.001, batch 1, 2 epochs, weights of epoch 2" in text
    assert "bridge, d = 3" in text
    assert (
        f"| validation loss, nats (sentence ends weighted) | {metrics['kept']['val_loss']:.3f} |"
        in text
    )
    assert "at 8 section starts" in text
    assert "base_model" not in text  # a folder is not on the hub
    assert "NaN" not in text
    assert "None" not in text


def test_adapters_hubs_licences_and_notes_are_named(run: Any) -> None:
    config, metrics = json.loads(json.dumps(run))
    config["settings"] |= {"lora": 16, "lora_rate": 5e-4, "batch": 8, "accumulate": 4}
    config["base"] |= {"hub": "someone/model", "licence": "MIT"}
    config["corpus"]["notes"] = ["3 repeated training documents left out"]
    text = card(config, metrics)
    assert "base_model: someone/model\n" in text
    assert "LoRA adapters of rank 16 trained" in text
    assert "rate 0.0005, batch 32" in text
    assert "The base keeps its own licence (MIT)." in text
    assert "\n- 3 repeated training documents left out\n" in text


def test_without_a_plan_there_is_no_encoder_and_nothing_is_made_up(run: Any) -> None:
    config, metrics = json.loads(json.dumps(run))
    config["settings"]["method"], config["encoder"] = "plain", None
    metrics |= {"health": None, "kept": {"epoch": 1, "loss": 2.0}}
    text = card(config, metrics)
    assert "fine-tuned without a plan" in text
    assert "| encoder |" not in text
    assert "plan enters" not in text
    assert "section starts" not in text
    assert "validation loss" not in text
    assert "| training loss, nats (sentence ends weighted) | 2.000 |" in text


def test_every_method_is_described() -> None:
    assert set(METHODS) == set(KNOWN)


def test_what_was_measured_later_is_shown_with_how(run: Any) -> None:
    config, metrics = json.loads(json.dumps(run))
    metrics["measured"] = {"how": "Of 128 texts:", "values": {"in order": "77 %", "ended": "1 %"}}
    text = card(config, metrics)
    assert "\nOf 128 texts:\n\n| | |\n|---|---|\n| in order | 77 % |\n| ended | 1 % |\n" in text
