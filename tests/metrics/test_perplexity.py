"""Perplexity by hand, of known probabilities, and whatever the batch."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.conftest import tiny_llama
from timecontrol.metrics import perplexity as module
from timecontrol.metrics.perplexity import IGNORED, perplexity, surprise

CHAIN = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [0.2, 0.6, 0.2]])
"""Probability of the next token, given this one."""


class Bigrams:
    """A model that knows the next token's probabilities; all that it is handed is kept."""

    def __init__(self, chain: Tensor) -> None:
        self.logits = chain.log()
        self.given: list[dict[str, Any]] = []

    def __call__(self, **given: Any) -> Any:
        self.given.append(given)
        return SimpleNamespace(logits=self.logits[given["input_ids"]])


def batch_of(documents: list[list[int]], pad: int = 0, more: int = 0) -> dict[str, Tensor]:
    """Return documents as a collator makes them, with ``more`` padding than needed."""
    longest = max(map(len, documents)) + more
    ids = torch.full((len(documents), longest), pad)
    mask, labels = torch.zeros_like(ids), torch.full_like(ids, IGNORED)
    for row, document in enumerate(documents):
        n = len(document)
        ids[row, :n] = torch.tensor(document)
        mask[row, :n] = 1
        labels[row, 1:n] = ids[row, 1:n]
    weights = torch.full(ids.shape, 7.0)
    return {"input_ids": ids, "attention_mask": mask, "labels": labels, "weights": weights}


def test_a_chain_by_hand() -> None:
    sums, tokens = surprise(Bigrams(CHAIN), batch_of([[0, 1, 2, 2], [2, 1]]))
    # 0 -> 1 -> 2 -> 2 and 2 -> 1
    np.testing.assert_allclose(sums, -np.log([0.25 * 0.8 * 0.2, 0.6]), rtol=1e-6)
    assert tokens.tolist() == [3, 1]
    found = perplexity(sums, tokens)
    assert found.value == pytest.approx((0.25 * 0.8 * 0.2 * 0.6) ** (-1 / 4))
    assert found.documents == 2


@pytest.mark.parametrize("vocabulary", [2, 7, 1000])
def test_who_knows_nothing_is_as_perplexed_as_there_are_tokens(vocabulary: int) -> None:
    model = Bigrams(torch.full((vocabulary, vocabulary), 1 / vocabulary))
    documents = [torch.randint(vocabulary, (n,)).tolist() for n in (2, 9, 5)]
    found = perplexity(*surprise(model, batch_of(documents)))
    assert found.value == pytest.approx(vocabulary)
    assert found.low == pytest.approx(vocabulary)
    assert found.error == pytest.approx(0, abs=1e-3 * vocabulary)


def test_who_knows_everything_is_not_perplexed() -> None:
    turns = torch.tensor([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
    found = perplexity(*surprise(Bigrams(turns), batch_of([[0, 1, 2, 0], [2, 0]])))
    assert found.value == 1


def test_labels_and_weights_are_not_handed_to_the_model() -> None:
    model = Bigrams(CHAIN)
    surprise(model, {**batch_of([[0, 1]]), "plan": torch.zeros(1, 2, 3)})
    assert set(model.given[0]) == {"input_ids", "attention_mask", "plan"}


def test_what_is_ignored_does_not_count() -> None:
    batch = batch_of([[0, 1, 2, 2]])
    batch["labels"][0, 2] = IGNORED
    sums, tokens = surprise(Bigrams(CHAIN), batch)
    assert sums[0] == pytest.approx(-math.log(0.25 * 0.2))
    assert tokens.tolist() == [2]


@pytest.fixture(scope="module")
def model() -> Any:
    found: Any = tiny_llama(50)
    return found.eval()


DOCUMENTS = [[3, 1, 4, 1, 5, 9, 2, 6], [5, 3], [5, 8, 9, 7, 9], [3, 2, 3, 8]]


def test_padding_does_not_matter(model: Any) -> None:
    whole = surprise(model, batch_of(DOCUMENTS))
    for pad, more in ((0, 5), (17, 0), (17, 9)):
        found = surprise(model, batch_of(DOCUMENTS, pad, more))
        np.testing.assert_allclose(found[0], whole[0], rtol=1e-5)
        assert found[1].tolist() == [7, 1, 4, 3]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_how_documents_are_put_into_batches_does_not_matter(model: Any, size: int) -> None:
    whole, counts = surprise(model, batch_of(DOCUMENTS))
    parts = [
        surprise(model, batch_of(DOCUMENTS[i : i + size])) for i in range(0, len(DOCUMENTS), size)
    ]
    np.testing.assert_allclose(np.concatenate([s for s, _ in parts]), whole, rtol=1e-5)
    assert np.concatenate([n for _, n in parts]).tolist() == counts.tolist()


@pytest.mark.parametrize("rows", [1, 3, 28])
def test_how_many_positions_go_at_once_does_not_matter(
    model: Any, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = surprise(model, batch_of(DOCUMENTS))  # 28 positions
    monkeypatch.setattr(module, "ROWS", rows)
    np.testing.assert_allclose(surprise(model, batch_of(DOCUMENTS))[0], whole, rtol=1e-6)


def test_it_is_the_loss_of_transformers(model: Any) -> None:
    batch = batch_of(DOCUMENTS)
    with torch.no_grad():
        loss = model(**{k: v for k, v in batch.items() if k != "weights"}).loss
    found = perplexity(*surprise(model, batch))
    assert found.value == pytest.approx(math.exp(float(loss)), rel=1e-5)


def test_a_model_of_half_precision_is_read_in_single() -> None:
    rough = Bigrams(CHAIN)
    rough.logits = rough.logits.bfloat16()
    document = [0, 1, 2, 2, 1, 0, 0, 2, 1, 2] * 20
    steps = rough.logits.double().log_softmax(-1)[document[:-1], document[1:]]
    sums, _ = surprise(rough, batch_of([document]))
    assert sums[0] == pytest.approx(-float(steps.sum()), rel=1e-6)


def test_long_documents_count_more() -> None:
    found = perplexity([2.0, 4.0], [2.0, 1.0])
    assert found.value == pytest.approx(math.exp(2))  # not the mean of e and e^4
    assert found.low == pytest.approx(math.exp(1))  # the first document twice
    assert found.high == pytest.approx(math.exp(4))


def test_equal_documents_leave_no_doubt() -> None:
    found = perplexity([3.0] * 5, [2.0] * 5)
    assert found.low == pytest.approx(found.high)
    assert found.error == pytest.approx(0)
    assert perplexity([3.0], [2.0]).documents == 1
