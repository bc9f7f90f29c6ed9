import numpy as np

from timecontrol.app.planes import plane, seen

RNG = np.random.default_rng(0)
PATH = RNG.normal(size=(7, 4)) * [5, 2, 0.1, 0.1]
AHEAD = np.array([1.0, 0.5, 0, 0])


def test_a_plane_keeps_what_strays_most() -> None:
    flat = np.array(seen(PATH, plane([PATH], AHEAD)))
    assert flat.shape == (7, 2)
    lost = np.square(PATH - PATH.mean(0)).sum() - np.square(flat).sum()
    assert 0 <= lost < 0.02 * np.square(PATH - PATH.mean(0)).sum()


def test_points_lie_where_they_do_whatever_their_order() -> None:
    order = RNG.permutation(7)
    flat = np.array(seen(PATH, plane([PATH], AHEAD)))
    assert np.allclose(flat[order], seen(PATH[order], plane([PATH[order]], AHEAD)), atol=1e-3)


def test_ahead_is_to_the_right_and_up() -> None:
    for sign in (1, -1):
        middle, directions = plane([PATH], sign * AHEAD)
        assert (directions @ (sign * AHEAD) >= 0).all()
        assert np.allclose(middle, PATH.mean(0))


def test_one_number_a_point_and_one_point_are_drawn_as_well() -> None:
    assert seen(np.ones((1, 1)), plane([np.ones((1, 1))], np.ones(1))) == [[0.0, 0.0]]
    flat = seen(np.array([[0.0], [2.0]]), plane([np.array([[0.0], [2.0]])], np.ones(1)))
    assert flat == [[-1.0, 0.0], [1.0, 0.0]]


def test_two_paths_are_seen_in_one_plane() -> None:
    where = plane([PATH, PATH + 1], AHEAD)
    apart = np.array(seen(PATH + 1, where)) - np.array(seen(PATH, where))
    assert np.allclose(apart, apart[0], atol=1e-3)
