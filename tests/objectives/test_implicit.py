"""The implicit dynamics."""

import torch

from timecontrol.objectives import implicit
from timecontrol.objectives.contrast import contrast, retrieval


def test_scores_are_bilinear() -> None:
    predicted, following = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]])
    assert implicit.logits(predicted, following).tolist() == [[11.0, 2.0]]


def test_the_context_sees_the_whole_window_in_order() -> None:
    torch.manual_seed(0)
    context = implicit.Context(2, units=8, layers=2)
    window = torch.randn(1, 4, 2)
    base = context(window)
    assert base.shape == (1, 2)
    for place in range(4):
        other = window.clone()
        other[0, place] += 1
        assert not torch.allclose(context(other), base)
    assert not torch.allclose(context(window.flip(1)), base)


def test_it_learns_to_find_the_next_of_a_rotation() -> None:
    """z_{t+1} = R z_t: retrieval must rise well above chance."""
    torch.manual_seed(0)
    angle = torch.tensor(0.7)
    turn = torch.stack([torch.stack([angle.cos(), -angle.sin()]),
                        torch.stack([angle.sin(), angle.cos()])])  # fmt: skip
    z = [torch.nn.functional.normalize(torch.randn(64, 2), dim=1)]
    for _ in range(4):
        z.append(z[-1] @ turn.T)
    window, following = torch.stack(z[:4], 1), z[4]
    context = implicit.Context(2, units=32)
    optimiser = torch.optim.Adam(context.parameters(), lr=1e-2)
    for _ in range(200):
        optimiser.zero_grad()
        contrast(implicit.logits(context(window), following)).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert retrieval(implicit.logits(context(window), following)) > 20 / 64
