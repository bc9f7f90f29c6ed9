"""Paths pieced together from documents: laws, and cases worked by hand."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.plans.examples import bent, stages
from timecontrol.plans.analogs import LEAST, LENGTH, MEMORY, NEIGHBOURS, SHRUNK, SLACK, Analogs
from timecontrol.plans.places import Places
from timecontrol.plans.timing import Sections, Timing
from timecontrol.runs import read_tensors, write_tensors

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

PATHS, PARTS = bent(), stages(bent())
TIMING = Timing.of(PARTS)


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def analogs(
    paths: Sequence[Array], parts: Sequence[Sections], roles: Sequence[Sequence[int]] | None = None
) -> Analogs:
    timing = Timing.of(parts)
    return Analogs.of(paths, [timing.times(own) for own in parts], timing.edges, roles)


def evenly(n: int) -> Array:
    """The times of a document that is one stage."""
    return (np.arange(n) + 0.5) / n


def one_stage(lengths: Sequence[int], d: int = 2, roles: bool = False) -> Analogs:
    """Documents without sections; where there are roles, two take turns."""
    state = random()
    paths = [state.normal(size=(n, d)) for n in lengths]
    own = [[(k + j) % 2 for j in range(n)] for k, n in enumerate(lengths)] if roles else None
    return analogs(paths, [[(0, n)] for n in lengths], own)


OWN = analogs(PATHS, PARTS)


def asked_of(n: int, seed: int) -> tuple[Array, Places]:
    """The times of a plan of n sentences, and where they stand."""
    times = TIMING.drawn(n, random(seed)).times
    return times, Places.of(times, TIMING.edges, np.arange(n) == 0)


def goes_on(own: Analogs, rows: Whole) -> NDArray[np.bool_]:
    """Whether each sentence but the first is the next of the document before it, (n - 1,)."""
    return np.asarray((np.diff(rows) == 1) & ~own.starts[rows[1:]])


@given(n=st.integers(1, 80), seed=st.integers(0, 99))
def test_every_sentence_is_one_of_a_document(n: int, seed: int) -> None:
    times, _ = asked_of(n, seed)
    rows = OWN.rows(times, random(seed))
    assert rows.shape == (n,)
    found = OWN.drawn(times, random(seed))
    np.testing.assert_array_equal(found, np.concatenate(PATHS).astype(np.float32)[rows])


@given(n=st.integers(2, 60), seed=st.integers(0, 99))
def test_every_step_is_of_a_document_or_joins_it_after_one_like_the_last(n: int, seed: int) -> None:
    """d by its formula, from sentences alone; few are nearer that could be taken."""
    times, asked = asked_of(n, seed)
    rows, own = OWN.rows(times, random(seed)), OWN.places
    joins = np.flatnonzero(~goes_on(OWN, rows)) + 1
    assert not OWN.starts[rows[1:]].any()  # a path goes on after a sentence
    for j in joins.tolist():
        last = rows[max(j - MEMORY, 0) : j]
        lately = OWN.strays[last].sum(0) / (len(last) + SHRUNK)
        before = np.flatnonzero(~OWN.starts) - 1
        apart = ((OWN.points[before] - OWN.points[rows[j - 1]]) / OWN.points.std(0)) ** 2
        apart = apart + ((OWN.lately[before] - lately) / OWN.lately.std(0)) ** 2
        d = dict(zip((before + 1).tolist(), apart.sum(1).tolist(), strict=True))
        at = asked.stages[j], asked.opens[j], asked.closes[j]
        alike = [
            i
            for i, away in d.items()
            if (own.stages[i], own.opens[i], own.closes[i]) == at
            and abs(own.shares[i] - asked.shares[j]) <= SLACK + 1 / asked.counts[j]
            and abs(np.log(own.counts[i] / asked.counts[j])) <= LENGTH
            and i != rows[j - 1] + 1
            and away < d[int(rows[j])] - 1e-9
        ]
        assert len(alike) < NEIGHBOURS


@given(n=st.integers(3, 80), seed=st.integers(0, 99))
def test_a_path_keeps_to_the_timetable(n: int, seed: int) -> None:
    times, asked = asked_of(n, seed)
    rows, own = OWN.rows(times, random(seed)), OWN.places
    np.testing.assert_array_equal(own.stages[rows], asked.stages)
    np.testing.assert_array_equal(own.opens[rows], asked.opens)
    long = asked.counts > 1  # a run of one sentence both opens and closes; there may be none
    np.testing.assert_array_equal(own.closes[rows][long], asked.closes[long])
    away = np.abs(own.shares[rows] - asked.shares)
    slack = SLACK + 1 / asked.counts
    on = np.append(False, goes_on(OWN, rows))
    assert (away <= slack)[on].all()
    assert (away <= slack).mean() > 0.8  # or there are few to choose from
    assert away.max() < 0.75


def test_a_path_as_long_as_its_documents_follows_one_of_them() -> None:
    """Documents of ten sentences each: whatever it begins with, it keeps to the timetable."""
    own = one_stage([10] * 40)
    for seed in range(20):
        rows = own.rows(evenly(10), random(seed))
        assert rows[0] % 10 == 0
        np.testing.assert_array_equal(rows, rows[0] + np.arange(10))
    assert len({own.rows(evenly(10), random(seed))[0] for seed in range(100)}) > 20


def test_a_long_path_moves_as_documents_do() -> None:
    """Stretched four times as long, it does not slow down: most of its steps are of documents."""
    own = one_stage([10] * 40)
    for seed in range(5):
        rows = own.rows(evenly(40), random(seed))
        assert goes_on(own, rows).mean() > 0.5
        assert own.starts[rows].tolist() == [True, *[False] * 39]
        assert own.places.closes[rows].tolist() == [*[False] * 39, True]


def test_what_never_mixes_is_never_mixed() -> None:
    """Two kinds of documents, far apart: a path that begins with one stays with it."""
    state = random()
    lengths = [8 + k % 5 for k in range(80)]
    paths = [state.normal(size=(n, 2)) + (40.0 if k % 2 else -40.0) for k, n in enumerate(lengths)]
    own = analogs(paths, [[(0, n)] for n in lengths])
    kinds = set()
    for seed in range(30):
        found = own.drawn(evenly(33), random(seed))
        assert len(set(np.sign(found[:, 0]))) == 1
        kinds.add(float(np.sign(found[0, 0])))
    assert kinds == {-1.0, 1.0}


def test_a_path_remembers_what_its_document_is_about() -> None:
    """Documents lie above or below 0 for good, each sentence as often beyond 0 as 1 in 4 times.

    One sentence tells little of which; the last eight tell it.
    """
    state = random(1)
    paths = [(0.7 if k % 2 else -0.7) + state.normal(size=(12, 1)) for k in range(120)]
    own = analogs(paths, [[(0, 12)]] * 120)
    kinds = np.repeat(np.arange(120) % 2, 12)
    joined = stayed = 0
    for seed in range(40):
        rows = own.rows(evenly(30), random(seed))
        joins = np.flatnonzero(~goes_on(own, rows)) + 1
        for j in joins[joins >= MEMORY].tolist():
            joined += 1
            mean = own.points[rows[j - MEMORY : j]].mean()
            stayed += bool((mean > 0) == (kinds[rows[j]] == 1))
    assert joined > 50
    assert stayed / joined > 0.75


def test_speakers_take_turns_as_in_documents() -> None:
    own = one_stage([9, 10, 11, 12] * 15, roles=True)
    firsts = set()
    for seed in range(20):
        rows = own.rows(evenly(50), random(seed))
        said = own.roles[rows]
        assert (said[1:] != said[:-1]).all()
        firsts.add(int(said[0]))
    assert firsts == {0, 1}
    nobody = one_stage([9, 10, 11, 12] * 15)
    free = [own.roles[nobody.rows(evenly(50), random(seed))] for seed in range(20)]
    assert any((said[1:] == said[:-1]).any() for said in free)  # else it would be chance


def test_runs_are_of_about_the_length_that_is_asked_for() -> None:
    """Where there are enough; else the nearest in length are taken."""
    own = one_stage([*[8] * 40, *[30] * 40])
    counts = own.places.counts
    for n, count in ((8, 8), (10, 8), (25, 30), (90, 30)):
        for seed in range(5):
            assert set(counts[own.rows(evenly(n), random(seed))].tolist()) == {count}
    few = one_stage([*[8] * 40, *[30] * (LEAST - 1)])
    seen = {
        int(c) for seed in range(9) for c in few.places.counts[few.rows(evenly(30), random(seed))]
    }
    assert seen == {8, 30}  # one is wanting


def test_how_far_documents_strayed_worked_by_hand() -> None:
    """Two documents at 2 and at -2 all along: m is 0 in each eighth, so r = 2 k / (k + 2)."""
    own = one_stage([8, 8], d=1)
    own = Analogs.of([np.full((8, 1), 2.0), np.full((8, 1), -2.0)], [evenly(8)] * 2, own.edges)
    np.testing.assert_allclose(own.strays[:, 0], np.repeat([2.0, -2.0], 8))
    k = np.arange(1, 9)
    np.testing.assert_allclose(own.lately[:8, 0], 2 * k / (k + 2))
    np.testing.assert_allclose(own.lately[8:, 0], -2 * k / (k + 2))
    long = Analogs.of([np.full((20, 1), 2.0), np.full((20, 1), -2.0)], [evenly(20)] * 2, own.edges)
    np.testing.assert_allclose(long.lately[MEMORY - 1 : 20, 0], 2 * MEMORY / (MEMORY + SHRUNK))


@given(n=st.integers(1, 40), seed=st.integers(0, 99))
def test_the_same_seed_gives_the_same_path(n: int, seed: int) -> None:
    times, _ = asked_of(n, seed)
    again = analogs(PATHS, PARTS)
    np.testing.assert_array_equal(OWN.rows(times, random(seed)), again.rows(times, random(seed)))


def test_other_seeds_give_other_paths() -> None:
    times, _ = asked_of(20, 0)
    assert len({tuple(OWN.rows(times, random(seed))) for seed in range(20)}) == 20


@pytest.mark.parametrize(
    ("paths", "parts"),
    [
        ([np.zeros((3, 2))], [[(0, 3)]]),
        ([np.zeros((3, 2)), np.ones((4, 2))], [[(0, 3)], [(1, 4)]]),
        ([np.zeros((3, 0))] * 2, [[(0, 3)]] * 2),
        ([np.eye(3)] * 4, [[(0, 1), (1, 2)]] * 4),
    ],
)
def test_few_documents_or_dull_ones_give_paths_of_any_length(
    paths: list[Array], parts: list[Sections]
) -> None:
    own, timing = analogs(paths, parts), Timing.of(parts)
    for n in (1, 2, 3, 20):
        for seed in range(5):
            times = timing.drawn(n, random(seed)).times
            found = own.drawn(times, random(seed))
            assert found.shape == (n, paths[0].shape[1])
            assert np.isfinite(found).all()


def test_analogs_come_back_from_their_tensors_to_the_last_bit(tmp_path: Path) -> None:
    roles = [[(7 * k + j) % 300 for j in range(len(p))] for k, p in enumerate(PATHS)]
    own = analogs(PATHS, PARTS, roles)
    file = tmp_path / "analogs.safetensors"
    write_tensors(file, {name: torch.from_numpy(a) for name, a in own.tensors().items()})
    found = Analogs.from_tensors({k: t.numpy() for k, t in read_tensors(file)[0].items()})
    for name, value in vars(own).items():
        np.testing.assert_array_equal(getattr(found, name), value)
        assert getattr(found, name).dtype == value.dtype
    assert found.roles.tolist() == [who for each in roles for who in each]
    times, _ = asked_of(25, 0)
    np.testing.assert_array_equal(found.drawn(times, random(3)), own.drawn(times, random(3)))


def test_a_sentence_takes_little_room_and_a_missing_array_is_a_key_error() -> None:
    tensors = OWN.tensors()
    d, sentences = 2, sum(len(p) for p in PATHS)
    each = sum(a.nbytes for name, a in tensors.items() if name not in ("lengths", "edges"))
    assert each == sentences * (4 * d + 4 + 2)
    for name in tensors:
        with pytest.raises(KeyError, match=name):
            Analogs.from_tensors({k: v for k, v in tensors.items() if k != name})
