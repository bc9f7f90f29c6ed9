"""The law of plans is that of the bridges it was fitted to."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.latents.test_fit import SIGMA, drawn
from tests.plans.examples import MIX, TOKENS, bent, law, sections, staged, stages
from timecontrol.errors import TimeControlError
from timecontrol.plans import Law, draw
from timecontrol.plans.calm import Calm
from timecontrol.plans.law import MOST_PATHS, MOST_PIECES, bridge_noise, evenly
from timecontrol.plans.process import Process
from timecontrol.plans.timing import NO_STAGE, Timing
from timecontrol.plans.timing import TOKENS as UNKNOWN
from timecontrol.runs import read_tensors, write_tensors


def test_the_noise_of_bridges_is_found() -> None:
    found = Law.of([p @ MIX.T for p in drawn(400, bend=3.0)], 500)
    np.testing.assert_allclose(found.noise, SIGMA**2 * MIX @ MIX.T, atol=0.03)
    assert np.trace(found.line_noise) > 2 * np.trace(found.noise)


def test_the_trace_of_the_noise_is_the_scale_of_the_fit() -> None:
    found = law()
    assert np.trace(found.noise) / 2 == pytest.approx(found.fit.mean_sigma**2)
    assert np.trace(found.line_noise) / 2 == pytest.approx(found.fit.line_sigma**2)


def test_the_noise_by_hand() -> None:
    """0, 3/4, 1, 0: residuals 3/4 and 1 where t (T - t) / T is 2/3, so (27/32 + 3/2) / 2."""
    r = np.array([[0.0], [0.75], [1.0], [0.0]])
    assert bridge_noise([r] * 100).item() == pytest.approx((27 / 32 + 3 / 2) / 2)


def test_lengths_are_means_over_all_documents() -> None:
    found = Law.of([*drawn(2), np.zeros((1, 2))], [100, 200, 60])
    assert found.sentences == pytest.approx((11 + 12 + 1) / 3)
    assert found.tokens == 120
    assert found.dim == 2
    assert Law.of(drawn(2), 150).tokens == 150


def test_short_documents_are_left_out_of_the_fit() -> None:
    found = Law.of([*drawn(3), np.full((2, 2), 1e6)], 10)
    assert found.fit.documents == 3
    assert len(found.paths) == 3
    assert found.fit.start.mean.max() < 10


def test_too_few_documents_are_refused() -> None:
    with pytest.raises(TimeControlError, match="1 documents of three sentences or more"):
        Law.of([np.zeros((5, 2)), np.zeros((2, 2))], 10)


@pytest.mark.parametrize("tokens", [0, [], [0, 0], float("nan")])
def test_documents_without_tokens_are_refused(tokens: float) -> None:
    with pytest.raises(TimeControlError, match="tokens on average"):
        Law.of(drawn(3), tokens)


def test_paths_are_kept_evenly() -> None:
    many = [np.full((3, 1), i / 4) for i in range(2 * MOST_PATHS)]
    kept = [p[0, 0] * 4 for p in Law.of(many, 10).paths]
    assert len(kept) == MOST_PATHS
    assert (kept[0], kept[-1]) == (0, len(many) - 1)
    assert set(np.diff(kept)) <= {1, 2, 3}
    parts, sizes = [[(i, 3)] for i in range(len(many))], [[5 + i] for i in range(len(many))]
    own = Law.of(many, 10, sections=parts, sizes=sizes)
    assert [own.sections_of(i)[0][0] for i in range(MOST_PATHS)] == kept
    assert [own.sizes_of(i) for i in range(MOST_PATHS)] == [[5 + i] for i in kept]


@pytest.mark.parametrize("paths", [bent(), bent(2), sections(), [np.ones((4, 3))] * 5])
def test_every_law_has_noise_that_can_be_drawn(paths: list[np.ndarray]) -> None:
    found = Law.of(paths, 10)
    for covariance in (found.noise, found.line_noise, found.fit.start.covariance):
        assert np.isfinite(np.linalg.cholesky(covariance)).all()


@pytest.mark.parametrize("paths", [bent(), sections()])
def test_a_law_comes_back_from_its_tensors_to_the_last_bit(
    paths: list[np.ndarray], tmp_path: Path
) -> None:
    own = Law.of(paths, 123.5)
    file = tmp_path / "law.safetensors"
    write_tensors(file, {name: torch.from_numpy(a) for name, a in own.tensors().items()})
    found = Law.from_tensors({name: t.numpy() for name, t in read_tensors(file)[0].items()})
    assert found.fit.as_dict() == own.fit.as_dict()
    assert (found.sentences, found.tokens) == (own.sentences, own.tokens)
    np.testing.assert_array_equal(found.noise, own.noise)
    np.testing.assert_array_equal(found.line_noise, own.line_noise)
    assert [p.tolist() for p in found.paths] == [p.tolist() for p in own.paths]


def test_timing_and_process_are_those_of_the_documents_that_are_long_enough() -> None:
    paths, parts = bent(), stages(bent())
    raw = [p + np.random.default_rng(i).normal(size=p.shape) for i, p in enumerate(paths)]
    found = Law.of([np.zeros((2, 2)), *paths], 10, [np.ones((2, 2)), *raw], [[(9, 2)], *parts], 5)
    assert found.timing.documents == parts
    timing = Timing.of(parts)
    alone = Process.of(raw, [timing.times(p) for p in parts], 5)  # of single sentences
    for name, value in alone.tensors().items():
        np.testing.assert_array_equal(found.process.tensors()[name], value)
    assert found.process.width == 5


def test_paths_are_pieced_together_from_single_sentences_of_documents_that_are_long_enough() -> (
    None
):
    paths, parts = bent(), stages(bent())
    raw = [p + np.random.default_rng(i).normal(size=p.shape) for i, p in enumerate(paths)]
    roles = [[i % 3] * len(p) for i, p in enumerate(paths)]
    short = np.zeros((2, 2))
    found = Law.of(
        [short, *paths], 10, [short, *raw], [[(9, 2)], *parts], 5, roles=[[7, 7], *roles]
    )
    own = found.analogs
    assert own is not None
    np.testing.assert_array_equal(own.points, np.concatenate(raw).astype(np.float32))
    assert own.lengths.tolist() == [len(p) for p in paths]
    assert own.roles.tolist() == [who for each in roles for who in each]
    times = np.concatenate([found.timing.times(p) for p in parts])
    np.testing.assert_allclose(own.times, times, rtol=1e-6)
    np.testing.assert_array_equal(own.edges, found.timing.edges)
    alone = law().analogs
    assert alone is not None
    assert set(alone.roles.tolist()) == {0}


def test_so_many_documents_are_kept_to_piece_paths_together_from() -> None:
    many = [np.full((3, 1), i / 4) for i in range(2 * MOST_PIECES)]
    roles = [[i] * 3 for i in range(len(many))]
    own = Law.of(many, 10, roles=roles).analogs
    assert own is not None
    assert len(own.lengths) == MOST_PIECES
    np.testing.assert_array_equal(own.points[:, 0] * 4, own.roles)
    assert (own.roles[0], own.roles[-1]) == (0, len(many) - 1)


def test_analogs_come_back_with_the_law_and_old_files_have_none(tmp_path: Path) -> None:
    own = staged(smooth=3)
    file = tmp_path / "law.safetensors"
    write_tensors(file, {name: torch.from_numpy(a) for name, a in own.tensors().items()})
    tensors = {name: t.numpy() for name, t in read_tensors(file)[0].items()}
    found = Law.from_tensors(tensors)
    for number in range(3):
        np.testing.assert_array_equal(
            draw(found, "pieced", 9, seed=0, number=number),
            draw(own, "pieced", 9, seed=0, number=number),
        )
    old = Law.from_tensors({k: v for k, v in tensors.items() if not k.startswith("analogs.")})
    assert old.analogs is None
    assert old.fitted
    assert not [name for name in old.tensors() if name.startswith("analogs.")]
    np.testing.assert_array_equal(
        draw(old, "bridge", 9, seed=0, number=1), draw(own, "bridge", 9, seed=0, number=1)
    )


def test_averages_within_stages_are_those_of_the_law() -> None:
    paths, parts = bent(), stages(bent())
    found, across = (Law.of(paths, 10, None, parts, 3, within=w) for w in (True, False))
    np.testing.assert_array_equal(found.process.edges, found.timing.edges)
    assert len(across.process.edges) == 0
    again = Law.from_tensors(found.tensors())
    np.testing.assert_array_equal(again.process.roots, found.process.roots)


def test_lengths_of_sentences_are_those_of_the_documents_that_are_long_enough() -> None:
    paths, parts = bent(), stages(bent())
    lengths = [[*range(1, len(p) + 1)] for p in paths]
    found = Law.of(
        [np.zeros((2, 2)), *paths], 10, None, [[(9, 2)], *parts], lengths=[[500, 1], *lengths]
    )
    np.testing.assert_array_equal(found.timing.shape, Timing.of(parts, None, lengths).shape)
    assert found.timing.shape.std() > 0


def test_sizes_are_those_of_the_documents_that_are_long_enough() -> None:
    paths, parts = bent(), stages(bent())
    sizes = [[i + n for _, n in document] for i, document in enumerate(parts)]
    found = Law.of([np.zeros((2, 2)), *paths], 10, None, [[(9, 2)], *parts], 1, [[500], *sizes])
    assert found.timing.sizes.tolist() == [n for own in sizes for n in own]
    assert [found.sizes_of(i) for i in range(len(paths))] == sizes
    assert [found.sections_of(i) for i in range(len(paths))] == parts
    assert (staged().timing.tokens == staged().timing.totals * TOKENS).all()
    with pytest.raises(ValueError, match="zip"):
        Law.of(paths, 10, sections=parts, sizes=sizes[1:])


def test_tokens_are_shared_out_evenly_worked_by_hand() -> None:
    parts = [[(0, 1), (1, 3)], [(0, 2)]]
    assert evenly(parts, [40, 10]) == [[10, 30], [10]]
    assert evenly(parts, 12.0) == [[4, 12], [8]]  # three sentences on average
    assert evenly(parts, [12.0]) == evenly(parts, 12.0)
    assert evenly(parts, [1, 1]) == [[1, 1], [1]]  # each has one at least
    assert evenly([[], *parts], [7, 40, 10]) == [[], [10, 30], [10]]


def test_without_sizes_every_sentence_of_a_document_has_the_same_tokens() -> None:
    """Short ones count for the mean, but are left out."""
    paths, parts = bent(), stages(bent())
    counts = [len(p) for p in paths]
    each = Law.of(paths, [7 * n for n in counts], sections=parts)
    assert (each.timing.tokens == 7 * each.timing.totals).all()
    short = np.zeros((1, 2))
    found = Law.of([short, *paths], 500, sections=[[(9, 1)], *parts])
    rate = 500 / found.sentences
    assert found.sentences == pytest.approx((1 + sum(counts)) / 101)
    assert found.timing.sizes.tolist() == [
        max(round(rate * n), 1) for document in parts for _, n in document
    ]


def test_documents_without_sections_are_one_stage() -> None:
    found = law()
    rate = 500 / found.sentences
    assert found.timing.sizes.tolist() == [round(rate * len(p)) for p in bent()]
    assert found.timing.documents == [[(NO_STAGE, len(p))] for p in bent()]
    assert found.process.width == 1


def test_timing_and_process_come_back_to_the_last_bit(tmp_path: Path) -> None:
    sizes = [[7 * i + n for _, n in document] for i, document in enumerate(stages(bent()))]
    own = Law.of(bent(), 500, sections=stages(bent()), smooth=3, sizes=sizes)
    file = tmp_path / "law.safetensors"
    write_tensors(file, {name: torch.from_numpy(a) for name, a in own.tensors().items()})
    found = Law.from_tensors({name: t.numpy() for name, t in read_tensors(file)[0].items()})
    assert found.timing.documents == own.timing.documents
    assert found.timing.sizes.dtype == np.int64
    np.testing.assert_array_equal(found.timing.sizes, own.timing.sizes)
    assert [found.sizes_of(i) for i in range(3)] == sizes[:3]
    assert found.process.width == 3
    for name, value in own.process.tensors().items():
        np.testing.assert_array_equal(found.process.tensors()[name], value)


def test_old_tensors_are_of_one_stage_and_of_what_is_known_of_paths() -> None:
    own = staged(smooth=3)
    gone = ("timing.", "process.", "calm.", "analogs.")
    old = {k: v for k, v in own.tensors().items() if not k.startswith(gone)}
    assert len(old) < len(own.tensors())
    found = Law.from_tensors(old)
    assert found.timing.documents == [[(NO_STAGE, len(p))] for p in own.paths]
    assert found.timing.sizes.tolist() == [UNKNOWN * len(p) for p in own.paths]
    assert found.process.width == 1
    times = [(np.arange(len(p)) + 0.5) / len(p) for p in own.paths]
    expected = Process.of(own.paths, times)
    np.testing.assert_allclose(found.process.mean, expected.mean)
    np.testing.assert_allclose(found.process.slow, expected.slow, atol=1e-9)


def test_points_of_single_sentences_are_calmed_by_their_place(tmp_path: Path) -> None:
    paths = bent()
    random = np.random.default_rng(0)
    raw = [p + random.normal(size=p.shape) for p in paths]
    short = np.zeros((2, 2))
    own = Law.of([*paths, short], 10, [*raw, short + 1e6])  # too short to be learnt from
    alone = Calm.of(raw, paths)
    point = np.array([2.0, -1.0])
    for share, calm in ((0, alone.start), (0.01, alone.inner), (0.9, alone.inner), (1, alone.end)):
        np.testing.assert_array_equal(own.calmed(share, point), calm(point))
    file = tmp_path / "law.safetensors"
    write_tensors(file, {name: torch.from_numpy(a) for name, a in own.tensors().items()})
    found = Law.from_tensors({name: t.numpy() for name, t in read_tensors(file)[0].items()})
    for share in (0, 0.5, 1):
        np.testing.assert_array_equal(found.calmed(share, point), own.calmed(share, point))


def test_points_stay_where_nothing_was_smoothed() -> None:
    tensors = law().tensors()
    old = Law.from_tensors({k: v for k, v in tensors.items() if not k.startswith("calm.")})
    point = np.array([2.0, -1.0])
    for own in (law(), old, Law.of(bent(), 10, bent())):
        for share in (0, 0.5, 1):
            np.testing.assert_array_equal(own.calmed(share, point), point)


def test_raw_points_of_other_documents_are_refused() -> None:
    for raw in (bent(99), bent()[::-1], [p[:, :1] for p in bent()]):
        with pytest.raises(TimeControlError, match="must be of the same documents"):
            Law.of(bent(), 10, raw)


def test_paths_are_stored_in_single_precision() -> None:
    found = law()
    assert found.tensors()["paths"].dtype == np.float32
    np.testing.assert_allclose(found.paths[3], bent()[3], rtol=1e-6)
    assert found.paths[3].dtype == np.float64


@pytest.mark.parametrize(
    "name",
    [
        "noise",
        "paths",
        "fit.documents",
        "fit.end.mean",
        "calm.end.bias",
        "timing.counts",
        "timing.sizes",
        "process.slow",
        "analogs.roles",
    ],
)
def test_other_tensors_are_refused(name: str) -> None:
    tensors = law().tensors()
    del tensors[name]
    own = name if name.startswith("fit.") else name.removeprefix(f"{name.split('.')[0]}.")
    with pytest.raises(TimeControlError, match=f"no law of plans: no '{own}'"):
        Law.from_tensors(tensors)
