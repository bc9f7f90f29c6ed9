import pytest
import torch

from timecontrol.features.pooling import pool

STATES = torch.tensor([[[1.0, 0.0], [3.0, 2.0], [9.0, 9.0]], [[4.0, 4.0], [5.0, 5.0], [6.0, 6.0]]])
LENGTHS = torch.tensor([2, 3])


def test_the_mean_is_over_a_sentence_s_own_tokens() -> None:
    assert pool(STATES, LENGTHS, "mean").tolist() == [[2.0, 1.0], [5.0, 5.0]]


@pytest.mark.parametrize("pooling", ["last", "eos"])
def test_the_last_token_is_the_sentence_s_own(pooling: str) -> None:
    assert pool(STATES, LENGTHS, pooling).tolist() == [[3.0, 2.0], [6.0, 6.0]]


def test_padding_that_is_not_a_number_does_no_harm() -> None:
    states = STATES.clone()
    states[0, 2] = torch.nan
    assert pool(states, LENGTHS, "mean").isfinite().all()


def test_sums_are_in_float32() -> None:
    states = torch.full((1, 600, 1), 1.001, dtype=torch.bfloat16)
    found = pool(states, torch.tensor([600]), "mean")
    assert found.dtype == torch.float32
    assert found.item() == states[0, 0].float().item()
