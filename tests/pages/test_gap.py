import numpy as np
import pytest

from tests.pages.made import path, told
from tests.pages.seen import drawn_at, numbers, of, parsed, places
from tests.pages.test_report import EVIL, Checked
from timecontrol.infilling.fill import Candidate, Filled, Infilled
from timecontrol.infilling.gaps import Gapped, Slot
from timecontrol.infilling.ranking import Measured
from timecontrol.pages.gap import Told, candidates, gap_chart, gap_part, letter, story


def test_candidates_have_letters_then_numbers() -> None:
    assert [letter(i) for i in (0, 1, 25, 26, 255)] == ["a", "b", "z", "27", "256"]
    assert len({letter(i) for i in range(256)}) == 256


def test_what_was_written_is_marked_in_the_text() -> None:
    text = parsed(story(told()))
    assert ["".join(e.itertext()) for e in text.iter("mark")] == ["3Then it rained."]
    assert [e.tag for e in text] == ["span", "span", "mark", "span"]
    assert [e.findtext("sup") for e in text] == ["1", "2", "3", "4"]


def test_a_row_has_the_candidate_and_what_it_is_ranked_by() -> None:
    rows = parsed_rows(told(3))
    assert rows[0] == ["a", "Then it rained.", "-0.00", "-2.50", "+0.10", ""]
    assert [row[:3] for row in rows[1:]] == [["b", "Other 1.", "-1.00"], ["c", "Other 2.", "-2.00"]]


def parsed_rows(found: Told) -> list[list[str]]:
    markup = candidates(found)
    body = parsed(markup[markup.index("<tbody>") : markup.index("</table>")])
    return [["".join(cell.itertext()) for cell in row] for row in body]


@pytest.mark.parametrize("n", [1, 3, 30])
def test_every_candidate_is_where_the_encoder_reads_it_and_the_best_stands_out(n: int) -> None:
    chart = parsed(gap_chart(told(n)))
    found = of(chart, "circle", "candidate")
    assert len(found) == n
    assert [e.get("class") for e in found] == ["candidate best"] + ["candidate other"] * (n - 1)
    assert found[0].findtext("title") == "a: Then it rained."
    assert [e.text for e in of(chart, "text", "other")] == [letter(i) for i in range(1, n)]
    assert f"{n} candidates" in (chart.get("aria-label") or "")
    assert (drawn_at(chart) >= 0).all()


def test_the_bridge_has_a_square_for_each_missing_sentence() -> None:
    slots = tuple(Slot(s) for s in "abcde")
    mean = np.array([path(1)[0], path(3)[2]])
    own = Candidate(("b", "c"), 0.0, Measured(0.0, 0.0, 0.0, path(3)[1:]))
    found = Told(Infilled(Gapped(slots), (Filled(range(1, 3), (own,), mean, range(5)),)), path(5))
    chart = parsed(gap_chart(found))
    squares = of(chart, "rect", "mean")
    first = numbers(of(chart, "circle", "stop")[0], "cx", "cy")  # the bridge's first is there, too
    x, y, wide, high = numbers(squares[0], "x", "y", "width", "height")
    assert [x + wide / 2, y + high / 2] == pytest.approx(first, abs=0.11)
    assert len(squares) == len(of(chart, "circle", "candidate")) == 2


def test_the_path_goes_on_across_the_gap_on_another_line() -> None:
    chart = parsed(gap_chart(told()))
    stops = of(chart, "circle", "stop")
    assert [(e.findtext("title") or "")[:2] for e in stops] == ["1:", "2:", "4:"]
    kinds = [e.get("class") for e in chart.iter("polyline")]
    assert kinds == ["walk coherent", "walk gap"]
    joined = [places(e).tolist() for e in chart.iter("polyline")]
    spots = [numbers(e, "cx", "cy") for e in stops]
    assert joined == [spots[:2], spots[1:]]


@pytest.mark.parametrize("gap", [range(0, 1), range(3, 4)])
def test_a_gap_at_either_end_is_drawn_without_a_line_across(gap: range) -> None:
    found = told()
    filled = Filled(gap, found.gap.candidates, None, range(4))
    chart = parsed(gap_chart(Told(Infilled(found.found.whole, (filled,)), found.latents)))
    assert [e.get("class") for e in chart.iter("polyline")] == ["walk coherent"] * 2
    assert not of(chart, "rect", "mean")


def test_without_an_encoder_there_is_neither_bridge_nor_candidate_in_the_chart() -> None:
    blind = told(2, latents=False)
    chart = parsed(gap_chart(blind))
    assert len(of(chart, "circle", "stop")) == 3
    assert not of(chart, "circle", "candidate")
    assert not of(chart, "rect", "mean")
    assert "nan" not in gap_chart(blind)
    assert len(parsed_rows(blind)) == 2


def test_the_part_counts_its_candidates() -> None:
    assert "offers 1 candidate, and" in gap_part(told(1))
    assert "offers 3 candidates, and" in gap_part(told(3))


def test_text_is_escaped() -> None:
    markup = gap_part(told(text=EVIL))
    page = Checked(markup)
    assert "<script" not in markup
    assert "script" not in page.tags
    assert page.text.count(EVIL) == 3  # in the text, the table and the chart
    assert not page.ids
