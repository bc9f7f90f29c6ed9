"""Linear layers on a CPU, their weights laid out beforehand as oneDNN reads them.

A few rows times a large matrix: much of the time goes into rearranging the matrix. Laid out once,
it is only read. And from two rows on a row is rounded alike however many others there are;
PyTorch's own product does that for multiples of four alone. It costs a second copy of the weights.

What is computed number by number (GELU, SiLU) is rounded alike where it fills whole vectors::

    rows * width  =  0  mod 32          for the width of every layer but the last
"""

import math
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

LIMIT = 2**32
"""Bytes of weights; a larger model is left as it is."""
PAIR, FOUR = 2, 4
"""Rows that a product needs to round alike, with weights laid out and without."""
VECTOR = 32
"""Numbers that PyTorch's loops take at a time on a CPU; a rest is rounded otherwise."""


@dataclass(frozen=True)
class Laid:
    """A layer's weights, laid out, and by what it is seen that they have not changed."""

    weight: Tensor
    of: tuple[int, int, float]


_laid: "WeakKeyDictionary[nn.Module, Laid]" = WeakKeyDictionary()


def usable(model: nn.Module) -> bool:
    """Return whether a model's layers can be computed so: here, now, and in this size."""
    if torch.is_grad_enabled() or torch.is_autocast_enabled("cpu"):
        return False
    layers = _layers(model)
    plain = all(
        layer.weight.device.type == "cpu" and layer.weight.dtype == torch.float32
        for layer in layers
    )
    small = sum(layer.weight.nbytes for layer in layers) <= LIMIT
    return bool(layers) and plain and small and alike()


def rows_alike(model: Any) -> int:
    """Return of how many rows a batch on a CPU has to be a multiple, to be rounded alike.

    Args:
        model: A language model; one with matrices in other layers than linear ones (adapters,
            experts) multiplies them in PyTorch's way.
    """
    known = (nn.Linear, Conv1D, nn.Embedding)
    whole = all(
        type(module) in known or all(p.ndim < 2 for p in module.parameters(recurse=False))
        for module in model.modules()
    )
    head = model.get_output_embeddings()
    widths = {_width(layer) for layer in _layers(model) if layer is not head}
    least = PAIR if whole and usable(model) else FOUR
    return max(least, VECTOR // math.gcd(VECTOR, *widths))


@contextmanager
def packed(model: nn.Module) -> Iterator[None]:
    """Compute a model's linear layers so for the time being, without gradients, where it can be."""
    changed = _layers(model) if usable(model) else []
    if not changed:
        for layer in _layers(model):
            _laid.pop(layer, None)
    try:
        for layer in changed:
            layer.forward = _forward(layer)
        yield
    finally:
        for layer in changed:
            layer.__dict__.pop("forward", None)


def product(rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return rows, (..., inputs), times a matrix of ``lay``: (..., outputs)."""
    found: Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")
    return found


def lay(weight: Tensor) -> Tensor:
    """Return a matrix, (outputs, inputs), laid out for ``product``."""
    found: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), 1)
    return found


@cache
def alike() -> bool:
    """Return whether oneDNN is there and rounds a row alike among 2 and among more: it is tried."""
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return False
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return False
    source = torch.Generator().manual_seed(0)
    try:
        for inputs, outputs in ((64, 192), (576, 131), (1536, 576)):
            matrix = torch.randn(outputs, inputs, generator=source)
            rows, laid = torch.randn(17, inputs, generator=source), lay(matrix)
            among = product(rows, laid)
            torch.testing.assert_close(among, rows @ matrix.T, atol=1e-3, rtol=1e-3)
            for n in (2, 3, 4, 5, 8, 16):
                if not torch.equal(product(rows[:n].contiguous(), laid), among[:n]):
                    return False
    except (AssertionError, AttributeError, RuntimeError):  # another PyTorch
        return False
    return True


def _layers(model: nn.Module) -> list[Any]:
    """Return the layers that are products with a matrix, and nothing else."""
    return [
        module
        for module in model.modules()
        if type(module) in (nn.Linear, Conv1D) and "forward" not in module.__dict__
    ]


def _width(layer: Any) -> int:
    """Return how many numbers a layer puts out."""
    return int(layer.weight.shape[1 if type(layer) is Conv1D else 0])


def _forward(layer: Any) -> Callable[[Tensor], Tensor]:
    """Return what a layer does, its weights laid out anew if they have changed."""
    weight = layer.weight.detach()
    version = 0 if weight.is_inference() else layer.weight._version
    of = weight.data_ptr(), version, float(weight.sum())  # some changes pass the version by
    known = _laid.get(layer)
    if known is None or known.of != of:
        known = _laid[layer] = Laid(lay(weight.T if type(layer) is Conv1D else weight), of)
    laid, bias = known.weight, layer.bias

    def forward(rows: Tensor) -> Tensor:
        return product(rows, laid, bias)

    return forward
