"""Adapters for small machines: PEFT's LoRA, with the projection and the new tokens' rows along.

A saved adapter holds what was trained: low-rank matrices, the projection whole, and of the
embeddings only the rows of the new tokens (all of them would be a hundred megabytes). It is written
in bfloat16, half the size; ``rounded`` makes a trained model what its file will be.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from timecontrol.decoder.fusion import layers_of
from timecontrol.decoder.model import PlannedLM
from timecontrol.runs import read_tensors, write_tensors


def adapt(model: PlannedLM, rank: int, new_ids: Sequence[int], dropout: float = 0.05) -> Any:
    """Return a PEFT model around ``model`` that trains low-rank adapters of every layer.

    Args:
        model: A base made to follow plans.
        rank: Of the adapters.
        new_ids: Tokens whose rows are trained whole.
        dropout: In front of the adapters.
    """
    from peft import LoraConfig, get_peft_model

    text: Any = model.config.text_config
    layers = layers_of(model.lm, int(text.num_hidden_layers))
    kinds = {"Linear", "Conv1D"}
    names = {n for layer in layers for n, m in layer.named_modules() if type(m).__name__ in kinds}
    config = LoraConfig(
        r=rank,
        lora_alpha=2 * rank,
        lora_dropout=dropout,
        target_modules=sorted(names),
        modules_to_save=["projection"] if model.config.plan_dim else None,
        trainable_token_indices={name: list(new_ids) for name in _tables(model)} or None,
        fan_in_fan_out=any(type(m).__name__ == "Conv1D" for m in layers.modules()),
    )
    return get_peft_model(model, config)


def _tables(model: PlannedLM) -> list[str]:
    """Return the names of the modules that hold rows of tokens; tied ones count once."""
    inputs, outputs = model.get_input_embeddings(), model.get_output_embeddings()
    names = {id(module): name for name, module in model.named_modules()}
    found = [names[id(inputs)]]
    if isinstance(outputs, nn.Module) and outputs.weight is not inputs.weight:
        found.append(names[id(outputs)])
    return [name.rsplit(".", 1)[-1] for name in found]


@torch.no_grad()
def rounded(model: Any) -> None:
    """Round what was trained to numbers that bfloat16 holds, so that nothing is lost in saving."""
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.copy_(parameter.bfloat16())


def save_adapter(model: Any, folder: Path) -> None:
    """Write what was trained, in bfloat16; means and deviations of latents stay as they are."""
    model.save_pretrained(str(folder), save_embedding_layers=False)
    for file in folder.glob("*.safetensors"):
        tensors, about = read_tensors(file)
        buffers = {name for name in tensors if name.endswith((".mean", ".sd"))}
        half = {k: v if k in buffers else v.bfloat16() for k, v in tensors.items()}
        write_tensors(file, half, about)


def load_adapter(model: PlannedLM, folder: Path) -> PlannedLM:
    """Return a model with a saved adapter worked into its weights."""
    from peft import PeftModel

    wrapped = PeftModel.from_pretrained(model, str(folder))
    merged: PlannedLM = wrapped.merge_and_unload()
    return merged
