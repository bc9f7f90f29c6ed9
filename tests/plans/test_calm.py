"""The maps from raw to smoothed latents are the regressions they should be."""

import numpy as np
import pytest
from numpy.typing import NDArray

from timecontrol.decoder.examples import smoothed
from timecontrol.errors import TimeControlError
from timecontrol.plans.calm import Affine, Calm

Array = NDArray[np.float64]

RANDOM = np.random.default_rng(0)
MEAN, SD = np.array([3.0, -5.0]), np.array([1.0, 2.0])


def calm_and_raw(noise: float, documents: int = 2000) -> tuple[list[Array], list[Array]]:
    """Smoothed points N(MEAN, SD^2), and the same with independent noise."""
    calm = [MEAN + SD * RANDOM.normal(size=(5, 2)) for _ in range(documents)]
    return calm, [p + noise * RANDOM.normal(size=p.shape) for p in calm]


def test_noise_is_shrunk_towards_the_mean() -> None:
    """E[y | x] = m + v / (v + noise^2) (x - m), v the variance of a coordinate."""
    paths, raw = calm_and_raw(1.5)
    found = Calm.of(raw, paths)
    share = SD**2 / (SD**2 + 1.5**2)
    for part in (found.start, found.inner, found.end):
        np.testing.assert_allclose(part.weight, np.diag(share), atol=0.08)
        np.testing.assert_allclose(part(MEAN), MEAN, atol=0.15)
    far = MEAN + 10
    assert (abs(found.inner(far) - MEAN) < abs(far - MEAN)).all()


def test_each_place_has_a_map_of_its_own() -> None:
    """Of independent sentences, a share 1/3 of the mean of 3 at the ends, 1/5 of 5 inside."""
    raw = [RANDOM.normal(size=(20, 2)) for _ in range(3000)]
    found = Calm.of(raw, [smoothed(p, 5) for p in raw])
    np.testing.assert_allclose(found.start.weight, np.eye(2) / 3, atol=0.05)
    np.testing.assert_allclose(found.end.weight, np.eye(2) / 3, atol=0.05)
    np.testing.assert_allclose(found.inner.weight, np.eye(2) / 5, atol=0.02)
    assert found.at(0) is found.start
    assert found.at(1) is found.end
    assert all(found.at(share) is found.inner for share in (1e-9, 0.5, 0.999))


def test_a_map_that_is_there_is_found() -> None:
    x = RANDOM.normal(size=(500, 3)) * [1e-3, 1.0, 1e3]
    A, b = RANDOM.normal(size=(3, 3)), RANDOM.normal(size=3)
    y = (x / [1e-3, 1.0, 1e3]) @ A.T + b
    found = Affine.of(x, y)
    np.testing.assert_allclose(found(x), y, atol=0.05)
    np.testing.assert_allclose(found(x[0]), found(x)[0])


def test_what_never_varies_and_what_is_scarce_stays_finite() -> None:
    x = RANDOM.normal(size=(2, 8))
    x[:, 3] = 7.0
    found = Affine.of(x, x / 2)
    assert np.isfinite(found.weight).all()
    np.testing.assert_array_equal(found.weight[:, 3], 0)
    np.testing.assert_allclose(found(x.mean(0)), x.mean(0) / 2)


def test_nothing_changes_where_nothing_was_smoothed() -> None:
    paths, _ = calm_and_raw(0.0, 3)
    found = Calm.of([p.astype(np.float64) for p in paths], paths)
    for part in (found.start, found.inner, found.end):
        np.testing.assert_array_equal(part(paths[0]), paths[0])


def test_maps_come_back_from_their_tensors_to_the_last_bit() -> None:
    paths, raw = calm_and_raw(1.0, 20)
    own = Calm.of(raw, paths)
    tensors = own.tensors()
    assert len(tensors) == 6
    found = Calm.from_tensors(tensors)
    for name in ("start", "inner", "end"):
        np.testing.assert_array_equal(getattr(found, name).weight, getattr(own, name).weight)
        np.testing.assert_array_equal(getattr(found, name).bias, getattr(own, name).bias)


def test_other_shapes_are_refused() -> None:
    paths, raw = calm_and_raw(1.0, 3)
    for wrong in (raw[:2], [p[1:] for p in raw], [p[:, :1] for p in raw]):
        with pytest.raises(TimeControlError, match="must be of the same documents"):
            Calm.of(wrong, paths)
