import numpy as np
import pytest

from tests.pages.made import PATHS
from tests.pages.seen import drawn_at, numbers, of, parsed, places
from tests.pages.test_report import EVIL
from timecontrol.pages.drawing import Frame
from timecontrol.pages.paths import (
    HEIGHT,
    LABELS,
    WIDTH,
    beside,
    figure,
    hints_of,
    over_time,
    walk,
)


def test_every_document_has_a_thread_from_edge_to_edge() -> None:
    chart = parsed(over_time(PATHS, 1))
    threads = [places(e) for e in of(chart, "polyline", "thread")]
    assert [len(t) for t in threads] == [len(p) for p in PATHS]
    for thread, path in zip(threads, PATHS, strict=True):
        assert thread[[0, -1], 0].tolist() == [36, WIDTH - 10]
        assert np.corrcoef(thread[:, 1], path[:, 1])[0, 1] == pytest.approx(-1, abs=1e-3)
    assert f"Coordinate 2 of {len(PATHS)} documents, sentences in order" in (
        chart.get("aria-label") or ""
    )


def test_the_thick_line_is_the_mean_and_the_band_one_standard_deviation_about_it() -> None:
    levels = [np.full((n, 1), value) for n, value in ((3, 0.0), (5, 4.0))]
    chart = parsed(over_time(levels, 0))
    low, high = (places(e)[0, 1] for e in of(chart, "polyline", "thread"))
    [middle] = of(chart, "polyline", "middle")
    np.testing.assert_allclose(places(middle)[:, 1], (low + high) / 2, atol=0.1)
    [band] = of(chart, "polygon", "band")  # of 0 and 4: mean 2, sd 2
    there, back = np.split(places(band), 2)
    np.testing.assert_allclose(there[:, 1], low, atol=0.1)
    np.testing.assert_allclose(back[:, 1], high, atol=0.1)


def test_shuffled_documents_have_the_same_sentences_elsewhere() -> None:
    threads = {}
    for seed in (None, 0, 1):
        chart = parsed(over_time(PATHS, 0, seed=seed))
        kind = "coherent" if seed is None else "shuffled"
        threads[seed] = [places(e)[:, 1].tolist() for e in of(chart, "polyline", kind)[:-1]]
    for own, mixed, other in zip(threads[None], threads[0], threads[1], strict=True):
        assert sorted(own) == sorted(mixed) == sorted(other)
    assert threads[None] != threads[0] != threads[1]
    assert over_time(PATHS, 0, seed=1) == over_time(PATHS, 0, seed=1)


@pytest.mark.parametrize("size", [(480, 260), (300, 200)])
def test_all_is_drawn_inside(size: tuple[float, float]) -> None:
    for seed in (None, 3):
        found = drawn_at(parsed(over_time(PATHS, 0, seed=seed, title="Some", size=size)))
        assert (found >= 0).all()
        assert (found <= size).all()


def test_a_path_that_stands_still_is_drawn() -> None:
    still = np.zeros((4, 2))
    for chart in (over_time([still], 1), walk(still, list("abcd"), "coherent", "")):
        assert "nan" not in chart


def test_a_walk_goes_from_point_to_point_and_names_its_ends() -> None:
    flat = np.array([[0.0, 0.0], [4.0, 1.0], [2.0, 3.0]])
    chart = parsed(walk(flat, ["7", "8", "9"], "shuffled", "A walk.", ["x", "y", "z"]))
    dots = of(chart, "circle", "stop")
    [way] = of(chart, "polyline", "shuffled")
    assert places(way).tolist() == [numbers(d, "cx", "cy") for d in dots]
    assert [d.findtext("title") for d in dots] == ["x", "y", "z"]
    assert [t.text for t in chart.iter("text")] == ["first: 7", "8", "last: 9"]
    first, inner, last = (numbers(d, "r")[0] for d in dots)
    assert first == last > inner


def test_two_walks_in_one_frame_have_the_same_places() -> None:
    flat = np.random.default_rng(0).normal(size=(5, 2))
    frame = Frame.square(flat * 3, WIDTH, HEIGHT)
    one = parsed(walk(flat, list("abcde"), "coherent", "", frame=frame))
    other = parsed(walk(flat[::-1], list("edcba"), "shuffled", "", frame=frame))
    ways = [places(next(chart.iter("polyline"))) for chart in (one, other)]
    assert ways[0].tolist() == ways[1][::-1].tolist()


def test_of_many_sentences_some_are_numbered_the_last_one_too() -> None:
    n = 703
    names = [str(i + 1) for i in range(n)]
    chart = parsed(walk(np.random.default_rng(0).normal(size=(n, 2)), names, "coherent", ""))
    said = [t.text for t in chart.iter("text")]
    assert len(said) <= LABELS + 1
    assert (said[0], said[-1]) == ("first: 1", "last: 703")
    assert len(of(chart, "circle", "stop")) == n


def test_words_stand_on_the_left_where_the_right_has_no_room() -> None:
    frame = Frame(480, 260, (0, 1), (0, 1))
    for x, anchor, at in ((100.0, "start", 109), (460.0, "end", 451)):
        found = parsed(beside(np.array([x, 50.0]), "last: 12", frame))
        assert (found.get("text-anchor"), numbers(found, "x", "y")) == (anchor, [at, 44])


def test_text_is_escaped() -> None:
    flat = np.array([[0.0, 0.0], [4.0, 1.0]])
    chart = walk(flat, [EVIL, EVIL], "coherent", EVIL, hints_of([EVIL, EVIL]))
    whole = parsed(figure(chart + over_time(PATHS[:2], 0, title=EVIL), EVIL))
    assert whole.findtext("figcaption") == EVIL
    said = [e.text for e in whole.iter() if e.tag in ("text", "title") and EVIL in (e.text or "")]
    assert said == [f"1: {EVIL}", f"first: {EVIL}", f"2: {EVIL}", f"last: {EVIL}", EVIL]
