import re

import pytest

from timecontrol.app.parts import SCRIPTS, part, static, words


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_part_has_its_place_and_its_script(name: str) -> None:
    found = part(name)
    assert f"tc-{name}" in found.html_template
    assert f'querySelector(".tc-{name}")' in found.js_on_load
    assert "function picture" in found.js_on_load


@pytest.mark.parametrize("name", [*SCRIPTS, "draw"])
def test_no_script_reads_text_as_html(name: str) -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", static(f"{name}.js")
    )


@pytest.mark.parametrize("name", [*(f"{n}.js" for n in SCRIPTS), "draw.js", "studio.css"])
def test_nothing_is_fetched_from_anywhere(name: str) -> None:
    urls = set(re.findall(r"https?://[^\s\"')]+", static(name)))
    assert urls <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in static(name)


def test_events_are_what_rooms_listen_to() -> None:
    assert callable(part("thread").reorder)
    assert callable(part("rating").rate)


def test_words_are_shown_as_they_are() -> None:
    assert words("") == ""
    assert words("<b>", "failed") == '<p class="tc-failed" role="alert">&lt;b&gt;</p>'
    assert 'role="status"' in words("Done.")
