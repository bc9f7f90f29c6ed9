"""A GGUF file to a plain folder of safetensors and tokenizer.

transformers reads GGUF by itself, but slowly (every tensor is dequantised) and into a model that
it then refuses to save. Converting once gives a folder that loads fast and can be trained.
The numbers stay those of the rounded weights.
"""

from pathlib import Path
from typing import Any


def convert(file: Path, folder: Path) -> None:
    """Write the model and tokenizer of a GGUF file into ``folder``."""
    import torch
    import transformers
    from transformers import AutoModelForCausalLM, AutoTokenizer

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    source, name = str(file.parent), file.name
    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(source, gguf_file=name, dtype=torch.float32)
    clear_quantisation(model)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def clear_quantisation(model: Any) -> None:
    """Take off the marks that make transformers refuse to save dequantised weights."""
    config = model.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model.hf_quantizer = None
    for mark in ("is_quantized", "quantization_method"):
        if mark in vars(model):
            delattr(model, mark)
