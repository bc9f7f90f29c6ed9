"""Scorers give for rows what the scores give for documents."""

import numpy as np
import pytest

from timecontrol.coherence import TERMS, Coherence, Ragged
from timecontrol.coherence.bbscore import corrected, corrected_sigma, legacy, legacy_sigma
from timecontrol.coherence.points import points_of
from timecontrol.experiments.scorers import (
    bbscore_scorer,
    coherence_scorer,
    coherence_tracer,
    cosine_scorer,
    cosine_tracer,
    grid_scorer,
    likelihood_scorer,
)
from timecontrol.metrics.likelihood import open_judge

STATE = np.random.default_rng(0)
LAYOUT = Ragged.of([5, 8, 4, 9, 6])
N = 32
FEATURES = STATE.normal(size=(N, 12)).astype(np.float32)
LATENTS = STATE.normal(size=(N, 2)).astype(np.float32)
UNIT = FEATURES / np.linalg.norm(FEATURES, axis=1, keepdims=True)
ROWS = np.array([4, 2, 0, 1, 3, 13, 14, 16, 15])  # versions of the first and third document
VERSIONS = Ragged.of([5, 4])


def test_the_score_is_that_of_the_rows() -> None:
    model = Coherence.fit(FEATURES, LATENTS, LAYOUT)
    points = points_of(model.context, FEATURES, LATENTS)
    expected = model.judge(FEATURES[ROWS], LATENTS[ROWS], VERSIONS)
    found = coherence_scorer(model, points).score(ROWS, VERSIONS)
    assert list(found) == ["score", "bridge (BBScoreV2)", "place", "context", "nearness"]
    np.testing.assert_allclose(found["score"], expected.score)
    np.testing.assert_allclose(np.stack(list(found.values())[1:], 1), expected.terms)
    traces = coherence_tracer(model, points)(ROWS, VERSIONS)
    assert list(traces) == ["trace", *TERMS]
    np.testing.assert_allclose(traces["trace"], expected.trace)


def test_bbscore_has_its_sign_turned() -> None:
    training = LAYOUT.split(LATENTS.astype(np.float64))
    found = bbscore_scorer(LATENTS, training).score(ROWS, VERSIONS)
    path = LATENTS[ROWS[:5]].astype(np.float64)
    assert found["BBScore (legacy)"][0] == pytest.approx(-legacy(path, legacy_sigma(training)))
    expected = -corrected(path, corrected_sigma(training))
    assert found["BBScore (corrected)"][0] == pytest.approx(expected)


def test_cosines_worked_by_hand() -> None:
    (score,) = cosine_scorer(UNIT).score(ROWS, VERSIONS).values()
    (trace,) = cosine_tracer(UNIT)(ROWS, VERSIONS).values()
    here = UNIT[ROWS[:5]]
    near = (here[1:] * here[:-1]).sum(1)
    assert score[0] == pytest.approx(near.mean(), abs=1e-6)
    inner = (near[1:] + near[:-1]) / 2
    np.testing.assert_allclose(trace[:5], [near[0], *inner, near[-1]], atol=1e-6)


def test_the_likelihood_is_that_of_the_text_in_its_order(bases: dict[str, str]) -> None:
    judge = open_judge(bases["gpt2"], device="cpu")
    texts = [f"Town {i} lies here." for i in range(N)]
    scorer = likelihood_scorer(judge, texts, shuffles=2)
    (found,) = scorer.score(ROWS, VERSIONS).values()
    whole = " ".join(texts[i] for i in ROWS[5:])
    assert found[1] == pytest.approx(judge([whole])[0], rel=1e-5)
    assert scorer.shuffles == 2


def test_the_grid_follows_the_order() -> None:
    sentences = ["The river floods.", "A river rises.", "The mill stands.", "That mill turns."]
    documents = [["One two three."] * 5, ["Other things."] * 8, sentences]
    layout = Ragged.of([5, 8, 4])
    scorer = grid_scorer(documents, layout, [sentences] * 3)
    rows = np.array([13, 14, 15, 16, 13, 15, 14, 16])
    (found,) = scorer.score(rows, Ragged.of([4, 4])).values()
    assert found[0] > found[1]
