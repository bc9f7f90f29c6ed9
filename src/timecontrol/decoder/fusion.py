"""How a signal enters a language model: joined to its input and to what some of its layers put out.

With h what is there and s the signal, ``add``: h + s; ``film`` (feature-wise linear modulation,
Perez et al., 2018), the signal twice as wide: h (1 + s_1) + s_2.

Depth 0 is the token's embedding (for GPT-2 the same as adding it to the position's, as the paper
does); depth i is the input of layer i, and the last depth that of the final norm. Hooks do it, so
any decoder-only model of transformers can be used as it is.
"""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from timecontrol.errors import TimeControlError


def layers_of(model: nn.Module, count: int) -> nn.ModuleList:
    """Return the list of a model's layers.

    Args:
        model: A causal language model.
        count: How many layers its configuration says it has.
    """
    lists = [m for m in model.modules() if isinstance(m, nn.ModuleList) and len(m) == count]
    if not lists:
        raise TimeControlError(
            f"{type(model).__name__} has no list of {count} layers: it cannot follow a plan."
        )
    return lists[0]


def spread(count: int, number: int) -> tuple[int, ...]:
    """Return ``number`` depths spread over a model of ``count`` layers, the last norm among them.

    ``spread(30, 4) == (0, 10, 20, 30)``; one depth is the input alone.
    """
    if number == 1:
        return (0,)
    return tuple(sorted({round(i * count / (number - 1)) for i in range(number)}))


class Taps:
    """Joins signals to what layers put out; ``signals`` are those of the running pass."""

    def __init__(self, layers: Sequence[nn.Module], depths: Sequence[int]) -> None:
        """Hook the layers before the given depths, all above 0."""
        self.signals: Sequence[Tensor] | None = None  # of each depth, (batch, tokens, width)
        for place, depth in enumerate(depths):
            if depth > 0:
                layers[depth - 1].register_forward_hook(self._joiner(place))

    def _joiner(self, place: int) -> Any:
        def join(module: nn.Module, inputs: Any, output: Any) -> Any:
            if self.signals is None:
                return output
            if isinstance(output, tuple):
                return (joined(output[0], self.signals[place]), *output[1:])
            return joined(output, self.signals[place])

        return join


def joined(hidden: Tensor, signal: Tensor) -> Tensor:
    """Return both as one, in the shape and precision of ``hidden``, (batch, tokens, hidden).

    Args:
        hidden: What is there.
        signal: What is added, (batch, tokens, hidden); or scale and shift, twice as wide.
    """
    signal = signal if signal.dtype == hidden.dtype else signal.to(hidden.dtype)
    if signal.shape[-1] == hidden.shape[-1]:
        return hidden + signal
    scale, shift = signal.chunk(2, -1)
    return hidden * (1 + scale) + shift
