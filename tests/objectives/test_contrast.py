"""What contrastive losses share."""

import math

import pytest
import torch

from timecontrol.objectives.contrast import contrast, information, retrieval


def test_equal_scores_cost_log_n_and_tell_nothing() -> None:
    loss = contrast(torch.zeros(8, 8)).item()
    assert loss == pytest.approx(math.log(8))
    assert information(loss, 8) == pytest.approx(0, abs=1e-6)


def test_by_hand() -> None:
    logits = torch.tensor([[0.0, math.log(3)], [0.0, 0.0]])
    assert contrast(logits).item() == pytest.approx((math.log(4) + math.log(2)) / 2)


def test_huge_scores_do_not_overflow() -> None:
    assert contrast(torch.tensor([[1e30, 0.0], [0.0, 1e30]])).item() == 0
    assert contrast(torch.tensor([[0.0, 1e30], [0.0, 0.0]])).isfinite()


def test_retrieval_counts_rows_whose_own_is_first() -> None:
    logits = torch.tensor([[2.0, 1.0, 0.0], [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]])
    assert retrieval(logits).item() == pytest.approx(2 / 3)
