"""A tiny GGUF file, written here, goes the way of the real one."""

import hashlib
import json
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch

from tests.bases.fakes import fake_package
from timecontrol.bases import load
from timecontrol.bases.known import BASES, Base
from timecontrol.bases.packages import cache_folder, folder_of
from timecontrol.errors import TimeControlError

D, LAYERS, HEADS, FEED = 32, 2, 2, 64
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
WORDS = [*SPECIAL, *(chr(c) for c in range(33, 127)), "Ġ", "Ċ", "Ġa"]


def write_tiny(path: Path) -> None:
    """Write a Llama of random weights with a byte-level tokenizer."""
    rng = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(D)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(D // HEADS)
    writer.add_vocab_size(len(WORDS))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(WORDS)
    writer.add_token_types([3, 3, 3, *[1] * (len(WORDS) - 3)])
    writer.add_token_merges(["Ġ a"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, rng.normal(0, 0.1, shape).astype(np.float32))

    tensor("token_embd.weight", len(WORDS), D)
    tensor("output_norm.weight", D)
    for i in range(LAYERS):
        for name in ("attn_norm", "ffn_norm"):
            tensor(f"blk.{i}.{name}.weight", D)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(f"blk.{i}.{name}.weight", D, D)
        tensor(f"blk.{i}.ffn_gate.weight", FEED, D)
        tensor(f"blk.{i}.ffn_up.weight", FEED, D)
        tensor(f"blk.{i}.ffn_down.weight", D, FEED)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Base:
    """A base whose weights come as a GGUF file in a package."""
    source = tmp_path / "toy.gguf"
    write_tiny(source)
    content = source.read_bytes()
    fake_package(tmp_path / "site", monkeypatch, "toy-gguf", "1.0", {"toy/toy.Q.gguf": content})
    made = Base(
        "toy",
        "a toy",
        "decoder",
        "me/toy",
        "MIT",
        ("toy-gguf==1.0",),
        "toy.Q.gguf",
        hashlib.sha256(content).hexdigest(),
        begin="<|im_start|>",
        end="<|im_end|>",
        pad="<|endoftext|>",
        precision="Q",
    )
    monkeypatch.setitem(BASES, "toy", made)
    return made


def test_a_gguf_file_is_converted_once_and_loads_as_plain_safetensors(
    toy: Base, tmp_path: Path
) -> None:
    folder = folder_of(toy)
    assert folder.parent == cache_folder() / "bases"
    assert (folder / "model.safetensors").is_file()
    assert json.loads((folder / "base.json").read_text())["precision"] == "Q"
    assert "quantization_config" not in json.loads((folder / "config.json").read_text())
    stamp = (folder / "model.safetensors").stat().st_mtime_ns
    model = load.load_causal("toy")
    assert (folder / "model.safetensors").stat().st_mtime_ns == stamp
    from transformers import AutoModelForCausalLM

    source = tmp_path / "site" / "toy"
    direct = AutoModelForCausalLM.from_pretrained(
        str(source), gguf_file="toy.Q.gguf", dtype=torch.float32
    )
    ids = torch.tensor([[1, 5, 6, 7]])
    with torch.no_grad():
        torch.testing.assert_close(model(ids).logits, direct(ids).logits)


def test_begin_end_and_padding_are_set_whatever_the_file_says(toy: Base) -> None:
    tokenizer = load.load_tokenizer("toy")
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id) == (1, 2, 0)
    model = load.load_causal("toy")
    load.align_ends(model, tokenizer)
    for config in (model.config, model.generation_config):
        assert config is not None
        assert (config.bos_token_id, config.eos_token_id, config.pad_token_id) == (1, 2, 0)


def test_a_gguf_file_of_other_content_is_refused_and_nothing_is_converted(
    toy: Base, tmp_path: Path
) -> None:
    with (tmp_path / "site" / "toy" / "toy.Q.gguf").open("ab") as file:
        file.write(b"more")
    with pytest.raises(TimeControlError, match="is not the toy we know"):
        folder_of(toy)
    assert not list((cache_folder() / "bases").iterdir())
