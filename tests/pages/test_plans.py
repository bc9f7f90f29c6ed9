import re

import numpy as np
import pytest

from tests.pages.made import FIT, article, evil_article, path
from tests.pages.seen import drawn_at, numbers, of, parsed, places
from tests.pages.test_report import EVIL
from timecontrol.corpora.documents import Section
from timecontrol.pages.planned import View, lights
from timecontrol.pages.plans import CLOSE, near, outcome_chart, plan_chart, span

OWN = article()
VIEW = View.of([OWN], FIT)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([2], "3"),
        ([0, 1], "1, 2"),
        ([4, 2], "3, 5"),
        ([3, 1, 2], "2–4"),
        (list(range(1, 9)), "2–9"),
        ([0, 2, 4, 7], "1, 3, 5, 8"),
        ([0, 2, 4, 7, 9], "1, 3 ... 10"),
    ],
)
def test_sentences_are_named_in_few_words(numbers: list[int], expected: str) -> None:
    assert span(numbers) == expected


def test_points_that_are_close_have_their_sentences_together() -> None:
    spots = np.array([[0.0, 0.0], [100.0, 0.0], [CLOSE - 1.0, 0.0], [100.0, CLOSE], [0.0, 1.0]])
    along = {0: [0], 1: [1, 2], 2: [3], 3: [4], 4: [5]}
    assert near(spots, along) == [(0, [0, 3, 5]), (1, [1, 2]), (3, [4])]
    assert along == {0: [0], 1: [1, 2], 2: [3], 3: [4], 4: [5]}
    assert near(spots, {}) == []


def test_a_plan_has_its_points_in_the_plane_and_its_sentences_at_them() -> None:
    skipping = article(points=path(5), units=(0, 3, 3), read=False)
    view = View.of([skipping], FIT)
    chart = parsed(plan_chart(skipping, view, "s"))
    [line] = of(chart, "polyline", "plan")
    np.testing.assert_allclose(places(line), view.plane.at(path(5) @ view.axes.T), atol=0.051)
    spots = {(x, y): i for i, (x, y) in enumerate(places(line).tolist())}
    stops = of(chart, "circle", "point")
    kinds = {spots[x, y]: e for e in stops for x, y in [numbers(e, "cx", "cy")]}
    assert [kinds[i].get("class") for i in range(5)] == [
        "point c1 sp1", "point none", "point none", "point c1 sp2 sp3", "point none",
    ]  # fmt: skip
    assert kinds[3].findtext("title") == "2: A bridge came later.\n3: It lies on a river & a hill."
    said = [t.text for t in chart.iter("text")]
    assert said in (["1", "2, 3"], ["1–3"])
    assert "5 points from start to end, 3 sentences" in (chart.get("aria-label") or "")


def test_every_row_of_the_text_lights_up_one_point_of_the_plan() -> None:
    classes = plan_chart(OWN, VIEW, "s")
    for name in re.findall(r" \.(sp\d+)", lights(OWN, "s", "article")):
        assert len(of(parsed(classes), "circle", name)) == 1


def test_what_was_read_back_is_there_where_it_was_read() -> None:
    assert OWN.read is not None
    expected = VIEW.plane.at(OWN.read @ VIEW.axes.T)
    plan, outcome = parsed(plan_chart(OWN, VIEW, "s")), parsed(outcome_chart(OWN, VIEW))
    for chart, kind in ((plan, "read"), (outcome, "point")):
        found = [numbers(e, "cx", "cy") for e in of(chart, "circle", kind)]
        np.testing.assert_allclose(found, expected, atol=0.051)
        [echo] = of(chart, "polyline", "echo")
        np.testing.assert_allclose(places(echo), expected, atol=0.051)
    unread = article(read=False)
    for markup in (plan_chart(unread, VIEW, "s"), outcome_chart(unread, VIEW)):
        assert "echo" not in markup
        assert "read" not in markup


def test_a_text_that_nothing_has_read_has_its_points_on_the_plan() -> None:
    unread = article(points=path(5), units=(1, 2, 8), read=False)
    dots = of(parsed(outcome_chart(unread, VIEW)), "circle", "point")
    found = [numbers(e, "cx", "cy") for e in dots]
    expected = VIEW.plane.at(path(5)[[1, 2, 4]] @ VIEW.axes.T)
    np.testing.assert_allclose(found, expected, atol=0.051)


def test_the_outcome_has_the_colours_of_sections_and_the_sentences_as_hints() -> None:
    dots = of(parsed(outcome_chart(OWN, VIEW)), "circle", "point")
    assert [d.get("class") for d in dots] == ["point c1", "point c1", "point c2"]
    assert dots[1].findtext("title") == "2: A bridge came later."


def test_a_plan_is_drawn_only_where_it_was_told() -> None:
    silent = article(settings={"latents": False})
    chart = parsed(outcome_chart(silent, VIEW))
    assert not of(chart, "polyline", "plan")
    assert "was not told" in (chart.get("aria-label") or "")
    assert of(parsed(outcome_chart(OWN, VIEW)), "polyline", "plan")


def test_a_plan_that_stays_at_one_point_is_a_ring_there() -> None:
    still = article(points=np.repeat(path(1), 3, 0))
    chart = parsed(outcome_chart(still, VIEW))
    [ring] = of(chart, "circle", "mean")
    assert numbers(ring, "cx", "cy") == places(of(chart, "polyline", "plan")[0])[0].tolist()
    assert not of(parsed(outcome_chart(OWN, VIEW)), "circle", "mean")
    assert [t.text for t in parsed(plan_chart(still, VIEW, "s")).iter("text")] == ["1–3"]


def test_long_texts_of_many_sections_are_drawn_inside() -> None:
    sections = tuple(Section(f"S{k}", (f"{k} a", f"{k} b")) for k in range(5))
    long = article(sections)
    view = View.of([long], FIT)
    for chart in (plan_chart(long, view, "s"), outcome_chart(long, view)):
        found = drawn_at(parsed(chart))
        assert (found >= 0).all()
        assert (found <= [view.plane.width, view.plane.height]).all()


def test_a_text_of_nothing_is_drawn() -> None:
    empty = article((), points=path(3), read=False)
    assert len(of(parsed(plan_chart(empty, VIEW, "s")), "circle", "none")) == 3
    assert not of(parsed(outcome_chart(empty, VIEW)), "circle", "point")


def test_text_is_escaped() -> None:
    for markup in (plan_chart(evil_article(), VIEW, "s"), outcome_chart(evil_article(), VIEW)):
        assert "<script" not in markup
        chart = parsed(markup)
        assert EVIL in (chart.get("aria-label") or "")
        assert f"1: {EVIL}" in [t.text for t in chart.iter("title")]
