from random import Random

from tests.reports import made, short
from timecontrol.pages.lowest import Lowest


def test_all_are_kept_in_order_where_there_is_room() -> None:
    kept = Lowest(most=3)
    for report in (made("a", score=1), short("b"), made("c", score=-1)):
        kept.see(report)
    assert [r.id for r in kept.reports] == ["a", "b", "c"]
    assert kept.total == 3


def test_of_too_many_the_lowest_are_kept_in_order() -> None:
    scores = list(range(50))
    Random(0).shuffle(scores)
    kept = Lowest(most=5)
    for score in scores:
        kept.see(made(str(score), score=score))
        kept.see(short())
    assert [r.id for r in kept.reports] == [str(s) for s in scores if s < 5]
    assert kept.total == 100
    assert len(kept.heap) == 5
