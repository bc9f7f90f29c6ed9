"""Which row of a plan a token gets, worked by hand and as laws."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.decoder.alignment import (
    NONE,
    begins_of,
    is_boundary,
    last_unit,
    next_count,
    next_row,
    row_of,
    rows_at,
    section_index,
    unit_index,
)

MARK, TAGS = 9, (7, 8)
ids = st.lists(st.integers(0, 9), min_size=1, max_size=20)
words = st.lists(st.integers(1, 6), max_size=3)
units = st.lists(st.lists(words, min_size=1, max_size=4), min_size=1, max_size=4)
"""Sentences of each section."""
starts_ = st.sets(st.integers(0, 12)).map(sorted)
"""Where the sections of a plan begin."""


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


def test_where_sections_begin_in_a_batch() -> None:
    """0 and the sections, and that there are no more."""
    found = begins_of([[0, 2], [1], []]).tolist()
    assert found == [[0, 0, 2, NONE], [0, 1, NONE, NONE], [0, NONE, NONE, NONE]]
    assert begins_of([[]]).tolist() == [[0, NONE]]


def test_a_tag_takes_the_plan_along_be_it_early_or_late() -> None:
    """Sections begin at 0, 1 and 4; the third comes after two sentences, a fourth there is none."""
    document = torch.tensor([[0, 7, 1, MARK, 8, 1, MARK, 7, 1, MARK, 1, MARK, 7, 1, MARK]])
    found = section_index(document, [MARK], TAGS, begins_of([[0, 1, 4]]))
    assert found.tolist() == [[0, 0, 0, 1, 1, 1, 2, 4, 4, 5, 5, 6, 6, 6, 7]]
    late = torch.tensor([[0, 7, 1, MARK, 1, MARK, 1, MARK, 8, 1, MARK, 1, MARK]])
    found = section_index(late, [MARK], TAGS, begins_of([[0, 1, 4]]))
    assert found.tolist() == [[0, 0, 0, 1, 1, 2, 2, 3, 1, 1, 2, 2, 3]]


@given(st.lists(words, max_size=3), units, st.sampled_from(TAGS))
def test_tags_that_come_in_time_leave_every_row_where_it_is(
    before: list[list[int]], sections: list[list[list[int]]], tag: int
) -> None:
    """With text before the first tag or without."""
    tokens, starts, n = [0], [], 0
    for number, section in enumerate([before, *sections]):
        if number:
            starts.append(n)
            tokens.append(tag)
        for sentence in section:
            tokens += [*sentence, MARK]
            n += 1
    document = torch.tensor([[*tokens, 0, 1]])
    found = section_index(document, [MARK], TAGS, begins_of([starts]))
    assert torch.equal(found, unit_index(document, [MARK]))


@given(st.lists(st.tuples(ids, starts_), min_size=1, max_size=4))
def test_rows_do_not_depend_on_the_plans_beside(rows: list[tuple[list[int], list[int]]]) -> None:
    longest = max(len(tokens) for tokens, _ in rows)
    batch = torch.tensor([tokens + [0] * (longest - len(tokens)) for tokens, _ in rows])
    together = section_index(batch, [MARK], TAGS, begins_of([starts for _, starts in rows]))
    for row, (tokens, starts) in enumerate(rows):
        document = torch.tensor([tokens])
        alone = section_index(document, [MARK], TAGS, begins_of([starts]))
        assert torch.equal(alone[0], together[row, : len(tokens)])
        if not starts:  # where a plan knows of no sections, they are as they were
            assert torch.equal(alone, unit_index(document, [MARK]))


@given(ids, starts_)
def test_what_comes_later_changes_no_row_and_only_tags_go_back(
    tokens: list[int], starts: list[int]
) -> None:
    begins, document = begins_of([starts]), torch.tensor([tokens])
    whole = section_index(document, [MARK], TAGS, begins)
    assert (whole >= 0).all()
    at_tag = is_boundary(document, TAGS)[:, 1:]
    assert ((whole.diff() >= 0) | at_tag).all()
    row, tags = torch.zeros(1, dtype=torch.long), torch.zeros(1, dtype=torch.long)
    for step in range(len(tokens)):  # one token after the other comes to the same
        one = document[:, step]
        tag = is_boundary(one, TAGS)
        tags = tags + tag.long()
        row = next_row(row, is_boundary(one, [MARK]), tag, tags, begins)
        assert torch.equal(row, whole[:, step])
    for step in range(1, len(tokens) + 1):
        begun = section_index(document[:, :step], [MARK], TAGS, begins)
        assert torch.equal(begun, whole[:, :step])
