"""Which row of a plan a token gets, worked by hand and as laws."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.decoder.alignment import (
    is_boundary,
    last_unit,
    next_count,
    row_of,
    rows_at,
    unit_index,
)

MARK, TAGS = 9, (7, 8)
ids = st.lists(st.integers(0, 9), min_size=1, max_size=20)


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
