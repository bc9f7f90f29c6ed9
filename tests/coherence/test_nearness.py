import numpy as np

from timecontrol.coherence.nearness import REACH, nearness
from timecontrol.coherence.points import unit_of
from timecontrol.coherence.ragged import Ragged


def test_it_is_the_weighted_mean_of_cosines() -> None:
    layout = Ragged.of([3, 1, 14])
    unit = unit_of(np.random.default_rng(0).normal(size=(18, 5))).astype(np.float64)
    found = layout.split(nearness(unit, layout))
    for part, values in zip(layout.split(unit), found, strict=True):
        for t in range(len(part)):
            others = [s for s in range(len(part)) if s != t and abs(s - t) <= REACH]
            if not others:
                assert values[t] == 0
                continue
            weights = [2.0 ** -abs(s - t) for s in others]
            cosines = [float(part[t] @ part[s]) for s in others]
            assert np.isclose(values[t], np.average(cosines, weights=weights), atol=1e-6)


def test_saying_the_same_again_is_no_coherence() -> None:
    one, other = np.eye(5)[0], unit_of(np.array([[1.0, 0.5, 0, 0, 0]]))[0]
    same, alike = np.stack([one] * 4), np.stack([one, other] * 2)
    layout = Ragged.of([4])
    assert (nearness(same, layout) == 0).all()
    assert (nearness(alike, layout) > 0.3).all()
