"""A cell has the mean of all runs and the spread of the right ones."""

import numpy as np
import pytest

from timecontrol.coherence import Ragged
from timecontrol.experiments.discourse import Source, cell, discourse
from timecontrol.metrics.probe import Verdict

STATE = np.random.default_rng(0)
TRAIN, TEST = Ragged.of([12] * 30), Ragged.of([12] * 20)


def latents(layout: Ragged, drift: float) -> np.ndarray:
    z = STATE.normal(size=(len(layout.document), 2))
    z[:, 0] += drift * layout.share
    return z.astype(np.float32)


def verdict(accuracy: float) -> Verdict:
    return Verdict(accuracy, np.array([True, False]), np.array([0, 3]))


def test_latents_that_drift_tell_the_order() -> None:
    sources = [
        Source(name, [(latents(TRAIN, drift), latents(TEST, drift)) for _ in range(2)])
        for name, drift in (("drift", 30.0), ("noise", 0.0))
    ]
    found = discourse(sources, TRAIN, TEST, ks=[1, 5], definition="best", probe_seeds=3)
    assert list(found) == ["drift", "noise"]
    assert list(found["drift"]) == ["k = 1", "k = 5"]
    assert found["drift"]["k = 5"]["value"] > 0.99
    assert found["noise"]["k = 5"]["value"] == pytest.approx(0.5, abs=0.1)
    assert np.shape(found["noise"]["k = 1"]["runs"]) == (2, 1)  # best has one probe


def test_each_encoder_seed_has_each_probe_seed() -> None:
    runs = [(latents(TRAIN, 3), latents(TEST, 3)) for _ in range(2)]
    found = discourse([Source("a", runs)], TRAIN, TEST, ks=[5], definition="released")
    assert np.shape(found["a"]["k = 5"]["runs"]) == (2, 3)


def test_the_error_is_over_encoder_seeds_where_there_are_several() -> None:
    found = cell([verdict(a) for a in (0.5, 0.7, 0.8, 1.0)], encoders=2)
    assert found["value"] == pytest.approx(0.75)
    assert found["runs"] == [[0.5, 0.7], [0.8, 1.0]]
    assert found["error"] == pytest.approx(np.std([0.6, 0.9], ddof=1) / np.sqrt(2))
    assert found["error_over"] == "2 encoder seeds"
    alone = cell([verdict(a) for a in (0.5, 0.7)], encoders=1)
    assert alone["error"] == pytest.approx(0.1)
    assert alone["error_over"] == "2 probe seeds"
    assert cell([verdict(0.5)], encoders=1)["error"] is None
    assert alone["document_error"] > 0
