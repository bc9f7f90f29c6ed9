"""The bridge objective finds the true latents again."""

import pytest
import torch

from timecontrol.encoder.sampling import random_state
from timecontrol.experiments.recovery import bridges, linear_r2, recover, rotation


def test_the_bridge_objective_recovers_the_truth() -> None:
    seen = bridges(d=2, documents=300)
    assert linear_r2(seen.features, seen.latents, seen.n_train, seen.held) < 0.9  # a real map
    found = recover(seen, "bridge", epochs=40, patience=5, rate=3e-3)
    assert found["r2"] >= 0.95


def test_rotations_are_rotations() -> None:
    q = rotation(5, random_state(0))
    torch.testing.assert_close(q @ q.T, torch.eye(5, dtype=torch.double))


def test_the_map_can_be_inverted() -> None:
    """No two latents are seen alike: near ones in what is seen are near in truth."""
    seen = bridges(d=2, documents=40)
    x, z = seen.features[:500], seen.latents[:500]
    near = torch.cdist(x, x).fill_diagonal_(9).argmin(1)
    assert ((z - z[near]).norm(dim=1) < 2).float().mean() > 0.9


def test_r2_by_hand() -> None:
    true = torch.randn(100, 2)
    turned = true @ torch.tensor([[2.0, 1.0], [0.0, 3.0]]) + 5
    assert linear_r2(turned, true, 50, 60) == pytest.approx(1)
    assert linear_r2(torch.zeros(100, 2), true, 50, 60) == pytest.approx(0, abs=0.2)


def test_the_same_seed_gives_the_same_bridges() -> None:
    a, b, c = (bridges(documents=10, seed=s) for s in (0, 0, 1))
    assert torch.equal(a.features, b.features)
    assert a.lengths != c.lengths
