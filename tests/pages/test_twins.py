import numpy as np
import pytest

from tests.pages.made import twins
from tests.pages.seen import drawn_at, numbers, of, parsed, places
from tests.pages.test_report import EVIL, Checked
from tests.reports import SENTENCES, made, short
from timecontrol.pages.paths import HEIGHT, WIDTH
from timecontrol.pages.twins import twins_part, verdict


def test_the_verdict_names_the_text_that_scores_higher() -> None:
    assert verdict(twins()).startswith("The text as it was written scores higher than its")
    worse = twins(coherent=made(score=-2.0))
    assert verdict(worse).startswith("The text as it was written does not score higher than its")
    same = twins(coherent=made(score=-1.75))
    assert "does not score higher" in verdict(same)


def test_the_verdict_tells_how_many_other_orders_are_as_good() -> None:
    said = "Of other orders of its sentences, 4\u00a0% score as high as its own."
    assert verdict(twins()).endswith(said)
    assert "Of other orders" not in verdict(twins(coherent=made(score=1.0, shuffled=None)))


def test_texts_that_are_too_short_have_no_scores() -> None:
    both = twins(coherent=short(), shuffled=short(), order=(0,))
    said = "Too short: 1 of at least 3 sentences, so there is no score."
    assert verdict(both) == said
    assert Checked(twins_part(both)).text == said


def test_both_texts_have_the_same_points_in_another_order() -> None:
    order = (2, 0, 3, 1)
    text = tuple("abcd")
    shuffled = made("b", [text[i] for i in order], score=-1.0)
    page = parsed(f"<div>{twins_part(twins(text, shuffled=shuffled, order=order))}</div>")
    own, other = of(page, "div", "twin")
    ways = [places(of(column, "polyline", "walk")[0]) for column in (own, other)]
    np.testing.assert_array_equal(ways[0][list(order)], ways[1])
    stops = [e for e in of(other, "circle", "stop") if e.get("class") == "stop shuffled"]
    assert [e.findtext("title") for e in stops] == ["3: c", "1: a", "4: d", "2: b"]
    labels = [e.text for e in of(other, "text", "number")]
    assert labels == ["first: 3", "1", "4", "last: 2"]
    assert [(e[0].tail or "") for e in of(other, "span", "s")] == ["c", "a", "d", "b"]


def test_both_scores_are_on_one_line_the_higher_one_on_the_right() -> None:
    page = parsed(f"<div>{twins_part(twins())}</div>")
    [scale] = of(page, "svg", "scale")
    own, other = (numbers(of(scale, "circle", k)[0], "cx")[0] for k in ("coherent", "shuffled"))
    ticks = {e.text: numbers(e, "x")[0] for e in of(scale, "text", "along")}
    unit = ticks["+1"] - ticks["0"]
    assert own == pytest.approx(ticks["0"] + 0.5 * unit, abs=0.2)
    assert other == pytest.approx(ticks["0"] - 1.75 * unit, abs=0.2)
    for kind, middle in (
        ("coherent", own),
        ("shuffled", other),
    ):  # intervals: half a point each way
        left, right = numbers(of(scale, "line", kind)[0], "x1", "x2")
        assert (left + right) / 2 == pytest.approx(middle, abs=0.1)
        assert right - left == pytest.approx(unit, abs=0.2)
    said = [e.text for e in of(scale, "text", "number")]
    assert said == ["as written +0.50", "shuffled -1.75"]


@pytest.mark.parametrize("score", [-30.0, 0.0, 30.0])
def test_all_is_drawn_inside(score: float) -> None:
    pair = twins(coherent=made(score=score, interval=None))
    page = parsed(f"<div>{twins_part(pair)}</div>")
    for chart in page.iter("svg"):
        _, _, wide, high = map(float, (chart.get("viewBox") or "").split())
        found = drawn_at(chart)
        assert (found >= 0).all()
        assert (found <= [wide, high]).all()
    assert len([c for c in page.iter("svg") if c.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"]) == 2


def test_the_numbers_of_each_are_beside_it() -> None:
    pair = twins(shuffled=made("b", SENTENCES[::-1], -1.75, percentile=0.3, shuffled=None))
    own, other = (
        "".join(e.itertext()) for e in of(parsed(f"<div>{twins_part(pair)}</div>"), "div", "twin")
    )
    for words in ("As written", "+0.50", "+0.00 to +1.00", "31", "4 %"):
        assert words in own
    for words in ("Shuffled", "-1.75", "-2.25 to -1.25", "under 1"):
        assert words in other
    assert "Other orders" in own
    assert "Other orders" not in other


def test_text_is_escaped() -> None:
    markup = twins_part(twins((EVIL, "b & c", EVIL), encoder=EVIL))
    page = Checked(markup)
    assert "<script" not in markup
    assert "script" not in page.tags
    assert f"Encoder: {EVIL}." in page.text
    assert len(page.ids) == len(set(page.ids))
