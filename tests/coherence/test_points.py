import numpy as np

from timecontrol.coherence.context import Context
from timecontrol.coherence.points import points_of, unit_of
from timecontrol.coherence.ragged import Ragged


def test_features_have_unit_length_and_zero_stays_zero() -> None:
    found = unit_of(np.array([[3.0, 4.0], [0.0, 0.0]]))
    np.testing.assert_allclose(found, np.array([[0.6, 0.8], [0, 0]]), atol=1e-7)


def test_taking_rows_is_computing_them_anew() -> None:
    rng = np.random.default_rng(0)
    features, latents = rng.normal(size=(40, 6)).astype(np.float32), rng.normal(size=(40, 2))
    context = Context.fit(unit_of(features), Ragged.of([20, 20]))
    rows = rng.integers(0, 40, 15)
    taken = points_of(context, features, latents).take(rows)
    anew = points_of(context, features[rows], latents[rows])
    for name in ("unit", "latents", "x", "outside"):
        np.testing.assert_allclose(getattr(taken, name), getattr(anew, name), atol=1e-12)
