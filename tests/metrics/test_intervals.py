"""An interval covers what it should, and a sure thing has none."""

import numpy as np
import pytest

from timecontrol.metrics.intervals import mean_over, ratio, resamples


def test_a_constant_is_sure() -> None:
    found = ratio(np.full(20, 3.0), np.full(20, 4.0))
    assert (found.value, found.low, found.high) == (0.75, 0.75, 0.75)
    assert found.error == 0
    assert found.documents == 20


def test_the_error_is_that_of_a_mean() -> None:
    values = np.random.default_rng(0).normal(size=400)
    found = ratio(values, np.ones(400))
    assert found.value == pytest.approx(values.mean())
    assert found.error == pytest.approx(values.std() / 20, rel=0.1)
    assert found.high - found.low == pytest.approx(2 * 1.96 * found.error, rel=0.1)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    state = np.random.default_rng(1)
    found = [ratio(state.normal(size=50), np.ones(50), seed=i) for i in range(100)]
    covered = np.mean([f.low <= 0 <= f.high for f in found])
    assert 0.87 < covered < 0.99


def test_documents_are_drawn_not_values() -> None:
    document = np.repeat(np.arange(10), 100)
    values = (document % 2).astype(float)  # all values of a document alike
    found = mean_over(values, document)
    assert found.value == 0.5
    assert found.error == pytest.approx(0.5 / np.sqrt(10), rel=0.15)
    gap = mean_over(values, document + 3)  # numbers without values do not count
    assert gap.documents == 10


def test_as_many_documents_are_drawn_as_there_are() -> None:
    drawn = list(resamples(7, 0))
    assert {w.sum() for w in drawn} == {7}
    np.testing.assert_allclose(np.mean(drawn, 0), 1, atol=0.15)
    assert (drawn[0] == next(resamples(7, 0))).all()


def test_every_value_counts_once_however_many_its_document_has() -> None:
    document = np.array([0, 0, 0, 1])
    assert mean_over(np.array([1.0, 1.0, 1.0, 0.0]), document).value == 0.75
