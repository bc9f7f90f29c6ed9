from typing import Any

import pytest
import torch

from timecontrol.encoder.head import Head


def made(**options: bool) -> tuple[Head, torch.Tensor]:
    torch.manual_seed(0)
    head = Head(6, 3, hidden=16, **options)
    features = 5 * torch.randn(200, 6) + torch.arange(6.0)
    head.standardise_features(features)
    head.standardise_latents(features)
    return head, features


def test_it_is_the_formula() -> None:
    head, features = made()
    layers: list[Any] = list(head.layers)
    w, b = [layer.weight for layer in layers], [layer.bias for layer in layers]
    h = (features - features.mean(0)) / features.std(0, correction=0)
    h = h @ w[0].T + b[0]  # no ReLU here
    h = (h @ w[1].T + b[1]).relu()
    h = (h @ w[2].T + b[2]).relu()
    torch.testing.assert_close(head.raw(features), h @ w[3].T + b[3], rtol=1e-4, atol=1e-5)


def test_latents_of_training_sentences_are_standard() -> None:
    head, features = made()
    latents = head(features)
    torch.testing.assert_close(latents.mean(0), torch.zeros(3), atol=1e-5, rtol=0)
    torch.testing.assert_close(latents.std(0, correction=0), torch.ones(3), atol=1e-4, rtol=0)


def test_without_biases_it_is_homogeneous() -> None:
    head = Head(6, 3, hidden=16, biases=False)
    features = torch.randn(5, 6)
    torch.testing.assert_close(head(3 * features), 3 * head(features))
    assert all(layer.bias is None for layer in head.layers)


@pytest.mark.parametrize("biases", [True, False])
@pytest.mark.parametrize("first_relu", [True, False])
def test_four_plain_layers_do_the_same(biases: bool, first_relu: bool) -> None:
    head, features = made(biases=biases, first_relu=first_relu)
    h = features
    for weight, bias, relu in head.folded():
        h = h @ weight.T + bias
        h = h.relu() if relu else h
    torch.testing.assert_close(h, head(features), rtol=1e-4, atol=1e-4)


def test_a_constant_feature_is_left_unscaled() -> None:
    head = Head(2, 1)
    head.standardise_features(torch.tensor([[1.0, 7.0], [3.0, 7.0]]))
    assert head.feature_scale.tolist() == [1.0, 1.0]
    assert head.feature_mean.tolist() == [2.0, 7.0]
    assert head(torch.tensor([[1.0, 7.0]])).isfinite().all()


def test_features_are_dropped_in_training_only() -> None:
    head = Head(50, 2, 8, dropout=0.5)
    x = torch.ones(4, 50)
    torch.manual_seed(0)
    head.train()
    assert not torch.equal(head.raw(x), head.raw(x))
    head.eval()
    assert torch.equal(head.raw(x), head.raw(x))
