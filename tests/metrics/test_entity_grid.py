"""Documents that stay with their entities score higher."""

import numpy as np
import pytest

from timecontrol.metrics.entity_grid import EntityGrid, grid_of, transitions

STEADY = ["The river floods.", "A river rises.", "The mill stands.", "That mill turns."]
ORDER = np.arange(4)[None]


def test_entities_are_content_words_of_two_sentences() -> None:
    grid = grid_of(["The River's bank, 1204!", "They saw the river.", "It was there."])
    assert grid.tolist() == [[True], [True], [False]]
    assert grid_of(["One town.", "Two rivers."]).shape == (2, 0)


def test_transitions_worked_by_hand() -> None:
    grid = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], np.bool_)
    assert transitions(grid, ORDER).tolist() == [[2, 1, 1, 2]]
    assert transitions(grid, np.array([[0, 2, 1, 3]])).tolist() == [[0, 3, 3, 0]]


def test_a_document_that_stays_with_its_entities_scores_higher() -> None:
    model = EntityGrid.fit([grid_of(STEADY)] * 5)
    orders = np.array([[0, 1, 2, 3], [0, 2, 1, 3]])
    steady, broken = model.scores(grid_of(STEADY), orders)
    assert steady > broken


def test_probabilities_add_up_and_none_is_zero() -> None:
    for grids in ([grid_of(STEADY)], []):
        p = np.exp(EntityGrid.fit(grids).log_p).reshape(2, 2)
        np.testing.assert_allclose(p.sum(1), 1)
        assert (p > 0).all()


def test_a_document_without_entities_is_usual() -> None:
    model = EntityGrid.fit([grid_of(STEADY)])
    assert model.scores(grid_of(["One town."] + ["Ten."] * 3), ORDER)[0] == model.usual
    assert model.usual == pytest.approx(model.scores(grid_of(STEADY), ORDER)[0])


def test_each_transition_is_seen_once_more_than_it_is() -> None:
    """In STEADY river and mill go 11 then 10, 00 ... : 00, 01, 10, 11 twice, once, once, twice."""
    p = np.exp(EntityGrid.fit([grid_of(STEADY)]).log_p)
    np.testing.assert_allclose(p, [3 / 5, 2 / 5, 2 / 5, 3 / 5])
