import numpy as np

from timecontrol.coherence.reference import FEWEST, Scale


def numbers(lengths: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    first = 1 + 2 / lengths + rng.normal(size=len(lengths)) * np.sqrt(0.2 + 3 / lengths)
    return np.stack([first, 0.3 * np.log(lengths) + rng.normal(size=len(lengths))], 1)


def test_scores_are_standard_at_every_length() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(4, 80, 20000)
    scale = Scale.fit(numbers(lengths, 1), lengths)
    new = rng.integers(4, 80, 20000)
    z = scale.standard(numbers(new, 2), new)
    for low, high in ((4, 8), (8, 20), (40, 80)):
        chosen = (new >= low) & (new < high)
        np.testing.assert_allclose(z[chosen].mean(0), 0, atol=0.1)
        np.testing.assert_allclose(z[chosen].std(0), 1, atol=0.1)


def test_lengths_beyond_the_reference_are_like_the_nearest() -> None:
    lengths = np.repeat([5, 10, 20], 100)
    scale = Scale.fit(numbers(lengths, 3), lengths)
    for a, b in zip(scale.expected(np.array([20])), scale.expected(np.array([5000])), strict=True):
        np.testing.assert_array_equal(a, b)


def test_few_documents_or_one_length_leave_length_out_of_account() -> None:
    for lengths in (np.arange(4, 3 + FEWEST), np.full(100, 7)):
        scale = Scale.fit(numbers(lengths, 4), lengths)
        found = scale.expected(np.array([3, 50]))
        np.testing.assert_allclose(found[0][0], found[0][1])
        z = scale.standard(numbers(lengths, 4), lengths)
        np.testing.assert_allclose(z.mean(0), 0, atol=1e-9)
        np.testing.assert_allclose(z.std(0), 1, atol=1e-6)


def test_a_number_that_never_varies_gives_no_nonsense() -> None:
    scale = Scale.fit(np.ones((50, 1)), np.arange(3, 53))
    assert abs(scale.standard(np.ones((50, 1)), np.arange(3, 53))).max() < 1e-3
