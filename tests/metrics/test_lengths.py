"""Lengths are counted as each definition says, and compared in percent."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.corpora.layout import DIALOGUE, HOWTO, SPOKEN, WIKISECTION, Layout
from timecontrol.metrics.intervals import resamples
from timecontrol.metrics.lengths import (
    deviation_of_means,
    lengths,
    mean_lengths,
    mean_of_deviations,
    own_means,
    released_lengths,
    stretched,
)

Document = Sequence[tuple[str | None, int]]
DOCUMENTS: list[Document] = [
    [("A", 10), ("B", 30)],
    [("A", 20), ("B", 10), ("B", 20)],
    [(None, 7), ("A", 30)],
]
REFERENCE = {"A": 10.0, "B": 20.0}


def test_a_tag_counts_its_mean_in_a_document_then_over_documents() -> None:
    assert own_means(DOCUMENTS[1]) == {"A": 20, "B": 15}
    assert mean_lengths(DOCUMENTS) == {"A": 20, "B": 22.5}  # B: 30 and 15; absent in the third
    assert mean_lengths([]) == {}


def test_deviation_of_means_worked_by_hand() -> None:
    whole, each = deviation_of_means({"A": 20, "B": 22.5, "C": 5}, REFERENCE)
    assert each == {"A": 100, "B": 12.5}
    assert whole == 56.25
    assert deviation_of_means({"A": 10}, REFERENCE) == (50, {"A": 0, "B": 100})


def test_mean_of_deviations_worked_by_hand() -> None:
    # A: 0, 100, 200 %; B: 50, 25, and 100 where it is absent.
    assert mean_of_deviations(DOCUMENTS, REFERENCE) == pytest.approx((0 + 100 + 200 + 175) / 6)


def test_too_long_makes_up_for_too_short_only_in_the_means() -> None:
    documents = [[("A", 5)], [("A", 15)]]
    assert deviation_of_means(mean_lengths(documents), {"A": 10})[0] == 0
    assert mean_of_deviations(documents, {"A": 10}) == 50


def test_a_stretched_reference_fills_the_budget_in_the_same_proportions() -> None:
    assert stretched(REFERENCE, 90) == {"A": 30, "B": 60}


def test_a_reference_of_nothing_is_refused() -> None:
    for bad in ({}, {"A": 0.0}, {"A": 1.0, "B": -1.0}):
        with pytest.raises(ValueError, match="more than 0"):
            deviation_of_means({"A": 1}, bad)
        with pytest.raises(ValueError, match="more than 0"):
            stretched(bad, 10)


def test_released_sections_count_the_first_of_a_tag_only() -> None:
    documents: list[Document] = [
        [("ABSTRACT", 10), ("HISTORY", 20), ("ABSTRACT", 100)],
        [(None, 50), ("ABSTRACT", 30), ("CLIMATE", 4), ("DEMOGRAPHICS", 9)],
    ]
    found = released_lengths(documents, WIKISECTION)
    # CLIMATE is no tag of the layout: its text belongs to the abstract, 34.
    assert found == {"ABSTRACT": 22, "HISTORY": 20, "DEMOGRAPHICS": 9}
    steps = released_lengths([[("TITLE", 3), ("STEP", 8), ("STEP", 80)]], HOWTO)
    assert steps == {"TITLE": 3, "STEP": 8}


@pytest.mark.parametrize("layout", [DIALOGUE, SPOKEN])
def test_released_turns_reach_to_the_other_speaker(layout: Layout) -> None:
    u, a = "USER", "ASSISTANT"
    first = [(u, 5), (u, 3), (a, 4), (u, 2), (u, 500)]  # u: 8 and 3; a: 4; the end is dropped
    assert released_lengths([first], layout) == {u: 5.5, a: 4}
    second = [(u, 1), (a, 6), (u, 9)]
    assert released_lengths([first, second], layout) == {u: pytest.approx(3.25), a: 5}
    monologue = [(u, 1000)]
    assert released_lengths([monologue], layout) == {}
    assert released_lengths([first, monologue], layout) == {u: 5.5, a: 4}


def test_the_summary_is_the_functions_put_together() -> None:
    found = lengths(DOCUMENTS, REFERENCE, budget=90)
    assert found["n"] == 3
    assert {t: m["value"] for t, m in found["means"].items()} == {"A": 20, "B": 22.5}
    assert {t: m["documents"] for t, m in found["means"].items()} == {"A": 3, "B": 2}
    assert found["deviations"] == {"A": 100, "B": 12.5}
    assert found["MM"]["value"] == 56.25
    assert found["mean_of_deviations"]["value"] == pytest.approx(475 / 6)
    long = found["stretched"]
    assert long["budget"] == 90
    assert long["reference"] == {"A": 30, "B": 60}
    assert long["MM"]["value"] == pytest.approx((100 / 3 + 62.5) / 2)
    # A: 2/3, 1/3, 0 off; B: 1/2, 3/4, 1.
    assert long["mean_of_deviations"]["value"] == pytest.approx(100 * (1 + 2.25) / 6)
    assert "stretched" not in lengths(DOCUMENTS, REFERENCE)


def test_resamples_equal_documents_drawn_again() -> None:
    state = np.random.default_rng(0)
    documents = [
        [(tag, int(state.integers(1, 40))) for tag in "AB" if state.random() < 0.6]
        for _ in range(6)
    ]
    drawn, apart = [], []
    for w in resamples(6, 3):
        again = [documents[i] for i in np.repeat(np.arange(6), w.astype(int))]
        drawn.append(deviation_of_means(mean_lengths(again), REFERENCE)[0])
        apart.append(mean_of_deviations(again, REFERENCE))
    found = lengths(documents, REFERENCE, seed=3)
    assert found["MM"]["error"] == pytest.approx(np.std(drawn))
    assert found["MM"]["high"] == pytest.approx(np.percentile(drawn, 97.5))
    assert found["mean_of_deviations"]["error"] == pytest.approx(np.std(apart))


def test_a_tag_nobody_wrote_has_no_mean_and_is_wholly_off() -> None:
    found = lengths([[("C", 4), ("A", 10)]] * 3, REFERENCE)
    assert list(found["means"]) == ["A", "C"]
    assert found["deviations"] == {"A": 0, "B": 100}
    assert (found["MM"]["value"], found["MM"]["low"], found["MM"]["error"]) == (50, 50, 0)


def test_no_documents_are_refused() -> None:
    with pytest.raises(ValueError, match="no documents"):
        lengths([], REFERENCE)


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=6),
    st.floats(0.1, 10),
)
def test_laws(pairs: list[tuple[int, int]], scale: float) -> None:
    documents = [[("A", a), ("B", b)] for a, b in pairs]
    whole = deviation_of_means(mean_lengths(documents), REFERENCE)[0]
    apart = mean_of_deviations(documents, REFERENCE)
    assert whole <= apart + 1e-9
    # Another unit of length, on both sides, changes nothing.
    scaled = [[(tag, scale * length) for tag, length in d] for d in documents]
    goal = {tag: scale * length for tag, length in REFERENCE.items()}
    assert mean_of_deviations(scaled, goal) == pytest.approx(apart)
    assert sum(stretched(REFERENCE, scale).values()) == pytest.approx(scale)


def test_a_document_without_tags_counts_nothing_by_the_released_rule() -> None:
    for layout in (WIKISECTION, DIALOGUE):
        assert released_lengths([[(None, 12)]], layout) == {}
        assert released_lengths([[]], layout) == {}
