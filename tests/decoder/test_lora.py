"""Adapters: what is trained, what is saved, and that it comes back."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from tests.decoder.test_model import BASES, IDS, logits, planned, points
from timecontrol.decoder.lora import adapt, load_adapter, rounded, save_adapter

NEW = [31, 32]
"""Ids that were added, of those that occur in the documents."""


def weights_of(model: Any) -> dict[str, Tensor]:
    """Return the weights of the base, by name, apart from PEFT's wrapping."""
    found = {}
    for name, tensor in model.state_dict().items():
        if not any(part in name for part in ("lora_", "trainable_tokens", "projection")):
            for part in ("base_layer.", "base_model.model.", "token_adapter."):
                name = name.replace(part, "")
            found[name] = tensor.clone()
    return found


def trained(name: str, **changes: Any) -> Any:
    """Return a PEFT model after a few steps."""
    model = planned(name, init=0.0, **changes)
    if model.config.plan_dim:
        model.projection.mean += 0.5
        model.projection.sd *= 2
    torch.manual_seed(3)
    peft = adapt(model, 2, NEW, dropout=0.0)
    chosen = [p for p in peft.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(chosen, lr=0.05, weight_decay=0.1)
    peft.train()
    for module in peft.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    for _ in range(4):
        optimiser.zero_grad()
        peft(input_ids=IDS, labels=IDS, plan=points(2, 3)).loss.backward()
        optimiser.step()
    rounded(peft)
    return peft.eval()


@pytest.mark.parametrize("name", BASES)
def test_what_was_trained_comes_back(name: str, tmp_path: Path) -> None:
    peft = trained(name)
    plan = points(2, 3)
    expected = logits(peft, plan=plan)
    assert not torch.allclose(expected, logits(planned(name, init=0.0), plan=plan), atol=0.1)
    save_adapter(peft, tmp_path)
    merged = load_adapter(planned(name, init=0.0), tmp_path)
    assert type(merged).__name__ == "PlannedLM"
    torch.testing.assert_close(logits(merged, plan=plan), expected, atol=1e-5, rtol=1e-4)
    assert not any("lora" in n or "base_layer" in n for n, _ in merged.named_modules())
    assert merged.projection.mean.tolist() == [0.5] * 3  # type: ignore[operator]
    tied = merged.lm.config.tie_word_embeddings
    inputs, outputs = merged.get_input_embeddings(), merged.get_output_embeddings()
    assert outputs is not None
    assert torch.equal(inputs.weight[NEW], outputs.weight[NEW]) == tied  # type: ignore[index]


@pytest.mark.parametrize("name", BASES)
def test_the_base_is_left_alone(name: str) -> None:
    before = weights_of(planned(name, init=0.0))
    after = weights_of(trained(name))
    tied = {"lm.lm_head.weight"} if name not in ("llama", "neox") else set()
    assert set(after) | tied == set(before)
    for key, tensor in after.items():
        assert torch.equal(tensor, before[key])


@pytest.mark.parametrize("name", BASES)
def test_only_what_is_needed_is_saved(name: str, tmp_path: Path) -> None:
    peft = trained(name)
    save_adapter(peft, tmp_path)
    saved = load_file(tmp_path / "adapter_model.safetensors")
    kinds = {"lora_A": 0, "lora_B": 0, "projection": 0, "trainable_tokens_delta": 0}
    for key, tensor in saved.items():
        kind = next((k for k in kinds if k in key), None)
        assert kind is not None, key
        kinds[kind] += 1
        if "lora_" in key:
            assert min(tensor.shape) == 2  # the rank
        if kind == "trainable_tokens_delta":
            assert tensor.shape == (len(NEW), 32)
    tied = peft.get_base_model().lm.config.tie_word_embeddings
    assert kinds["trainable_tokens_delta"] == (1 if tied else 2)
    assert kinds["lora_A"] == kinds["lora_B"] > 0
    assert kinds["projection"] == 4  # weight, bias, mean and standard deviation
    names = {key.rsplit(".", 1)[-1] for key in saved if "projection" in key}
    assert names == {"weight", "bias", "mean", "sd"}
    assert not any(tensor.shape[0] == 40 for tensor in saved.values())  # no table of all tokens
    full = {key.rsplit(".", 1)[-1] for key, t in saved.items() if t.dtype == torch.float32}
    assert full == {"mean", "sd"}
    assert {t.dtype for t in saved.values()} == {torch.float32, torch.bfloat16}


def test_rounding_changes_little_and_only_once() -> None:
    peft = trained("llama")
    before = {n: p.clone() for n, p in peft.named_parameters()}
    rounded(peft)
    assert all(torch.equal(p, before[n]) for n, p in peft.named_parameters())
    with torch.no_grad():
        for p in peft.parameters():
            p.mul_(1 + 2**-12)
    exact = {n: p.clone() for n, p in peft.named_parameters()}
    rounded(peft)
    for n, p in peft.named_parameters():
        assert torch.equal(p, exact[n]) != p.requires_grad
        torch.testing.assert_close(p, exact[n], rtol=2**-8, atol=0)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_every_matrix_of_every_layer_has_an_adapter(name: str) -> None:
    peft = adapt(planned(name), 2, NEW)
    adapted = {n.split(".lora_A")[0] for n, _ in peft.named_parameters() if "lora_A" in n}
    per_layer = {"gpt2": 4, "llama": 7}[name]
    assert len(adapted) == 2 * per_layer
    assert not any("projection" in n or "lm_head" in n for n in adapted)
    rows = [p for n, p in peft.named_parameters() if p.requires_grad and "tokens" in n]
    assert {tuple(p.shape) for p in rows} == {(2, 32)}


def test_without_a_plan_only_layers_and_rows_are_trained(tmp_path: Path) -> None:
    peft = trained("llama", plan_dim=0, depths=())
    expected = logits(peft)
    save_adapter(peft, tmp_path)
    assert not any("projection" in k for k in load_file(tmp_path / "adapter_model.safetensors"))
    merged = load_adapter(planned("llama", plan_dim=0, depths=()), tmp_path)
    torch.testing.assert_close(logits(merged), expected, atol=1e-5, rtol=1e-4)


def test_it_writes_along_a_plan_with_adapters_apart(tmp_path: Path) -> None:
    peft = trained("llama")
    save_adapter(peft, tmp_path)
    merged: Any = load_adapter(planned("llama", init=0.0), tmp_path)
    given = {"input_ids": IDS[:, :2], "plan": points(2, 3), "max_new_tokens": 8}
    apart = peft.get_base_model().generate(**given, do_sample=False)
    assert torch.equal(apart, merged.generate(**given, do_sample=False))
