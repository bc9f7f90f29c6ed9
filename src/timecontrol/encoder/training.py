"""The training loop: epochs over frozen features, the best head on validation kept.

Every batch draws from a random state of its own, so a run that was interrupted goes on from its
last checkpoint to the very weights it would have reached (on the same kind of machine).
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from timecontrol.encoder.head import Head
from timecontrol.encoder.losses import Numbers, Sentences, Trainee, batch_loss, ends_of
from timecontrol.encoder.reconstruction import Reconstruction
from timecontrol.encoder.sampling import batches
from timecontrol.encoder.settings import Settings
from timecontrol.errors import TimeControlError
from timecontrol.objectives.contrast import information
from timecontrol.progress import Progress, silent
from timecontrol.runs import read_tensors, write_tensors

SAVE_EVERY = 20.0
"""Seconds between checkpoints."""
DRAWS = 4
"""How often validation documents are drawn from."""
TRAINING, VALIDATION = 1, 2
"""First numbers of the keys of random states."""


@dataclass
class State:
    """How far a training is, apart from weights."""

    epoch: int = 0
    batch: int = 0
    """Batches done of this epoch."""
    totals: dict[str, float] = field(default_factory=dict)
    """Sums over those batches."""
    history: list[dict[str, float]] = field(default_factory=list)
    best: float = math.inf
    best_epoch: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """A trained head and how it came about."""

    head: Head
    history: list[dict[str, float]]
    """Numbers of each epoch: loss, validation loss, the bound on mutual information."""
    best_epoch: int
    """The epoch the head is from, from 1."""
    seconds: float
    model: Trainee


def train(
    data: Sentences,
    n_train: int,
    settings: Settings,
    *,
    reconstruction: Callable[[], Reconstruction] | None = None,
    checkpoint: Path | None = None,
    identity: str = "",
    device: torch.device | None = None,
    progress: Progress = silent,
) -> Outcome:
    """Train a head.

    Args:
        data: All sentences, those of the training documents first.
        n_train: How many sentences are for training; the rest is for validation.
        settings: How to train.
        reconstruction: Makes p(x|z), for a VAE.
        checkpoint: A file to go on from, and to write to on the way.
        identity: What the checkpoint must be of: a hash of data and settings.
        device: Where to train.
        progress: Shown epoch by epoch.

    Raises:
        TimeControlError: There is too little to train on, or the loss is not finite.
    """
    check(data, n_train, settings)
    device = device or torch.device("cpu")
    with seeded(settings.seed):
        s = settings
        size = data.features.shape[1]
        head = Head(size, s.latent_dim, s.hidden, s.biases, s.first_relu, s.dropout)
        model = Trainee(head, s, reconstruction() if reconstruction else None)
    if settings.standardise:
        head.standardise_features(data.features[:n_train])
    model.to(device)
    data = Sentences(data.features.to(device), data.index)
    loop = Loop(model, data, n_train, checkpoint, identity)
    with one_thread() if settings.objective in ("bridge", "brownian") else nullcontext():
        loop.run(progress)
    keep = settings.patience > 0 and loop.best_head is not None
    if keep:
        assert loop.best_head is not None
        head.load_state_dict(loop.best_head)
    head.eval()
    if settings.standardise:
        head.standardise_latents(data.features[:n_train])
    head.requires_grad_(False).cpu()
    epoch = loop.state.best_epoch if keep else len(loop.state.history)
    return Outcome(head, loop.state.history, epoch, loop.state.seconds, model)


def check(data: Sentences, n_train: int, settings: Settings) -> None:
    """Refuse what cannot be trained on."""
    bad = ~data.features.isfinite().all(1)
    if bad.any():
        raise TimeControlError(
            f"The features of {int(bad.sum())} of {len(bad)} sentences are not finite; the first "
            f"is sentence {int(bad.long().argmax())}."
        )
    ends = ends_of(data.index, settings)
    n = int((ends < n_train).sum())
    if n < 2:
        far = f" at distance {settings.distance}" if settings.distance else ""
        raise TimeControlError(
            f"Too little to train on: {n} samples{far} in {n_train} sentences. "
            "At least two documents of three sentences are needed."
        )


class Loop:
    """A training under way."""

    def __init__(
        self, model: Trainee, data: Sentences, n_train: int, checkpoint: Path | None, identity: str
    ) -> None:
        self.model, self.data, self.settings = model, data, model.settings
        self.checkpoint, self.identity = checkpoint, identity
        ends = ends_of(data.index, self.settings)
        self.ends, self.held_out = ends[ends < n_train], ends[ends >= n_train]
        self.steps = self.settings.epochs * max(1, len(self.ends) // self.settings.batch)
        self.optimiser = optimiser_of(model)
        self.state = State()
        self.best_head: dict[str, Tensor] | None = None
        self.totals: dict[str, Tensor] = {}
        """Sums over the batches of this epoch; on the device, so that no step waits for another."""

    def run(self, progress: Progress) -> None:
        """Train to the end, from the last checkpoint where there is one."""
        self.resume()
        begun = last = time.monotonic() - self.state.seconds
        s, state = self.settings, self.state
        with progress("training", s.epochs, state.epoch, "epochs") as advance:
            while state.epoch < s.epochs and not self.stale():
                key = (TRAINING, s.seed, state.epoch)
                epoch = batches(self.data.index, self.ends, s.batch, *key, together=s.together)
                for number, (ends, generator) in enumerate(epoch):
                    if number < state.batch:
                        continue
                    self.step(ends, generator)
                    state.batch += 1
                    state.seconds = time.monotonic() - begun
                    if self.checkpoint and time.monotonic() - last > SAVE_EVERY:
                        self.save()
                        last = time.monotonic()
                self.close_epoch()
                advance(1, **state.history[-1])
        state.seconds = time.monotonic() - begun

    def step(self, ends: Tensor, generator: torch.Generator) -> None:
        """Take one step on one batch."""
        s, state = self.settings, self.state
        done = state.epoch * max(1, len(self.ends) // s.batch) + state.batch
        weight = min(1.0, (done + 1) / max(1.0, s.warm_up * self.steps))
        self.model.train()
        with self.dropout(generator):
            numbers = batch_loss(self.model, self.data, ends, generator, weight)
            self.optimiser.zero_grad(set_to_none=True)
            numbers["loss"].backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        for name, value in numbers.items():
            self.totals[name] = self.totals.get(name, 0.0) + value.detach().double()

    def dropout(self, generator: torch.Generator) -> AbstractContextManager[None]:
        """Return a context in which dropout depends on the batch alone."""
        if self.model.reconstruction is None and not self.settings.dropout:
            return nullcontext()
        return seeded(generator.initial_seed())

    def settle(self) -> None:
        """Bring the sums from the device, and refuse a loss that is not finite."""
        self.state.totals = {name: float(value) for name, value in self.totals.items()}
        if not math.isfinite(self.state.totals.get("loss", 0.0)):
            raise TimeControlError(
                f"The loss is not finite in epoch {self.state.epoch + 1}: try a smaller --rate "
                f"than {self.settings.rate:g}."
            )

    def close_epoch(self) -> None:
        """Write down the epoch's numbers, and keep the head if it is the best yet."""
        self.settle()
        state = self.state
        row = {"epoch": state.epoch + 1.0}
        row |= {name: total / state.batch for name, total in state.totals.items()}
        if len(self.held_out) > 1:
            row |= {f"val_{k}": v for k, v in self.validate().items()}
            if row["val_loss"] < state.best:
                state.best, state.best_epoch = row["val_loss"], state.epoch + 1
                head = self.model.head.state_dict()
                self.best_head = {name: t.clone() for name, t in head.items()}
        state.history.append(row)
        state.epoch, state.batch, self.totals = state.epoch + 1, 0, {}

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the means over validation draws that are the same in every epoch and run."""
        self.model.eval()
        found: list[Numbers] = []
        for draw in range(DRAWS):
            key = (VALIDATION, draw)
            size = self.settings.batch
            for ends, generator in batches(self.data.index, self.held_out, size, *key):
                numbers = batch_loss(self.model, self.data, ends, generator)
                if "contrast" in numbers:
                    numbers["n"] = torch.tensor(float(len(ends)))
                    bound = information(float(numbers["contrast"]), len(ends))
                    numbers["information"] = torch.tensor(bound)
                found.append(numbers)
        return {k: float(torch.stack([n[k] for n in found]).mean()) for k in found[0]}

    def stale(self) -> bool:
        """Return whether validation has not improved for too long."""
        patience = self.settings.patience
        return bool(
            patience and self.best_head and self.state.epoch - self.state.best_epoch >= patience
        )

    def save(self) -> None:
        """Write a checkpoint, whole or not at all."""
        assert self.checkpoint is not None
        self.settle()
        tensors = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        for number, values in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{number}.{k}": v for k, v in values.items() if v is not None}
        tensors |= {f"best.{k}": v for k, v in (self.best_head or {}).items()}
        state = vars(self.state) | {"best": self.state.best if self.best_head else None}
        write_tensors(self.checkpoint, tensors, {"identity": self.identity, "state": state})

    def resume(self) -> None:
        """Go on from the checkpoint, where there is one of this very run."""
        if self.checkpoint is None or not self.checkpoint.is_file():
            return
        tensors, about = read_tensors(self.checkpoint)
        if about["identity"] != self.identity:
            raise TimeControlError(
                f"{self.checkpoint.parent} holds an unfinished run of other data or settings: "
                "give another --out, or --overwrite."
            )
        groups: dict[str, dict[str, Tensor]] = {"model": {}, "optimiser": {}, "best": {}}
        for name, tensor in tensors.items():
            group, _, rest = name.partition(".")
            groups[group][rest] = tensor
        self.model.load_state_dict(groups["model"])
        moments: dict[int, dict[str, Tensor]] = {}
        for name, tensor in groups["optimiser"].items():
            number, _, what = name.partition(".")
            moments.setdefault(int(number), {})[what] = tensor
        whole: dict[str, Any] = self.optimiser.state_dict() | {"state": moments}
        self.optimiser.load_state_dict(whole)
        device = self.data.features.device
        self.best_head = {k: v.to(device) for k, v in groups["best"].items()} or None
        found = about["state"]
        found["best"] = math.inf if found["best"] is None else found["best"]
        self.state = State(**found)
        totals = self.state.totals.items()
        self.totals = {k: torch.tensor(v, dtype=torch.double, device=device) for k, v in totals}


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Set the world's random state for a while, and put it back."""
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed % 2**63)
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread for a while.

    The steps of a head are so small that threads mostly wait for each other: a hundred times
    longer on a busy machine. And the weights do not depend on the number of cores.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def optimiser_of(model: Trainee) -> torch.optim.Optimizer:
    """Return the optimiser; a VAE's language model has a rate of its own."""
    s = model.settings
    language = [] if model.reconstruction is None else list(model.reconstruction.parameters())
    other = {id(p) for p in language}
    rest = [p for p in model.parameters() if id(p) not in other]
    groups: list[dict[str, Any]] = [{"params": rest}]
    if language:
        groups.append({"params": language, "lr": s.lm_rate})
    if s.optimiser == "sgd":
        return torch.optim.SGD(groups, lr=s.rate, momentum=s.momentum)
    return torch.optim.AdamW(groups, lr=s.rate, weight_decay=s.weight_decay)
