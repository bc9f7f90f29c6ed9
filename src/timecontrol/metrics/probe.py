"""Do latents tell which of two sentences, k apart, comes first? A linear classifier's accuracy.

``paper``     pairs exactly k apart; a coin, thrown once a pair, puts them in order or not; logistic
              regression on [z_a, z_b]: SGD, rate 1e-4, momentum 0.9, batches of 16, 100 epochs;
              3000 held-out pairs
``released``  what the authors' code does: pairs clipped at the ends of a document, the coin thrown
              again every epoch and at the test, [z_a, z_b, z_b - z_a], two outputs with a sigmoid
              and binary cross-entropy each, 20 epochs; all held-out sentences, mean over batches
              of the accuracy of a batch
``best``      pairs exactly k apart; logistic regression on [z_a, z_b, z_b - z_a] with a small L2
              penalty, until it converges; all held-out pairs

For ``best`` both orders of each training pair are shown. The best classifier then says the opposite
for the opposite order: it is linear in z_b - z_a, has no constant, and neither its weights nor its
accuracy depend on a coin.

Probes that are trained by SGD are small, so many are trained at once, along the first axis.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from timecontrol.coherence.ragged import Ragged
from timecontrol.encoder.training import one_thread
from timecontrol.errors import TimeControlError, pick
from timecontrol.metrics.pairs import Pairs, apart, clipped
from timecontrol.progress import Progress, silent

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

RATE, MOMENTUM, BATCH = 1e-4, 0.9, 16
HELD_OUT = 3000
"""Pairs the paper judges by."""
PENALTY = 1.0
"""Of ``best``: |w|^2 / 2 times this, against the sum of the losses of all pairs."""
MEMORY = 64 * 2**20
"""Bytes of features that are gathered at once."""
NEWEST = 20
"""Steps that L-BFGS remembers."""


@dataclass(frozen=True)
class Definition:
    """How a probe is trained by SGD and judged."""

    epochs: int
    clipped: bool
    """Whether pairs near a document's ends are nearer than k instead of left out."""
    difference: bool
    """Whether z_b - z_a is a feature too."""
    outputs: int
    again: bool
    """Whether the coin is thrown again every epoch."""
    held_out: int | None
    """Pairs to judge by; ``None``: all."""
    by_batch: bool
    """Whether accuracy is a mean over batches."""


SGD = {
    "paper": Definition(100, False, False, 1, False, HELD_OUT, False),
    "released": Definition(20, True, True, 2, True, None, True),
}
DEFINITIONS = (*SGD, "best")


@dataclass(frozen=True)
class Task:
    """One probe to train and judge."""

    train: Floats
    """Latents of the training sentences, (N, d)."""
    test: Floats
    """Latents of the held-out sentences, (M, d)."""
    k: int
    seed: int = 0


@dataclass(frozen=True)
class Verdict:
    """How a probe did."""

    accuracy: float
    correct: Flags
    """Of each pair it was judged by, (n,)."""
    document: NDArray[np.int64]
    """The document of each, (n,)."""


def probe(
    tasks: Sequence[Task],
    train: Ragged,
    test: Ragged,
    definition: str = "paper",
    progress: Progress = silent,
) -> list[Verdict]:
    """Train and judge probes; those trained by SGD all at once.

    Args:
        tasks: All with latents of the same size.
        train: Layout of the training documents.
        test: Layout of the held-out documents.
        definition: ``paper``, ``released`` or ``best``.
        progress: Shown epoch by epoch, or probe by probe.

    Raises:
        TimeControlError: No document has sentences so far apart.
    """
    pick(dict.fromkeys(DEFINITIONS), definition, "definition")
    rule = clipped if definition in SGD and SGD[definition].clipped else apart
    pairs = {k: (rule(train, k), rule(test, k)) for k in {task.k for task in tasks}}
    for k, both in pairs.items():
        for name, found in zip(("training", "held-out"), both, strict=True):
            if not len(found):
                raise TimeControlError(f"No {name} document has sentences {k} apart.")
    shown = [pairs[task.k][0] for task in tasks]
    held = [pairs[task.k][1] for task in tasks]
    with one_thread():
        if definition == "best":
            return _converged(tasks, shown, held, progress)
        return _descended(tasks, shown, held, SGD[definition], progress)


def _converged(
    tasks: Sequence[Task], shown: list[Pairs], held: list[Pairs], progress: Progress
) -> list[Verdict]:
    found = []
    with progress("probes", len(tasks), 0, "probes") as advance:
        for task, own, other in zip(tasks, shown, held, strict=True):
            x = (task.train[own.later] - task.train[own.earlier]).astype(np.float64)
            scale = np.sqrt(np.square(x).mean(0))
            weights = logistic(x / np.where(scale > 0, scale, 1), PENALTY)
            weights = weights / np.where(scale > 0, scale, 1)
            margin = (task.test[other.later] - task.test[other.earlier]) @ weights
            correct = np.where(margin == 0, 0.5, margin > 0)  # equal latents: half right
            found.append(Verdict(float(correct.mean()), correct, other.document))
            advance(1)
    return found


def logistic(x: NDArray[np.float64], penalty: float) -> NDArray[np.float64]:
    """Return w that minimises sum_i log(1 + exp(-x_i w)) + penalty |w|^2 / 2, (n, f) to (f,)."""
    rows = torch.from_numpy(np.ascontiguousarray(x))
    w = torch.zeros(x.shape[1], dtype=torch.float64, requires_grad=True)
    solver = torch.optim.LBFGS(
        [w],
        max_iter=1000,
        history_size=NEWEST,
        tolerance_grad=1e-6,
        tolerance_change=1e-10,
        line_search_fn="strong_wolfe",
    )

    def loss() -> Tensor:
        solver.zero_grad()
        whole = torch.nn.functional.softplus(-(rows @ w)).sum() + penalty * w.square().sum() / 2
        mean: Tensor = whole / len(rows)
        mean.backward()  # type: ignore[no-untyped-call]
        return mean

    solver.step(loss)  # type: ignore[no-untyped-call]
    return np.asarray(w.detach().numpy())


def _descended(
    tasks: Sequence[Task],
    shown: list[Pairs],
    held: list[Pairs],
    how: Definition,
    progress: Progress,
) -> list[Verdict]:
    # Those with most batches first: the others are done earlier in an epoch.
    order = sorted(range(len(tasks)), key=lambda p: -len(shown[p]))
    states = [np.random.default_rng((tasks[p].seed, tasks[p].k)) for p in order]
    tests = [_held_out(held[p], how, state) for p, state in zip(order, states, strict=True)]
    latents = [np.ascontiguousarray(tasks[p].train, np.float32) for p in order]
    weights = sgd(latents, [shown[p] for p in order], states, how, progress)
    found: dict[int, Verdict] = {}
    for place, (p, (pairs, swapped)) in enumerate(zip(order, tests, strict=True)):
        correct = judge(tasks[p].test, pairs, swapped, weights[place], how)
        starts = np.arange(0, len(correct), BATCH)
        sizes = np.minimum(BATCH, len(correct) - starts)
        batches = np.add.reduceat(correct.astype(np.float64), starts) / sizes
        accuracy = batches.mean() if how.by_batch else correct.mean()
        found[p] = Verdict(float(accuracy), correct, pairs.document)
    return [found[p] for p in range(len(tasks))]


def _held_out(pairs: Pairs, how: Definition, state: np.random.Generator) -> tuple[Pairs, Flags]:
    """Return the pairs to judge by, and which of them are swapped."""
    if how.held_out is not None and how.held_out < len(pairs):
        pairs = pairs[np.sort(state.choice(len(pairs), how.held_out, replace=False))]
    return pairs, state.random(len(pairs)) < 0.5


def inputs(
    z: Floats,
    earlier: NDArray[np.int64],
    later: NDArray[np.int64],
    swapped: Flags,
    how: Definition,
) -> Floats:
    """Return [z_a, z_b, (z_b - z_a,) 1] of pairs in the order they are shown, (..., f)."""
    a, b = z[np.where(swapped, later, earlier)], z[np.where(swapped, earlier, later)]
    one = np.ones((*a.shape[:-1], 1), np.float32)
    return np.concatenate([a, b, b - a, one] if how.difference else [a, b, one], -1)


def sgd(
    latents: list[Floats],
    pairs: list[Pairs],
    states: list[np.random.Generator],
    how: Definition,
    progress: Progress = silent,
) -> Tensor:
    """Train P probes at once and return their weights, (P, f, outputs), the constant last.

    Args:
        latents: Of the training sentences, P times (N, d).
        pairs: Training pairs of each probe, those with most pairs first.
        states: Random state of each probe, for its first weights, batches and coins.
        how: The definition.
        progress: Shown epoch by epoch.
    """
    d = latents[0].shape[1]
    f = (3 if how.difference else 2) * d
    bound = 1 / math.sqrt(f)
    weights = torch.stack(
        [torch.from_numpy(s.uniform(-bound, bound, (f + 1, how.outputs))) for s in states]
    ).float()
    velocity = torch.zeros_like(weights)
    coins = [s.random(len(p)) < 0.5 for s, p in zip(states, pairs, strict=True)]
    steps = np.array([math.ceil(len(p) / BATCH) for p in pairs])
    with progress("probes", how.epochs, 0, "epochs") as advance:
        for _ in range(how.epochs):
            if how.again:
                coins = [s.random(len(p)) < 0.5 for s, p in zip(states, pairs, strict=True)]
            drawn = [s.permutation(len(p)) for s, p in zip(states, pairs, strict=True)]
            for start, stop, active in stretches(steps, f + 1):
                parts = [
                    batches(latents[p], pairs[p], coins[p], drawn[p], start, stop, how)
                    for p in range(active)
                ]
                x, y, c = (torch.from_numpy(np.stack(part, 1)) for part in zip(*parts, strict=True))
                descend(weights[:active], velocity[:active], x, y, c)
            advance(1)
    return weights


def descend(weights: Tensor, velocity: Tensor, x: Tensor, y: Tensor, c: Tensor) -> None:
    """Take S steps of SGD in place.

    Args:
        weights: (P, f, o).
        velocity: (P, f, o).
        x: Inputs, (S, P, 16, f).
        y: What the outputs should be, (S, P, 16, o).
        c: Weight of each pair in the mean loss of its batch, (S, P, 16, 1).
    """
    for x_s, y_s, c_s in zip(x.unbind(), y.unbind(), c.unbind(), strict=True):
        off = torch.bmm(x_s, weights).sigmoid_().sub_(y_s).mul_(c_s)  # dloss / dlogits
        torch.baddbmm(velocity, x_s.transpose(1, 2), off, beta=MOMENTUM, out=velocity)
        weights.sub_(velocity, alpha=RATE)


def stretches(steps: NDArray[np.int64], f: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, stop, active): the first ``active`` probes have all of these steps.

    Args:
        steps: Of an epoch of each probe, descending.
        f: Inputs of a probe, which decide how many steps' inputs fit into memory.
    """
    start = 0
    while start < steps[0]:
        active = int((steps > start).sum())
        most = max(1, MEMORY // (4 * active * BATCH * f))
        stop = min(start + most, int(steps[active - 1]))
        yield start, stop, active
        start = stop


def batches(
    z: Floats,
    pairs: Pairs,
    swapped: Flags,
    order: NDArray[np.int64],
    start: int,
    stop: int,
    how: Definition,
) -> tuple[Floats, Floats, Floats]:
    """Return inputs, targets and weights of the batches from ``start`` to ``stop`` of one probe.

    Shapes (S, 16, f), (S, 16, outputs) and (S, 16, 1). A last batch that is not full has pairs of
    weight 0.
    """
    chosen = order[start * BATCH : stop * BATCH]
    room = (stop - start) * BATCH
    size = np.full(room, BATCH)
    size[len(chosen) // BATCH * BATCH :] = max(1, len(chosen) % BATCH)
    weight = np.where(np.arange(room) < len(chosen), 1 / (size * how.outputs), 0)
    chosen = np.concatenate([chosen, np.zeros(room - len(chosen), np.int64)]).reshape(-1, BATCH)
    turned = swapped[chosen]
    x = inputs(z, pairs.earlier[chosen], pairs.later[chosen], turned, how)
    y = np.stack([turned, ~turned][-how.outputs :], -1).astype(np.float32)
    return x, y, weight.reshape(-1, BATCH, 1).astype(np.float32)


def judge(z: Floats, pairs: Pairs, swapped: Flags, weights: Tensor, how: Definition) -> Flags:
    """Return for each pair whether a probe tells its order, (n,).

    Of two outputs the larger counts, of one its sign.
    """
    z = np.ascontiguousarray(z, np.float32)
    found = []
    for start in range(0, len(pairs), 4096):
        part = slice(start, start + 4096)
        x = inputs(z, pairs.earlier[part], pairs.later[part], swapped[part], how)
        out = torch.from_numpy(x) @ weights  # (rows, outputs)
        ordered = out[:, 1] > out[:, 0] if how.outputs == 2 else out[:, 0] > 0
        found.append(ordered.numpy() != swapped[part])
    return np.concatenate(found)
