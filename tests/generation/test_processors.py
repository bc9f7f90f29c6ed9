from typing import Any

import numpy as np
import pytest
import torch

from tests.conftest import tiny_llama
from timecontrol.decoder.alignment import Schedule
from timecontrol.decoder.model import PlannedLM
from timecontrol.generation.processors import InOrder, Keyed, PlanEnd, Sentences
from timecontrol.plans import Plan

MARK, TAG = 8, 9


def model(**about: Any) -> PlannedLM:
    """Return a model that counts units as it is told."""
    return PlannedLM.around(tiny_llama(10), plan_dim=1, depths=(0,), tags=[TAG], **about)


def test_the_chosen_token_alone_stays_possible() -> None:
    scores = torch.tensor([[0.25, 0.25, 0.5], [0.5, 0.25, 0.25]]).log()
    keyed = Keyed(torch.full((2, 1, 1), 0.3), 1, 1.0, 1.0)
    found = keyed(torch.zeros(2, 1, dtype=torch.long), scores)
    assert found.argmax(-1).tolist() == [1, 0]
    assert torch.isfinite(found).sum(-1).tolist() == [1, 1]


def test_each_step_has_its_own_number() -> None:
    """With four equal tokens, the number of a step says which: 0.1 the first, 0.9 the last."""
    uniforms = torch.tensor([[[0.1], [0.9], [0.4]], [[0.6], [0.1], [0.9]]])
    ticks: list[int] = []
    keyed = Keyed(uniforms, 2, 1.0, 1.0, lambda: ticks.append(1))
    found = []
    for length in (2, 3, 4):  # tokens so far, two of them the prompt
        ids = torch.zeros(2, length, dtype=torch.long)
        found.append(keyed(ids, torch.zeros(2, 4)).argmax(-1).tolist())
    assert found == [[0, 2], [3, 0], [1, 3]]
    assert len(ticks) == 3


def test_a_forbidden_token_is_not_chosen() -> None:
    """What was forbidden before, as the end of a forced document, stays so."""
    scores = torch.tensor([[-torch.inf, 0.0, -torch.inf]])
    for u in (0.0, 0.99):
        keyed = Keyed(torch.full((1, 1, 7), u), 1, 0.95, 1.0)
        assert int(keyed(torch.zeros(1, 1, dtype=torch.long), scores).argmax()) == 1


def test_a_plan_ends_with_its_last_sentence() -> None:
    ids = torch.tensor([[0, 1, MARK, 2, MARK], [0, MARK, MARK, MARK, 1], [0, 1, 2, 3, 4]])
    done = PlanEnd(model(boundaries=[MARK]), torch.tensor([2, 4, 1]))
    assert done(ids, torch.zeros(0)).tolist() == [True, False, False]
    assert done(ids[:, :4], torch.zeros(0)).tolist() == [False, False, False]


def test_where_tags_open_a_unit_the_next_one_ends_the_plan() -> None:
    ids = torch.tensor([[0, TAG, 1, TAG], [0, TAG, 1, 2], [0, MARK, TAG, 1]])
    done = PlanEnd(model(boundaries=[MARK, TAG], opens=True), torch.tensor([1, 1, 1]))
    assert done(ids, torch.zeros(0)).tolist() == [True, False, True]


def test_beams_of_a_document_have_its_plan() -> None:
    """Beam search asks for several rows a document, those of the first document first."""
    ids = torch.tensor([[0, MARK, MARK]] * 6)
    done = PlanEnd(model(boundaries=[MARK]), torch.tensor([2, 3]))
    assert done(ids, torch.zeros(0)).tolist() == [True] * 3 + [False] * 3


def test_a_plan_told_by_tokens_ends_when_its_end_is_due() -> None:
    """After three and six tokens, or four and nine; the marks are tokens 2, 4 and 6."""
    ids = torch.tensor([[0, MARK, 1, MARK, 1, MARK], [0, MARK, 1, MARK, 2, MARK]])
    lengths, schedule = torch.tensor([2, 2]), Schedule.of([[3.0, 6.0], [4.0, 9.0]], [[], []])
    done = PlanEnd(model(boundaries=[MARK]), lengths, schedule)
    assert done(ids, torch.zeros(0)).tolist() == [True, False]
    assert done(ids[:, :5], torch.zeros(0)).tolist() == [False, False]
    plain = PlanEnd(model(boundaries=[MARK]), lengths)
    assert plain(ids[:, :5], torch.zeros(0)).tolist() == [True, True]
    beams = done(ids.repeat_interleave(3, 0), torch.zeros(0))
    assert beams.tolist() == [True] * 3 + [False] * 3


def test_a_plan_is_over_when_its_end_is_due_at_a_mark() -> None:
    """After five tokens; the second text has no mark from there on."""
    ids = torch.tensor([[0, MARK, TAG, 1, MARK], [0, MARK, MARK, 1, 1]])
    lengths, schedule = torch.tensor([2, 2]), Schedule.of([[1.0, 5.0]] * 2, [[1]] * 2)
    done = PlanEnd(model(boundaries=[MARK]), lengths, schedule)
    assert done(ids, torch.zeros(0)).tolist() == [True, False]
    assert done(ids[:, :4], torch.zeros(0)).tolist() == [False, False]
    beams = done(ids.repeat_interleave(2, 0), torch.zeros(0))
    assert beams.tolist() == [True, True, False, False]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 20])
def test_a_plan_that_fills_a_budget_is_over_when_that_is_full(size: int) -> None:
    """Or less than half a sentence before."""
    ids = torch.tensor([[0] + ([1] * (size - 1) + [MARK]) * 20])[:, : 20 + 1]
    schedule = Schedule.of([Plan(np.zeros((3, 1))).due(20).tolist()], [[]])
    done = PlanEnd(model(boundaries=[MARK]), torch.tensor([3]), schedule)
    over = [bool(done(ids[:, :n], torch.zeros(0))) for n in range(1, 22)]
    assert over == sorted(over)
    assert not any(over[: int(20 * 5 / 6)])
    assert over[-1]


def test_tokens_of_the_first_row_are_handed_over_without_the_prompt() -> None:
    seen: list[int] = []
    streamer = Sentences(seen.append)
    for value in (torch.zeros(4, 1), torch.tensor([5, 6, 6, 6]), torch.tensor([7, 8, 8, 8])):
        streamer.put(value.long())
    streamer.end()
    assert seen == [5, 7]


def test_only_the_tag_that_is_due_can_come() -> None:
    tags = torch.tensor([5, 3, 4])
    said = torch.tensor([[0, 0, 0], [5, 1, 0], [5, 3, 4]])
    found = InOrder(tags)(said, torch.zeros(3, 7))
    allowed = [[i for i in range(7) if row[i] == 0] for row in found]
    assert allowed == [[0, 1, 2, 5, 6], [0, 1, 2, 3, 6], [0, 1, 2, 6]]
