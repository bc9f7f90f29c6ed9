from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from timecontrol.coherence.bridge import bridges
from timecontrol.coherence.model import FAR, TERMS, Coherence, _error
from timecontrol.coherence.nearness import nearness
from timecontrol.coherence.points import points_of
from timecontrol.coherence.ragged import Ragged
from timecontrol.scoring import student

Corpus = tuple[np.ndarray, np.ndarray, Ragged]


def corpus(seed: int, n: int = 150) -> Corpus:
    """Return documents that go somewhere, with a subject each, in features and latents."""
    rng = np.random.default_rng(seed)
    layout = Ragged.of(rng.integers(6, 20, n))
    subject = rng.normal(size=(n, 3))[layout.document]
    walk = np.concatenate([rng.normal(size=(k, 3)).cumsum(0) / np.sqrt(k) for k in layout.lengths])
    hidden = np.column_stack([subject, walk, 3 * layout.share])  # (N, 7)
    features = hidden @ np.random.default_rng(99).normal(size=(7, 24)) + 8
    latents = hidden[:, 3:] + 0.2 * rng.normal(size=(len(hidden), 4))
    return features.astype(np.float32), latents, layout


@cache
def fitted() -> Coherence:
    return Coherence.fit(*corpus(0))


def put(data: Corpus, order: np.ndarray) -> Corpus:
    return data[0][order], data[1][order], data[2]


def shuffled(data: Corpus, seed: int) -> Corpus:
    rng = np.random.default_rng(seed)
    parts = [rng.permutation(p) for p in data[2].split(np.arange(float(len(data[0]))))]
    return put(data, np.concatenate(parts).astype(int))


def test_new_documents_of_the_kind_are_usual() -> None:
    found = fitted().judge(*corpus(1))
    assert abs(found.score.mean()) < 0.3
    assert found.score.std() == pytest.approx(1, abs=0.3)
    assert 35 < np.median(found.percentile) < 65
    assert np.mean(found.percentile < 10) < 0.25
    assert found.trace.mean() == pytest.approx(0, abs=0.2)
    assert found.standard.shape == (150, len(TERMS))


def test_shuffled_documents_score_lower() -> None:
    model, data = fitted(), corpus(2)
    whole, mixed = model.judge(*data), model.judge(*shuffled(data, 0))
    assert np.mean(whole.score > mixed.score) > 0.97
    assert mixed.percentile.mean() < 10


def test_a_stranger_in_the_middle_is_found_by_the_trace() -> None:
    model, data = fitted(), corpus(3)
    layout, rng = data[2], np.random.default_rng(5)
    places = layout.starts + layout.lengths // 2
    order = np.arange(len(data[0]))
    order[places] = np.roll(places, 1) + rng.integers(-2, 3, len(places))
    found = model.judge(*put(data, order))
    hits = [
        int(np.argmin(trace[1:-1])) + 1 == n // 2
        for trace, n in zip(layout.split(found.trace), layout.lengths, strict=True)
    ]
    assert np.mean(hits) > 0.6


def test_documents_are_judged_each_by_itself() -> None:
    model, (features, latents, layout) = fitted(), corpus(4, 20)
    whole = model.judge(features, latents, layout)
    start, length = layout.starts[7], layout.lengths[7]
    here = slice(start, start + length)
    alone = model.judge(features[here], latents[here], Ragged.of([length]))
    for name in ("score", "error", "percentile", "terms", "novelty", "trust"):
        np.testing.assert_allclose(getattr(alone, name)[0], getattr(whole, name)[7], rtol=1e-6)
    np.testing.assert_allclose(alone.trace, whole.trace[here], rtol=1e-6)


def test_far_texts_are_judged_by_likeness_alone() -> None:
    model, (features, latents, layout) = fitted(), corpus(5, 30)
    other = np.random.default_rng(6).normal(size=features.shape).astype(np.float32)
    found = model.judge(other, latents, layout)
    assert (found.novelty > FAR).all()
    assert (found.trust == 0).all()
    np.testing.assert_allclose(
        found.score, found.standard[:, 3] / np.sqrt(model._correlation()[3, 3])
    )
    assert (model.judge(features, latents, layout).trust > 0.5).mean() > 0.9


def test_the_error_is_that_of_a_mean_over_sentences() -> None:
    found = fitted().judge(*(data := corpus(8, 300)))
    assert (found.error > 0).all()
    short, long = data[2].lengths <= 9, data[2].lengths >= 16
    assert found.error[short].mean() > found.error[long].mean()


def test_tensors_bring_it_back_bit_for_bit() -> None:
    model, data = fitted(), corpus(9, 10)
    again = Coherence.from_tensors(model.tensors())
    np.testing.assert_array_equal(model.judge(*data).score, again.judge(*data).score)
    np.testing.assert_array_equal(model.judge(*data).trace, again.judge(*data).trace)


def test_a_handful_of_documents_is_enough_for_numbers() -> None:
    features, latents, layout = corpus(10, 3)
    found = Coherence.fit(features, latents, layout).judge(features, latents, layout)
    assert np.isfinite(found.score).all()
    assert np.isfinite(found.trace).all()


def test_score_and_trace_are_what_the_formulas_say() -> None:
    model, (features, latents, layout) = fitted(), corpus(11, 40)
    found = model.judge(features, latents, layout)
    points = points_of(model.context, features, latents)
    g = np.clip((3.0 - found.novelty) / 1.5, 0, 1)
    np.testing.assert_allclose(found.trust, g)
    raw = bridges(latents, layout, model.sigma)
    near = nearness(points.unit, layout)
    terms = np.column_stack(
        [
            raw.score,
            layout.mean(model.places.information(latents, layout)),
            layout.mean(model.context.information(points.x, layout)),
            (layout.mean(near) + layout.lowest(near, 0.25)) / 2,
        ]
    )
    np.testing.assert_allclose(found.terms, terms)
    novel = layout.mean(points.outside)
    z = model.scale.standard(np.column_stack([terms, novel]), layout.lengths)
    four = 4 * np.arcsinh(z[:, :4] / 4)
    weights = np.column_stack([g, g, g, np.ones(len(g))])
    second = model.documents.T @ model.documents / len(model.documents)
    size = np.array([np.sqrt(w @ second @ w) for w in weights])
    np.testing.assert_allclose(found.score, (weights * four).sum(1) / size)

    at_end = layout.first | layout.last
    mean, sd = model.sentences[:, 4].mean(), max(model.sentences[:, 4].std(), 0.02)

    def value(rows: np.ndarray, outside: np.ndarray, g: np.ndarray) -> np.ndarray:
        strange = np.maximum((outside - mean) / sd - 2, 0)
        known = rows[:, 0] / 4 + rows[:, 1] + rows[:, 2] - 12 * strange
        return np.asarray(g * known + 30 * rows[:, 3])

    for i in (0, 5, 17, int(layout.lengths[0]) - 1):
        own = g[layout.document[i : i + 1]]
        reference = model.sentences[model.sentences[:, 5] == at_end[i]]
        known = value(reference, reference[:, 4], own)
        here = value(found.sentence_terms[i : i + 1], points.outside[i : i + 1], own)
        expected = (here - known.mean()) / known.std(ddof=1)
        np.testing.assert_allclose(found.trace[i], expected, rtol=1e-6, atol=1e-9)
        share = (known < here).mean()
        assert abs(found.trace_percentile[i] - 100 * share) < 1


def test_learned_terms_count_as_much_as_is_asked() -> None:
    data = corpus(12, 30)
    whole, none = fitted(), replace(fitted(), learned=0.0)
    assert not np.allclose(whole.judge(*data).score, none.judge(*data).score)
    judged = none.judge(*data)
    size = np.sqrt(none._correlation()[3, 3])
    np.testing.assert_allclose(judged.score, judged.standard[:, 3] / size)
    kept = Coherence.fit(*corpus(0, 20), learned=0.3)
    assert Coherence.from_tensors(kept.tensors()).learned == pytest.approx(0.3)


@pytest.mark.parametrize("n", [4, 10, 40])
def test_the_error_covers_the_mean_of_what_sentences_are_drawn_from(n: int) -> None:
    rng = np.random.default_rng(n)
    drawn = rng.normal(size=(4000, n + 1))
    for parts in (drawn[:, 1:], drawn[:, 1:] + 0.5 * drawn[:, :-1]):  # alone, and like neighbours
        layout = Ragged.of([n] * 4000)
        error = _error(parts.ravel(), layout)
        inside = abs(parts.mean(1)) < student(n - 1) * error
        assert 0.85 < inside.mean() < 0.99


def test_equal_sentences_give_numbers() -> None:
    rng = np.random.default_rng(0)
    layout = Ragged.of([5] * 12)
    features, latents = np.ones((60, 8), np.float32), np.zeros((60, 2))
    same = Coherence.fit(features, latents, layout).judge(features, latents, layout)
    assert np.isfinite(same.score).all()
    assert np.isfinite(same.trace).all()
    other = rng.normal(size=(60, 8)).astype(np.float32)
    found = Coherence.fit(features, latents, layout).judge(other, latents, layout)
    assert np.isfinite(found.score).all()


def test_a_small_reference_claims_no_fine_percentiles() -> None:
    found = Coherence.fit(*corpus(0, 12)).judge(*corpus(1, 50))
    assert found.percentile.min() > 3
    assert found.percentile.max() < 97
