"""Plans have the laws of their formulas."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.plans.examples import TOKENS, bent, law, sections, staged
from timecontrol.errors import TimeControlError, UnknownNameError
from timecontrol.latents.fit import at
from timecontrol.plans import KINDS, Law, Pin, draw, draw_many, own_length, sketch
from timecontrol.plans.kinds import DRAWN, NO_GOAL, NO_WAYPOINT, alike, stream
from timecontrol.plans.stretching import is_one_hot

Array = NDArray[np.float64]

LAW, STAGED = law(), staged(smooth=3)
START, GOAL, HALF = np.array([1.0, -1.0]), np.array([3.0, 5.0]), np.array([-2.0, 4.0])
PINS = (Pin(0, START), Pin(1, GOAL))
WAYPOINT = (*PINS, Pin(0.25, HALF))
ENDED = [k for k in KINDS if k not in NO_GOAL]
"""Kinds that take a goal."""
SAMPLED = [k for k in KINDS if k not in ("mean-time", "mean", "bridge", "retrieved", "pieced")]
"""Kinds that start where the Gaussian says."""

GRID = np.linspace(0, 1, 9)


def many(kind: str, n: int, pins: tuple[Pin, ...] = PINS, count: int = 4000) -> Array:
    """Plans, (count, n, d)."""
    return np.stack(draw_many(LAW, kind, n, count, 0, pins))


def covariance(times: list[float]) -> Array:
    """Cov of a bridge with unit noise over these times, zero at the first and the last."""
    t = np.array(times) - times[0]
    return np.asarray(np.minimum.outer(t, t) * (t[-1] - np.maximum.outer(t, t)) / t[-1])


def between_times(plans: Array, noise: Array) -> Array:
    """Cov over times in units of the noise, from draws, (n, n)."""
    centred = (plans - plans.mean(0)) @ np.linalg.inv(np.linalg.cholesky(noise)).T
    return np.asarray(np.einsum("kid,kjd->ij", centred, centred) / centred.shape[2] / len(plans))


def paced(noise: Array, n: int) -> Array:
    """The noise of a step in a plan of n sentences: (S - 1) / (n - 1) times the law's."""
    return noise * (LAW.fit.sentences - 1) / (n - 1)


BRIDGES = pytest.mark.parametrize(
    ("kind", "noise"),
    [("bridge-brownian", paced(LAW.noise, 9)), ("bridge-line", paced(LAW.line_noise, 9))],
)


@BRIDGES
def test_bridges_have_the_law_of_the_formula(kind: str, noise: Array) -> None:
    found = many(kind, 9)
    line = np.outer(1 - GRID, START) + np.outer(GRID, GOAL)
    m = at(LAW.fit.mean_path, GRID)
    bend = m - np.outer(1 - GRID, m[0]) - np.outer(GRID, m[-1])
    expected = line + (bend if kind == "bridge-brownian" else 0)
    error = 5 * np.sqrt(2 * np.trace(noise) / len(found))
    np.testing.assert_allclose(found.mean(0), expected, atol=error)
    np.testing.assert_allclose(between_times(found, noise), covariance([*range(9)]), atol=0.12)
    np.testing.assert_allclose(np.cov(found[:, 4].T), 2 * noise, rtol=0.15)  # 4 (8 - 4) / 8


@BRIDGES
def test_a_waypoint_plan_has_the_conditional_law(kind: str, noise: Array) -> None:
    """Gaussian conditioning on the waypoint, z_2 of 0 .. 8, gives the same mean and covariance."""
    free, found = many(kind, 9), many(kind, 9, WAYPOINT)
    K = covariance([*range(9)])
    gain = K[:, 2] / K[2, 2]  # (9,)
    m = at(LAW.fit.mean_path, GRID) if kind == "bridge-brownian" else np.zeros((9, 2))
    mean = m + np.outer(1 - GRID, START - m[0]) + np.outer(GRID, GOAL - m[-1])
    expected = mean + np.outer(gain, HALF - mean[2])
    error = 5 * np.sqrt(2 * np.trace(noise) / len(found))
    np.testing.assert_allclose(found.mean(0), expected, atol=error)
    conditional = K - np.outer(gain, K[2])
    np.testing.assert_allclose(between_times(found, noise), conditional, atol=0.12)
    assert between_times(free, noise)[2, 2] > 1
    np.testing.assert_array_equal(found[:, 2], np.repeat(HALF[None], len(found), 0))


def test_drawn_ends_have_the_law_of_first_and_last_sentences() -> None:
    found = many("linear", 2, ())
    for points, gaussian in ((found[:, 0], LAW.fit.start), (found[:, 1], LAW.fit.end)):
        error = 5 * np.sqrt(np.diag(gaussian.covariance) / len(points))
        assert (abs(points.mean(0) - gaussian.mean) < error).all()
        np.testing.assert_allclose(np.cov(points.T), gaussian.covariance, atol=0.15)
    across = np.cov(found[:, 0].T, found[:, 1].T)[:2, 2:]
    np.testing.assert_allclose(across, 0, atol=0.08)


def test_the_first_step_does_not_follow_from_where_a_plan_starts() -> None:
    found = many("brownian", 2, ())
    across = np.corrcoef(found[:, 0].T, (found[:, 1] - found[:, 0]).T)[:2, 2:]
    np.testing.assert_allclose(across, 0, atol=0.08)


@pytest.mark.parametrize("kind", ["bridge-brownian", "bridge-line", "brownian"])
def test_plans_of_any_length_stray_as_far_as_documents_of_usual_length(kind: str) -> None:
    """(S - 1) u (1 - u) times the noise at a share u in a bridge, (S - 1) u in a motion."""
    open_ended = kind == "brownian"
    noise = LAW.noise if kind == "bridge-brownian" else LAW.line_noise
    found = []
    for n in (10, 100):
        plans, u = many(kind, n, PINS[:1] if open_ended else PINS), n // 2 / (n - 1)
        expected = (LAW.fit.sentences - 1) * (u if open_ended else u * (1 - u)) * noise
        np.testing.assert_allclose(np.cov(plans[:, n // 2].T), expected, rtol=0.12)
        found.append(plans[:, -1 if open_ended else n // 2].var(0))
    np.testing.assert_allclose(found[0], found[1], rtol=0.12)


def test_a_plan_as_long_as_a_usual_document_has_the_noise_of_documents() -> None:
    usual = replace(LAW, fit=replace(LAW.fit, sentences=9.0))
    found = np.stack(draw_many(usual, "bridge-brownian", 9, 4000, 0, PINS))
    np.testing.assert_allclose(between_times(found, LAW.noise), covariance([*range(9)]), atol=0.12)


def test_a_brownian_plan_wanders_by_a_step_a_sentence() -> None:
    found = many("brownian", 6, PINS[:1])
    t = np.arange(6.0)
    noise = paced(LAW.line_noise, 6)
    np.testing.assert_allclose(between_times(found, noise), np.minimum.outer(t, t), atol=0.4)
    error = 5 * np.sqrt(5 * np.trace(noise) / len(found))
    np.testing.assert_allclose(found.mean(0), np.repeat(START[None], 6, 0), atol=error)


def test_the_euler_scheme_strays_as_its_recurrence_says() -> None:
    """v_{k+1} = (1 - a_k)^2 v_k + dt, a_k = dt / (1 - k dt): unit noise, unit time."""
    n, dt = 11, 0.1
    found, v = many("euler", n), [0.0]
    for k in range(n - 2):
        v.append((1 - dt / (1 - k * dt)) ** 2 * v[-1] + dt)
    np.testing.assert_allclose(found.var(0).mean(1), [*v, 0], rtol=0.06)
    line = np.linspace(START, GOAL, n)
    np.testing.assert_allclose(found.mean(0), line, atol=0.05)


@pytest.mark.parametrize(
    ("n", "index", "mean", "sd"),
    [(20, 10, 0.49, 0.53), (44, 22, 0.79, 0.55), (44, 42, 1.0, 0.23), (200, 198, 1.0, 1.4)],
)
def test_the_released_scheme_behaves_as_the_released_code(
    n: int, index: int, mean: float, sd: float
) -> None:
    """From 0 to 1 a coordinate."""
    ends = (Pin(0, np.zeros(2)), Pin(1, np.ones(2)))
    found = many("released", n, ends, 2000)[:, index]
    assert found.mean() == pytest.approx(mean, abs=0.05 * max(1, sd))
    assert found.std() == pytest.approx(sd, rel=0.08)


def test_the_released_static_plan_leaps_at_the_end() -> None:
    ends = (Pin(0, np.zeros(2)), Pin(1, np.ones(2)))
    found = many("released-static", 44, ends, 2000)
    pull = 0.05 / (1 - np.arange(42) / 44)
    np.testing.assert_allclose(found[:, 1:-1].mean((0, 2)), pull, atol=0.02)
    np.testing.assert_allclose(found[:, 1:-1].std((0, 2)), np.sqrt(0.05), rtol=0.06)
    assert pull[-1] == pytest.approx(0.73, abs=0.005)


def test_the_released_brownian_plan_has_no_drift_but_a_goal() -> None:
    found = many("released-brownian", 12)
    np.testing.assert_allclose(found.var(0).mean(1)[:-1], 0.05 * np.arange(11), rtol=0.08)
    np.testing.assert_allclose(found[:, 10].mean(0), START, atol=0.06)
    np.testing.assert_array_equal(found[:, -1], np.repeat(GOAL[None], len(found), 0))


def test_an_outline_is_the_mean_of_the_process_at_the_mean_timetable() -> None:
    for own in (LAW, STAGED):
        for n in (1, 2, 9, 30):
            table = own.timing.mean(n)
            for number in (0, 5):
                found = sketch(own, "mean", n, seed=number, number=number)
                np.testing.assert_allclose(found.points, own.process.at(table.times), atol=1e-9)
                assert found.starts == table.starts
                assert found.pace == tuple(table.pace)


def test_plans_of_the_process_have_its_mean_and_variance() -> None:
    """In a law whose documents are one stage, and so all timetables of n sentences."""
    n, times = 12, (np.arange(12) + 0.5) / 12
    found = many("bridge", n, ())
    sd = np.sqrt(np.diagonal(LAW.process.covariance(times), axis1=1, axis2=2)).T  # (n, d)
    error = 5 * sd / np.sqrt(len(found))
    assert (abs(found.mean(0) - LAW.process.at(times)) < error).all()
    np.testing.assert_allclose(found.std(0), sd, rtol=0.08)
    given = many("bridge", n, (Pin(0.5, HALF),))
    np.testing.assert_array_equal(given[:, 6], np.repeat(HALF[None], len(given), 0))
    assert (given[:, 4:9].var(0) < found[:, 4:9].var(0)).all()  # what is near is better known


def test_stages_begin_as_in_training_documents() -> None:
    seen = set()
    for number in range(20):
        found = sketch(STAGED, "bridge", 20, seed=0, number=number)
        assert found.starts[:2] == (0, 1)  # a sentence of the first, always
        assert 6 <= found.starts[2] <= 8  # a third of the rest is of the second
        assert len(found.starts) == 3  # the sections of the third are one stage
        pinned = sketch(STAGED, "bridge", 20, seed=0, number=number, pins=WAYPOINT)
        assert pinned.starts == found.starts
        seen.add(found.starts)
    assert len(seen) > 1


def test_kinds_that_know_of_no_sections_say_none() -> None:
    for kind in KINDS:
        found = sketch(STAGED, kind, 12, seed=0, number=1)
        np.testing.assert_array_equal(found.points, draw(STAGED, kind, 12, seed=0, number=1))
        knows = kind in ("bridge", "mean", "retrieved", "pieced")
        assert bool(found.starts) == knows
        assert len(found.pace) == (12 if knows else 0)
        assert (found.track is not None) == (kind in ("bridge", "mean", "pieced"))
        assert sketch(LAW, kind, 12, seed=0, number=1).starts == ()  # nor are there any in it


@pytest.mark.parametrize(
    ("kind", "n"),
    [(k, n) for k in ("bridge", "mean") for n in (1, 2, 3, 20, 90)]
    + [("retrieved", 20), ("retrieved", 90)],  # long enough to have all sections
)
def test_sentences_are_as_long_as_those_of_their_sections(kind: str, n: int) -> None:
    for number in range(5):
        found = sketch(STAGED, kind, n, seed=0, number=number)
        middle, rest = (*found.starts, n, n)[1:3]
        expected = np.repeat(TOKENS, [middle, rest - middle, n - rest])
        np.testing.assert_allclose(found.pace, expected)
        pinned = sketch(STAGED, kind, n, seed=0, number=number, pins=PINS[:1])
        assert pinned.pace == found.pace
        alike = sketch(LAW, kind, n, seed=0, number=number).pace
        np.testing.assert_allclose(alike, 500 / LAW.sentences, rtol=0.05)


def test_a_plan_is_as_long_as_the_document_whose_timetable_it_has() -> None:
    paths = [path[: 6 + i % 5] for i, path in enumerate(bent())]
    parts = [[(0, 1), (1, 1 + i % 4), (2, len(p) - 2 - i % 4)] for i, p in enumerate(paths)]
    own = Law.of(paths, 500, sections=parts)
    tables = [(0, 1, 2 + i % 4) for i in range(len(paths))]
    for number in range(30):
        n = own_length(own, "bridge", 3, number)
        assert n is not None
        which = stream(3, number, 2).integers(len(parts))
        assert n == len(paths[which])
        assert sketch(own, "bridge", n, seed=3, number=number).starts == tables[which]
        assert own_length(own, "retrieved", 3, number) == n
        assert own_length(own, "pieced", 3, number) == n
    lengths = {own_length(own, "bridge", 0, number) for number in range(100)}
    assert lengths == {len(path) for path in paths}


def test_kinds_that_draw_no_timetable_have_no_length_of_their_own() -> None:
    for kind in KINDS:
        assert (own_length(STAGED, kind, 0, 0) is None) == (kind not in DRAWN)
    with pytest.raises(TimeControlError, match="must not be negative, got 0 and -1"):
        own_length(STAGED, "bridge", 0, -1)


def test_noise_is_multiplied_and_none_leaves_the_mean() -> None:
    for kind in ("bridge", "pieced", "bridge-brownian", "bridge-line", "brownian", "hovering"):
        pins = (Pin(0, START),)

        def plan(noise: float, kind: str = kind, pins: tuple[Pin, ...] = pins) -> Array:
            return sketch(STAGED, kind, 9, seed=0, number=3, pins=pins, noise=noise).points

        none, half, one, two = map(plan, (0.0, 0.5, 1.0, 2.0))
        np.testing.assert_allclose(one - none, 2 * (half - none), atol=1e-9)
        np.testing.assert_allclose(two - none, 2 * (one - none), atol=1e-9)
        assert np.abs(one - none).max() > 0.01
        np.testing.assert_array_equal(one, draw(STAGED, kind, 9, seed=0, number=3, pins=pins))
    for bad in (-1.0, float("nan"), float("inf")):
        with pytest.raises(TimeControlError, match="noise is"):
            sketch(LAW, "bridge", 5, seed=0, number=0, noise=bad)


def test_a_hovering_plan_strays_like_a_bridge_and_goes_nowhere() -> None:
    def plans(kind: str, noise: float = 1.0) -> Array:
        found = [sketch(STAGED, kind, 9, seed=0, number=k, noise=noise).points for k in range(1500)]
        return np.stack(found)

    hovering, bridge = plans("hovering"), plans("bridge") - plans("bridge", 0.0)
    strayed = hovering - hovering[:, :1]  # (count, 9, d)
    np.testing.assert_allclose(strayed.mean(0), 0, atol=0.15)
    np.testing.assert_allclose(strayed[:, 1:].std(0), bridge[:, 1:].std(0), rtol=0.1)
    held = sketch(STAGED, "hovering", 9, seed=0, number=0, noise=0.0).points
    np.testing.assert_array_equal(held, np.tile(held[0], (9, 1)))


def test_ends_way_and_timetable_are_drawn_each_for_itself() -> None:
    def first(*which: int) -> float:
        return float(stream(*which).random())

    assert first(1, 2, 0) == first(1, 2, 0)
    places = [(seed, number, which) for seed in (0, 1) for number in (0, 1) for which in range(3)]
    assert len({first(*place) for place in places}) == len(places)


def test_straight_and_constant_plans() -> None:
    line = draw(LAW, "linear", 5, seed=0, number=0, pins=PINS)
    np.testing.assert_allclose(line, np.linspace(START, GOAL, 5))
    bent = draw(LAW, "linear", 9, seed=0, number=0, pins=WAYPOINT)
    np.testing.assert_allclose(bent[:3], np.linspace(START, HALF, 3))
    np.testing.assert_allclose(bent[2:], np.linspace(HALF, GOAL, 7))
    still = draw(LAW, "static", 4, seed=0, number=0, pins=PINS[:1])
    np.testing.assert_array_equal(still, [START] * 4)


def test_the_mean_plan_is_the_mean_path_but_where_it_is_pinned() -> None:
    m = at(LAW.fit.mean_path, GRID)
    np.testing.assert_array_equal(draw(LAW, "mean-time", 9, seed=0, number=0), m)
    np.testing.assert_array_equal(draw(LAW, "mean-time", 33, seed=9, number=7), LAW.fit.mean_path)
    found = draw(LAW, "mean-time", 9, seed=0, number=0, pins=PINS[1:])
    np.testing.assert_array_equal(found[0], m[0])
    np.testing.assert_allclose(found, m + np.outer(GRID, GOAL - m[-1]))


def test_a_retrieved_plan_is_a_training_path_stretched() -> None:
    same = replace(LAW, paths=[p[:11] for p in LAW.paths])
    for number in range(5):
        found = draw(same, "retrieved", 11, seed=0, number=number)
        assert any((found == p).all() for p in same.paths)
        longer = draw(same, "retrieved", 21, seed=0, number=number)
        np.testing.assert_allclose(longer[::2], found)
        np.testing.assert_allclose(longer[1::2], (found[1:] + found[:-1]) / 2)
        goal = draw(same, "retrieved", 11, seed=0, number=number, pins=PINS[1:])
        shift = np.linspace(0, 1, 11)[:, None] * (GOAL - found[-1])
        np.testing.assert_allclose(goal, found + shift)
    assert len({tuple(p[0]) for p in draw_many(same, "retrieved", 5, 50, 0)}) > 20


def test_a_retrieved_plan_is_of_a_document_of_about_its_length() -> None:
    """A tenth of the documents, or 20, and ties."""
    for n, lengths in ((1, [*range(400)]), (200, [*range(400)]), (999, [5, 7, 9] * 50)):
        chosen = alike(lengths, n)
        away = [abs(lengths[i] - n) for i in chosen]
        others = [abs(lengths[i] - n) for i in range(len(lengths)) if i not in set(chosen)]
        assert len(set(chosen)) == len(chosen) >= max(20, len(lengths) // 10)
        assert max(away) < min(others)  # with ties
    assert sorted(alike([3, 9], 5)) == [0, 1]
    ends = {p[-1].tobytes() for p in LAW.paths if len(p) <= 15}
    for number in range(20):
        assert draw(LAW, "retrieved", 11, seed=0, number=number)[-1].tobytes() in ends


def test_a_pieced_plan_is_the_mean_of_neighbouring_sentences_of_documents() -> None:
    law = STAGED
    assert law.analogs is not None
    known = {tuple(z) for z in np.concatenate(bent()).astype(np.float32).tolist()}
    for number in range(5):
        found = sketch(law, "pieced", 15, seed=0, number=number)
        assert found.track is not None
        assert {tuple(z) for z in found.track.path.tolist()} <= known
        averaged = law.process.averages(found.track.times) @ found.track.path
        np.testing.assert_allclose(found.points, averaged)
        none = sketch(law, "pieced", 15, seed=0, number=number, noise=0.0)
        np.testing.assert_allclose(none.points, law.process.at(found.track.times))


def test_a_pieced_plan_has_the_timetable_of_a_document_of_about_its_length() -> None:
    """Short documents have a long stage 0, long ones a short one."""
    paths = [*bent(21)[:1] * 40, *bent(21)[-1:] * 40]  # 11 and 31 sentences
    parts = [
        [(0, 8 if len(p) == 11 else 3), (1, len(p) - (8 if len(p) == 11 else 3))] for p in paths
    ]
    own = Law.of(paths, 500, sections=parts)
    for number in range(10):
        assert sketch(own, "pieced", 11, seed=0, number=number).starts == (0, 8)
        assert sketch(own, "pieced", 31, seed=0, number=number).starts == (0, 3)
    seen = {sketch(own, "bridge", 31, seed=0, number=number).starts for number in range(10)}
    assert len(seen) == 2


def test_a_law_without_sentences_gives_no_pieced_plan_and_says_why() -> None:
    old = replace(LAW, analogs=None)
    with pytest.raises(TimeControlError, match=r"no sentences that a 'pieced' plan.*Train it anew"):
        draw(old, "pieced", 5, seed=0, number=0)
    for kind in KINDS:
        if kind != "pieced":
            found = draw(old, kind, 5, seed=0, number=0)
            np.testing.assert_array_equal(found, draw(LAW, kind, 5, seed=0, number=0))


def test_a_retrieved_plan_has_the_sections_of_its_document() -> None:
    """Where they begin, and their tokens, not those of others; two of one tag are one stage."""
    n, paths = 11, [path[:11] for path in bent()]
    parts = [[(0, 1), (1, 1 + i % 5), (2, 3), (2, 6 - i % 5)] for i in range(len(paths))]
    sizes = [[9 + i, 4 * own[1][1], 21, 8 * own[3][1]] for i, own in enumerate(parts)]
    law = Law.of(paths, 500, sections=parts, sizes=sizes)
    for number in range(20):
        found = draw(law, "retrieved", n, seed=0, number=number)
        (which,) = [i for i, path in enumerate(law.paths) if (found == path).all()]
        starts = (0, 1, 2 + which % 5)
        own = sketch(law, "retrieved", n, seed=0, number=number)
        assert own.starts == starts
        assert own.pace == tuple(np.repeat([9 + which, 4, 7, 8], [c for _, c in parts[which]]))
        assert sum(own.pace) == sum(sizes[which])
        longer = sketch(law, "retrieved", 3 * n - 2, seed=0, number=number)
        assert longer.starts == tuple(max(3 * i - 1, 0) for i in starts)  # a third before
        assert set(longer.pace) == set(own.pace)
        short = sketch(law, "retrieved", 3, seed=0, number=number)
        assert short.starts[0] == 0
        assert len(short.starts) <= len(short.pace) == 3


def test_a_plan_has_the_tokens_of_the_document_whose_timetable_it_has() -> None:
    """As long as it is, all of them; as many again where it is stretched."""
    paths, parts = bent(), [[(0, 2), (1, len(p) - 2)] for p in bent()]
    sizes = [[6 + i, (9 + i % 7) * own[1][1]] for i, own in enumerate(parts)]
    law = Law.of(paths, 500, sections=parts, sizes=sizes)
    for number in range(20):
        n = own_length(law, "bridge", 3, number)
        assert n is not None
        which = stream(3, number, 2).integers(len(parts))
        found = sketch(law, "bridge", n, seed=3, number=number)
        assert sum(found.pace) == pytest.approx(sum(sizes[which]))
        longer = sketch(law, "bridge", 2 * n, seed=3, number=number)
        assert longer.pace == (*found.pace, *[found.pace[-1]] * n)


def test_text_before_the_first_tag_is_no_section_of_a_retrieved_plan() -> None:
    one = Law.of([np.arange(8.0).reshape(4, 2)] * 3, 10, sections=[[(-1, 2), (0, 2)]] * 3)
    assert sketch(one, "retrieved", 4, seed=0, number=0).starts == (2,)
    assert sketch(one, "retrieved", 1, seed=0, number=0).starts == ()


@given(n=st.integers(1, 40), number=st.integers(0, 50))
def test_retrieved_sections_stay_sections_in_order(n: int, number: int) -> None:
    found = draw(Law.of(sections(), 10), "retrieved", n, seed=0, number=number)
    assert is_one_hot(found)
    order = found.argmax(1)
    assert (np.diff(order) >= 0).all()
    assert order[0] == 0
    assert n == 1 or order[-1] == 2


def test_sections_are_taken_from_the_nearest_sentence() -> None:
    """Sentences 0, 1, 2 at thirds of the way: 0, 2/3, 4/3, 2 are nearest to 0, 1, 1, 2."""
    one = replace(Law.of(sections(), 10), paths=[np.eye(4)[:3]])
    found = draw(one, "retrieved", 4, seed=0, number=0)
    assert found.argmax(1).tolist() == [0, 1, 1, 2]


def test_one_hot_points_are_told_from_others() -> None:
    assert is_one_hot(np.eye(3)[[0, 0, 2]])
    assert not is_one_hot(np.array([[0.5, 0.5]]))
    assert not is_one_hot(np.array([[1.0, 1.0]]))
    assert not is_one_hot(np.array([[2.0, -1.0]]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("paths", [bent(10), sections(), [np.ones((4, 3))] * 5])
def test_every_kind_plans_any_length_from_any_law(kind: str, n: int, paths: list[Array]) -> None:
    found = draw(Law.of(paths, 10), kind, n, seed=0, number=3)
    assert found.shape == (n, paths[0].shape[1])
    assert found.dtype == np.float64
    assert np.isfinite(found).all()


@pytest.mark.parametrize("kind", KINDS)
@given(
    n=st.integers(1, 30),
    share=st.floats(0.001, 0.999),
    chosen=st.sets(st.sampled_from(["start", "goal", "waypoint"])),
)
def test_a_plan_passes_its_pins(kind: str, n: int, share: float, chosen: set[str]) -> None:
    pins = []
    if "start" in chosen:
        pins.append(Pin(0, START))
    if "goal" in chosen and n > 1 and kind not in NO_GOAL:
        pins.append(Pin(1, GOAL))
    if "waypoint" in chosen and n > 2 and kind not in NO_WAYPOINT:
        pins.insert(0, Pin(share, HALF))
    found = draw(LAW, kind, n, seed=1, number=2, pins=pins)
    for pin in pins:
        if pin.share in (0, 1):
            np.testing.assert_array_equal(found[-int(pin.share)], pin.point)
        else:
            at = np.flatnonzero((found == HALF).all(1))
            assert len(at) == 1
            assert abs(at[0] - share * (n - 1)) <= (0.5 if 0.5 <= share * (n - 1) <= n - 1.5 else 1)


def test_a_plan_depends_on_seed_and_number_alone() -> None:
    for kind in KINDS:
        whole = draw_many(LAW, kind, 6, 5, 3)
        tail = draw_many(LAW, kind, 6, 2, 3, first=3)
        np.testing.assert_array_equal(whole[3:], tail)
        np.testing.assert_array_equal(whole[2], draw(LAW, kind, 6, seed=3, number=2))
        if kind not in ("mean-time", "mean"):
            assert not np.array_equal(whole[0], whole[1])
            assert not np.array_equal(whole[0], draw(LAW, kind, 6, seed=4, number=0))


def test_ends_are_the_same_for_every_kind_and_whatever_is_pinned() -> None:
    line = draw(LAW, "linear", 8, seed=1, number=2)
    for kind in SAMPLED:
        found = draw(LAW, kind, 5, seed=1, number=2)
        np.testing.assert_array_equal(found[0], line[0])
        if kind in ENDED:
            np.testing.assert_array_equal(found[-1], line[-1])
            pinned = draw(LAW, kind, 5, seed=1, number=2, pins=PINS[:1])
            np.testing.assert_array_equal(pinned[-1], line[-1])
        np.testing.assert_array_equal(draw(LAW, kind, 1, seed=1, number=2), line[:1])


@pytest.mark.parametrize("kind", NO_WAYPOINT)
def test_kinds_without_waypoints_say_so(kind: str) -> None:
    with pytest.raises(TimeControlError) as caught:
        draw(LAW, kind, 9, seed=0, number=0, pins=[Pin(0.5, HALF)])
    assert str(caught.value) == (
        f"A {kind!r} plan takes no waypoint. These do: bridge, mean, retrieved, "
        "pieced, bridge-brownian, bridge-line, mean-time, linear."
    )


@pytest.mark.parametrize("kind", NO_GOAL)
def test_kinds_without_a_goal_say_so(kind: str) -> None:
    with pytest.raises(TimeControlError, match=f"^A '{kind}' plan takes no goal. These do: bridge"):
        draw(LAW, kind, 9, seed=0, number=0, pins=[Pin(1, GOAL)])


@pytest.mark.parametrize(
    ("n", "pins", "reason"),
    [
        (0, [], "at least 1 sentence, not 0"),
        (9, [Pin(1.5, GOAL)], r"0 \(the start\) to 1 \(the goal\), not 1.5"),
        (9, [Pin(float("nan"), GOAL)], "not nan"),
        (9, [Pin(1, np.zeros(3))], "The pin at 1 has 3 numbers, not 2"),
        (9, [Pin(1, np.zeros((2, 2)))], "has 2 x 2 numbers, not 2"),
        (9, [Pin(0.5, np.array([0, np.nan]))], "The pin at 0.5 holds NaN or infinity"),
        (1, [Pin(1, GOAL)], "no place in 1 sentences: ask for at least 2"),
        (2, [Pin(0.5, HALF)], "no place in 2 sentences: ask for at least 3"),
        (9, [Pin(0.5, HALF), Pin(0.52, HALF)], r"Two waypoints .* fall on sentence 5 of 9"),
        (9, [Pin(0, HALF), Pin(0, START)], r"Two waypoints .* fall on sentence 1 of 9"),
    ],
)
def test_pins_without_a_place_are_refused(n: int, pins: list[Pin], reason: str) -> None:
    with pytest.raises(TimeControlError, match=reason):
        draw(LAW, "bridge-brownian", n, seed=0, number=0, pins=pins)


def test_other_mistakes_are_told() -> None:
    with pytest.raises(UnknownNameError, match=r"'brige'. Did you mean 'bridge'\?"):
        draw(LAW, "brige", 5, seed=0, number=0)
    with pytest.raises(TimeControlError, match="must not be negative, got -1 and 0"):
        draw(LAW, "bridge-brownian", 5, seed=-1, number=0)


def test_every_kind_says_what_it_is() -> None:
    assert all(make.__doc__ for make in KINDS.values())
    assert set(NO_WAYPOINT) <= set(KINDS)
