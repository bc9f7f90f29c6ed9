"""A run as a plain sentence-transformers model: base, pooling and four Dense layers.

Only that library's own modules are used, the two standardisations folded into the first and the
last Dense, so that ``SentenceTransformer(folder).encode(sentences)`` gives the same latents where
this package is not installed.
"""

import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import nn

from timecontrol.bases import load_encoder, load_tokenizer
from timecontrol.bases.packages import whole_folder
from timecontrol.encoder.card import export_card
from timecontrol.encoder.model import Encoder
from timecontrol.errors import TimeControlError
from timecontrol.features import Reader
from timecontrol.features.extract import ends_itself

POOLING = {"mean": "mean", "last": "lasttoken", "eos": "lasttoken"}


def export(encoder: Encoder, folder: Path) -> None:
    """Write an encoder as a sentence-transformers model.

    Raises:
        TimeControlError: The folder is there already, or sentence-transformers is not installed.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TimeControlError(f"{folder} is there already: give a new folder.")
    try:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer
    except ImportError:
        raise TimeControlError(
            "Export needs sentence-transformers: pip install 'time-control[export]'"
        ) from None
    reader = encoder.open()
    pooling = encoder.settings.pooling
    with tempfile.TemporaryDirectory() as scratch:
        _write_base(reader, pooling, scratch)
        base = Transformer(scratch, max_seq_length=reader.most_tokens)
    modules: list[nn.Module] = [base, Pooling(reader.dim, POOLING[pooling])]
    for weight, bias, relu in encoder.head.folded():
        wide, narrow = weight.shape[1], weight.shape[0]
        activation = nn.ReLU() if relu else nn.Identity()
        modules.append(
            Dense(wide, narrow, activation_function=activation, init_weight=weight, init_bias=bias)
        )
    if folder.is_dir():
        folder.rmdir()
    with whole_folder(folder, "give a folder that can be made") as filling:
        model = SentenceTransformer(modules=modules, device="cpu")
        model.save(str(filling), create_model_card=False)
        for file in filling.rglob("*.safetensors"):
            file.chmod(0o644)  # the library leaves them to their owner alone
        (filling / "README.md").write_text(export_card(encoder.config), encoding="utf-8")


def _write_base(reader: Reader, pooling: str, folder: str) -> None:
    """Write the base in float32 with the tokenizer as it was used."""
    tokenizer: Any = load_tokenizer(reader.name)
    end = tokenizer.eos_token
    if pooling == "eos" and not ends_itself(tokenizer):
        from tokenizers import processors

        inner = tokenizer.backend_tokenizer
        last = processors.TemplateProcessing(
            single=f"$A {end}", pair=None, special_tokens=[(end, tokenizer.eos_token_id)]
        )
        before = [inner.post_processor] if inner.post_processor is not None else []
        inner.post_processor = processors.Sequence([*before, last])
    tokenizer.model_max_length = reader.most_tokens
    tokenizer.save_pretrained(folder)
    model: Any = load_encoder(reader.name, dtype=torch.float32)
    model.save_pretrained(folder)
