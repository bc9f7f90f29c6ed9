from functools import cache

import numpy as np
import pytest

from timecontrol.coherence.model import FAR, TERMS, Coherence
from timecontrol.coherence.ragged import Ragged

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
