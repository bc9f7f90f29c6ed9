"""Fine-tuning: it learns, keeps its best, and goes on where it was killed."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.conftest import make_tokenizer, tiny_gpt2, tiny_llama
from timecontrol.corpora import Layout
from timecontrol.decoder import training
from timecontrol.decoder.examples import Collator, Examples, Item
from timecontrol.decoder.lora import adapt
from timecontrol.decoder.model import PlannedLM
from timecontrol.decoder.settings import Settings, preset
from timecontrol.decoder.training import (
    Outcome,
    Redraw,
    Steps,
    groups_of,
    last_checkpoint,
    steps_of,
    train,
)
from timecontrol.errors import TimeControlError
from timecontrol.progress import Advance
from timecontrol.tokens import Codec, Piece

CODEC = Codec(make_tokenizer(), Layout("x", ("A", "B")))
NEW = [CODEC.unit_end, *CODEC.tag_ids.values()]
FAST: dict[str, Any] = {"batch": 4, "epochs": 3, "rate": 3e-3, "keep": "best", "window": 64}


def items(count: int, seed: int, first: int = 300, times: int = 3) -> list[Item]:
    """Return documents of four words; which one a sentence says is told by its point alone."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        words = first + random.integers(0, 4, 4)
        pieces = [
            Piece(n // 2, "AB"[n // 2], n % 2 == 0, [int(w)] * times, True)
            for n, w in enumerate(words)
        ]
        bits = np.stack([words % 2, words // 2 % 2], 1)
        found.append(Item(pieces, np.asarray(6.0 * bits - 3, np.float64)))
    return found


TRAIN, HELD = items(12, 0), items(4, 1)
OTHERS = items(4, 2, first=400, times=9)
"""Of words that never occur in training, so that they get ever less likely."""


@dataclass
class Trained:
    outcome: Outcome
    model: Any
    held: Examples
    collate: Collator

    def weights(self) -> dict[str, Tensor]:
        return {n: t.detach().clone() for n, t in self.model.state_dict().items()}

    @torch.no_grad()
    def loss(self) -> float:
        """Return the loss on the validation documents, as training computes it."""
        self.model.eval()
        batch = self.collate([self.held[i] for i in range(len(self.held))])
        return float(self.model(**batch).loss)


def settings(**changes: Any) -> Settings:
    return preset("best", **{**FAST, **changes})


def made(chosen: Settings, base: Any = tiny_gpt2) -> Any:
    lm = base(600)
    CODEC.fit(lm)
    torch.manual_seed(chosen.seed)
    model = PlannedLM.around(lm, plan_dim=2, depths=(0, 1, 2), boundaries=[CODEC.unit_end])
    return adapt(model, chosen.lora, NEW) if chosen.lora else model


def fitted(
    chosen: Settings, base: Any = tiny_gpt2, held: list[Item] = HELD, **options: Any
) -> Trained:
    """Train a tiny model; GPT-2 has dropout, so random states count."""
    model = made(chosen, base)
    examples = Examples(TRAIN, CODEC, chosen, 64, np.array([3.0, 1.0]))
    validation = Examples(held, CODEC, chosen, 64)
    collate = Collator(CODEC.end, (CODEC.unit_end,), False)
    outcome = train(model, examples, validation, collate, chosen, **options)
    return Trained(outcome, model, validation, collate)


def same(a: Trained, b: Trained) -> bool:
    x, y = a.weights(), b.weights()
    return x.keys() == y.keys() and all(torch.equal(x[n], y[n]) for n in x)


def test_it_learns() -> None:
    found = fitted(settings(epochs=12, rate=1e-2)).outcome
    losses = [row["loss"] for row in found.history]
    held = [row["val_loss"] for row in found.history]
    assert losses[-1] < 0.5 * losses[0]
    assert min(held) < 0.5 * held[0]
    assert [row["epoch"] for row in found.history] == list(range(1, 13))
    assert found.seconds > 0
    assert found.tokens == 12 * 12 * 20  # epochs, documents, tokens of each


def test_the_plan_is_used() -> None:
    """Words are told by nothing but the plan, so a model that heeds it is better."""
    best = [
        min(row["val_loss"] for row in fitted(chosen, tiny_llama).outcome.history)
        for chosen in (
            settings(epochs=15, rate=5e-3, noise=0.0, smooth=1, latent_dropout=drop)
            for drop in (0.0, 1.0)
        )
    ]
    assert best[0] < best[1] - 0.1


def test_the_same_seed_gives_the_same_bits() -> None:
    torch.manual_seed(123)
    a = fitted(settings(epochs=1))
    torch.manual_seed(456)
    b = fitted(settings(epochs=1))
    assert same(a, b)
    assert a.outcome.history == b.outcome.history
    assert not same(a, fitted(settings(epochs=1, seed=1)))


HASTY = {"epochs": 6, "rate": 1e-2, "lora_rate": 3e-2, "warm_up": 0.0}


@pytest.mark.parametrize("lora", [0, 2])
def test_the_best_epoch_is_kept_in_memory_and_on_disk(lora: int, tmp_path: Path) -> None:
    chosen = settings(**HASTY, lora=lora)
    memory = fitted(chosen, held=OTHERS)
    losses = [row["val_loss"] for row in memory.outcome.history]
    best = losses.index(min(losses))
    assert best < 5
    assert memory.outcome.kept_epoch == best + 1
    assert memory.loss() == pytest.approx(losses[best], rel=1e-5)
    disk = fitted(chosen, held=OTHERS, checkpoints=tmp_path / "checkpoints")
    assert disk.outcome.history == memory.outcome.history
    assert disk.outcome.kept_epoch == best + 1
    assert same(disk, memory)


def test_the_last_epoch_is_kept_where_it_is_asked_for(tmp_path: Path) -> None:
    chosen = settings(**HASTY, keep="last")
    memory = fitted(chosen, held=OTHERS)
    losses = [row["val_loss"] for row in memory.outcome.history]
    assert memory.outcome.kept_epoch == 6
    assert memory.loss() == pytest.approx(losses[-1], rel=1e-5)
    assert losses[-1] > min(losses)
    place = tmp_path / "checkpoints"
    assert same(fitted(chosen, held=OTHERS, checkpoints=place), memory)
    assert last_checkpoint(place) == place / "checkpoint-18"  # what was best is not kept instead
    assert same(fitted(chosen, held=OTHERS, checkpoints=place), memory)  # nothing is left to do


def test_patience_stops_it() -> None:
    chosen = settings(**{**HASTY, "patience": 2, "epochs": 30})
    found = fitted(chosen, held=OTHERS).outcome
    assert len(found.history) == found.kept_epoch + 2 < 30


def test_without_validation_the_last_weights_are_kept(tmp_path: Path) -> None:
    found = fitted(settings(patience=1), held=[])
    assert found.outcome.kept_epoch == len(found.outcome.history) == 3
    assert "val_loss" not in found.outcome.history[-1]
    assert same(found, fitted(settings(patience=1), held=[], checkpoints=tmp_path / "c"))
    assert not same(found, fitted(settings(epochs=2, patience=1), held=[]))


def test_the_last_epoch_alone_may_be_validated() -> None:
    watched: list[int] = []

    def watch() -> dict[str, float]:
        watched.append(1)
        return {"right_tag": float(len(watched))}

    chosen = settings(keep="last")
    whole = fitted(chosen, tiny_llama)
    last = fitted(chosen, tiny_llama, each=False, watch=watch)
    assert same(last, whole)
    history = last.outcome.history
    assert ["val_loss" in row for row in history] == [False, False, True]
    assert history[-1] == {**whole.outcome.history[-1], "val_right_tag": 1.0}
    assert [row["loss"] for row in history] == [row["loss"] for row in whole.outcome.history]
    assert last.outcome.kept_epoch == 3
    assert last.loss() == pytest.approx(history[-1]["val_loss"], rel=1e-5)
    assert len(watched) == 1


@pytest.mark.parametrize("how", [{"keep": "best"}, {"keep": "last", "patience": 5}])
def test_where_epochs_are_compared_each_is_validated(how: dict[str, Any]) -> None:
    chosen = settings(**how)
    whole, asked = fitted(chosen), fitted(chosen, each=False)
    assert asked.outcome.history == whole.outcome.history
    assert all("val_loss" in row for row in asked.outcome.history)
    assert asked.outcome.kept_epoch == whole.outcome.kept_epoch
    assert same(asked, whole)


def test_without_documents_to_validate_on_the_last_epoch_has_no_loss_of_them() -> None:
    history = fitted(settings(keep="last"), held=[], each=False).outcome.history
    assert len(history) == 3
    assert all("val_loss" not in row for row in history)


def test_a_killed_run_is_validated_at_its_end_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(keep="last")
    whole = fitted(chosen, each=False)
    with dying_after(4, monkeypatch), pytest.raises(Stop):
        fitted(chosen, each=False, checkpoints=tmp_path)
    for _ in range(2):  # the second time nothing is left to do
        resumed = fitted(chosen, each=False, checkpoints=tmp_path)
        assert same(resumed, whole)
        assert resumed.outcome.history == whole.outcome.history


@cache
def uninterrupted(chosen: Settings) -> Trained:
    return fitted(chosen)


class Stop(Exception):
    """A run that is killed."""


@contextmanager
def dying_after(steps: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kill the training within after so many steps."""
    left = [steps]

    def dying(self: Steps, *args: Any, **rest: Any) -> None:
        if not left[0]:
            raise Stop
        left[0] -= 1

    with monkeypatch.context() as patch:
        patch.setattr(Steps, "on_step_end", dying)
        yield


def counting(seen: list[int]) -> Any:
    """Return a report that notes the total, where it begins, and each step."""

    @contextmanager
    def progress(what: str, total: int, done: int = 0, unit: str = "") -> Iterator[Advance]:
        seen.extend([total, done])
        yield lambda n=1, **shown: seen.append(n)

    return progress


@pytest.mark.parametrize(
    ("lora", "keep", "grouped"),
    [(0, "best", False), (2, "best", False), (0, "last", False), (0, "last", True)],
)
@pytest.mark.parametrize("after", [1, 4, 7])  # of three steps an epoch
def test_a_run_killed_anywhere_ends_in_the_same_weights(
    after: int,
    lora: int,
    keep: str,
    grouped: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = settings(lora=lora, keep=keep, patience=2, grouped=grouped)
    whole = uninterrupted(chosen)
    place = tmp_path / "killed"
    with dying_after(after, monkeypatch), pytest.raises(Stop):
        fitted(chosen, checkpoints=place)
    kept = last_checkpoint(place)
    assert (kept.name if kept else None) == {1: None, 4: "checkpoint-3", 7: "checkpoint-6"}[after]
    seen: list[int] = []
    resumed = fitted(chosen, checkpoints=place, progress=counting(seen))
    assert seen == [9, after // 3 * 3, *[1] * (9 - after // 3 * 3)]
    assert same(resumed, whole)
    assert resumed.outcome.history == whole.outcome.history
    assert resumed.outcome.kept_epoch == whole.outcome.kept_epoch


def test_a_checkpoint_that_is_not_whole_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(patience=2)
    whole = uninterrupted(chosen)
    with dying_after(7, monkeypatch), pytest.raises(Stop):
        fitted(chosen, checkpoints=tmp_path)
    assert last_checkpoint(tmp_path) == tmp_path / "checkpoint-6"
    (tmp_path / "checkpoint-9").mkdir()  # killed while it was being written
    (tmp_path / "checkpoint-9" / "model.safetensors").write_bytes(b"half")
    (tmp_path / "checkpoint-12").mkdir()
    (tmp_path / "checkpoint-12" / "trainer_state.json").write_text("")
    assert last_checkpoint(tmp_path) == tmp_path / "checkpoint-6"
    assert same(fitted(chosen, checkpoints=tmp_path), whole)
    assert last_checkpoint(tmp_path / "none") is None


def test_patience_goes_on_counting_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(**{**HASTY, "patience": 2, "epochs": 30})
    whole = fitted(chosen, held=OTHERS)
    n = len(whole.outcome.history)
    with dying_after(3 * (n - 1) + 1, monkeypatch), pytest.raises(Stop):  # one epoch was worse
        fitted(chosen, held=OTHERS, checkpoints=tmp_path)
    resumed = fitted(chosen, held=OTHERS, checkpoints=tmp_path)
    assert len(resumed.outcome.history) == n
    assert same(resumed, whole)


def test_a_loss_that_is_no_number_is_refused() -> None:
    with pytest.raises(TimeControlError, match=r"not finite in epoch 1: .* smaller --rate than 1e"):
        fitted(settings(rate=1e30, clip=1e30))


@pytest.mark.parametrize(
    ("accumulate", "epochs", "expected"), [(1, 3, 9), (2, 3, 6), (3, 2, 2), (5, 2, 2)]
)
def test_steps_are_counted_as_they_come(accumulate: int, epochs: int, expected: int) -> None:
    chosen = settings(accumulate=accumulate, epochs=epochs)
    assert steps_of(len(TRAIN), chosen) == expected
    seen: list[int] = []
    fitted(chosen, tiny_llama, progress=counting(seen))
    assert seen == [expected, 0, *[1] * expected]
    assert steps_of(13, settings(batch=4, epochs=1)) == 4


def test_steps_show_the_last_losses() -> None:
    shown: list[dict[str, float]] = []

    @contextmanager
    def progress(what: str, total: int, done: int = 0, unit: str = "") -> Iterator[Advance]:
        assert (what, unit) == ("training", "steps")
        yield lambda n=1, **more: shown.append(more)

    found = fitted(settings(epochs=2), progress=progress)
    first = found.outcome.history[0]
    assert shown[:3] == [{}] * 3
    assert shown[3:] == [{"loss": first["loss"], "val_loss": first["val_loss"]}] * 3


def test_the_projection_has_its_own_rate() -> None:
    chosen = settings(rate=1e-4, projection_rate=7e-3, weight_decay=0.2)
    model = made(chosen)
    groups = groups_of(model, chosen)
    plan = {id(p) for p in model.projection.parameters()}
    found = {id(p): (g["lr"], g["weight_decay"]) for g in groups for p in g["params"]}
    assert set(found) == {id(p) for p in model.parameters()}
    for parameter in model.parameters():
        rate, decay = found[id(parameter)]
        assert rate == (7e-3 if id(parameter) in plan else 1e-4)
        assert decay == (0.2 if parameter.ndim > 1 and id(parameter) not in plan else 0.0)


def test_the_rates_are_those_that_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """One step of AdamW moves each weight by its rate."""
    chosen = settings(
        epochs=1, batch=12, rate=1e-4, projection_rate=7e-3, warm_up=0.0, weight_decay=0.0
    )
    before = made(chosen).state_dict()
    after = fitted(chosen).weights()
    name = "projection.layers.0.weight"
    moved = (after[name] - before[name]).abs().max()
    assert float(moved) == pytest.approx(7e-3, rel=0.02)
    name = "lm.transformer.h.0.mlp.c_fc.weight"
    assert float((after[name] - before[name]).abs().max()) == pytest.approx(1e-4, rel=0.02)


def test_with_adapters_the_base_is_frozen_and_they_have_their_rate() -> None:
    chosen = settings(lora=2, lora_rate=5e-2, rate=1e-9)
    peft = made(chosen)
    rates = {g["lr"] for g in groups_of(peft, chosen)}
    assert rates == {5e-2, chosen.projection_rate}
    before = {n: p.clone() for n, p in peft.named_parameters()}
    found = fitted(chosen)
    moved = {n for n, p in found.model.named_parameters() if not torch.equal(p, before[n])}
    assert moved
    kinds = ("lora_", "projection", "trainable_tokens_delta")
    assert all(any(kind in n for kind in kinds) for n in moved)
    assert all(any(kind in n for n in moved) for kind in kinds)


def test_examples_are_drawn_anew_each_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    get: Callable[..., Any] = Examples.__getitem__

    def spy(self: Examples, number: int) -> Any:
        if self.scale is not None:
            seen.append(self.epoch)
        return get(self, number)

    monkeypatch.setattr(Examples, "__getitem__", spy)
    fitted(settings(epochs=3), tiny_llama)
    assert seen[:36] == [0] * 12 + [1] * 12 + [2] * 12
    examples = Examples(TRAIN, CODEC, settings(), 64)
    for epoch in (None, 1.0, 1.9999999, 5.0):  # as the trainer counts
        Redraw(examples).on_epoch_begin(None, SimpleNamespace(epoch=epoch), None)
        assert examples.epoch == round(epoch or 0)


def test_a_batch_counts_each_document_once_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    orders: list[list[int]] = [[], []]
    get: Callable[..., Any] = Examples.__getitem__

    def spy(self: Examples, number: int) -> Any:
        if self.scale is not None and len(orders[self.epoch]) < 12:
            orders[self.epoch].append(number)
        return get(self, number)

    monkeypatch.setattr(Examples, "__getitem__", spy)
    fitted(settings(epochs=2), tiny_llama)
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(12))
    assert orders[0] != orders[1]


def test_nothing_is_left_behind_or_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = settings(epochs=2)
    model = made(chosen, tiny_llama)
    capfd.readouterr()
    collate = Collator(CODEC.end, (CODEC.unit_end,), False)
    held = Examples(HELD, CODEC, chosen, 64)
    train(model, Examples(TRAIN, CODEC, chosen, 64, np.ones(2)), held, collate, chosen)
    assert capfd.readouterr() == ("", "")
    assert not list(tmp_path.iterdir())


def test_a_missing_tensorboard_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(TimeControlError, match="pip install tensorboard"):
        fitted(settings(), tiny_llama, tensorboard=tmp_path)


def test_logs_of_one_epoch_are_one_row() -> None:
    log = [
        {"epoch": 1.0, "loss": 3.0, "learning_rate": 1.0},
        {"epoch": 1.0, "eval_loss": 2.5},
        {"epoch": 2.0, "loss": 2.0},
        {"epoch": 2.0, "train_runtime": 9.0},
    ]
    assert training._history(log) == [
        {"epoch": 1, "loss": 3.0, "val_loss": 2.5},
        {"epoch": 2, "loss": 2.0},
    ]
