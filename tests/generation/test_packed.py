import gc
import platform
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from tests.conftest import tiny_gpt2, tiny_llama
from timecontrol.generation import packed
from timecontrol.generation.packed import lay, product, usable

MAKERS: dict[str, Any] = {"gpt2": tiny_gpt2, "llama": tiny_llama}
there = pytest.mark.skipif(not packed.alike(), reason="no oneDNN that rounds rows alike here")


@pytest.fixture(autouse=True)
def no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_a_pc_of_today_has_it() -> None:
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        pytest.skip(f"a {platform.machine()}")
    assert packed.alike()


@there
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(3, 48), (2, 1, 48), (2, 5, 48)])
def test_it_is_the_product(bias: bool, shape: tuple[int, ...]) -> None:
    layer, rows = nn.Linear(48, 20, bias=bias), numbers(*shape)
    laid = lay(layer.weight)
    torch.testing.assert_close(product(rows, laid, layer.bias), layer(rows), atol=1e-5, rtol=1e-5)
    turned = rows.transpose(0, -2).contiguous().transpose(0, -2)  # in another order in memory
    assert torch.equal(product(turned, laid, layer.bias), product(rows, laid, layer.bias))


@there
@pytest.mark.parametrize(("inputs", "outputs"), [(32, 96), (64, 51), (768, 2304)])
def test_a_row_is_the_same_among_two_and_among_many(inputs: int, outputs: int) -> None:
    laid, rows = lay(numbers(outputs, inputs)), numbers(65, inputs, seed=1)
    among = product(rows, laid)
    for n in range(2, 65):
        assert torch.equal(product(rows[:n].contiguous(), laid), among[:n]), n
        assert torch.equal(product(rows[-n:].contiguous(), laid), among[-n:]), n


@there
@pytest.mark.parametrize("name", MAKERS)
def test_a_whole_model_says_the_same(name: str) -> None:
    model, ids = MAKERS[name](60).eval(), torch.tensor([[1, 5, 9, 33]])
    expected = model(ids).logits
    with packed.packed(model):
        changed = [m for m in model.modules() if "forward" in m.__dict__]
        linear = [m for m in model.modules() if isinstance(m, nn.Linear | Conv1D)]
        assert changed == linear
        found = model(ids).logits
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    assert not any("forward" in m.__dict__ for m in model.modules())
    assert torch.equal(model(ids).logits, expected)


@there
def test_after_a_fault_all_is_as_before() -> None:
    model = nn.Sequential(nn.Linear(8, 8))
    with pytest.raises(ZeroDivisionError), packed.packed(model):
        _ = 1 // 0
    assert "forward" not in model[0].__dict__


@there
def test_a_layer_with_a_way_of_its_own_keeps_it() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
    own = model[0].forward = lambda rows: rows * 0
    with packed.packed(model):
        assert model[0].forward is own
        assert "forward" in model[1].__dict__
    assert model[0].forward is own


@there
@pytest.mark.parametrize("way", ["in place", "swapped", "behind its back", "replaced"])
def test_changed_weights_are_laid_out_anew(way: str) -> None:
    model: Any = nn.Sequential(nn.Linear(8, 8))
    rows = numbers(3, 8)
    with packed.packed(model):
        before = model(rows)
        kept = packed._laid[model[0]]
    with packed.packed(model):
        assert packed._laid[model[0]] is kept
    if way == "in place":
        model[0].weight.mul_(2)
    elif way == "swapped":  # the sum is the same
        model[0].weight[[0, 1]] = model[0].weight[[1, 0]]
    elif way == "behind its back":
        model[0].weight.data += 0.5
    else:
        model[0].weight = nn.Parameter(numbers(8, 8, seed=3))
    with packed.packed(model):
        found = model(rows)
    assert not torch.allclose(found, before, atol=1e-3)
    torch.testing.assert_close(found, model(rows), atol=1e-5, rtol=1e-5)


@there
def test_the_copy_goes_with_the_model() -> None:
    model = nn.Sequential(nn.Linear(8, 8))
    with packed.packed(model):
        laid = weakref.ref(packed._laid[model[0]])
    gc.collect()
    assert laid() is not None
    del model
    gc.collect()
    assert laid() is None


@there
def test_the_copy_goes_when_it_is_of_no_use_any_more() -> None:
    model = nn.Sequential(nn.Linear(8, 8))
    with packed.packed(model):
        assert model[0] in packed._laid
    with packed.packed(model.bfloat16()):
        assert model[0] not in packed._laid


class Headed(nn.Module):
    """Layers of some widths, and an output layer of any."""

    def __init__(self, *widths: int, matrix: bool = False) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, width) for width in widths])
        self.head = nn.Linear(8, 51)
        if matrix:
            self.experts = nn.Parameter(torch.zeros(2, 8))

    def get_output_embeddings(self) -> nn.Module:
        return self.head


@there
@pytest.mark.parametrize(
    ("model", "laid", "plain"),
    [
        (Headed(32, 64), 2, 4),
        (Headed(48, 96), 2, 4),  # two rows of 48 are three whole vectors
        (Headed(40, 64), 4, 4),
        (Headed(64, 12), 8, 8),
        (Headed(37), 32, 32),
        (Headed(64, matrix=True), 4, 4),  # it is not known how that is multiplied
    ],
)
def test_rows_that_are_rounded_alike(
    model: nn.Module, laid: int, plain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert packed.rows_alike(model) == laid
    monkeypatch.setattr(packed, "alike", lambda: False)
    assert packed.rows_alike(model) == plain


@there
def test_what_it_is_not_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def net(**how: Any) -> nn.Module:
        return nn.Sequential(nn.Linear(8, 8, **how))

    assert usable(net())
    assert not usable(net(dtype=torch.bfloat16))
    assert not usable(net(device="meta"))
    assert not usable(nn.Sequential(nn.LayerNorm(8)))
    with packed.packed(half := net(dtype=torch.bfloat16)):
        assert "forward" not in half[0].__dict__  # type: ignore[index]
    with torch.enable_grad():
        assert not usable(net())
    with torch.autocast("cpu", torch.bfloat16):
        assert not usable(net())
    monkeypatch.setattr(packed, "LIMIT", 8 * 8 * 4 - 1)
    assert not usable(net())
    monkeypatch.setattr(packed, "LIMIT", 8 * 8 * 4)
    assert usable(net())


@pytest.mark.parametrize("why", ["another machine", "no oneDNN", "another PyTorch", "rounds"])
def test_it_is_tried_first(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if why == "another machine":
        monkeypatch.setattr(platform, "machine", lambda: "arm64")
    elif why == "no oneDNN":
        monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    elif why == "another PyTorch":

        def missing(*args: Any) -> Tensor:
            raise AttributeError("no such operator")

        monkeypatch.setattr(packed, "lay", missing)
    else:
        monkeypatch.setattr(packed, "lay", lambda matrix: matrix)
        monkeypatch.setattr(packed, "product", lambda rows, w: rows @ w.T + 1e-4 * (len(rows) == 3))
    assert not packed.alike.__wrapped__()
