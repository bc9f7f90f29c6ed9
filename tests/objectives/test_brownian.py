"""The Brownian contrast."""

import math

import torch

from timecontrol.objectives import brownian
from timecontrol.processes import BrownianMotion


def test_by_hand() -> None:
    z_s, z_t = torch.tensor([[0.0], [1.0]]), torch.tensor([[2.0], [1.0]])
    found = brownian.logits(z_s, z_t, torch.tensor([1.0, 4.0]), BrownianMotion())
    torch.testing.assert_close(found, torch.tensor([[-2.0, -0.5], [-0.125, 0.0]]))


def test_logits_are_log_densities_up_to_a_constant_of_the_anchor() -> None:
    state = torch.Generator().manual_seed(0)
    z_s, z_t = torch.randn(2, 5, 3, generator=state)
    gap = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    motion = BrownianMotion(0.8)
    density = motion.log_prob(z_t.unsqueeze(0), z_s.unsqueeze(1), gap.unsqueeze(1))
    constant = density - brownian.logits(z_s, z_t, gap, motion)
    torch.testing.assert_close(constant, constant[:, :1].expand_as(constant))


def test_released_logits_take_positions_across_documents() -> None:
    z_s, z_t = torch.tensor([[0.0], [0.0]]), torch.tensor([[1.0], [1.0]])
    middle, end = torch.tensor([1.0, 9.0]), torch.tensor([3.0, 10.0])
    found = brownian.released_logits(z_s, z_t, middle, end)
    expected = torch.tensor([[-1 / 4, -1 / 18], [1 / 12, -1 / 2]])  # the third is 3 - 9 < 0
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    masked = brownian.released_logits(z_s, z_t, middle, end, masked=True)
    assert masked[1, 0] == -math.inf
    same = brownian.released_logits(z_s, z_t, torch.tensor([1.0, 3.0]), end, masked=True)
    assert same[1, 0] == -math.inf  # no time between them
