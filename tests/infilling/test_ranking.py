import numpy as np
import pytest

from tests.infilling.test_drafts import ONE, ask
from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.infilling.drafts import Drawing, drafts
from timecontrol.infilling.fill import ranked
from timecontrol.infilling.likelihood import Sequel, log_probs
from timecontrol.infilling.ranking import Measured, Weights, measured


def test_the_score_is_the_weighted_sum_and_what_is_not_known_counts_nothing() -> None:
    weights = Weights(2.0, 3.0, 5.0)
    assert Measured(-1.0, -0.5, 0.1, None).score(weights) == pytest.approx(-2 - 1.5 + 0.5)
    assert Measured(-1.0, None, None, None).score(weights) == -2


@pytest.mark.parametrize("name", ["likely", "near", "follows"])
def test_weights_are_not_negative(name: str) -> None:
    with pytest.raises(TimeControlError, match=name):
        Weights(**{name: -1.0})


def test_each_measure_is_what_it_says(forward: Decoder, filler: Decoder) -> None:
    for decoder in (forward, filler):
        found = ask(decoder)
        plans = [[found.points] * 2]
        own = drafts(decoder, [found], plans, [0], Drawing(most=8))
        rows = measured(decoder, [found], own, plans)[0]
        assert decoder.encoder is not None
        assert found.posterior is not None
        for draft, row in zip(own[0], rows, strict=True):
            assert row.likely == pytest.approx(draft.log_prob / draft.tokens)
            latents = np.asarray(decoder.encoder.encode(draft.sentences), np.float64)
            near = found.posterior.log_prob(latents) / latents.size
            assert row.near == pytest.approx(near, rel=1e-4)
            if decoder is forward:
                with_it = Sequel([*found.prefix, *draft.ids], found.after, found.points)
                gap = found.gap.start - found.within.start
                assert found.points is not None
                bare = Sequel(found.prefix, found.after, np.delete(found.points, gap, 0))
                one, two = log_probs(decoder, [with_it, bare])
                wanted = (one - two) / len(found.after)
            else:
                assert found.alone is not None
                assert found.points is not None
                points = found.points[[*found.alone_order, -1]]
                alone = Sequel(found.alone, draft.ids, points)
                read = Sequel(found.prefix, draft.ids, found.points)
                one, two = log_probs(decoder, [read, alone])  # marks and all that is forced, too
                wanted = (one - two) / len(found.after)
            assert row.follows == pytest.approx(wanted, abs=1e-4)


def test_to_be_cut_off_is_no_merit(filler: Decoder) -> None:
    """A forced end is as improbable with the right context as without it."""
    found = ask(filler)
    cut, whole = (
        drafts(filler, [found], [[found.points]], [0], Drawing(most=most, temperature=0.0))[0]
        for most in (3, 90)
    )
    assert (cut[0].cut, whole[0].cut) == (True, False) or whole[0].tokens >= 90
    assert found.alone is not None
    assert found.points is not None
    row = measured(filler, [found], [cut], [[found.points]])[0][0]
    points = found.points[[*found.alone_order, -1]]
    sides = [
        Sequel(found.prefix, cut[0].ids, found.points),
        Sequel(found.alone, cut[0].ids, points),
    ]
    one, two = log_probs(filler, sides)
    assert row.follows == pytest.approx((one - two) / len(found.after), abs=1e-4)
    ranks = ranked([cut[0], whole[0]], [Measured(9.0, None, None, None)] * 2, Weights())
    assert ranks[0].cut == whole[0].cut


def test_where_nothing_follows_nothing_is_said_of_it(filler: Decoder, blanks: Decoder) -> None:
    text = "[ DIRECTIONS ] Heat the oven. Beat the eggs. [ ... ]"
    found = ask(filler, text)
    own = drafts(filler, [found], [[found.points]], [0], Drawing(most=8))
    assert measured(filler, [found], own, [[found.points]])[0][0].follows is None
    plain = ask(blanks, ONE)
    own = drafts(blanks, [plain], [[None]], [0], Drawing(most=8))
    row = measured(blanks, [plain], own, [[None]])[0][0]
    assert (row.near, row.latents) == (None, None)
    assert row.follows is not None
    assert measured(blanks, [plain], own, [[None]], follow=False)[0][0].follows is None
