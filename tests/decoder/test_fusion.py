"""Where signals enter a model."""

import pytest
import torch
from torch import Tensor, nn

from tests.conftest import tiny_gpt2, tiny_llama, tiny_neox
from timecontrol.decoder.fusion import Taps, joined, layers_of, spread
from timecontrol.errors import TimeControlError


class Block(nn.Module):
    """A layer that adds one, with a list of its own inside."""

    def __init__(self, tuples: bool) -> None:
        super().__init__()
        self.inner = nn.ModuleList([nn.Identity(), nn.Identity()])
        self.tuples = tuples

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, str]:
        return (x + 1, "more") if self.tuples else x + 1


def test_the_layers_are_the_outermost_list_of_that_length() -> None:
    model = nn.Sequential(nn.ModuleList([nn.Identity()]), nn.ModuleList([Block(False)] * 2))
    assert layers_of(model, 2) is model[1]


def test_layers_of_real_architectures_are_found() -> None:
    for made, name in ((tiny_gpt2(50), "transformer.h"), (tiny_neox(50), "gpt_neox.layers")):
        count = int(made.config.num_hidden_layers)
        assert layers_of(made, count) is made.get_submodule(name)
    with pytest.raises(TimeControlError, match="LlamaForCausalLM has no list of 7 layers"):
        layers_of(tiny_llama(50), 7)


@pytest.mark.parametrize(
    ("count", "number", "expected"),
    [
        (30, 4, (0, 10, 20, 30)),
        (12, 1, (0,)),
        (12, 2, (0, 12)),
        (12, 3, (0, 6, 12)),
        (2, 4, (0, 1, 2)),  # no more depths than there are
    ],
)
def test_depths_are_spread_evenly(count: int, number: int, expected: tuple[int, ...]) -> None:
    assert spread(count, number) == expected


@pytest.mark.parametrize("tuples", [False, True])
def test_a_signal_is_added_after_the_layer_before_its_depth(tuples: bool) -> None:
    layers = [Block(tuples) for _ in range(3)]
    taps = Taps(layers, (0, 1, 3))
    x = torch.zeros(1, 2, 4)

    def out(number: int) -> list[float]:
        found = layers[number](x)
        if tuples:
            assert found[1] == "more"
            found = found[0]
        return [float(v) for v in found[0, :, 0]]

    assert out(0) == [1, 1]  # nothing is added without a signal
    steps = torch.tensor([1.0, 2.0]).view(1, 2, 1).expand(-1, -1, 4)  # (1, tokens, width)
    taps.signals = [k * steps for k in (1.0, 10.0, 100.0)]
    assert out(0) == [11, 21]
    assert out(1) == [1, 1]
    assert out(2) == [101, 201]
    taps.signals = None
    assert out(2) == [1, 1]


def test_the_sum_keeps_the_model_s_precision() -> None:
    hidden, signal = torch.ones(1, 2, 4, dtype=torch.bfloat16), torch.full((1, 2, 4), 0.5)
    found = joined(hidden, signal)
    assert found.dtype == torch.bfloat16
    assert torch.equal(found, torch.full((1, 2, 4), 1.5, dtype=torch.bfloat16))
    assert torch.equal(joined(signal, signal), torch.ones(1, 2, 4))


def test_scale_and_shift_worked_by_hand() -> None:
    """h (1 + s_1) + s_2, scales first."""
    hidden = torch.tensor([[[1.0, 2.0]]])
    signal = torch.tensor([[[0.5, -1.0, 10.0, 20.0]]])
    assert joined(hidden, signal).tolist() == [[[11.5, 20.0]]]
    assert torch.equal(joined(hidden, torch.zeros(1, 1, 4)), hidden)
    low = joined(hidden.bfloat16(), signal)
    assert low.dtype == torch.bfloat16
    assert low.tolist() == [[[11.5, 20.0]]]


def test_what_a_layer_puts_out_is_scaled_and_shifted() -> None:
    layer = Block(False)
    taps = Taps([layer], (0, 1))
    scale, shift = torch.full((1, 2, 4), 2.0), torch.full((1, 2, 4), 0.5)
    taps.signals = [torch.full((1, 2, 8), 9.0), torch.cat([scale, shift], -1)]
    assert torch.equal(layer(torch.ones(1, 2, 4)), torch.full((1, 2, 4), 6.5))  # 2 (1 + 2) + 0.5
