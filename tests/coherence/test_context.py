import numpy as np

from timecontrol.coherence.context import FLOOR, Context, _regression, kinds, surroundings
from timecontrol.coherence.points import unit_of
from timecontrol.coherence.ragged import Ragged


def documents(seed: int, n: int = 200) -> tuple[Ragged, np.ndarray]:
    """Return documents with a subject each, and sentences that follow from the one before."""
    rng = np.random.default_rng(seed)
    layout = Ragged.of(rng.integers(4, 12, n))
    rows = []
    for length in layout.lengths:
        subject, x = rng.normal(size=(1, 6)), rng.normal(size=(int(length), 6))
        for t in range(1, len(x)):
            x[t] = 0.6 * x[t - 1] + 0.8 * x[t]
        rows.append(subject + x)
    return layout, unit_of(np.concatenate(rows))


def test_information_is_the_difference_of_two_gaussian_log_densities() -> None:
    layout, unit = documents(0)
    context = Context.fit(unit, layout, k=4)
    x, _ = context.project(unit)
    found, around, kind = context.information(x, layout), surroundings(x, layout), kinds(layout)
    for t in (0, 3, int(layout.lengths[0]) - 1):
        off = x[t] - around[t] @ context.weights[kind[t]]
        R, S = context.residual[kind[t]], context.whole

        def log_p(v: np.ndarray, c: np.ndarray) -> float:
            return float(-0.5 * (v @ np.linalg.solve(c, v) + np.linalg.slogdet(c)[1]))

        assert np.isclose(found[t], log_p(off, R) - log_p(x[t], S))


def test_what_follows_is_told_from_what_does_not() -> None:
    layout, unit = documents(1)
    context = Context.fit(unit, layout)
    new, fresh = documents(2)
    x, _ = context.project(fresh)
    kept = context.information(x, new)
    rng = np.random.default_rng(3)
    strangers = x[rng.permutation(len(x))]
    assert kept.mean() > 0.5
    assert context.information(strangers, new).mean() < 0


def test_surroundings_are_the_neighbours_and_the_rest() -> None:
    layout = Ragged.of([3, 2])
    x = np.array([[1.0], [2.0], [4.0], [8.0], [16.0]])
    expected = [[0, 2, 6 / 5], [1, 4, 5 / 5], [2, 0, 3 / 5], [0, 16, 16 / 4], [8, 0, 8 / 4]]
    np.testing.assert_allclose(surroundings(x, layout), expected)


def test_directions_are_fewer_where_sentences_are_few_and_what_they_miss_is_outside() -> None:
    layout = Ragged.of([4, 3, 5, 8, 4, 6])
    unit = unit_of(np.random.default_rng(0).normal(size=(30, 10)))
    context = Context.fit(unit, layout)
    assert context.directions.shape == (10, 3)
    x, outside = context.project(unit)
    axes = context.directions / np.linalg.norm(context.directions, axis=0)
    within = (unit - context.mean) @ axes
    np.testing.assert_allclose(
        within**2 @ np.ones(3) + outside, ((unit - context.mean) ** 2).sum(1)
    )
    assert np.isfinite(context.information(x, layout)).all()


def test_an_end_is_judged_without_the_neighbour_it_has_not() -> None:
    """Weights of the missing neighbour stay near zero, those of the one that is there do not."""
    layout, unit = documents(4, 400)
    context = Context.fit(unit, layout, k=4)
    k = context.directions.shape[1]
    before, after = context.weights[:, :k], context.weights[:, k : 2 * k]
    assert abs(before[0]).max() == 0
    assert abs(after[2]).max() == 0
    assert min(abs(after[0]).max(), abs(before[2]).max(), abs(before[1]).max()) > 0.05


def test_a_regression_is_drawn_to_what_is_given_by_its_worth() -> None:
    rng = np.random.default_rng(6)
    f, noise = rng.normal(size=(300, 6)), 0.3 * rng.normal(size=(300, 2))
    y = f @ np.ones((6, 2)) + noise
    given = np.zeros((6, 2)), 5 * np.eye(2)
    A, R = _regression(f, y, *given, 1e-9)
    np.testing.assert_allclose(A, np.linalg.lstsq(f, y, rcond=None)[0], atol=1e-6)
    off = y - f @ A
    np.testing.assert_allclose(R, off.T @ off / 300 + FLOOR * np.eye(2), atol=1e-6)
    A, R = _regression(f, y, *given, 1e12)
    np.testing.assert_allclose(A, given[0], atol=1e-6)
    np.testing.assert_allclose(R, given[1] + FLOOR * np.eye(2), atol=1e-6)
    half = _regression(f, y, *given, 300.0)[1]  # as many sentences for each side
    assert (np.diag(half) > 2.5).all()
