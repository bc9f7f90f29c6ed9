from tests.reports import made, short
from timecontrol.cli.gate import SHOWN, Gate


def seen(gate: Gate) -> Gate:
    for report in (made("a", score=-2.0, percentile=3.0), made("b", score=1.0), short("c")):
        gate.see(report)
    return gate


def test_nothing_fails_where_nothing_is_asked() -> None:
    gate = seen(Gate())
    assert gate.failed == 0
    assert list(gate.named()) == []
    assert gate.summary() == "3 documents: 2 scored, 1 too short"


def test_a_document_below_a_limit_is_named_with_both_numbers() -> None:
    gate = seen(Gate(min_score=-1.5, min_percentile=5))
    assert list(gate.named()) == [
        "a: score -2.000 is below -1.5; percentile 3.0 is below 5"
    ]  # one document, counted once
    assert gate.failed == 1
    assert gate.summary().endswith("1 too short, 1 below the limit")


def test_the_limit_itself_is_good_enough() -> None:
    assert seen(Gate(min_score=-2.0, min_percentile=3.0)).failed == 0


def test_a_short_document_fails_only_where_asked() -> None:
    gate = seen(Gate(fail_short=True))
    assert gate.failed == 1
    assert list(gate.named()) == ["c: too short: 1 of at least 3 sentences"]


def test_of_many_the_first_are_named() -> None:
    gate = Gate(min_score=0)
    for i in range(1000):
        gate.see(made(str(i), score=-1))
    lines = list(gate.named())
    assert len(lines) == SHOWN + 1
    assert lines[-1] == "... and 980 documents more"
