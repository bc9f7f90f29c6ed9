"""Layers as functions of their tensors; the graphs themselves are of CUDA, and left out here."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.decoder.test_model import BASES, IDS, planned, points
from timecontrol.decoder.captured import Layer, _either, captured
from timecontrol.decoder.fusion import layers_of

BATCH = {"input_ids": IDS, "labels": IDS, "plan": points(2, 3)}


class Block(nn.Module):
    """x times a weight, plus what else is given."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(2.0))
        self.calls = 0

    def forward(
        self, x: Tensor, pair: tuple[Tensor, Tensor], mask: Tensor | None = None, power: int = 1
    ) -> Tensor:
        self.calls += 1
        found = (x * self.weight) ** power + pair[0] - pair[1]
        return found if mask is None else found * mask


X, PAIR = torch.randn(2, 3), (torch.randn(2, 3), torch.randn(1, 3))
GIVEN: tuple[Any, Any] = ((X,), {"pair": PAIR, "mask": None, "power": 3})


def made() -> tuple[Block, Layer]:
    block = Block().train()
    return block, Layer(block, block.forward, GIVEN)


def test_the_tensors_of_a_call_are_taken_out_and_put_back() -> None:
    block, one = made()
    found = one.tensors(GIVEN)
    assert found is not None
    assert [id(t) for t in found] == [id(X), *map(id, PAIR)]
    torch.testing.assert_close(one(*found), block(X, pair=PAIR, power=3))
    other = [torch.randn_like(t) for t in found]
    expected = block(other[0], pair=(other[1], other[2]), power=3)  # what is no tensor is kept
    torch.testing.assert_close(one(*other), expected)


def test_gradients_go_through_it() -> None:
    grads = []
    for way in ("plain", "layer"):
        block, one = made()
        x = X.clone().requires_grad_()
        found = block(x, pair=PAIR, power=3) if way == "plain" else one(x, *PAIR)
        found.sum().backward()
        assert x.grad is not None
        assert block.weight.grad is not None
        grads.append((x.grad, block.weight.grad))
    torch.testing.assert_close(grads[0], grads[1])


OTHERS: dict[str, tuple[Any, Any]] = {
    "more rows": ((torch.randn(4, 3),), {"pair": PAIR, "mask": None, "power": 3}),
    "another pair": ((X,), {"pair": (PAIR[0], PAIR[0]), "mask": None, "power": 3}),
    "by place": ((X, PAIR), {"mask": None, "power": 3}),
    "less": ((X,), {"pair": PAIR}),
    "no tensor": ((X,), {"pair": (PAIR[0], None), "mask": None, "power": 3}),
    "a list": ((X,), {"pair": list(PAIR), "mask": None, "power": 3}),
    "a mask where there was none": ((X,), {"pair": PAIR, "mask": X, "power": 3}),
    "another power": ((X,), {"pair": PAIR, "mask": None, "power": 2}),
}


@pytest.mark.parametrize("given", OTHERS.values(), ids=OTHERS)
def test_a_call_that_is_not_like_it_is_told_apart(given: tuple[Any, Any]) -> None:
    assert made()[1].tensors(given) is None


class Spy(Layer):
    """Counts how often it is taken."""

    taken = 0

    def forward(self, *tensors: Tensor) -> Any:
        self.taken += 1
        return super().forward(*tensors)


def test_the_captured_way_is_taken_in_training_alone_and_for_its_shapes_alone() -> None:
    block = Block().train()
    one = Spy(block, block.forward, GIVEN)
    either = _either(block, one, block.forward)

    def taken(*args: Any, **kwargs: Any) -> bool:
        before = one.taken
        torch.testing.assert_close(either(*args, **kwargs), block(*args, **kwargs))
        return one.taken > before

    like: dict[str, Any] = {"pair": PAIR, "mask": None, "power": 3}
    assert taken(X, **like)
    assert taken(X + 1, **like)
    assert not taken(X[:1], **like)
    assert not taken(X, PAIR)
    with torch.no_grad():
        assert not taken(X, **like)
    block.eval()
    assert not taken(X, **like)
    block.train()
    assert taken(X, **like)


@pytest.fixture
def ungraphed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Layers are taken out and called as functions of their tensors, but not captured."""
    taken: list[int] = []

    def as_they_are(layers: tuple[Layer, ...], samples: tuple[Any, ...], **rest: Any) -> None:
        for number, (layer, given) in enumerate(zip(layers, samples, strict=True)):
            assert all(isinstance(t, Tensor) and t.is_leaf for t in given)
            layer(*given)  # they can be called with what they were given

            def spy(*args: Any, number: int = number, plain: Any = layer.forward) -> Any:
                taken.append(number)
                return plain(*args)

            layer.forward = spy  # type: ignore[method-assign]

    monkeypatch.setattr(torch.cuda, "make_graphed_callables", as_they_are)
    return taken


def trained(model: Any, batch: dict[str, Tensor]) -> tuple[Tensor, list[Tensor]]:
    """Return the loss of a batch, and all gradients."""
    model.zero_grad()
    loss = model(**batch).loss
    loss.backward()
    return loss.detach(), [p.grad.clone() for p in model.parameters() if p.grad is not None]


@pytest.mark.parametrize("fusion", ["add", "film"])
@pytest.mark.parametrize("name", BASES)
def test_a_model_of_such_layers_learns_the_same(
    name: str, fusion: str, ungraphed: list[int]
) -> None:
    model = planned(name, fusion=fusion).train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    other = {**BATCH, "plan": points(2, 3, seed=1)}
    short = {k: v[:1] for k, v in BATCH.items()}
    expected = [trained(model, batch) for batch in (BATCH, other, short)]
    layers = list(layers_of(model.lm, model.config.text_config.num_hidden_layers))
    with captured(model, BATCH, bf16=False):
        found = [trained(model, BATCH), trained(model, other)]
        assert ungraphed == [*range(len(layers))] * 2
        found.append(trained(model, short))  # the last batch of an epoch
        with torch.no_grad():
            model.eval()(**BATCH)
        assert len(ungraphed) == 2 * len(layers)
        model.train()
    torch.testing.assert_close(found, expected)
    assert not any("forward" in layer.__dict__ for layer in layers)
    torch.testing.assert_close(trained(model, BATCH), expected[0])


def test_layers_are_put_back_after_a_failure(ungraphed: list[int]) -> None:
    model = planned()
    with pytest.raises(ZeroDivisionError), captured(model, BATCH, bf16=False):
        raise ZeroDivisionError
    assert not ungraphed
    layers = layers_of(model.lm, 2)
    assert not any("forward" in layer.__dict__ for layer in layers)
    assert not any(layer._forward_pre_hooks for layer in layers)
