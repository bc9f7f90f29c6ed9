"""Grouped attention is attention, row by row, and other models keep their own."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.conftest import (
    tiny_gemma,
    tiny_gemma3,
    tiny_gpt2,
    tiny_llama,
    tiny_neox,
    tiny_qwen2,
)
from timecontrol.generation.grouped import NAME, grouped_attention

MODELS: list[Callable[[int], Any]] = [
    tiny_llama,
    tiny_qwen2,
    tiny_gemma,
    tiny_gemma3,
    tiny_gpt2,
    tiny_neox,
]


@pytest.mark.parametrize("make", MODELS, ids=lambda m: m.__name__)
def test_a_model_says_the_same_as_with_its_own_products(make: Callable[[int], Any]) -> None:
    model = make(50).eval()
    ids = torch.randint(0, 50, (3, 12), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(ids)
    mask[1, :5] = 0
    found = {}
    for name in ("eager", NAME):
        model.set_attn_implementation(name)
        assert model.config._attn_implementation == name
        with torch.no_grad():
            first = model(ids[:, :8], attention_mask=mask[:, :8], use_cache=True)
            rest = model(ids[:, 8:], attention_mask=mask, past_key_values=first.past_key_values)
        found[name] = torch.cat([first.logits, rest.logits], 1)
    seen = mask.bool()
    torch.testing.assert_close(found[NAME][seen], found["eager"][seen], rtol=1e-4, atol=1e-5)


def own(rows: int, heads: int, shared: int, q: int, t: int, seed: int = 0) -> list[torch.Tensor]:
    state = torch.Generator().manual_seed(seed)
    shapes = [(rows, heads, q, 8), (rows, shared, t, 8), (rows, shared, t, 8)]
    return [torch.randn(*shape, generator=state) for shape in shapes]


def test_it_is_the_formula() -> None:
    query, key, value = own(2, 6, 2, 3, 5)
    mask = torch.zeros(2, 1, 3, 5)
    mask[0, :, :, 4] = -torch.inf
    found, weights = grouped_attention(nn.Identity(), query, key, value, mask, scaling=0.5)
    assert weights is not None
    for row in range(2):
        for head in range(6):
            k, v = key[row, head // 3], value[row, head // 3]
            expected = (0.5 * query[row, head] @ k.T + mask[row, 0]).softmax(-1)
            torch.testing.assert_close(weights[row, head], expected)
            torch.testing.assert_close(found[row, :, head], expected @ v)


@pytest.mark.parametrize("t", [1, 7, 64, 333])
def test_a_row_is_rounded_alike_whatever_other_rows_there_are(t: int) -> None:
    query, key, value = own(16, 9, 3, 1, t)
    whole, _ = grouped_attention(nn.Identity(), query, key, value, None, scaling=0.1)
    for some in (slice(0, 2), slice(3, 7), slice(8, 16)):
        part, _ = grouped_attention(
            nn.Identity(), query[some], key[some], value[some], None, scaling=0.1
        )
        assert torch.equal(part, whole[some])
