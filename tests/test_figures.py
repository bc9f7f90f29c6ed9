"""Figures show what they say; a look at them is taken by eye, in docs/encoder.md."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tests.latents.test_fit import drawn
from timecontrol import figures
from timecontrol.errors import TimeControlError
from timecontrol.latents import fit_paths

PATHS = drawn(30, bend=2.0)
FIT = fit_paths(PATHS)


def test_trajectories_show_each_coordinate_coherent_and_shuffled() -> None:
    figure = figures.trajectories(PATHS, FIT, most=5)
    assert len(figure.axes) == 4  # two coordinates, two rows
    order, _ = figures.by_time(PATHS, FIT)
    for axis, coordinate in zip(figure.axes[:2], order, strict=True):
        assert len(axis.lines) == 5
        np.testing.assert_allclose(axis.lines[0].get_ydata(), PATHS[0][:, coordinate])
        assert f"$z_{{{coordinate + 1}}}$" in axis.get_title()
    below = figure.axes[2].lines[0].get_ydata()
    above = figure.axes[0].lines[0].get_ydata()
    np.testing.assert_allclose(sorted(below), sorted(above))
    assert list(below) != list(above)


def test_fewer_coordinates_are_those_that_time_explains_best() -> None:
    order, _ = figures.by_time(PATHS, FIT)
    for figure in (
        figures.trajectories(PATHS, FIT, coordinates=1),
        figures.band(PATHS, FIT, coordinates=1),
    ):
        titles = [axis.get_title() for axis in figure.axes if axis.get_title()]
        assert len(titles) == 1
        assert f"$z_{{{order[0] + 1}}}$" in titles[0]


def test_the_band_is_mean_and_sd_over_documents() -> None:
    figure = figures.band(PATHS, FIT)
    order, _ = figures.by_time(PATHS, FIT)
    [line] = [x for x in figure.axes[0].lines if x.get_label() == "coherent"]
    np.testing.assert_allclose(line.get_ydata(), FIT.mean_path[:, order[0]])


def test_the_plane_has_two_orthonormal_directions() -> None:
    axes = figures.plane_axes(PATHS, FIT)
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-12)
    labels = figures.plane(PATHS, FIT).axes[0].get_legend_handles_labels()[1]
    assert {"bridge, ± 2 sd", "mean path", "start, 1 sd", "end, 1 sd"} <= set(labels)


def test_coordinates_come_by_how_much_time_explains() -> None:
    state = np.random.default_rng(0)
    paths = [np.stack([state.normal(size=20), np.arange(20.0)], 1) for _ in range(10)]
    order, shares = figures.by_time(paths, fit_paths(paths))
    assert order == [1, 0]
    assert shares[1] > 0.99


def test_a_document_is_drawn_with_its_fits_and_its_path() -> None:
    fits, path = np.array([0.5, -3.0, 1.0, 0.2]), PATHS[0][:4]
    figure = figures.flow(fits, path, low=[1], title="a$b_c$.txt")
    left, right = figure.axes
    np.testing.assert_allclose([bar.get_height() for bar in left.patches], fits)
    colours = [bar.get_facecolor() for bar in left.patches]
    assert [c != colours[0] for c in colours] == [False, True, False, False]
    assert [t.get_text() for t in right.texts] == ["1", "2", "3", "4"]
    figure.canvas.draw()


@pytest.mark.parametrize("d", [1, 2, 9])
def test_a_path_in_its_own_plane_keeps_what_two_directions_can(d: int) -> None:
    path = np.random.default_rng(0).normal(size=(12, d))
    flat = figures.own_plane(path)
    assert flat.shape == (12, 2)
    assert flat[-1, 0] >= flat[0, 0]
    variances = np.sort(np.linalg.eigvalsh(np.cov(path.T).reshape(d, d)))[::-1]
    expected = np.pad(variances, (0, 2))[:2]
    np.testing.assert_allclose(flat.var(0, ddof=1), expected, atol=1e-12)


def test_an_ellipse_is_one_standard_deviation() -> None:
    ring = figures.ellipse(np.array([1.0, 2.0]), np.diag([4.0, 9.0]))
    offset = (ring - [1, 2]) / [2, 3]
    np.testing.assert_allclose((offset**2).sum(1), 1)


@pytest.mark.parametrize("d", [1, 3, 9, 32])
@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_any_number_of_coordinates_can_be_drawn(d: int, form: str, tmp_path: Path) -> None:
    state = np.random.default_rng(0)
    paths = [state.normal(size=(8, d)) for _ in range(4)]
    fit = fit_paths(paths)
    for draw in (figures.trajectories, figures.band, figures.plane):
        figures.save(draw(paths, fit), tmp_path / f"a.{form}")
        assert (tmp_path / f"a.{form}").stat().st_size > 1000


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(TimeControlError, match=r"pip install 'time-control\[plots\]'"):
        figures.band(PATHS, FIT)
