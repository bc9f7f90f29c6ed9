"""Where sentences stand: worked by hand, and laws over any documents."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.plans.places import Places
from timecontrol.plans.timing import Timing

DOCUMENTS = st.lists(
    st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), min_size=1, max_size=4).map(
        lambda found: sorted(dict(found).items())
    ),
    min_size=1,
    max_size=5,
)


def test_places_worked_by_hand() -> None:
    """A stage of a quarter and one of the rest; two documents, of 1 + 2 and 0 + 3 sentences."""
    times = np.array([0.125, 0.4375, 0.8125, 0.375, 0.625, 0.875])
    starts = np.array([True, False, False, True, False, False])
    found = Places.of(times, np.array([0.25]), starts)
    assert found.stages.tolist() == [0, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(found.shares, [0.5, 0.25, 0.75, 1 / 6, 1 / 2, 5 / 6])
    assert found.counts.tolist() == [1, 2, 2, 3, 3, 3]
    assert found.opens.tolist() == [True, True, False, True, False, False]
    assert found.closes.tolist() == [True, False, True, False, False, True]


def test_without_edges_a_document_is_one_run() -> None:
    found = Places.of(np.array([0.25, 0.75, 0.5]), np.zeros(0), np.array([True, False, True]))
    assert found.stages.tolist() == [0, 0, 0]
    np.testing.assert_allclose(found.shares, [0.25, 0.75, 0.5])
    assert found.counts.tolist() == [2, 2, 1]
    assert found.opens.tolist() == [True, False, True]
    assert found.closes.tolist() == [False, True, True]


@given(DOCUMENTS)
def test_places_are_those_of_the_timing(documents: list[list[tuple[int, int]]]) -> None:
    """Sentence j of c stands at (j + 1/2) / c, in the stage that it was given."""
    timing = Timing.of(documents)
    times = [timing.times(document) for document in documents]
    starts = np.concatenate([np.arange(len(own)) == 0 for own in times])
    found = Places.of(np.concatenate(times), timing.edges, starts)
    runs = [(timing.names.index(stage), n) for document in documents for stage, n in document]
    assert found.stages.tolist() == [stage for stage, n in runs for _ in range(n)]
    assert found.counts.tolist() == [n for _, n in runs for _ in range(n)]
    inside = np.concatenate([(np.arange(n) + 0.5) / n for _, n in runs])
    np.testing.assert_allclose(found.shares, inside, atol=1e-9)
    assert found.opens.tolist() == [j == 0 for _, n in runs for j in range(n)]
    assert found.closes.tolist() == [j == n - 1 for _, n in runs for j in range(n)]
