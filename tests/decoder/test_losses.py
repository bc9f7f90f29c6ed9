"""Losses worked by hand, and what they leave alone."""

import pytest
import torch
from torch import Tensor

from timecontrol.decoder.losses import (
    IGNORED,
    SHORTEST,
    counted,
    following,
    misplaced,
    token_losses,
)


def test_losses_worked_by_hand() -> None:
    p = torch.tensor([[[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]])
    labels = torch.tensor([[2, 1, 2]])  # the first is predicted by nobody
    weights = torch.tensor([[9.0, 3.0, 1.0]])
    assert following(labels).tolist() == [[1, 2, IGNORED]]
    expected = -torch.tensor([[0.25, 0.1, 1.0]]).log()  # nothing follows the last
    torch.testing.assert_close(token_losses(p.log() + 5, labels), expected)
    assert counted(labels).tolist() == [[1, 1, 0]]
    assert counted(labels, weights).tolist() == [[3, 1, 0]]
    labels[0, 1] = IGNORED
    expected[0, 0] = 0
    torch.testing.assert_close(token_losses(p.log(), labels), expected)
    assert counted(labels).tolist() == [[0, 1, 0]]
    assert counted(labels, weights).tolist() == [[0, 1, 0]]


TAG, GO_ON, CLOSE = 3, 4, 5
"""Beside three words, the last of which ends sentences."""
DOCUMENT = torch.tensor([[0, TAG, 1, 2, GO_ON, 1, 2, CLOSE]])
PLACES = {"within": [1, 2, 4, 5], "between": [0, 3, 6]}
"""What is predicted after these tokens."""


def thought(rows: int = 1, more: int = 16, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Return logits, labels and ends of documents, filled up with tokens that are ignored."""
    random = torch.Generator().manual_seed(seed)
    given = 2 * torch.randn(rows, 8 + more, 6, generator=random)
    labels = torch.full((rows, 8 + more), IGNORED)
    labels[:, 1:8] = DOCUMENT[:, 1:]
    ends = torch.ones(rows, 8 + more, dtype=torch.bool)  # what fills up may be what begins, too
    ends[:, PLACES["within"]] = False
    return given.requires_grad_(), labels, ends


def cost(given: Tensor, labels: Tensor, ends: Tensor, decided: bool = True) -> Tensor:
    return misplaced(given, labels, token_losses(given, labels), ends, [TAG, GO_ON], CLOSE, decided)


@pytest.mark.parametrize("rows", [1, 3])
def test_what_is_misplaced_worked_by_hand(rows: int) -> None:
    given, labels, ends = thought(rows)
    p = given.detach().softmax(-1)
    b, e = p[..., [TAG, GO_ON]].sum(-1), p[..., CLOSE]
    within = -(1 - b - e)[:, PLACES["within"]].log().sum()
    between = -(b / (1 - e))[:, PLACES["between"]].log().sum()
    torch.testing.assert_close(cost(given, labels, ends, decided=False).detach(), within)
    torch.testing.assert_close(cost(given, labels, ends).detach(), within + between)
    rough = cost(given.detach().bfloat16(), labels, ends)
    torch.testing.assert_close(rough, within + between, rtol=0.02, atol=0.1)


@pytest.mark.parametrize("label", [TAG, GO_ON, CLOSE])
def test_a_tag_that_does_come_within_a_sentence_is_not_misplaced(label: int) -> None:
    given, labels, ends = thought()
    p = given.detach().softmax(-1)[0, PLACES["within"][1], [TAG, GO_ON, CLOSE]].sum()
    before = cost(given, labels, ends)
    labels[0, PLACES["within"][1] + 1] = label
    torch.testing.assert_close(cost(given, labels, ends), before + (1 - p).log())


@pytest.mark.parametrize("decided", [False, True])
def test_what_is_ignored_is_misplaced_nowhere(decided: bool) -> None:
    given, labels, ends = thought()
    labels[0, [2, 4]] = IGNORED  # a word, and that one goes on
    found = cost(given, labels, ends, decided)
    (grad,) = torch.autograd.grad(found, given)
    silent = (following(labels) == IGNORED)[0]
    assert silent.sum() == 19
    assert not grad[0, silent].any()
    told = [i for i in range(8) if not silent[i] and (decided or i in PLACES["within"])]
    assert grad[0, told].any(-1).all()
    other = torch.where(silent[:, None], 3 * torch.randn(24, 6), given)
    torch.testing.assert_close(cost(other, labels, ends, decided), found)
    assert cost(given, torch.full_like(labels, IGNORED), ends, decided) == 0


def test_what_is_thought_of_the_end_is_no_matter_between_sentences() -> None:
    """The second sum is given that it does not come, so its logit is left alone."""
    given, labels, ends = thought()
    within, both = (
        torch.autograd.grad(cost(given, labels, ends, decided), given)[0][0]
        for decided in (False, True)
    )
    between = both - within
    assert not between[:, CLOSE].any()
    assert not between[PLACES["within"]].any()
    here = between[PLACES["between"]]
    assert (here[:, [TAG, GO_ON]] < 0).all()
    assert (here[:, :TAG] > 0).all()
    assert (within[PLACES["within"], CLOSE] > 0).all()
    other = given.detach().clone()
    other[..., PLACES["between"], CLOSE] += 9
    torch.testing.assert_close(cost(other, labels, ends), cost(given, labels, ends).detach())


@pytest.mark.parametrize("tokens", [1, 2, 7, 8, 9, 40])
def test_of_more_decisions_than_there_is_room_for_some_count(tokens: int) -> None:
    """One for each so many tokens, and one at least."""
    given = torch.randn(6, generator=torch.Generator().manual_seed(0)).expand(1, tokens + 1, 6)
    labels, ends = torch.full((1, tokens + 1), TAG), torch.ones(1, tokens + 1, dtype=torch.bool)
    p = given[0, 0].softmax(-1)
    each = -(p[[TAG, GO_ON]].sum() / (1 - p[CLOSE])).log()
    room = max(1, (tokens + 1) // SHORTEST)
    assert room < tokens or tokens == 1
    torch.testing.assert_close(cost(given, labels, ends), room * each)


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize("size", [1.0, 1e4])
def test_gradients_are_finite_whatever_is_thought_of_what_is_ignored(
    size: float, decided: bool
) -> None:
    """There a tag may be e^100 times as likely as the token that stands for the label."""
    given, labels, ends = thought()
    wild = given.detach().clone()
    wild[:, 8:, 0], wild[:, 8:, TAG] = -100 * size, 100 * size
    wild.requires_grad_()
    (grad,) = torch.autograd.grad(cost(wild, labels, ends, decided), wild)
    (expected,) = torch.autograd.grad(cost(given, labels, ends, decided), given)
    torch.testing.assert_close(grad, expected)
