"""Which row of a plan a token gets, worked by hand and as laws."""

import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from timecontrol.decoder.alignment import (
    due_index,
    due_of,
    is_boundary,
    last_unit,
    next_count,
    next_due,
    row_of,
    rows_at,
    unit_index,
)
from timecontrol.plans import Plan

MARK, TAGS = 9, (7, 8)
ids = st.lists(st.integers(0, 9), min_size=1, max_size=20)
paces = st.lists(st.integers(1, 9), min_size=1, max_size=8)
"""Tokens of the sentences of a plan."""
budgets = st.integers(2, 60)
dues = st.lists(st.floats(0, 25, width=32), max_size=6).map(sorted)
"""When the points of a plan are due, whatever plan that is."""


def due_for(pace: list[int], budget: float, unit: float = 1.0) -> Tensor:
    """When the points of a plan of that pace are due, (1, points - 1)."""
    plan = Plan(np.zeros((len(pace), 1)), pace=tuple(unit * w for w in pace))
    return due_of([plan.due(budget).tolist()])


def text(lengths: list[int]) -> Tensor:
    """Sentences of so many tokens, with their marks; the first with what begins the document."""
    tokens = [token for n in lengths for token in [1] * (n - 1) + [MARK]]
    return torch.tensor([tokens])


def test_the_paper_s_example() -> None:
    # [SOS] s1 s1 s1 [ . ] s2 s2 s2, where the mark already sees the next point
    document = torch.tensor([[0, 1, 1, 1, MARK, 2, 2, 2]])
    plan = torch.tensor([[[1.0], [2.0]]])  # z1, z2
    rows = rows_at(plan, unit_index(document, [MARK]))
    assert rows[0, :, 0].tolist() == [1, 1, 1, 1, 2, 2, 2, 2]


def test_marks_in_a_row_each_count() -> None:
    assert unit_index(torch.tensor([[MARK, MARK, 1, MARK]]), [MARK]).tolist() == [[1, 2, 2, 3]]


def test_the_first_tag_opens_the_unit_that_has_begun() -> None:
    # [SOS] [ USER ] a [ ASSISTANT ] b [ USER ]
    document = torch.tensor([0, 7, 1, 8, 2, 7])
    assert unit_index(document, TAGS, opens=True).tolist() == [0, 0, 0, 1, 1, 2]
    assert is_boundary(document, TAGS).tolist() == [False, True, False, True, False, True]


@given(ids, st.sampled_from([(MARK,), TAGS, (7, 8, MARK)]), st.booleans())
def test_the_running_count_comes_to_the_same(
    tokens: list[int], boundaries: tuple[int, ...], opens: bool
) -> None:
    document = torch.tensor([tokens, tokens[::-1]])
    expected = unit_index(document, boundaries, opens)
    count = torch.zeros(2, dtype=torch.long)
    for step in range(len(tokens)):
        count = next_count(count, document[:, step], boundaries)
        assert torch.equal(row_of(count, opens), expected[:, step])
        begun = last_unit(document[:, : step + 1], boundaries, opens)
        assert torch.equal(begun, expected[:, step : step + 1])


@given(ids, st.booleans())
def test_units_start_at_0_and_go_up_by_one_at_boundaries_alone(
    tokens: list[int], opens: bool
) -> None:
    found = unit_index(torch.tensor(tokens), [MARK], opens).tolist()
    naive, units = 0, []
    for token in tokens:
        naive += token == MARK
        units.append(max(naive - opens, 0))
    assert found == units


def test_past_the_end_the_last_row_holds() -> None:
    signals = torch.arange(12.0).view(2, 3, 2)  # two documents, three rows
    found = rows_at(signals, torch.tensor([[0, 2, 3, 50], [1, 1, 2, 4]]))
    assert found.tolist() == [
        [[0, 1], [4, 5], [4, 5], [4, 5]],
        [[8, 9], [8, 9], [10, 11], [10, 11]],
    ]


def test_rows_of_any_shape_are_taken() -> None:
    signals = torch.randn(2, 3, 4, 5)
    assert torch.equal(rows_at(signals, torch.tensor([[2], [0]]))[1, 0], signals[1, 0])


def test_when_points_are_due_in_a_batch() -> None:
    """What a plan has not got is due never."""
    found = due_of([[2.5, 7.0], [4.0], []]).tolist()
    assert found == [[2.5, 7.0], [4.0, math.inf], [math.inf, math.inf]]
    assert due_of([[], []]).shape == (2, 0)
    document = torch.tensor([[0, MARK, 1, MARK]] * 2)
    assert due_index(document, [MARK], due_of([[], []])).tolist() == [[0] * 4] * 2


def test_rows_by_tokens_worked_by_hand() -> None:
    """Marks are tokens 3, 8 and 10: the first point, then two at once, then none, just too late."""
    document = torch.tensor([[0, 1, MARK, 1, 1, 1, 1, MARK, 1, MARK, 1]])
    found = due_index(document, [MARK], due_of([[2.0, 5.0, 8.0, 10.5]]))
    assert found.tolist() == [[0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3]]
    assert due_index(document, [1], due_of([[2.0, 9.0]])).tolist() == [
        [0, 1, 1, 1, 1, 1, 1, 1] + [2] * 3
    ]
    both = due_index(document, [1, MARK], due_of([[2.0, 3.0]]))
    assert both.tolist() == [[0, 1] + [2] * 9]


def test_long_sentences_skip_points_and_short_ones_stay() -> None:
    """Six points of four tokens each are due at 2, 6, 10, 14 and 18."""
    due = due_for([4] * 6, 24)
    assert due.tolist() == [[2, 6, 10, 14, 18]]
    long, usual, short = (
        due_index(text(lengths), [MARK], due)[0, np.cumsum(lengths) - 1].tolist()
        for lengths in ([8] * 3, [4] * 6, [2] * 12)
    )
    assert long == [2, 4, 5]
    assert usual == [1, 2, 3, 4, 5, 5]
    assert short == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5]


@given(paces, st.floats(0.01, 100))
def test_sentences_as_long_as_expected_get_a_row_each(pace: list[int], unit: float) -> None:
    """In whatever unit the pace is told; past the end, the last point stays."""
    document, n = text(pace), len(pace)
    found = due_index(document, [MARK], due_for(pace, sum(pace), unit))
    assert torch.equal(found, unit_index(document, [MARK]).clamp_max(n - 1))


@given(paces, budgets)
def test_a_text_that_fills_its_budget_comes_to_the_last_point(pace: list[int], budget: int) -> None:
    """However long its sentences are, and never beyond."""
    due, last = due_for(pace, budget), len(pace) - 1
    for size in range(1, budget + 1):
        lengths = [size] * (budget // size) + [budget % size] * (budget % size > 0)
        found = due_index(text(lengths), [MARK], due)
        assert found[0, -1] == found.max() == last


@given(ids, paces, budgets)
def test_the_row_is_the_point_that_begins_nearest(
    tokens: list[int], pace: list[int], budget: int
) -> None:
    """The later one of two as near; in whole numbers, budget and pace multiplied out."""
    found = due_index(torch.tensor([tokens]), [MARK], due_for(pace, budget))
    total, begins = sum(pace), [0, *np.cumsum(pace)[:-1].tolist()]
    row, expected = 0, []
    for so_far, token in enumerate(tokens, 1):
        if token == MARK:
            apart = [abs(total * so_far - budget * begin) for begin in begins]
            row = max(i for i, a in enumerate(apart) if a == min(apart))
        expected.append(row)
    assert found.tolist() == [expected]


@given(st.lists(st.tuples(ids, dues), min_size=1, max_size=4))
def test_rows_do_not_depend_on_the_plans_beside(rows: list[tuple[list[int], list[float]]]) -> None:
    longest = max(len(tokens) for tokens, _ in rows)
    batch = torch.tensor([tokens + [0] * (longest - len(tokens)) for tokens, _ in rows])
    together = due_index(batch, [MARK], due_of([due for _, due in rows]))
    for row, (tokens, due) in enumerate(rows):
        alone = due_index(torch.tensor([tokens]), [MARK], due_of([due]))
        assert torch.equal(alone[0], together[row, : len(tokens)])


@given(ids, st.tuples(dues, dues), st.sampled_from([(MARK,), (7, MARK)]))
def test_the_running_row_is_that_of_the_whole_text(
    tokens: list[int], both: tuple[list[float], list[float]], boundaries: tuple[int, ...]
) -> None:
    document, due = torch.tensor([tokens, tokens[::-1]]), due_of(both)
    whole = due_index(document, boundaries, due)
    row = torch.zeros(2, dtype=torch.long)
    for step in range(len(tokens)):
        mark = is_boundary(document[:, step], boundaries)
        row = next_due(row, mark, torch.tensor([step + 1]), due)
        assert torch.equal(row, whole[:, step])
        begun = due_index(document[:, : step + 1], boundaries, due)  # what comes later is nothing
        assert torch.equal(begun, whole[:, : step + 1])


@given(ids, dues)
def test_rows_never_fall_and_rise_at_marks_alone(tokens: list[int], due: list[float]) -> None:
    document = torch.tensor([tokens])
    found = due_index(document, [MARK], due_of([due]))
    assert found.min() >= 0
    assert found.max() <= len(due)
    moves = torch.cat([torch.zeros(1, 1, dtype=torch.long), found], -1).diff()
    assert (moves >= 0).all()
    assert ((moves == 0) | is_boundary(document, [MARK])).all()


def test_documents_may_stand_at_different_places() -> None:
    due = due_of([[3.0, 5.0], [3.0, 5.0], [3.0, 5.0]])
    row, mark = torch.tensor([0, 1, 1]), torch.tensor([True, True, False])
    assert next_due(row, mark, torch.tensor([2, 6, 9]), due).tolist() == [0, 2, 1]
