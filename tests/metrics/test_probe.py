"""A probe finds an order that is there, and none that is not."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from timecontrol.coherence import Ragged
from timecontrol.errors import TimeControlError
from timecontrol.metrics import probe as module
from timecontrol.metrics.pairs import apart
from timecontrol.metrics.probe import DEFINITIONS, SGD, Task, logistic, probe, stretches

STATE = np.random.default_rng(0)
TRAIN = Ragged.of(STATE.integers(8, 25, 60))
TEST = Ragged.of(STATE.integers(8, 25, 40))


def drifting(layout: Ragged, d: int = 3, scale: float = 30.0) -> NDArray[np.float32]:
    """Latents whose first coordinate grows with the place, without noise."""
    z = np.zeros((len(layout.document), d), np.float32)
    z[:, 0] = scale * (layout.share - 0.5)
    return z


def noise(layout: Ragged, seed: int, d: int = 3) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(len(layout.document), d)).astype(np.float32)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_an_order_that_is_there_is_found(definition: str) -> None:
    task = Task(drifting(TRAIN), drifting(TEST), k=5)
    (found,) = probe([task], TRAIN, TEST, definition)
    assert found.accuracy > 0.98


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_noise_has_no_order(definition: str) -> None:
    tasks = [Task(noise(TRAIN, s), noise(TEST, s + 9), k=2, seed=s) for s in range(4)]
    found = probe(tasks, TRAIN, TEST, definition)
    assert np.mean([v.accuracy for v in found]) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("definition", SGD)
def test_probes_trained_together_are_those_trained_alone(definition: str) -> None:
    z, held = drifting(TRAIN) + noise(TRAIN, 0), drifting(TEST) + noise(TEST, 1)
    tasks = [Task(z, held, k, seed) for k in (1, 7) for seed in (0, 1)]
    together = probe(tasks, TRAIN, TEST, definition)
    for task, found in zip(tasks, together, strict=True):
        (alone,) = probe([task], TRAIN, TEST, definition)
        assert alone.accuracy == found.accuracy
        assert (alone.correct == found.correct).all()


def test_steps_are_those_of_a_plain_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same batches through torch's own layer, loss and optimiser end in the same weights."""
    how = SGD["released"]
    z = noise(TRAIN, 0)
    pairs = apart(TRAIN, 1)
    monkeypatch.setattr(module, "MEMORY", 4 * 16 * 10 * 7)  # several stretches an epoch
    got = module.sgd([z], [pairs], [np.random.default_rng(5)], how)[0]

    state = np.random.default_rng(5)
    layer = torch.nn.Linear(9, 2)
    first = torch.from_numpy(state.uniform(-1 / 3, 1 / 3, (10, 2))).float()
    layer.weight.data, layer.bias.data = first[:9].T.clone(), first[9].clone()
    solver = torch.optim.SGD(layer.parameters(), lr=1e-4, momentum=0.9)
    state.random(len(pairs))
    for _ in range(how.epochs):
        swapped = state.random(len(pairs)) < 0.5
        order = state.permutation(len(pairs))
        for start in range(0, len(order), 16):
            own = order[start : start + 16]
            a = np.where(swapped[own], pairs.later[own], pairs.earlier[own])
            b = np.where(swapped[own], pairs.earlier[own], pairs.later[own])
            x = torch.from_numpy(np.concatenate([z[a], z[b], z[b] - z[a]], 1))
            wanted = torch.from_numpy(np.stack([swapped[own], ~swapped[own]], 1)).float()
            loss = torch.nn.functional.binary_cross_entropy(layer(x).sigmoid(), wanted)
            solver.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            solver.step()
    torch.testing.assert_close(got[:9], layer.weight.T, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(got[9], layer.bias, atol=1e-5, rtol=1e-4)


def test_the_best_classifier_is_at_the_minimum() -> None:
    x = np.random.default_rng(0).normal(size=(300, 4)) + 0.5
    w = logistic(x, 1.0)
    slope = -(x / (1 + np.exp(x @ w))[:, None]).sum(0) + w
    assert abs(slope).max() < 1e-2


def test_the_paper_judges_by_3000_pairs_at_most() -> None:
    large = Ragged.of([50] * 80)
    task = Task(noise(TRAIN, 0), noise(large, 1), k=1)
    sizes = [len(probe([task], TRAIN, large, name)[0].correct) for name in DEFINITIONS]
    assert sizes == [3000, 4000, 49 * 80]


def test_stretches_cover_every_step_once() -> None:
    steps = np.array([9, 9, 5, 2])
    seen = np.zeros(4, int)
    for start, stop, active in stretches(steps, 10):
        seen[:active] += stop - start
    assert seen.tolist() == steps.tolist()


def test_the_released_accuracy_is_a_mean_over_batches() -> None:
    (found,) = probe([Task(noise(TRAIN, 0), noise(TEST, 1), 3)], TRAIN, TEST, "released")
    parts = [found.correct[s : s + 16].mean() for s in range(0, len(found.correct), 16)]
    assert found.accuracy == pytest.approx(np.mean(parts))


def test_documents_that_are_too_short_are_said() -> None:
    task = Task(noise(TRAIN, 0), noise(TEST, 1), k=40)
    with pytest.raises(TimeControlError, match="No training document has sentences 40 apart"):
        probe([task], TRAIN, TEST, "paper")
    with pytest.raises(TimeControlError, match="No definition named 'papr'"):
        probe([task], TRAIN, TEST, "papr")


def test_definitions_are_those_that_are_written_down() -> None:
    paper, released = SGD["paper"], SGD["released"]
    assert (paper.epochs, paper.held_out, paper.outputs) == (100, 3000, 1)
    assert not any((paper.clipped, paper.difference, paper.again, paper.by_batch))
    assert (released.epochs, released.held_out, released.outputs) == (20, None, 2)
    assert released.clipped
    assert released.difference
    assert released.again
    assert released.by_batch
    assert (module.RATE, module.MOMENTUM, module.BATCH) == (1e-4, 0.9, 16)


def test_only_the_released_definition_takes_pairs_nearer_than_k() -> None:
    short = Ragged.of([4] * 30)
    z = noise(short, 0)
    for definition in ("paper", "best"):
        with pytest.raises(TimeControlError, match="sentences 9 apart"):
            probe([Task(z, z, k=9)], short, short, definition)
    (found,) = probe([Task(z, z, k=9)], short, short, "released")
    assert len(found.correct) == 120  # every sentence


def test_held_out_pairs_are_drawn_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    long = Ragged.of([200] * 20)  # 3,900 pairs
    (found,) = probe([Task(noise(TRAIN, 0), noise(long, 1), k=5)], TRAIN, long, "paper")
    assert len(found.correct) == 3000
    pairs = apart(long, 5)
    drawn, _ = module._held_out(pairs, SGD["paper"], np.random.default_rng(0))
    assert len(set(drawn.earlier.tolist())) == 3000


def test_equal_latents_are_half_right() -> None:
    z = np.ones((len(TEST.document), 3), np.float32)
    (found,) = probe([Task(drifting(TRAIN), z, k=5)], TRAIN, TEST, "best")
    assert found.accuracy == 0.5
