import numpy as np
import pytest

from tests.coherence.examples import DOC1, DOC2, MIXED
from timecontrol.coherence import bbscore
from timecontrol.processes import BrownianBridge


def test_the_coded_form_gives_its_worked_numbers() -> None:
    assert bbscore.legacy_sigma([DOC1]) == pytest.approx(0.3472222222)
    assert bbscore.legacy_sigma([DOC2]) == pytest.approx(0.6666666667)
    sigma = bbscore.legacy_sigma([DOC1, DOC2])
    assert sigma == pytest.approx(0.5069444444)
    for path, whole, window in (
        (DOC1, 2.3563746602, 3.1869702401),
        (MIXED, 4.7399363041, 5.2691620209),
        (DOC2, 2.6585177882, 1.1984468582),
    ):
        assert bbscore.legacy(path, sigma) == pytest.approx(whole, abs=1e-9)
        assert bbscore.legacy_window(path, sigma, 1) == pytest.approx(window, abs=1e-9)


def test_the_corrected_noise_is_that_of_the_bridges() -> None:
    import torch

    generator = torch.Generator().manual_seed(0)
    process = BrownianBridge(sigma=1.7)
    ends = torch.zeros(400, 3), torch.ones(400, 3)
    paths = process.sample(*ends, torch.arange(13.0), 12.0, generator).numpy().astype(np.float64)
    assert bbscore.corrected_sigma(list(paths)) == pytest.approx(1.7, rel=0.03)


def test_the_corrected_form_keeps_the_sign_and_ranks_a_shuffle_lower() -> None:
    close = DOC1 * 0.01  # a very good document: a density above 1, a score below 0
    assert bbscore.corrected(close, 0.01) < 0 < bbscore.legacy(close, 0.01)
    sigma = bbscore.corrected_sigma([DOC1, DOC2])
    assert bbscore.corrected(DOC1, sigma) < bbscore.corrected(MIXED, sigma)


def test_the_corrected_form_is_the_mean_log_density_of_a_coordinate() -> None:
    """A second pair of coordinates like the first changes nothing."""
    sigma = bbscore.corrected_sigma([DOC1, DOC2])
    twice = np.concatenate([DOC1, DOC1], 1)
    assert bbscore.corrected(twice, sigma) == pytest.approx(bbscore.corrected(DOC1, sigma))
    middle = np.array([[0.0], [1.0], [0.0]])  # N(1; 0, 1/2)
    expected = 0.5 * np.log(np.pi) + 1
    assert bbscore.corrected(middle, 1.0) == pytest.approx(expected)
