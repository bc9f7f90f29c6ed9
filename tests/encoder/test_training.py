"""The loop: the same weights from the same seed, interrupted or not."""

from pathlib import Path
from typing import Any

import pytest
import torch

from timecontrol.encoder import training
from timecontrol.encoder.losses import Sentences
from timecontrol.encoder.reconstruction import Gaussian, Reconstruction
from timecontrol.encoder.settings import Settings, preset
from timecontrol.encoder.training import Loop, Outcome, train
from timecontrol.errors import TimeControlError
from timecontrol.experiments.recovery import bridges

SEEN = bridges(d=2, documents=30)
DATA = Sentences.of(SEEN.features[: SEEN.held], SEEN.lengths[:27])
SMALL = {"hidden": 16, "latent_dim": 2, "batch": 32, "epochs": 4, "context_units": 8}


def settings(**changes: Any) -> Settings:
    return preset("best", **{**SMALL, **changes})


def fitted(chosen: Settings, **options: Any) -> Outcome:
    def reconstruction() -> Reconstruction:
        return Dropping(DATA.features, chosen.latent_dim, 8)

    if chosen.objective == "vae":
        options["reconstruction"] = reconstruction
    return train(DATA, SEEN.n_train, chosen, **options)


class Dropping(Gaussian):
    """A reconstruction with dropout, as language models have."""

    def forward(self, z: torch.Tensor, sentences: torch.Tensor) -> torch.Tensor:
        return super().forward(torch.nn.functional.dropout(z, 0.2, self.training), sentences)


def same(a: Outcome, b: Outcome) -> bool:
    x, y = a.head.state_dict(), b.head.state_dict()
    return all(torch.equal(x[name], y[name]) for name in x)


@pytest.mark.parametrize("objective", ["bridge", "brownian", "implicit", "vae"])
def test_the_same_seed_gives_the_same_bits(objective: str) -> None:
    torch.manual_seed(123)  # the state of the world does not matter
    a = fitted(settings(objective=objective))
    torch.manual_seed(456)
    b = fitted(settings(objective=objective))
    assert same(a, b)
    assert a.history == b.history
    assert not same(a, fitted(settings(objective=objective, seed=1)))


@pytest.mark.parametrize("objective", ["bridge", "vae"])
def test_the_world_s_random_state_is_left_alone(objective: str) -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    fitted(settings(objective=objective))
    assert torch.equal(torch.rand(3), expected)


class Stop(Exception):
    """A run that is killed."""


@pytest.mark.parametrize(
    ("objective", "optimiser"),
    [("bridge", "adamw"), ("bridge", "sgd"), ("implicit", "adamw"), ("vae", "adamw")],
)
@pytest.mark.parametrize("after", [0, 1, 21, 50])
def test_a_run_killed_anywhere_ends_in_the_same_weights(
    objective: str,
    optimiser: str,
    after: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = settings(objective=objective, optimiser=optimiser, rate=1e-3)
    whole = fitted(chosen)
    file = tmp_path / "checkpoint.safetensors"
    monkeypatch.setattr(training, "SAVE_EVERY", 0.0)
    step = Loop.step
    left = [after]

    def dying(self: Loop, *args: Any) -> None:
        if left[0] == 0:
            raise Stop
        left[0] -= 1
        step(self, *args)

    monkeypatch.setattr(Loop, "step", dying)
    with pytest.raises(Stop):
        fitted(chosen, checkpoint=file, identity="a")
    assert file.exists() == (after > 0)
    steps = [0]

    def counted(self: Loop, *args: Any) -> None:
        steps[0] += 1
        step(self, *args)

    monkeypatch.setattr(Loop, "step", counted)
    resumed = fitted(chosen, checkpoint=file, identity="a")
    assert same(whole, resumed)
    assert whole.history == resumed.history
    assert steps[0] == 4 * _batches(chosen) - after


def _batches(chosen: Settings) -> int:
    from timecontrol.encoder.losses import ends_of

    ends = ends_of(DATA.index, chosen)
    return int((ends < SEEN.n_train).sum()) // chosen.batch


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    file = tmp_path / "checkpoint.safetensors"
    monkeypatch.setattr(training, "SAVE_EVERY", 0.0)
    fitted(settings(), checkpoint=file, identity="a")
    with pytest.raises(TimeControlError, match="unfinished run of other data or settings"):
        fitted(settings(), checkpoint=file, identity="b")


def test_the_best_head_on_validation_is_kept() -> None:
    outcome = fitted(settings(epochs=30, patience=3, rate=0.03))
    losses = [row["val_loss"] for row in outcome.history]
    best = min(range(len(losses)), key=losses.__getitem__)
    assert outcome.best_epoch == best + 1
    assert len(losses) < 30
    assert len(losses) == best + 1 + 3
    again = fitted(settings(epochs=best + 1, patience=0, rate=0.03))
    assert same(outcome, again)  # the head of that epoch, not of the last


def test_without_patience_the_last_head_is_kept() -> None:
    outcome = fitted(settings(patience=0, rate=0.03, epochs=6))
    assert outcome.best_epoch == len(outcome.history) == 6


def test_without_validation_it_trains_to_the_end() -> None:
    n = SEEN.n_train
    alone = Sentences.of(SEEN.features[:n], SEEN.lengths[:24])
    outcome = train(alone, n, settings())
    assert len(outcome.history) == 4
    assert "val_loss" not in outcome.history[-1]


def test_validation_draws_are_the_same_for_every_seed() -> None:
    """Two runs are compared on the same samples: with one head, one loss."""
    losses = []
    for seed in (0, 1):
        outcome = fitted(settings(epochs=1, seed=seed))
        outcome.model.head.load_state_dict(fitted(settings(epochs=1)).head.state_dict())
        loop = Loop(outcome.model, DATA, SEEN.n_train, None, "")
        losses.append(loop.validate()["loss"])
    assert losses[0] == losses[1]


def test_features_that_are_no_numbers_are_refused() -> None:
    features = DATA.features.clone()
    features[7, 1] = torch.nan
    with pytest.raises(TimeControlError, match=r"1 of \d+ sentences are not finite.*sentence 7"):
        train(Sentences(features, DATA.index), SEEN.n_train, settings())


def test_a_loss_that_bursts_is_refused() -> None:
    with pytest.raises(TimeControlError, match=r"not finite in epoch.*smaller --rate"):
        fitted(settings(rate=1e30, optimiser="sgd"))


def test_too_little_is_refused() -> None:
    with pytest.raises(TimeControlError, match="0 samples in 4 sentences"):
        train(Sentences.of(torch.zeros(4, 2), [2, 2]), 4, settings())
    with pytest.raises(TimeControlError, match="0 samples at distance 50"):
        train(DATA, SEEN.n_train, settings(distance=50))


def test_the_language_model_has_its_own_rate() -> None:
    chosen = settings(objective="vae", rate=1e-3, lm_rate=1e-5)
    outcome = fitted(chosen)
    groups = training.optimiser_of(outcome.model).param_groups
    assert [g["lr"] for g in groups] == [1e-3, 1e-5]
    total = sum(len(g["params"]) for g in groups)
    assert total == len(list(outcome.model.parameters()))
