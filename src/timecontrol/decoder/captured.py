"""Layers captured in CUDA graphs, forward and backward, for training.

A small model with adapters spends its time in Python: thousands of little kernels a step. With
every batch of one shape, each layer becomes one launch forward and one backward; what it computes
stays what it was. Padding stands on the right, where a causal model never looks, so no mask is
given. Layers can be compiled first: they are alike, so that is done once for all of them.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as tree

from timecontrol.decoder.fusion import layers_of
from timecontrol.decoder.model import PlannedLM

ROUND = 64
"""Batches are filled up to a multiple of so many tokens."""


class Layer(nn.Module):
    """A layer as a function of tensors alone."""

    def __init__(
        self, layer: nn.Module, call: Any, given: tuple[Any, Any], runs: Any = None
    ) -> None:
        """Call ``call`` with what was ``given`` once, its tensors changed."""
        super().__init__()
        self.layer, self.call, self.runs = layer, call, runs or run
        leaves, self.shape = tree.tree_flatten(given)
        self.rest = [None if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        self.sizes = [(leaves[i].shape, leaves[i].dtype) for i in self.places]

    def tensors(self, given: tuple[Any, Any]) -> list[Tensor] | None:
        """Return the tensors of a call, if it is like the one that was captured."""
        leaves, shape = tree.tree_flatten(given)
        if shape != self.shape:
            return None
        found = [leaves[i] for i in self.places]
        if not all(isinstance(t, Tensor) for t in found):
            return None
        if [(t.shape, t.dtype) for t in found] != self.sizes:
            return None
        others = (i for i in range(len(leaves)) if i not in self.places)
        same = all(leaves[i] is self.rest[i] or _equal(leaves[i], self.rest[i]) for i in others)
        return found if same else None

    def forward(self, *tensors: Tensor) -> Any:
        """Return what the layer makes of these."""
        leaves = list(self.rest)
        for place, tensor in zip(self.places, tensors, strict=True):
            leaves[place] = tensor
        args, kwargs = tree.tree_unflatten(leaves, self.shape)
        return self.runs(self.call, args, kwargs)


@contextmanager
def captured(
    model: PlannedLM, batch: Mapping[str, Tensor], bf16: bool, compiled: bool = False
) -> Iterator[None]:
    """Capture the layers of a model for batches of one shape; others are computed as before.

    Args:
        model: On a CUDA GPU.
        batch: As it is trained on, but for its mask.
        bf16: Whether it is computed in bfloat16.
        compiled: Whether layers are compiled before they are captured.
    """
    text: Any = model.config.text_config
    layers = list(layers_of(model.lm, int(text.num_hidden_layers)))
    before = _rounded(model) if bf16 else []
    try:
        try:
            capture(model, layers, batch, bf16, torch.compile(run) if compiled else run)
        except Exception as error:  # whatever a base does that cannot be captured
            for layer in layers:
                layer.__dict__.pop("forward", None)
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            warnings.warn(f"trained without captured layers ({reason})", stacklevel=2)
        yield
    finally:
        for layer in layers:
            layer.__dict__.pop("forward", None)
        for weight, kept in before:
            weight.data = kept


def run(call: Any, args: Any, kwargs: Any) -> Any:
    """Return what a layer makes of what it is given."""
    return call(*args, **kwargs)


def capture(
    model: PlannedLM,
    layers: Sequence[nn.Module],
    batch: Mapping[str, Tensor],
    bf16: bool,
    runs: Any = run,
) -> None:
    """Give the layers captured forwards; ``runs`` is ``run``, or that compiled."""
    model.train()
    calls = [layer.forward for layer in layers]
    seen: list[tuple[Any, Any]] = []

    def record(module: nn.Module, args: Any, kwargs: Any) -> None:
        seen.append((args, kwargs))

    handles = [x.register_forward_pre_hook(record, with_kwargs=True) for x in layers]
    with torch.autocast("cuda", torch.bfloat16, enabled=bf16, cache_enabled=False):
        try:
            model(**batch)
        finally:
            for handle in handles:
                handle.remove()
        whole = [Layer(*parts, runs) for parts in zip(layers, calls, seen, strict=True)]
        samples = [_samples(one, given) for one, given in zip(whole, seen, strict=True)]
        seen.clear()
        torch.cuda.make_graphed_callables(tuple(whole), tuple(samples), allow_unused_input=True)
    for layer, one, call in zip(layers, whole, calls, strict=True):
        layer.forward = _either(layer, one, call)


def _rounded(model: nn.Module) -> list[tuple[Tensor, Tensor]]:
    """Round the weights of linear layers that are not trained to bfloat16; return what they were.

    Autocast would round them in every step.
    """
    found = []
    kept = {
        id(p)
        for module in model.modules()
        if isinstance(module, nn.Embedding)
        for p in module.parameters()
    }
    for module in model.modules():
        if (
            isinstance(module, nn.Linear)
            and not module.weight.requires_grad
            and id(module.weight) not in kept
        ):
            found.append((module.weight, module.weight.data))
            module.weight.data = module.weight.data.bfloat16()
    return found


def _equal(a: Any, b: Any) -> bool:
    """Return whether two plain values are the same; tensors and objects never are."""
    return type(a) is type(b) and isinstance(a, bool | int | float | str) and a == b


def _samples(one: Layer, given: tuple[Any, Any]) -> tuple[Tensor, ...]:
    found = one.tensors(given)
    assert found is not None
    return tuple(t.detach().clone().requires_grad_(t.requires_grad) for t in found)


def _either(layer: nn.Module, one: Layer, call: Any) -> Any:
    """Return what takes the captured way where it can."""

    def forward(*args: Any, **kwargs: Any) -> Any:
        tensors = None
        if layer.training and torch.is_grad_enabled():
            tensors = one.tensors((args, kwargs))
        return call(*args, **kwargs) if tensors is None else one(*tensors)

    return forward
