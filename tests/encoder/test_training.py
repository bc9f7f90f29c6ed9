"""The loop: the same weights from the same seed, interrupted or not."""

from pathlib import Path
from typing import Any

import pytest
import torch

from timecontrol.encoder import training
from timecontrol.encoder.losses import Sentences, batch_loss
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


def test_optimisers_have_the_settings() -> None:
    from timecontrol.encoder.head import Head
    from timecontrol.encoder.losses import Trainee

    chosen = settings(optimiser="sgd", momentum=0.8, rate=0.1)
    group = training.optimiser_of(Trainee(Head(2, 2), chosen)).param_groups[0]
    assert (group["lr"], group["momentum"]) == (0.1, 0.8)
    chosen = settings(weight_decay=0.3, rate=0.2)
    group = training.optimiser_of(Trainee(Head(2, 2), chosen)).param_groups[0]
    assert (group["lr"], group["weight_decay"]) == (0.2, 0.3)


def test_standards_are_those_of_training_sentences() -> None:
    outcome = fitted(settings())
    mine = DATA.features[: SEEN.n_train]
    torch.testing.assert_close(outcome.head.feature_mean, mine.mean(0))
    torch.testing.assert_close(outcome.head.feature_scale, mine.std(0, correction=0))
    z = outcome.head(mine)
    torch.testing.assert_close(z.mean(0), torch.zeros(2), atol=1e-4, rtol=0)
    torch.testing.assert_close(z.std(0, correction=0), torch.ones(2), atol=1e-4, rtol=0)


Batch = tuple[str, list[int], int]
"""What a batch of a training is given: its mode, its sentences, its random state."""


def seen_batches(chosen: Settings, monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """Return all batches of a training."""
    found: list[Batch] = []
    real: Any = batch_loss

    def spy(model: Any, data: Any, ends: Any, generator: Any, *rest: Any) -> Any:
        mode = "train" if model.training else "val"
        found.append((mode, ends.tolist(), generator.initial_seed()))
        return real(model, data, ends, generator, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(training, "batch_loss", spy)
        fitted(chosen)
    return found


def test_what_batches_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    found = seen_batches(settings(epochs=2), monkeypatch)
    mine = [b for b in found if b[0] == "train"]
    n = len(mine) // 2
    assert mine[0][1] != sorted(mine[0][1])
    assert [b[1] for b in mine[:n]] != [b[1] for b in mine[n:]]  # epochs differ
    assert len({b[2] for b in mine}) == len(mine)  # every batch draws for itself
    held = [b for b in found if b[0] == "val"]
    assert held[: len(held) // 2] == held[len(held) // 2 :]  # validation does not
    assert len({b[2] for b in held}) == len(held) // 2 >= training.DRAWS
    other = [b for b in seen_batches(settings(epochs=2, seed=1), monkeypatch) if b[0] == "train"]
    assert [b[1] for b in other] != [b[1] for b in mine]
    assert all(i < SEEN.n_train for b in mine for i in b[1])
    assert all(i >= SEEN.n_train for b in held for i in b[1])


def test_documents_stay_together_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    start = torch.arange(len(DATA.features)) - DATA.index.position

    def documents(together: int) -> float:
        found = seen_batches(settings(epochs=1, together=together), monkeypatch)
        counts = [len(set(start[b[1]].tolist())) for b in found if b[0] == "train"]
        return sum(counts) / len(counts)

    assert documents(128) < 4 < 10 < documents(1)


def test_the_best_head_survives_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed after the best epoch, before it stops: the head of that epoch is kept."""
    chosen = settings(epochs=30, patience=3, rate=0.03)
    whole = fitted(chosen)
    assert whole.best_epoch < len(whole.history)
    after = (whole.best_epoch + 1) * _batches(chosen) + 1
    monkeypatch.setattr(training, "SAVE_EVERY", 0.0)
    step, left = Loop.step, [after]

    def dying(self: Loop, *args: Any) -> None:
        if left[0] == 0:
            raise Stop
        left[0] -= 1
        step(self, *args)

    file = tmp_path / "checkpoint.safetensors"
    with monkeypatch.context() as patch:
        patch.setattr(Loop, "step", dying)
        with pytest.raises(Stop):
            fitted(chosen, checkpoint=file, identity="a")
    assert same(whole, fitted(chosen, checkpoint=file, identity="a"))


def test_the_bound_names_its_n() -> None:
    outcome = fitted(settings(batch=512, epochs=1))
    row = outcome.history[0]
    held = len([e for e in DATA.index.ends(2).tolist() if e >= SEEN.n_train])
    assert row["val_n"] == held < 512
    import math

    assert row["val_information"] == pytest.approx(math.log(held) - row["val_contrast"], abs=1e-5)


def test_weights_do_not_depend_on_the_number_of_threads() -> None:
    found = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        found.append(fitted(settings()))
        assert torch.get_num_threads() == threads
    torch.set_num_threads(1)
    assert same(*found)
