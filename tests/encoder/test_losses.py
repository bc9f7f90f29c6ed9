"""Each objective on bridges it can learn: below chance before, better after."""

import math
from dataclasses import replace

import pytest
import torch

from timecontrol.encoder.head import Head
from timecontrol.encoder.losses import Sentences, Trainee, batch_loss, ends_of
from timecontrol.encoder.reconstruction import Gaussian
from timecontrol.encoder.sampling import random_state
from timecontrol.encoder.settings import Settings, preset
from timecontrol.encoder.training import train
from timecontrol.experiments.recovery import bridges
from timecontrol.objectives import bridge, brownian
from timecontrol.processes import BrownianBridge, BrownianMotion

SMALL = {
    "hidden": 32,
    "latent_dim": 2,
    "batch": 64,
    "epochs": 8,
    "patience": 0,
    "rate": 5e-3,
    "dropout": 0.0,
    "context_units": 48,
}
SEEN = bridges(d=2, documents=150)
DATA = Sentences.of(SEEN.features[: SEEN.held], SEEN.lengths[:135])


def made(settings: Settings) -> Trainee:
    torch.manual_seed(0)
    head = Head(2, settings.latent_dim, settings.hidden)
    reconstruction = Gaussian(DATA.features, settings.latent_dim, 32)
    return Trainee(head, settings, reconstruction if settings.objective == "vae" else None)


def test_features_and_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="3 features for 4 sentences"):
        Sentences.of(torch.zeros(3, 2), [4])


@pytest.mark.parametrize("loss", ["paper", "released", "masked"])
@pytest.mark.parametrize("objective", ["bridge", "brownian"])
def test_contrasts_fall_below_chance(objective: str, loss: str) -> None:
    settings = preset("best", objective=objective, loss=loss, **SMALL)
    outcome = train(DATA, SEEN.n_train, settings)
    last = outcome.history[-1]
    assert last["val_contrast"] < math.log(64) - (0.02 if loss == "released" else 0.5)
    assert last["val_information"] == pytest.approx(math.log(64) - last["val_contrast"], abs=1e-4)
    if loss != "released":  # there, end points on the wrong side score above the right ones
        assert last["val_retrieval"] > 2 / 64


def test_implicit_dynamics_retrieve_above_chance() -> None:
    settings = preset("best", objective="implicit", **SMALL)
    outcome = train(DATA, SEEN.n_train, settings)
    assert outcome.history[-1]["val_retrieval"] > 2 / 64
    assert outcome.history[-1]["val_contrast"] < math.log(64) - 0.5


def test_the_evidence_rises_and_the_posterior_does_not_collapse() -> None:
    settings = preset("best", objective="vae", **{**SMALL, "epochs": 30})
    outcome = train(
        DATA, SEEN.n_train, settings, reconstruction=lambda: Gaussian(DATA.features, 2, 32)
    )
    first, last = outcome.history[0], outcome.history[-1]
    assert last["val_evidence"] > first["val_evidence"] + 0.5
    assert last["val_divergence"] > 1.0  # nats: a collapsed posterior has none
    q = outcome.model.posterior(DATA.features)
    assert (q.mean.var(0) > 0.3 * q.log_variance.exp().mean(0)).all()


def test_a_batch_is_the_objective_of_its_latents() -> None:
    model = made(preset("best", **SMALL))
    ends = ends_of(DATA.index, model.settings)[:32]
    found = batch_loss(model, DATA, ends, random_state(5))["contrast"]
    from timecontrol.encoder.sampling import triplets
    from timecontrol.objectives.contrast import contrast

    drawn = triplets(DATA.index, ends, random_state(5))
    parts = (drawn.first, drawn.middle, drawn.last)
    z_0, z_t, z_T = (model.head.raw(DATA.features[x]) for x in parts)
    t, T = drawn.times()
    expected = contrast(bridge.logits(z_0, z_t, z_T, t, T, BrownianBridge()))
    torch.testing.assert_close(found, expected)


def test_pairs_at_a_fixed_distance_are_that_far_apart() -> None:
    model = made(preset("best", objective="brownian", distance=5, **SMALL))
    ends = ends_of(DATA.index, model.settings)
    assert (DATA.index.position[ends] >= 5).all()
    assert int((DATA.index.position == 5).sum()) == int((DATA.index.position[ends] == 5).sum())
    ends = ends[:16]
    found = batch_loss(model, DATA, ends, random_state(5))["loss"]
    from timecontrol.objectives.contrast import contrast

    z_s, z_t = (model.head.raw(DATA.features[x]) for x in (ends - 5, ends))
    gap = torch.full((16,), 5.0)
    torch.testing.assert_close(found, contrast(brownian.logits(z_s, z_t, gap, BrownianMotion())))


def test_the_released_glue_by_hand() -> None:
    """Positions are counted from documents' starts; ends are those of whole documents."""
    from timecontrol.encoder.sampling import triplets
    from timecontrol.objectives.contrast import contrast

    place, length = DATA.index.position, DATA.index.length
    ends = ends_of(DATA.index, preset("best", **SMALL))
    last = ends[place[ends] == length[ends] - 1][:6]
    ends = torch.cat([last, ends[:40]])
    drawn = triplets(DATA.index, ends, random_state(2))
    parts = (drawn.first, drawn.middle, drawn.last)
    for loss in ("released", "masked"):
        model = made(preset("best", loss=loss, pin=1.0, **SMALL))
        z_0, z_t, z_T = (model.head.raw(DATA.features[x]) for x in parts)
        where = [place[x].float() for x in parts]
        logits = bridge.released_logits(
            z_0, z_t, z_T, where[0], where[1], where[2], loss == "masked"
        )
        opens = [i for i in range(len(ends)) if int(place[drawn.first[i]]) == 0]
        closes = [i for i in range(len(ends)) if int(place[ends[i]]) == int(length[ends[i]]) - 1]
        assert len(closes) >= len(last)
        pin = z_0[opens].square().mean() + (z_T[closes].abs() - 1).square().mean()
        found = batch_loss(model, DATA, ends, random_state(2))
        torch.testing.assert_close(found["contrast"], contrast(logits))
        torch.testing.assert_close(found["pin"], pin)


def test_a_bridge_at_a_fixed_distance_by_hand() -> None:
    from timecontrol.objectives.contrast import contrast

    model = made(preset("best", distance=2, **SMALL))
    ends = ends_of(DATA.index, model.settings)[:24]
    z_0, z_t, z_T = (model.head.raw(DATA.features[x]) for x in (ends - 4, ends - 2, ends))
    t = torch.full((24,), 2.0)
    expected = contrast(bridge.logits(z_0, z_t, z_T, t, 2 * t, BrownianBridge()))
    found = batch_loss(model, DATA, ends, random_state(0))["loss"]
    torch.testing.assert_close(found, expected)


def test_implicit_by_hand() -> None:
    from timecontrol.encoder.sampling import windows
    from timecontrol.objectives.contrast import contrast

    model = made(preset("best", objective="implicit", **SMALL))
    assert model.context is not None
    ends = ends_of(DATA.index, model.settings)[:24]
    window, following = windows(DATA.index, ends, 4)
    predicted = model.context(model.head.raw(DATA.features[window]))
    expected = contrast(predicted @ model.head.raw(DATA.features[following]).T)
    torch.testing.assert_close(batch_loss(model, DATA, ends, random_state(0))["loss"], expected)


def test_vae_by_hand() -> None:
    from timecontrol.encoder.sampling import triplets
    from timecontrol.objectives import vae

    model = made(preset("best", objective="vae", **SMALL))
    assert model.reconstruction is not None
    ends = ends_of(DATA.index, model.settings)[:24]
    state = random_state(3)
    drawn = triplets(DATA.index, ends, state)
    parts = (drawn.first, drawn.middle, drawn.last)
    q = [model.posterior(DATA.features[x]) for x in parts]
    z = [p.draw(state) for p in q]
    t, T = drawn.times()
    prior = BrownianBridge().mean(z[0], z[2], t, T), BrownianBridge().variance(t, T).unsqueeze(1)
    cost = (
        vae.divergence(q[0], torch.zeros(2), torch.ones(1))
        + vae.divergence(q[1], *prior)
        + vae.divergence(q[2], torch.ones(2), torch.ones(1))
    ).sum(1)
    likelihood = sum(model.reconstruction(a, b) for a, b in zip(z, parts, strict=True))
    found = batch_loss(model, DATA, ends, random_state(3))
    torch.testing.assert_close(found["evidence"], (likelihood - cost).mean())


def test_free_nats_are_by_coordinate_over_the_batch() -> None:
    settings = preset("best", objective="vae", free_nats=0.05, **SMALL)
    ends = ends_of(DATA.index, settings)[:24]
    plain = batch_loss(made(replace(settings, free_nats=0.0)), DATA, ends, random_state(1))
    some = batch_loss(made(settings), DATA, ends, random_state(1))
    saved = (plain["loss"] - some["loss"]).item()
    assert 0 < saved <= 3 * 2 * 0.05 + 1e-4  # three sentences, two coordinates


def test_the_pin_is_weighed() -> None:
    ends = ends_of(DATA.index, preset("best", **SMALL))[:48]
    found = [
        batch_loss(made(preset("best", pin=w, **SMALL)), DATA, ends, random_state(1))
        for w in (0.0, 0.5, 2.0)
    ]
    assert "pin" not in found[0]
    for numbers, weight in zip(found[1:], (0.5, 2.0), strict=True):
        expected = numbers["contrast"] + weight * numbers["pin"]
        torch.testing.assert_close(numbers["loss"], expected)
        assert numbers["pin"] > 0


def test_free_nats_and_warm_up_lower_the_cost_of_divergence() -> None:
    ends = ends_of(DATA.index, preset("best", objective="vae", **SMALL))[:48]
    plain = batch_loss(made(preset("best", objective="vae", **SMALL)), DATA, ends, random_state(1))
    torch.testing.assert_close(plain["loss"], -plain["evidence"])
    half = batch_loss(
        made(preset("best", objective="vae", **SMALL)), DATA, ends, random_state(1), weight=0.5
    )
    torch.testing.assert_close(half["loss"], half["reconstruction"] + 0.5 * half["divergence"])
    free = made(preset("best", objective="vae", free_nats=1e6, **SMALL))
    numbers = batch_loss(free, DATA, ends, random_state(1))
    torch.testing.assert_close(numbers["loss"], numbers["reconstruction"])


def test_a_vae_needs_a_reconstruction() -> None:
    with pytest.raises(ValueError, match="needs a reconstruction"):
        Trainee(Head(2, 2), preset("best", objective="vae"))
