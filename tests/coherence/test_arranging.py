import numpy as np
import pytest

from timecontrol.coherence.arranging import arrange, by_place, highest, turned
from timecontrol.coherence.model import Coherence
from timecontrol.coherence.points import Points, points_of
from timecontrol.coherence.ragged import Ragged
from timecontrol.errors import TimeControlError

RNG = np.random.default_rng(0)


def documents(n: int, length: int = 10) -> tuple[np.ndarray, np.ndarray, Ragged]:
    """Return documents that all go from left to right: features, latents and layout."""
    layout = Ragged.of([length] * n)
    z = RNG.normal(0, 0.1, (n * length, 2))
    z[:, 0] += 4 * layout.share
    features = np.concatenate([z, np.ones((len(z), 1)), RNG.normal(0, 0.1, (len(z), 4))], 1)
    return features.astype(np.float32), z, layout


@pytest.fixture(scope="module")
def coherence() -> Coherence:
    return Coherence.fit(*documents(40))


def shuffled(coherence: Coherence, seed: int = 1) -> tuple[Points, np.ndarray]:
    features, z, _ = documents(1)
    mixed = np.random.default_rng(seed).permutation(len(z))
    return points_of(coherence.context, features[mixed], z[mixed]), mixed


def score(coherence: Coherence, points: Points, order: tuple[int, ...]) -> float:
    here = points.take(np.array(order))
    return float(coherence.judge_points(here, Ragged.of([len(order)])).score[0])


@pytest.mark.parametrize("by", ["score", "density"])
def test_sentences_come_back_into_order_and_the_right_way_round(
    coherence: Coherence, by: str
) -> None:
    for seed in range(5):
        points, mixed = shuffled(coherence, seed)
        found = arrange(coherence, points, by)
        truth = mixed[list(found.order)]
        assert np.corrcoef(truth, np.arange(10))[0, 1] > 0.9
        assert found.exact
        assert found.density_most >= max(found.density, found.density_now)
        if by == "density":
            assert found.density == pytest.approx(found.density_most)


def test_the_score_is_never_made_worse(coherence: Coherence) -> None:
    for seed in range(5):
        points, _ = shuffled(coherence, seed)
        asis = tuple(range(10))
        found = arrange(coherence, points).order
        assert score(coherence, points, found) >= score(coherence, points, asis)
        better = points.take(np.array(found))
        assert arrange(coherence, better).order == asis  # nothing to be gained any more


def test_what_is_the_same_stays_as_it_is(coherence: Coherence) -> None:
    same = Points(*(np.repeat(part[:1], 6, 0) for part in vars(shuffled(coherence)[0]).values()))
    assert arrange(coherence, same).order == tuple(range(6))


def test_ends_may_stay_where_they_are(coherence: Coherence) -> None:
    points, _ = shuffled(coherence)
    for by in ("score", "density"):
        found = arrange(coherence, points, by, fixed_first=True, fixed_last=True).order
        assert (found[0], found[-1]) == (0, 9)
        assert sorted(found) == list(range(10))
        assert arrange(coherence, points, by, fixed_last=True).order[-1] == 9


def test_an_order_is_turned_where_its_places_speak_for_it() -> None:
    expected = np.array([0.9, 0.5, 0.1, 0.4])
    orders = np.array([[0, 1, 3, 2], [2, 3, 1, 0]])
    assert turned(orders, expected).tolist() == [[2, 3, 1, 0]] * 2
    assert turned(orders, np.full(4, 0.5)).tolist() == orders.tolist()


def test_places_order_sentences_between_given_ends() -> None:
    expected = np.array([0.9, 0.5, 0.1, 0.4])
    assert by_place(expected).tolist() == [2, 3, 1, 0]
    assert by_place(expected, first=0, last=3).tolist() == [0, 2, 1, 3]


def test_the_first_of_equals_is_the_highest(coherence: Coherence) -> None:
    points, mixed = shuffled(coherence)
    truth = mixed.argsort()
    best, other = truth, np.roll(truth, 4)
    assert highest(coherence, points, np.stack([other, best])).tolist() == best.tolist()
    assert highest(coherence, points, np.stack([best, other])).tolist() == best.tolist()
    same = points.take(np.zeros(len(truth), np.int64))  # every order of one sentence is as high
    assert highest(coherence, same, np.stack([other, best])).tolist() == other.tolist()


def test_an_unknown_way_is_refused(coherence: Coherence) -> None:
    with pytest.raises(TimeControlError, match="by 'luck': score or density"):
        arrange(coherence, shuffled(coherence)[0], "luck")
