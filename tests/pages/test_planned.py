import re
from itertools import pairwise

import numpy as np
import pytest

from tests.pages.made import FIT, PATHS, article, evil_article, path
from tests.pages.seen import numbers, of, parsed
from tests.pages.test_report import EVIL, Checked
from timecontrol.corpora.documents import Section
from timecontrol.pages.planned import COLOURS, View, colour, lights, river, sections_of
from timecontrol.pages.style import SHOW

OWN = article()
VIEW = View.of([OWN], FIT)


def test_a_view_has_room_for_all_plans_and_for_what_was_read() -> None:
    some = [article(points=5 * p) for p in PATHS[:4]]
    view = View.of(some, FIT)
    for one in some:
        assert one.read is not None
        for points in (one.points, one.read):
            places = view.plane.at(points @ view.axes.T)
            assert (places >= 0).all()
            assert (places <= [view.plane.width, view.plane.height]).all()
            shares = view.share(points)
            assert (shares > 0).all()
            assert (shares < 100).all()
    alone = View.of(some[:1], FIT)
    far = max(np.abs(view.share(one.points) - 50).max() for one in some)
    assert max(np.abs(alone.share(one.points) - 50).max() for one in some) > far


def test_the_first_direction_goes_from_mean_start_to_mean_end() -> None:
    start, end = VIEW.share(np.stack([FIT.start.mean, FIT.end.mean]))
    assert 0 < start < end < 100
    across = VIEW.axes @ (FIT.end.mean - FIT.start.mean)
    np.testing.assert_allclose(across, [VIEW.ends[1] - VIEW.ends[0], 0], atol=1e-9)
    half = VIEW.share((FIT.start.mean + FIT.end.mean)[None] / 2)[0]
    assert half == pytest.approx((start + end) / 2)


def test_a_view_of_one_point_is_no_division_by_zero() -> None:
    same = article(points=np.repeat(FIT.start.mean[None], 3, 0), read=False)
    view = View.of([same], FIT)
    assert np.isfinite(view.share(same.points)).all()
    assert "nan" not in river(same, view, "s")


def test_a_text_has_a_row_for_each_sentence_in_order() -> None:
    rows = parsed(river(OWN, VIEW, "x")).findall("li")[1:]
    assert [r.get("id") for r in rows] == ["x1", "x2", "x3"]
    said = ["".join(p.itertext()) for r in rows for p in r.findall("p")]
    assert said == [
        "History1It was founded by monks.",
        "2A bridge came later.",
        "Geography3It lies on a river & a hill.",
    ]


def test_each_sentence_has_its_point_of_the_plan() -> None:
    skipping = article(points=path(6), units=(0, 2, 9))  # the last is behind the plan's end
    assert skipping.followed == [0, 2, 5]
    view = View.of([skipping], FIT)
    found = of(parsed(river(skipping, view, "s")), "circle", "point")
    expected = view.share(path(6))[[0, 2, 5]]
    np.testing.assert_allclose([numbers(e, "cx")[0] for e in found], expected, atol=0.051)
    assert [(e.get("class") or "").split()[-1] for e in found] == ["c1", "c1", "c2"]


def test_the_path_runs_down_the_page_without_a_break() -> None:
    many = article((Section(None, tuple("abcdef")),))
    rows = parsed(river(many, VIEW, "s")).findall("li")[1:]
    ends = [[numbers(e, "x1", "y1", "x2", "y2") for e in of(r, "line", "flow")] for r in rows]
    for (upper, lower), row in zip(ends, rows, strict=True):
        point = numbers(of(row, "circle", "point")[0], "cx")[0]
        assert upper[2:] == lower[:2] == [point, 50]
        assert (upper[1], lower[3]) == (0, 100)
    for (_, lower), (upper, _) in pairwise(ends):
        assert lower[2] == upper[0]


def test_what_was_read_back_has_rings_where_it_was_read() -> None:
    assert OWN.read is not None
    rings = of(parsed(river(OWN, VIEW, "s")), "circle", "read")
    np.testing.assert_allclose(
        [numbers(e, "cx")[0] for e in rings], VIEW.share(OWN.read), atol=0.06
    )
    assert not of(parsed(river(article(read=False), VIEW, "s")), "circle", "read")


def test_text_is_escaped() -> None:
    found = Checked(river(evil_article(), VIEW, "s"))
    assert "script" not in found.tags
    assert found.text.count(EVIL) == 3  # two sentences and a tag


def test_sections_have_numbers_and_colours_that_the_style_knows() -> None:
    sections = tuple(Section(str(k), ("a",) * k) for k in (2, 0, 1))
    assert sections_of(article(sections).written) == [0, 0, 2]
    names = [colour(i) for i in range(COLOURS)]
    assert len(set(names)) == COLOURS
    assert colour(COLOURS) == colour(0)
    assert set(names) == set(re.findall(r"\.(c\d+) \{ --own", SHOW))


def test_a_sentence_that_is_pointed_at_lights_its_own_point_up() -> None:
    assert lights(article(()), "s", "page") == ""
    selectors, _ = lights(OWN, "s", "page").split("{")
    found = re.findall(r"#page:has\(#s(\d+):is\(:hover,:focus\)\) \.sp(\d+)", selectors)
    assert found == [("1", "1"), ("2", "2"), ("3", "3")]
    assert len(selectors.split(" .")) == 4


def test_who_was_told_no_plan_is_known_from_the_settings() -> None:
    assert OWN.told
    assert article(settings={"latents": True}).told
    assert not article(settings={"latents": False}).told


def test_a_text_of_nothing_has_no_rows() -> None:
    empty = article((), points=path(3), read=False)
    assert [r.get("id") for r in parsed(river(empty, VIEW, "s")).findall("li")] == [None]
