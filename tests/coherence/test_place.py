import numpy as np

from timecontrol.coherence.place import Places
from timecontrol.coherence.ragged import Ragged
from timecontrol.latents.fit import GRID, fit_paths


def documents(seed: int, slope: float, n: int = 60) -> tuple[Ragged, np.ndarray]:
    rng = np.random.default_rng(seed)
    layout = Ragged.of(rng.integers(5, 15, n))
    z = rng.normal(size=(len(layout.share), 2))
    z[:, 0] += slope * layout.share
    return layout, z


def test_information_is_the_log_ratio_to_the_mean_over_places() -> None:
    layout, z = documents(0, 3.0)
    places = Places(np.stack([3 * GRID, 0 * GRID], 1), np.diag([0.5, 2.0]))
    found = places.information(z, layout)
    for t in (0, 7, 100):
        own = np.array([3 * layout.share[t], 0.0])

        def density(m: np.ndarray, t: int = t) -> float:
            off = z[t] - m
            return float(np.exp(-0.5 * off @ np.linalg.solve(places.covariance, off)))

        everywhere = np.mean([density(m) for m in places.mean_path])
        assert np.isclose(found[t], np.log(density(own) / everywhere))


def test_a_common_order_is_informative_and_its_loss_is_seen() -> None:
    layout, z = documents(1, 6.0)
    places = Places.fit(z, layout, fit_paths(layout.split(z)).mean_path)
    new, fresh = documents(2, 6.0)
    kept = places.information(fresh, new).mean()
    rng = np.random.default_rng(3)
    mixed = np.concatenate([rng.permutation(p) for p in new.split(fresh)])
    assert kept > 0.3 > 0 > places.information(mixed, new).mean()


def test_without_a_common_order_there_is_nothing_to_know() -> None:
    layout, z = documents(4, 0.0, n=400)
    places = Places.fit(z, layout, fit_paths(layout.split(z)).mean_path)
    assert abs(places.information(z, layout)).max() < 0.5
    assert abs(places.information(z, layout).mean()) < 0.02


def test_sentences_are_expected_where_those_like_them_stand() -> None:
    places = Places(np.stack([3 * GRID, 0 * GRID], 1), np.diag([0.5, 2.0]))
    z = np.array([[0.3, 1.0], [2.9, -1.0], [1.5, 0.0], [1.5, 9.0]])
    found = places.expected(z)
    for latent, share in zip(z, found, strict=True):
        off = latent - places.mean_path
        density = np.exp(-0.5 * (off @ np.linalg.inv(places.covariance) * off).sum(1))
        assert np.isclose(share, (density * GRID).sum() / density.sum())
    assert found[0] < found[2] < found[1]
    assert np.isclose(found[2], 0.5)
    flat = Places(np.zeros((len(GRID), 2)), np.eye(2))
    np.testing.assert_allclose(flat.expected(z), 0.5)
