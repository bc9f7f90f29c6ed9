"""Of bridges drawn at random the profile is that of a bridge; small ones are worked by hand."""

import numpy as np
import pytest

from tests.pages.seen import Array, drawn_at, numbers, of, parsed, places
from tests.pages.test_report import EVIL
from timecontrol.latents.fit import residuals
from timecontrol.pages.profile import HEIGHT, WIDTH, Profile, profile_chart

SIGMA = 0.7


def bridges(n: int, seed: int = 0, d: int = 3) -> list[Array]:
    """Return residuals of bridges: of random walks, less the line between their ends."""
    state = np.random.default_rng(seed)
    steps = [state.normal(0, SIGMA, (8 + i % 25, d)) for i in range(n)]
    return [residuals(np.cumsum(s, 0)) for s in steps]


def test_bridges_stray_as_the_formula_says() -> None:
    for sigma in (None, SIGMA):
        profile = Profile.of(bridges(1500), sigma)
        assert profile.sigma == pytest.approx(SIGMA, rel=0.02)
        np.testing.assert_allclose(profile.share, np.linspace(0.05, 0.95, 10))
        assert (np.abs(profile.seen - profile.bridge) < 4 * profile.error).all()
        assert profile.r2 > 0.97
        assert profile.documents == 1500


def test_the_error_is_how_far_profiles_of_other_documents_lie_apart() -> None:
    several = [Profile.of(bridges(40, seed), SIGMA) for seed in range(150)]
    spread = np.std([p.seen for p in several], 0)
    said = np.sqrt(np.mean([p.error**2 for p in several], 0))
    np.testing.assert_allclose(said, spread, rtol=0.25)


def test_noise_of_each_sentence_alone_is_no_bridge() -> None:
    state = np.random.default_rng(0)
    noise = [residuals(state.normal(size=(30, 2))) for _ in range(300)]
    assert Profile.of(noise).r2 < 0


def test_one_sentence_between_the_ends_worked_by_hand() -> None:
    # Half way a bridge has the variance 1 * 1 / 2; (1 + 9) / 2 is seen, so sigma^2 is 10.
    profile = Profile.of([np.array([[0.0, 0.0], [1.0, 3.0], [0.0, 0.0]])])
    found = (profile.share, profile.seen, profile.bridge, profile.sigma**2)
    assert [np.ravel(v).tolist() for v in found] == [
        pytest.approx([v]) for v in (0.55, 5.0, 5.0, 10.0)
    ]
    assert np.isnan(profile.error).all()


def test_the_error_of_two_documents_worked_by_hand() -> None:
    # 5 and 1 are seen: their standard deviation is 2 sqrt 2, that of their mean 2.
    low, high = (np.array([[0.0], [x], [0.0]]) for x in (1.0, np.sqrt(5)))
    profile = Profile.of([low, high])
    assert profile.seen.tolist() == pytest.approx([3])
    assert profile.error.tolist() == pytest.approx([2])


def test_a_document_counts_as_often_as_it_has_sentences_there() -> None:
    long = np.ones((21, 1))  # two sentences from 1/2 to 6/10
    long[[0, -1]] = 0
    profile = Profile.of([long, np.array([[0.0], [2.0], [0.0]]), np.zeros((2, 1))], 1.0)
    assert profile.seen[5] == pytest.approx((1 + 1 + 4) / 3)
    assert profile.bridge[5] == pytest.approx((10 * 10 / 20 + 11 * 9 / 20 + 1 / 2) / 3)
    assert np.isnan(np.delete(profile.error, 5)).all()
    assert np.isfinite(profile.error[5])
    assert profile.documents == 2


def test_another_sigma_moves_the_bridge_and_nothing_else() -> None:
    own, twice = (Profile.of(bridges(30), sigma) for sigma in (1.0, 2.0))
    np.testing.assert_allclose(twice.bridge, 4 * own.bridge)
    np.testing.assert_array_equal(twice.seen, own.seen)
    assert own.r2 == twice.r2


def test_the_chart_has_a_point_and_its_error_for_each_stretch() -> None:
    profile = Profile.of(bridges(50), SIGMA)
    chart = parsed(profile_chart(profile, "About the line"))
    dots = np.array([numbers(e, "cx", "cy") for e in of(chart, "circle", "seen")])
    bars = np.array([numbers(e, "y1", "y2") for e in of(chart, "line", "error")])
    curve = places(of(chart, "polyline", "bridge")[0])
    assert len(dots) == len(bars) == len(curve) - 2 == 10
    np.testing.assert_allclose(bars.mean(1), dots[:, 1], atol=0.11)
    # A unit of the chart is the same for points, errors and bridge, from zero at its foot.
    foot = curve[0, 1]
    assert curve[-1, 1] == foot
    unit = (foot - dots[:, 1]) / profile.seen
    np.testing.assert_allclose(unit, unit[0], rtol=0.01)
    np.testing.assert_allclose((foot - curve[1:-1, 1]) / profile.bridge, unit[0], rtol=0.01)
    np.testing.assert_allclose((bars[:, 0] - bars[:, 1]) / 2 / profile.error, unit[0], rtol=0.02)
    found = drawn_at(chart)
    assert (found >= 0).all()
    assert (found <= [WIDTH, HEIGHT]).all()


def test_paths_that_do_not_stray_and_single_documents_are_drawn() -> None:
    for found in ([np.zeros((5, 2))], bridges(1)):
        chart = profile_chart(Profile.of(found), EVIL)
        assert "nan" not in chart
        assert "<script" not in chart
        assert EVIL in [t.text for t in parsed(chart).iter("text")]
