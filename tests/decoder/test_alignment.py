"""Which row of a plan a token gets, worked by hand and as laws."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.decoder.alignment import (
    LAST,
    Schedule,
    due_index,
    is_boundary,
    last_unit,
    next_count,
    next_due,
    row_of,
    rows_at,
    stage_index,
    unit_index,
)
from timecontrol.plans import Plan

MARK, TAGS = 9, (7, 8)
ids = st.lists(st.integers(0, 9), min_size=1, max_size=20)
busy = st.lists(st.sampled_from([1, 7, 8, MARK, MARK]), min_size=1, max_size=30)
"""Texts of many tags and marks."""
paces = st.lists(st.integers(1, 9), min_size=1, max_size=8)
"""Tokens of the sentences of a plan."""
budgets = st.integers(2, 60)
dues = st.lists(st.floats(0, 25, width=32), max_size=6).map(sorted)
"""When the points of a plan are due, whatever plan that is."""
starts_ = st.sets(st.integers(0, 6), max_size=4).map(sorted)
"""Where its stages begin."""


def one(due: Sequence[float], starts: Sequence[int] = ()) -> Schedule:
    return Schedule.of([due], [starts])


def schedule_for(pace: list[int], budget: float, unit: float = 1.0) -> Schedule:
    """When the points of a plan of that pace are due, and its end."""
    plan = Plan(np.zeros((len(pace), 1)), pace=tuple(unit * w for w in pace))
    return one(plan.due(budget).tolist())


def rows(tokens: Sequence[int], schedule: Schedule) -> list[int]:
    found: list[int] = due_index(torch.tensor([[*tokens]]), [MARK], TAGS, schedule)[0].tolist()
    return found


def text(lengths: list[int]) -> list[int]:
    """Sentences of so many tokens, with their marks; the first with what begins the document."""
    return [token for n in lengths for token in [1] * (n - 1) + [MARK]]


def naive(
    tokens: Sequence[int],
    due: Sequence[float],
    starts: Sequence[int],
    mark: int = MARK,
    tags: Sequence[int] = TAGS,
) -> list[tuple[int, int, int]]:
    """What is due, the tags so far that differ, and the row, word for word as the law has them."""
    now = j = 0
    tag, found = None, []
    for so_far, token in enumerate(tokens, 1):
        if token == mark:
            now = sum(d <= so_far for d in due)
        if token in tags:
            j += token != tag
            tag = token
        low = [0, *starts][min(j, len(starts))]
        later = starts[j + 1 :]  # where stages begin that it may not be told of
        most = later[0] - 1 if later else math.inf
        found.append((now, j, int(min(max(now, low), most))))
    return found


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


def test_a_schedule_worked_by_hand() -> None:
    """What a plan has not got is due never; after its last stage it may go as far as it likes."""
    found = Schedule.of([[2.5, 7.0], [4.0], []], [[], [0, 3], [2]])
    assert found.due.tolist() == [[2.5, 7.0], [4.0, math.inf], [math.inf, math.inf]]
    assert found.low.tolist() == [[0, 0, 0], [0, 0, 3], [0, 2, 2]]
    assert found.high.tolist() == [[LAST] * 3, [2, LAST, LAST], [LAST] * 3]
    bare = Schedule.of([[], []], [[], []])
    assert (bare.due.shape, bare.low.shape, bare.high.shape) == ((2, 0), (2, 1), (2, 1))
    document = torch.tensor([[0, MARK, 7, MARK]] * 2)
    assert due_index(document, [MARK], TAGS, bare).tolist() == [[0] * 4] * 2


def test_a_schedule_for_several_texts_of_each_plan() -> None:
    own = Schedule.of([[2.5], [4.0]], [[1], []])
    found = own.repeated(3)
    for name in ("due", "low", "high"):
        expected = [row for row in getattr(own, name).tolist() for _ in range(3)]
        assert getattr(found, name).tolist() == expected
        moved = getattr(own.to(torch.device("meta")), name)
        assert (moved.device.type, moved.shape) == ("meta", getattr(own, name).shape)


def test_rows_by_tokens_worked_by_hand() -> None:
    """Marks are tokens 3, 8 and 10: the first point, then two at once, then none, just too late."""
    document = [0, 1, MARK, 1, 1, 1, 1, MARK, 1, MARK, 1]
    assert rows(document, one([2.0, 5.0, 8.0, 10.5])) == [0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3]
    tokens, schedule = torch.tensor([document]), one([2.0, 9.0])
    found = due_index(tokens, [1], TAGS, schedule)
    assert found.tolist() == [[0, 1, 1, 1, 1, 1, 1, 1] + [2] * 3]
    both = due_index(tokens, [1, MARK], (), one([2.0, 3.0]))
    assert both.tolist() == [[0, 1] + [2] * 9]


def test_tags_so_far_that_differ_worked_by_hand() -> None:
    document = torch.tensor([[7, 1, 7, MARK, 8, 8, 1, 7], [0, 1, 8, 1, 8, 7, 7, 8]])
    expected = [[1, 1, 1, 1, 2, 2, 2, 3], [0, 0, 1, 1, 1, 2, 2, 3]]
    assert stage_index(document, TAGS).tolist() == expected
    assert not stage_index(document, ()).any()
    assert stage_index(document[:, :1], TAGS).tolist() == [[1], [0]]


def test_a_plan_does_not_wait_for_a_tag_that_is_late() -> None:
    """Stages begin at 0, 1 and 4; all is due early, and the second tag comes late."""
    late = [0, 7, MARK, 1, MARK, 1, MARK, 8, 1, 1, MARK, MARK, 7, MARK]
    due = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]  # at the marks, tokens 3, 5, 7, 11, 12 and 14
    assert rows(late, one(due)) == [0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 5, 6, 6, 6]
    assert rows(late, one(due, [0, 1, 4])) == rows(late, one(due))


def test_a_plan_goes_no_further_than_the_stage_that_is_next() -> None:
    """The second stage is over when its tag comes; the text was told of its end until then."""
    late = [0, 7, 1, 1, 1, 1, MARK, 1, MARK, 8, 1, MARK, 7, 1]
    due = [2.0, 3.0, 4.0, 5.0]  # all at the first mark
    assert rows(late, one(due)) == [0] * 6 + [4] * 8
    assert rows(late, one(due, [0, 1, 3])) == [0] * 6 + [2, 2, 2, 4, 4, 4, 4, 4]
    assert rows(late[:9], one(due, [0, 1, 2])) == [0] * 6 + [1] * 3


def test_a_tag_that_comes_early_takes_the_plan_along() -> None:
    """Stages begin at 0, 2 and 4, and little is due; a tag too many changes nothing."""
    early = [0, 7, MARK, 8, 1, MARK, 7, MARK, 8, MARK]
    due = [3.0, 9.0, 20.0, 21.0, 22.0]
    assert rows(early, one(due)) == [0, 0, 1, 1, 1, 1, 1, 1, 1, 2]
    assert rows(early, one(due, [0, 2, 4])) == [0, 0, 1, 2, 2, 2, 4, 4, 4, 4]
    assert rows([0, 7, 7, MARK, 7, 8], one(due, [0, 2, 4])) == [0, 0, 0, 1, 1, 2]  # one stage


def test_the_first_tag_takes_a_plan_along_too() -> None:
    document, due = [0, MARK, MARK, 7, MARK], [1.0, 2.0, 3.0]
    for start in (0, 1):
        assert rows(document, one(due, [start])) == rows(document, one(due)) == [0, 2, 3, 3, 3]
    assert rows(document, one(due, [9])) == [0, 2, 3, 9, 9]


def test_long_sentences_skip_points_and_short_ones_stay() -> None:
    """Six points of four tokens each are due at 2, 6, 10, 14 and 18, their end at 22."""
    schedule = schedule_for([4] * 6, 24)
    assert schedule.due.tolist() == [[2, 6, 10, 14, 18, 22]]
    long, usual, short = (
        [rows(text(lengths), schedule)[i - 1] for i in np.cumsum(lengths)]
        for lengths in ([8] * 3, [4] * 6, [2] * 12)
    )
    assert long == [2, 4, 6]
    assert usual == [1, 2, 3, 4, 5, 6]
    assert short == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]


@given(paces, st.floats(0.01, 100))
def test_sentences_as_long_as_expected_get_a_row_each(pace: list[int], unit: float) -> None:
    """In whatever unit the pace is told; after them comes the end."""
    found = rows(text(pace), schedule_for(pace, sum(pace), unit))
    assert found == unit_index(torch.tensor(text(pace)), [MARK]).tolist()
    assert found[-1] == len(pace)


@given(paces, budgets)
def test_a_text_that_fills_its_budget_comes_to_the_end(pace: list[int], budget: int) -> None:
    """However long its sentences are, and never beyond."""
    schedule = schedule_for(pace, budget)
    for size in range(1, budget + 1):
        lengths = [size] * (budget // size) + [budget % size] * (budget % size > 0)
        found = rows(text(lengths), schedule)
        assert found[-1] == max(found) == len(pace)


@given(ids, paces, budgets)
def test_the_row_is_the_point_that_begins_nearest(
    tokens: list[int], pace: list[int], budget: int
) -> None:
    """The later one of two as near; in whole numbers, budget and pace multiplied out."""
    total, begins = sum(pace), [0, *np.cumsum(pace).tolist()]  # the end begins where all is over
    row, expected = 0, []
    for so_far, token in enumerate(tokens, 1):
        if token == MARK:
            apart = [abs(total * so_far - budget * begin) for begin in begins]
            row = max(i for i, a in enumerate(apart) if a == min(apart))
        expected.append(row)
    assert rows(tokens, schedule_for(pace, budget)) == expected


@given(busy, dues, starts_)
def test_rows_have_the_law(tokens: list[int], due: list[float], starts: list[int]) -> None:
    assert rows(tokens, one(due, starts)) == [row for _, _, row in naive(tokens, due, starts)]
    stages = stage_index(torch.tensor([tokens]), TAGS)[0].tolist()
    assert stages == [j for _, j, _ in naive(tokens, due, starts)]


@given(busy, dues, starts_)
def test_a_row_is_in_no_stage_before_that_of_the_text(
    tokens: list[int], due: list[float], starts: list[int]
) -> None:
    """Never below b_j, and in none after the next; what is due, elsewhere."""
    found, own = rows(tokens, one(due, starts)), naive(tokens, due, starts)
    b = [0, *starts]
    for row, (now, j, _) in zip(found, own, strict=True):
        least, later = b[min(j, len(starts))], starts[j + 1 :]
        assert row >= least
        assert not later or row < later[0]
        assert row in (now, least, *(n - 1 for n in later[:1]))


@given(busy, dues, starts_)
def test_rows_never_fall_and_rise_at_marks_and_new_tags_alone(
    tokens: list[int], due: list[float], starts: list[int]
) -> None:
    found, stages = rows(tokens, one(due, starts)), [j for _, j, _ in naive(tokens, due, starts)]
    assert min(found) >= 0
    assert max(found) <= max(len(due), *starts, 0)
    for i, move in enumerate(np.diff([0, *found])):
        assert move >= 0
        assert move == 0 or tokens[i] == MARK or stages[i] > [0, *stages][i]


@given(busy, dues)
def test_without_starts_the_row_is_what_is_due(tokens: list[int], due: list[float]) -> None:
    """Whatever tags come, and beside plans that have some, too."""
    expected = [now for now, _, _ in naive(tokens, due, ())]
    assert rows(tokens, one(due)) == expected
    beside = Schedule.of([due, due], [[], [0, 2, 3]])
    assert due_index(torch.tensor([tokens] * 2), [MARK], TAGS, beside)[0].tolist() == expected


@given(busy, dues, starts_, st.integers(1, 3))
def test_repeated_tags_do_not_move_the_stage(
    tokens: list[int], due: list[float], starts: list[int], times: int
) -> None:
    """Said several times over, or again at any later place; and which tag it is does not matter."""
    told = [(token, n) for token in tokens for n in range(times if token in TAGS else 1)]
    more = stage_index(torch.tensor([[token for token, _ in told]]), TAGS)[0].tolist()
    expected = stage_index(torch.tensor([tokens]), TAGS)[0].tolist()
    assert [j for j, (_, n) in zip(more, told, strict=True) if n == 0] == expected
    last, again = 1, []
    for token in tokens:  # each word becomes the tag that was said last
        last = token if token in TAGS else last
        again.append(last if token == 1 else token)
    assert rows(again, one(due, starts)) == rows(tokens, one(due, starts))
    other = [{7: 8, 8: 7}.get(token, token) for token in tokens]
    assert rows(other, one(due, starts)) == rows(tokens, one(due, starts))


@given(st.lists(st.tuples(ids, dues, starts_), min_size=1, max_size=4))
def test_rows_do_not_depend_on_the_plans_beside(
    several: list[tuple[list[int], list[float], list[int]]],
) -> None:
    longest = max(len(tokens) for tokens, _, _ in several)
    batch = torch.tensor([tokens + [0] * (longest - len(tokens)) for tokens, _, _ in several])
    schedule = Schedule.of([due for _, due, _ in several], [starts for _, _, starts in several])
    together = due_index(batch, [MARK], TAGS, schedule)
    for row, (tokens, due, starts) in enumerate(several):
        assert rows(tokens, one(due, starts)) == together[row, : len(tokens)].tolist()


@given(busy, st.tuples(dues, dues), st.tuples(starts_, starts_), st.sampled_from([(9,), (1, 9)]))
def test_the_running_row_is_that_of_the_whole_text(
    tokens: list[int],
    due: tuple[list[float], list[float]],
    starts: tuple[list[int], list[int]],
    boundaries: tuple[int, ...],
) -> None:
    document, schedule = torch.tensor([tokens, tokens[::-1]]), Schedule.of(due, starts)
    whole, stages = due_index(document, boundaries, TAGS, schedule), stage_index(document, TAGS)
    now = torch.zeros(2, dtype=torch.long)
    for step in range(len(tokens)):
        mark = is_boundary(document[:, step], boundaries)
        now = next_due(now, mark, torch.tensor([step + 1]), schedule)
        row = schedule.within(now.unsqueeze(-1), stages[:, step : step + 1])
        assert torch.equal(row, whole[:, step : step + 1])
        begun = document[:, : step + 1]  # what comes later is nothing
        assert torch.equal(due_index(begun, boundaries, TAGS, schedule), whole[:, : step + 1])
        assert torch.equal(stage_index(begun, TAGS), stages[:, : step + 1])


def test_documents_may_stand_at_different_places() -> None:
    schedule = Schedule.of([[3.0, 5.0]] * 3, [[]] * 3)
    now, mark = torch.tensor([0, 1, 1]), torch.tensor([True, True, False])
    assert next_due(now, mark, torch.tensor([2, 6, 9]), schedule).tolist() == [0, 2, 1]
