import xml.etree.ElementTree as ET

import numpy as np
import pytest

from tests.reports import made
from timecontrol.pages.charts import HEIGHT, WIDTH, path_chart, trace_chart


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def test_every_sentence_has_a_bar_and_those_that_break_a_mark() -> None:
    chart = parsed(trace_chart(made()))
    bars = chart.findall("rect")
    assert [b.get("class") for b in bars] == ["fits", "breaks", "fits"]
    marks = [t for t in chart.findall("text") if t.get("class") == "mark"]
    assert [m.text for m in marks] == ["✗"]
    assert "break the thread: 2" in (chart.get("aria-label") or "")
    assert "Pancakes need three eggs." in (bars[1].findtext("title") or "")


def test_bars_are_as_long_as_the_fit_and_stand_on_the_side_of_its_sign() -> None:
    report = made(trace=(1.0, -2.0, 0.5))
    up, down, half = parsed(trace_chart(report)).findall("rect")
    heights = [float(bar.get("height", 0)) for bar in (up, down, half)]
    assert heights[1] == pytest.approx(2 * heights[0], rel=0.01)
    assert heights[2] == pytest.approx(heights[0] / 2, rel=0.01)
    assert float(up.get("y", 0)) + heights[0] == pytest.approx(HEIGHT / 2, abs=0.2)
    assert float(down.get("y", 0)) == pytest.approx(HEIGHT / 2, abs=0.2)


@pytest.mark.parametrize("n", [3, 40, 700])
@pytest.mark.parametrize("d", [1, 2, 8])
def test_all_is_drawn_inside_the_chart(n: int, d: int) -> None:
    latents = np.random.default_rng(0).normal(size=(n, d)) * 1e6
    fits = tuple(np.linspace(-50, 50, n).tolist())
    report = made(sentences=["a"] * n, latents=latents, trace=fits)
    for bar in parsed(trace_chart(report)).findall("rect"):
        x, y, w, h = (float(bar.get(k, -1)) for k in ("x", "y", "width", "height"))
        assert 0 <= x <= x + w <= WIDTH + 0.1
        assert 0 <= y <= y + h <= HEIGHT
    path = parsed(path_chart(report))
    points = [c for c in path.findall("circle") if c.get("class") != "ring"]
    assert len(points) == n
    for point in points:
        assert 0 <= float(point.get("cx", -1)) <= WIDTH
        assert 0 <= float(point.get("cy", -1)) <= HEIGHT
    assert len(path.findall("text")) <= 45


def test_the_path_is_numbered_and_its_worst_sentence_marked() -> None:
    chart = parsed(path_chart(made()))
    assert [t.text for t in chart.findall("text")] == ["1 start", "2 worst", "3 end"]
    [ring] = [c for c in chart.findall("circle") if c.get("class") == "ring"]
    assert ring.get("cx") == chart.findall("circle")[2].get("cx")
    assert "The worst is sentence 2" in (chart.get("aria-label") or "")


def test_a_path_that_stands_still_is_drawn() -> None:
    chart = parsed(path_chart(made(latents=np.zeros((3, 4)))))
    assert all("nan" not in str(c.attrib) for c in chart.findall("circle"))
    assert path_chart(made(latents=None)) == ""


def test_text_is_escaped() -> None:
    report = made(sentences=("</title><script>x</script>", "b & c", 'd " e'))
    for chart in (trace_chart(report), path_chart(report)):
        assert "<script" not in chart
        assert "</title><script>x</script>" in (parsed(chart).findtext(".//title") or "")
