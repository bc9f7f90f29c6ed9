import math

import pytest
import torch

from tests.conftest import tiny_gpt2, tiny_llama
from timecontrol.encoder.reconstruction import Gaussian, TextModel, small_model
from timecontrol.features.batches import Ragged

TOKENS = Ragged([[0, 5, 6, 7, 1], [0, 8, 1], [0, 9, 5, 1]])


@pytest.mark.parametrize("make", [tiny_gpt2, tiny_llama])
def test_likelihoods_are_sums_of_the_sentence_s_own_tokens(make: object) -> None:
    model = TextModel(make(20), TOKENS, 2, pad=3)  # type: ignore[operator]
    model.eval()
    z = torch.randn(3, 2)
    whole = model(z, torch.tensor([0, 1, 2]))
    for row in range(3):  # one at a time: no padding
        alone = model(z[row : row + 1], torch.tensor([row]))
        torch.testing.assert_close(whole[row], alone[0], rtol=1e-4, atol=1e-4)
    given = model.model.get_input_embeddings()(torch.tensor([[0, 8]])) + model.project(z[1])
    logits = model.model(inputs_embeds=given).logits.log_softmax(-1)
    expected = logits[0, 0, 8] + logits[0, 1, 1]
    torch.testing.assert_close(whole[1], expected, rtol=1e-4, atol=1e-4)


def test_the_latent_matters_and_gets_gradients() -> None:
    model = TextModel(tiny_gpt2(20), TOKENS, 2, pad=3)
    model.eval()
    z = torch.randn(3, 2, requires_grad=True)
    found = model(z, torch.tensor([0, 1, 2]))
    found.sum().backward()
    assert z.grad is not None
    assert (z.grad.abs().sum(1) > 0).all()
    assert not torch.allclose(found, model(z + 1, torch.tensor([0, 1, 2])))


def test_a_gaussian_is_the_density_of_features() -> None:
    features = torch.randn(5, 3)
    model = Gaussian(features, 2, 8)
    with torch.no_grad():
        model.log_scale.fill_(math.log(2.0))
    z = torch.randn(2, 2)
    law = torch.distributions.Normal(model.mean(z), 2.0)
    expected = law.log_prob(features[torch.tensor([4, 0])]).sum(-1)  # type: ignore[no-untyped-call]
    torch.testing.assert_close(model(z, torch.tensor([4, 0])), expected)
    assert "features" not in model.state_dict()  # data are not weights


def test_the_small_model_is_the_same_for_a_seed() -> None:
    a, b, c = (small_model(50, 16, seed) for seed in (0, 0, 1))
    weights = [m.transformer.wte.weight for m in (a, b, c)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
