import numpy as np
import pytest
import torch

from timecontrol.decoder import Decoder
from timecontrol.infilling import likelihood
from timecontrol.infilling.likelihood import Sequel, log_probs


def sequels(decoder: Decoder, n: int = 5) -> list[Sequel]:
    c, random = decoder.codec, np.random.default_rng(0)
    found = []
    for i in range(n):
        before = [c.begin, *c.tokens(" Add the sugar and the eggs."[: 5 + 4 * i]), c.unit_end]
        ids = [*c.tokens(" Bake it well."[: 4 + 2 * i]), c.unit_end]
        points = random.standard_normal((3, 3)) if decoder.model.config.plan_dim else None
        found.append(Sequel(before, ids, points))
    return found


def by_hand(decoder: Decoder, s: Sequel) -> float:
    ids = torch.tensor([[*s.before, *s.ids]])
    given = {} if s.points is None else {"plan": torch.tensor(s.points[None]).float()}
    with torch.no_grad():
        logs = decoder.model(ids, **given).logits[0].log_softmax(-1)
    places = range(len(s.before), ids.shape[1])
    return float(sum(logs[i - 1, int(ids[0, i])] for i in places))


@pytest.mark.parametrize("name", ["forward", "blanks"])
def test_the_tokens_after_others_are_counted_one_by_one(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoder: Decoder = request.getfixturevalue(name)
    given = sequels(decoder)
    wanted = [by_hand(decoder, s) for s in given]
    np.testing.assert_allclose(log_probs(decoder, given), wanted, rtol=1e-4)
    monkeypatch.setattr(likelihood, "FEWER", 1)  # each in a batch of its own
    np.testing.assert_allclose(log_probs(decoder, given), wanted, rtol=1e-4)


def test_without_latents_plans_make_no_difference(forward: Decoder) -> None:
    first = sequels(forward)
    other = [Sequel(s.before, s.ids, np.ones((3, 3))) for s in first]
    np.testing.assert_allclose(
        log_probs(forward, first, False), log_probs(forward, other, False), rtol=1e-5
    )
    assert not np.allclose(log_probs(forward, first), log_probs(forward, other), rtol=1e-5)


def test_nothing_costs_nothing(forward: Decoder) -> None:
    assert len(log_probs(forward, [])) == 0
