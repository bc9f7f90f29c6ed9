"""*Plan & write* and *Infill*, by mouse and keyboard."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import picture

pytestmark = [pytest.mark.browser]


def enter(page: Any, name: str) -> None:
    page.get_by_role("tab", name=name).click()
    page.wait_for_timeout(300)


def test_a_plan_is_drawn_before_anything_is_written(page: Any) -> None:
    enter(page, "Plan & write")
    page.get_by_role("textbox", name="Start").fill("A port on the sea.")
    page.get_by_label("Waypoints").fill("0.5: It was founded in 1204.")
    page.click("#write-draw")
    page.wait_for_selector(".tc-tracks .tc-picture")
    assert page.locator(".tc-tracks .tc-point").count() >= 3
    assert page.locator(".tc-said").count() == 0
    picture(page, "plan-desktop")


def test_a_text_streams_in_and_its_point_moves(page: Any, tmp_path: Path) -> None:
    enter(page, "Plan & write")
    page.get_by_label("static: one point").check()
    page.click("#write-go")
    page.wait_for_selector(".tc-said")
    first = page.locator(".tc-point.tc-done").count()
    page.wait_for_function("document.querySelectorAll('.tc-said').length >= 3")
    assert page.locator(".tc-point.tc-done").count() > first
    page.wait_for_function("document.querySelector('#write-status').innerText.includes('Done')")
    said = page.locator(".tc-column").nth(0).locator(".tc-said")
    said.nth(0).hover()
    assert said.nth(0).inner_text() in page.locator(".tc-tracks .tc-tip").inner_text()
    assert page.locator(".tc-column").count() == 2
    picture(page, "write-desktop")
    for name, ending in (("Save the text", ".md"), ("Save the plan", ".json"),
                         ("Save the picture", ".svg")):  # fmt: skip
        with page.expect_download() as found:
            page.get_by_role("button", name=name).click()
        file = tmp_path / f"saved{ending}"
        found.value.save_as(file)
        assert file.suffix == ending
        assert file.stat().st_size > 100
    plans = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    assert [plan["kind"] for plan in plans["plans"]] == ["bridge", "static"]
    assert "<svg" in (tmp_path / "saved.svg").read_text(encoding="utf-8")
    assert "# bridge" in (tmp_path / "saved.md").read_text(encoding="utf-8")


def test_writing_is_stopped_and_begun_again(page: Any) -> None:
    enter(page, "Plan & write")
    page.click("#write-go")
    page.wait_for_selector(".tc-said")
    page.click("#write-stop")
    page.wait_for_function("document.querySelector('#write-status').innerText.includes('Stopped')")
    many = page.locator(".tc-said").count()
    page.wait_for_timeout(2500)
    assert page.locator(".tc-said").count() == many
    page.click("#write-go")
    page.wait_for_function("document.querySelector('#write-status').innerText.includes('Writing')")
    page.click("#write-stop")
    page.wait_for_function("document.querySelector('#write-status').innerText.includes('Stopped')")


def test_what_cannot_be_planned_is_told(page: Any) -> None:
    enter(page, "Plan & write")
    page.get_by_label("Waypoints").fill("in the middle")
    page.click("#write-draw")
    page.wait_for_selector("#write-status .tc-failed")
    assert "A waypoint is 'in the middle'" in page.locator("#write-status").inner_text()
    page.get_by_label("Waypoints").fill("")
    page.get_by_label("bridge: a path").uncheck()
    page.click("#write-go")
    page.wait_for_function("document.querySelector('#write-status').innerText.includes('0 plans')")


def test_a_gap_is_filled_and_another_candidate_is_put_in_by_keyboard(page: Any) -> None:
    enter(page, "Infill")
    page.click("#infill-go")
    page.wait_for_selector(".tc-candidates")
    best = page.locator(".tc-filled mark").inner_text()
    choices = page.locator(".tc-candidates input")
    assert choices.count() >= 2
    picture(page, "infill-desktop")
    choices.nth(0).focus()
    page.keyboard.press("ArrowDown")
    other = page.locator(".tc-filled mark").inner_text()
    assert other != best
    assert other in page.locator(".tc-candidates label.tc-chosen").inner_text()
    page.keyboard.press("ArrowUp")
    assert page.locator(".tc-filled mark").inner_text() == best


def test_filling_is_stopped(page: Any) -> None:
    enter(page, "Infill")
    page.locator("#infill-candidates input[type=number]").fill("32")
    page.click("#infill-go")
    page.wait_for_function("document.querySelector('#infill-status').innerText.includes('Filling')")
    page.click("#infill-stop")
    page.wait_for_function("document.querySelector('#infill-status').innerText.includes('Stopped')")
    assert page.locator(".tc-candidates").count() == 0


def test_a_text_without_a_gap_is_told(page: Any) -> None:
    enter(page, "Infill")
    page.get_by_label("Text with a gap").fill("No gap is here.")
    page.click("#infill-go")
    page.wait_for_selector("#infill-status .tc-failed")
