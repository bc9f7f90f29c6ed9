"""The bridge contrast, the paper's and the released code's."""

import math

import pytest
import torch
from torch import Tensor

from timecontrol.objectives import bridge
from timecontrol.objectives.contrast import contrast
from timecontrol.processes import BrownianBridge, normal_log_prob

PROCESS = BrownianBridge()


def triplets(n: int = 6, d: int = 3) -> tuple[Tensor, ...]:
    state = torch.Generator().manual_seed(0)
    z_0, z_t, z_T = torch.randn(3, n, d, generator=state)
    start = torch.randint(0, 9, (n,), generator=state).float()
    t = torch.randint(1, 5, (n,), generator=state).float()
    T = t + torch.randint(1, 5, (n,), generator=state).float()
    return z_0, z_t, z_T, start, t, T


def test_by_hand() -> None:
    """Two bridges of one coordinate: 0 -> 4 with t = 1, T = 4, and 0 -> 2 with t = 1, T = 2."""
    z_0 = torch.tensor([[0.0], [0.0]])
    z_T = torch.tensor([[4.0], [2.0]])
    z_t = torch.tensor([[1.0], [3.0]])
    t, T = torch.tensor([1.0, 1.0]), torch.tensor([4.0, 2.0])
    found = bridge.logits(z_0, z_t, z_T, t, T, PROCESS)
    # both means are 1; variances 3/4 and 1/2
    torch.testing.assert_close(found, torch.tensor([[0.0, -4 / 1.5], [0.0, -4.0]]))


def test_negatives_swap_the_middle_and_keep_the_anchor_s_times() -> None:
    z_0, z_t, z_T, _, t, T = triplets()
    found = bridge.logits(z_0, z_t, z_T, t, T, PROCESS)
    for i in range(len(t)):
        for j in range(len(t)):
            mean = (1 - t[i] / T[i]) * z_0[i] + t[i] / T[i] * z_T[i]
            variance = t[i] * (T[i] - t[i]) / T[i]
            expected = -((z_t[j] - mean) ** 2).sum() / (2 * variance)
            torch.testing.assert_close(found[i, j], expected)


def test_logits_are_log_densities_up_to_a_constant_of_the_anchor() -> None:
    z_0, z_t, z_T, _, t, T = triplets()
    found = bridge.logits(z_0, z_t, z_T, t, T, PROCESS)
    density = PROCESS.log_prob(
        z_t.unsqueeze(0), z_0.unsqueeze(1), z_T.unsqueeze(1), t.unsqueeze(1), T.unsqueeze(1)
    )
    gap = density - found
    torch.testing.assert_close(gap, gap[:, :1].expand_as(gap))


def test_one_negative_is_a_classifier_by_the_log_density_ratio() -> None:
    """The paper's first appendix: with one negative, the logit of "the triplet is in order" is
    log p(z_t | z_0, z_T) - log p(z_t' | z_0, z_T), whatever the proposal."""
    z_0, z_t, z_T, _, t, T = (x.double() for x in triplets(2))
    logits = bridge.logits(z_0, z_t, z_T, t, T, PROCESS)
    probability = (-contrast(logits[:1])).exp()  # of the first triplet's own middle
    classifier = (probability / (1 - probability)).log()
    own = PROCESS.log_prob(z_t[0], z_0[0], z_T[0], t[0], T[0])
    other = PROCESS.log_prob(z_t[1], z_0[0], z_T[0], t[0], T[0])
    torch.testing.assert_close(classifier, own - other)


def test_a_trained_classifier_finds_that_ratio_too() -> None:
    """Bayes' classifier of true against foreign middles, fitted freely, is the density ratio."""
    state = torch.Generator().manual_seed(1)
    n, T = 40_000, 4.0
    z_0 = torch.randn(n, 1, generator=state)
    z_T = torch.randn(n, 1, generator=state)
    own = PROCESS.sample(z_0, z_T, torch.tensor([1.0]), T, state)[:, 0]
    foreign = 2 * torch.randn(n, 1, generator=state)  # q = N(0, 4)
    # quadratic in (z_0, z_t, z_T), as the true ratio is
    both = [torch.cat([z_0, middle, z_T], 1) for middle in (own, foreign)]
    x = torch.cat(both)
    y = torch.cat([torch.ones(n), torch.zeros(n)])

    def terms(x: Tensor) -> Tensor:
        pairs = [x[:, i] * x[:, j] for i in range(3) for j in range(i, 3)]
        return torch.stack([torch.ones(len(x)), *x.T, *pairs], 1).double()

    weights = torch.zeros(10, dtype=torch.double)
    features = terms(x)
    for _ in range(12):  # Newton's method on the logistic loss
        p = (features @ weights).sigmoid()
        curve = (features * (p * (1 - p)).unsqueeze(1)).T @ features
        weights += torch.linalg.solve(curve, features.T @ (y.double() - p))
    at = torch.randn(200, 3, generator=state)
    times = torch.tensor(1.0), torch.tensor(T)
    ratio = PROCESS.log_prob(at[:, 1:2], at[:, :1], at[:, 2:], *times)
    ratio = ratio - normal_log_prob(at[:, 1:2], torch.tensor(4.0))
    found = terms(at) @ weights
    assert (found - ratio).abs().max() < 0.25
    # and differences between two middles of one bridge are those of our logits
    swapped = at.clone()
    swapped[:, 1] = at[:, 1].flip(0)
    proposal = (swapped[:, 1] ** 2 - at[:, 1] ** 2) / 8  # of log q, known
    t = torch.ones(200)
    ours = [bridge.logits(a[:, :1], a[:, 1:2], a[:, 2:], t, T * t, PROCESS) for a in (at, swapped)]
    gap = ours[0].diagonal() - ours[1].diagonal()
    assert (terms(at) @ weights - terms(swapped) @ weights + proposal - gap).abs().max() < 0.3


def test_released_logits_by_hand() -> None:
    """ell(j; i): end points and times of j, middle of i."""
    z_0, z_t, z_T, s, t, T = triplets()
    found = bridge.released_logits(z_0, z_t, z_T, s, s + t, s + T)
    eps = 1e-6
    for i in range(len(t)):
        for j in range(len(t)):
            tau = s[i] + t[i] - s[j]
            alpha = tau / (T[j] + eps)
            v = tau * (T[j] - tau) / (T[j] + eps)
            mean = (1 - alpha) * z_0[j] + alpha * z_T[j]
            expected = -((mean - z_t[i]) ** 2).sum() / (2 * v + eps)
            torch.testing.assert_close(found[i, j], expected, rtol=1e-3, atol=1e-3)


def test_both_variants_agree_on_the_positive() -> None:
    z_0, z_t, z_T, s, t, T = triplets()
    paper = bridge.logits(z_0, z_t, z_T, t, T, PROCESS).diagonal()
    released = bridge.released_logits(z_0, z_t, z_T, s, s + t, s + T).diagonal()
    torch.testing.assert_close(paper, released, rtol=1e-3, atol=1e-4)


def test_released_logits_outside_a_bridge_are_positive_unless_masked() -> None:
    z = torch.tensor([[0.0], [5.0]])
    times = torch.tensor([0.0, 10.0]), torch.tensor([1.0, 11.0]), torch.tensor([2.0, 12.0])
    found = bridge.released_logits(z, z + 1, z + 2, *times)
    assert found[0, 1] > 0
    assert found[1, 0] > 0
    masked = bridge.released_logits(z, z + 1, z + 2, *times, masked=True)
    assert masked[0, 1] == masked[1, 0] == -math.inf
    torch.testing.assert_close(masked.diagonal(), found.diagonal())
    assert contrast(masked).isfinite()
    edge = torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]), torch.tensor([2.0, 3.0])
    masked = bridge.released_logits(z, z + 1, z + 2, *edge, masked=True)
    assert masked[0, 1] == -math.inf  # the middle stands where the other begins: no variance


def test_pinning_by_hand() -> None:
    z_0 = torch.tensor([[1.0, 1.0], [2.0, 0.0], [9.0, 9.0]])
    z_T = torch.tensor([[-1.0, 1.0], [3.0, 1.0], [9.0, 9.0]])
    opens, closes = torch.tensor([1.0, 1.0, 0.0]), torch.tensor([1.0, 1.0, 0.0])
    # first: means of squares 1 and 2; last: |z| - 1 is (0, 0) and (2, 0)
    assert bridge.pinning(z_0, z_T, opens, closes).item() == pytest.approx(1.5 + 1.0)
    none = torch.zeros(3)
    assert bridge.pinning(z_0, z_T, none, none).item() == 0


def test_squares_keep_small_distances_of_far_points() -> None:
    a = torch.tensor([[1e4, 1e4]])
    b = a + 1e-2
    assert bridge.squares(a, b).item() == pytest.approx(2e-4, rel=0.05)
