import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.plans.stretching import is_one_hot, nearest, stretched


@given(st.integers(2, 30), st.integers(2, 60))
def test_a_line_stays_a_line_with_its_ends(m: int, n: int) -> None:
    path = np.outer(np.linspace(0, 1, m), [1.0, -2.0]) + 3
    found = stretched(path, n)
    np.testing.assert_allclose(found, np.outer(np.linspace(0, 1, n), [1.0, -2.0]) + 3)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=20), st.integers(2, 50))
def test_sections_stay_sections_in_their_order(sections: list[int], n: int) -> None:
    path = np.eye(4)[sections]
    found = stretched(path, n)
    assert is_one_hot(found)
    assert found[0].tolist() == path[0].tolist()
    assert found[-1].tolist() == path[-1].tolist()
    names = [int(row.argmax()) for row in found]
    rest = iter(sections)
    assert all(name in rest for i, name in enumerate(names) if i == 0 or name != names[i - 1])


def test_what_is_one_hot() -> None:
    assert is_one_hot(np.eye(3))
    assert not is_one_hot(np.zeros((2, 3)))
    assert not is_one_hot(np.ones((2, 3)))
    assert not is_one_hot(np.array([[0.5, 0.5]]))


@given(st.integers(1, 40), st.integers(1, 60))
def test_the_nearest_of_several_points(m: int, n: int) -> None:
    found = nearest(m, n)
    assert len(found) == n
    assert (found[0], found[-1]) == (0, m - 1 if n > 1 else 0)
    assert (np.diff(found) >= 0).all()
    assert (abs(found - np.linspace(0, m - 1, n)) <= 0.5 + 1e-9).all()
    if n >= m:
        assert set(found) == set(range(m)) or n == 1
    np.testing.assert_array_equal(nearest(m, m), np.arange(m))


def test_the_nearest_worked_by_hand() -> None:
    assert nearest(3, 4).tolist() == [0, 1, 1, 2]  # 0, 2/3, 4/3, 2
    assert nearest(4, 3).tolist() == [0, 2, 3]  # 0, 3/2, 3: halves go up
