"""A decoder as a plain transformers model: adapters worked in, tokenizer beside it.

Without plans it is the base itself, fine-tuned, and needs nothing of this package. With plans it is
a ``PlannedLM``: after ``import timecontrol.decoder`` the Auto classes know it.
"""

from pathlib import Path
from typing import Any

from timecontrol.bases.packages import whole_folder
from timecontrol.decoder.run import Decoder
from timecontrol.errors import TimeControlError


def export(decoder: Decoder, folder: Path) -> None:
    """Write a decoder as a transformers model.

    Raises:
        TimeControlError: The folder is there already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TimeControlError(f"{folder} is there already: give a new folder.")
    follows = bool(decoder.model.config.plan_dim)
    model: Any = decoder.model if follows else decoder.model.lm
    if folder.is_dir():
        folder.rmdir()
    with whole_folder(folder, "give a folder that can be made") as filling:
        model.save_pretrained(str(filling))
        decoder.codec.tokenizer.save_pretrained(str(filling))
        for file in filling.rglob("*.safetensors"):
            file.chmod(0o644)  # the library leaves them to their owner alone
        (filling / "README.md").write_text(card(decoder, follows), encoding="utf-8")


def card(decoder: Decoder, follows: bool) -> str:
    """Return the card of an exported model."""
    base, corpus = decoder.config["base"], decoder.config["corpus"]["name"]
    first = ["import timecontrol.decoder  # makes the model known"] if follows else []
    lines = [
        "---",
        "library_name: transformers",
        "pipeline_tag: text-generation",
        *([f"base_model: {base['hub']}"] if base.get("hub") else []),
        "tags: [time-control, text-generation]",
        "---",
        "",
        "# A Time Control decoder",
        "",
        f"{base['label']}, fine-tuned on {corpus} ({decoder.settings.method}).",
        "",
        "```python",
        "from transformers import AutoModelForCausalLM, AutoTokenizer",
        *first,
        "",
        'tokenizer = AutoTokenizer.from_pretrained("this folder")',
        'model = AutoModelForCausalLM.from_pretrained("this folder")',
        'ids = tokenizer(tokenizer.bos_token, return_tensors="pt").input_ids',
        f"model.generate(ids, {'plan=plan, ' if follows else ''}do_sample=True)",
        "```",
        "",
        "Documents begin with that token.",
        *(["A plan is (batch, sentences, d): the latents of the encoder beside it."] * follows),
        "",
        f"The base keeps its own licence ({base['licence'] or 'see there'}).",
        "",
    ]
    return "\n".join(lines)
