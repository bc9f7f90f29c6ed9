import numpy as np

from timecontrol.coherence.ragged import Ragged
from timecontrol.coherence.trace import EDGE, STRANGE, fading, trace_of

LAYOUT = Ragged.of([6] * 300)


def sentences(seed: int) -> np.ndarray:
    """Return made terms: -u, place, context, nearness, distance outside; ends unlike the rest."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(len(LAYOUT.share), 5)) * [4, 1, 3, 0.1, 0.1] + [-8, 0, 5, 0.3, 0.4]
    rows[LAYOUT.first | LAYOUT.last, 2] += 20
    return np.asarray(rows)


def known(seed: int = 0) -> np.ndarray:
    return np.column_stack([sentences(seed), LAYOUT.first | LAYOUT.last])


def test_known_sentences_are_usual_and_ends_are_compared_with_ends() -> None:
    trust = np.ones(len(LAYOUT.lengths))
    trace, ranks = trace_of(sentences(1), known(), trust, 1.0, LAYOUT)
    for at_end in (True, False):
        here = (LAYOUT.first | LAYOUT.last) == at_end
        assert abs(trace[here].mean()) < 0.15
        assert abs(trace[here].std() - 1) < 0.2
        assert abs(ranks[here].mean() - 50) < 4


def test_without_trust_only_nearness_counts() -> None:
    rows, none = sentences(2), np.zeros(len(LAYOUT.lengths))
    trace, _ = trace_of(rows, known(), none, 1.0, LAYOUT)
    inner = ~(LAYOUT.first | LAYOUT.last)
    assert np.corrcoef(trace[inner], rows[inner, 3])[0, 1] > 0.999999
    other = rows.copy()
    other[:, [0, 1, 2, 4]] += 100
    np.testing.assert_allclose(trace_of(other, known(), none, 1.0, LAYOUT)[0], trace)


def test_what_lies_far_outside_is_a_stranger_even_where_learned_terms_count_little() -> None:
    rows, trust = sentences(3), np.ones(len(LAYOUT.lengths))
    usual = known()
    sd = usual[:, 4].std()
    for learned in (1.0, 0.3):
        before, _ = trace_of(rows, usual, trust, learned, LAYOUT)
        moved = rows.copy()
        moved[7, 4] = usual[:, 4].mean() + (EDGE - 0.1) * sd
        inside, _ = trace_of(moved, usual, trust, learned, LAYOUT)
        assert inside[7] >= before[7]  # not beyond the edge: no matter
        moved[7, 4] = usual[:, 4].mean() + (EDGE + 3) * sd
        outside, ranks = trace_of(moved, usual, trust, learned, LAYOUT)
        assert outside[7] < inside[7] - 2
        assert ranks[7] < 10
        np.testing.assert_array_equal(np.delete(outside, 7), np.delete(inside, 7))
    assert STRANGE > 0


def test_trust_fades_all_but_the_last() -> None:
    np.testing.assert_array_equal(fading(np.array([0.5])), [[0.5, 0.5, 0.5, 1.0]])
