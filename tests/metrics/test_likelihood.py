"""Batches, padding and windows change nothing: the likelihood is that of a plain forward pass."""

import numpy as np
import pytest
import torch

from timecontrol.corpora import synthetic
from timecontrol.metrics import likelihood
from timecontrol.metrics.likelihood import Judge, open_judge


@pytest.fixture(params=["gpt2", "llama"])
def judge(bases: dict[str, str], request: pytest.FixtureRequest) -> Judge:
    return open_judge(bases[request.param], device="cpu")


def texts() -> list[str]:
    documents = list(synthetic.documents(synthetic.Spec("cities", 4)))
    return [" ".join(d.sentences[:n]) for d, n in zip(documents, (1, 4, 2, 1), strict=True)]


@torch.no_grad()
def plainly(judge: Judge, text: str) -> float:
    """Return the mean log-likelihood of a token, one window after the other."""
    ids = judge.tokenizer(text, add_special_tokens=False)["input_ids"]
    ids = [judge.tokenizer.bos_token_id, *ids]
    total, start = 0.0, 0
    while start < len(ids) - 1:
        row = torch.tensor([ids[start : start + judge.window]])
        log_p = judge.model(row).logits[0, :-1].log_softmax(-1)
        total += float(log_p.gather(1, row[0, 1:, None]).sum())
        start += judge.window - 1
    return total / (len(ids) - 1)


def test_it_is_a_plain_forward_pass(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likelihood, "ROWS", 50)
    documents = texts()
    windows, owner = judge.windows(documents)
    assert len(windows) > len(documents)  # some are longer than the window
    assert owner.max() == 3
    expected = [plainly(judge, text) for text in documents]
    np.testing.assert_allclose(judge(documents), expected, rtol=1e-5)


def test_every_token_counts_once(judge: Judge) -> None:
    documents = texts()
    windows, owner = judge.windows(documents)
    counted = np.bincount(owner, windows.lengths - 1)
    sizes = [len(judge.tokenizer(t, add_special_tokens=False)["input_ids"]) for t in documents]
    assert counted.tolist() == sizes


def test_no_text_has_no_likelihood(judge: Judge) -> None:
    assert judge([]).shape == (0,)
    found = judge(["", "A town."])
    assert found[0] == 0
    assert found[1] < 0
