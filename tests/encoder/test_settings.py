import pytest

from timecontrol.encoder.settings import PRESETS, Settings, preset
from timecontrol.errors import TimeControlError


def test_the_paper_s_training_is_a_preset() -> None:
    paper = PRESETS["paper"]
    assert (paper.optimiser, paper.rate, paper.momentum) == ("sgd", 1e-4, 0.9)
    assert (paper.batch, paper.epochs, paper.patience, paper.pin) == (32, 100, 0, 0)
    assert (paper.loss, paper.pooling, paper.context_units) == ("paper", "eos", 2400)


def test_the_released_code_s_training_is_a_preset() -> None:
    released = PRESETS["released"]
    assert (released.loss, released.pin, released.pooling) == ("released", 1.0, "mean")
    assert (released.biases, released.first_relu, released.context_layers) == (False, False, 3)
    assert (released.batch, released.epochs) == (32, 100)


def test_presets_differ_from_the_best_in_just_these() -> None:
    best = PRESETS["best"].as_dict()
    sgd = {"optimiser": "sgd", "rate": 1e-4, "batch": 32, "patience": 0, "together": 1}
    common = {**sgd, "tags": True, "dropout": 0.0, "standardise": False}
    expected = {
        "paper": {**common, "preset": "paper", "pooling": "eos", "first_relu": True},
        "released": {
            **common, "preset": "released", "loss": "released", "pin": 1.0, "biases": False,
            "context_layers": 3,
        },
    }  # fmt: skip
    for name, differences in expected.items():
        found = PRESETS[name].as_dict()
        assert {k: v for k, v in found.items() if v != best[k]} == differences


def test_what_has_no_meaning_is_refused_or_dropped() -> None:
    with pytest.raises(TimeControlError, match="no meaning for implicit"):
        preset("best", objective="implicit", distance=3)
    assert preset("released", objective="brownian").pin == 0
    assert preset("released").pin == 1


def test_a_vae_has_its_own_best_unless_said() -> None:
    assert preset("best", objective="vae").batch == 32
    assert preset("best", objective="vae", batch=64).batch == 64
    assert preset("best", objective="bridge").batch == 256
    assert preset("paper", objective="vae").epochs == 100


def test_settings_come_back_from_plain_data() -> None:
    settings = preset("best", latent_dim=16, seed=None)
    assert settings.latent_dim == 16
    assert settings.seed == 0
    assert Settings.from_dict(settings.as_dict()) == settings
    assert Settings.from_dict({**settings.as_dict(), "of_a_later_version": 1}) == settings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objective": "brige"}, "No objective named 'brige'. Did you mean 'bridge'"),
        ({"loss": "none"}, "No loss named 'none'"),
        ({"pooling": "max"}, "No pooling named 'max'"),
        ({"optimiser": "lion"}, "No optimiser named 'lion'"),
        ({"latent_dim": 0}, "latent dim is 0: 1 or more"),
        ({"batch": 1}, "batch is 1: 2 or more"),
        ({"rate": 0.0}, "rate is 0: more than 0"),
        ({"rate": float("nan")}, "rate is nan: more than 0"),
        ({"seed": -1}, "seed is -1: 0 or more"),
        ({"seed": 2**31}, "below 2147483648"),
        ({"distance": -2}, "distance is -2: 0 or more"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(TimeControlError, match=message):
        preset("best", **changes)


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(TimeControlError, match=r"No preset named 'bset'\. Did you mean 'best'"):
        preset("bset")


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_dropout_is_a_share(share: float) -> None:
    with pytest.raises(TimeControlError, match=r"dropout is .*: 0 or more, below 1"):
        preset("best", dropout=share)
