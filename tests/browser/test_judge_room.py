"""*Judge*, by mouse and keyboard."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Site, picture

pytestmark = pytest.mark.browser


def begin(page: Any, name: str) -> None:
    page.get_by_role("tab", name="Judge").click()
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Your name").press("Enter")
    page.wait_for_selector(".tc-scale button:enabled")


def item(page: Any) -> str:
    return str(page.locator(".tc-item").inner_text())


def answered(page: Any, before: str) -> None:
    page.wait_for_function(
        "before => document.querySelector('.tc-item')?.innerText !== before", arg=before
    )
    page.wait_for_selector(".tc-scale button:enabled")


def rows(site: Site, name: str) -> list[dict[str, Any]]:
    out = site.folder / f"{name}.jsonl"
    own = [sys.executable, "-m", "timecontrol", "judge", "export", "calls.sqlite"]
    out.unlink(missing_ok=True)
    ran = [*own, "--out", out.name]
    subprocess.run(ran, cwd=site.folder, check=True, capture_output=True)
    lines = out.read_text(encoding="utf-8").splitlines()
    return [row for line in lines if (row := json.loads(line))["name"] == name]


def test_two_items_are_judged_one_by_mouse_one_by_key(page: Any, site: Site) -> None:
    begin(page, "anna")
    picture(page, "judge-desktop")
    first = item(page)
    for word in ("first", "second", "calls", "jsonl"):
        assert word not in first
    page.locator("[data-rating='4']").dblclick()
    answered(page, first)
    second = item(page)
    page.locator("h1").click()
    page.keyboard.press("2")
    answered(page, second)
    assert "2 done, 4 to go" in page.locator("#judge-status").inner_text()
    assert [row["rating"] for row in rows(site, "anna")] == [4, 2]


def test_the_last_answer_can_be_changed(page: Any, site: Site) -> None:
    begin(page, "bela")
    first = item(page)
    page.locator("[data-rating='1']").click()
    answered(page, first)
    page.click("#judge-back")
    page.wait_for_function("before => document.querySelector('.tc-item').innerText === before",
                           arg=first)  # fmt: skip
    assert "Your answer was 1" in page.locator("#judge-status").inner_text()
    page.locator("[data-rating='5']").click()
    answered(page, first)
    assert [row["rating"] for row in rows(site, "bela")] == [5]


def test_somebody_goes_on_where_they_stopped(page: Any, chromium: Any, site: Site) -> None:
    begin(page, "cora")
    first = item(page)
    page.locator("[data-rating='3']").click()
    answered(page, first)
    second = item(page)
    page.reload()
    page.wait_for_selector("#score-go")
    begin(page, "Cora ")
    assert item(page) == second


def test_a_study_is_made_in_the_browser(page: Any, site: Site, tmp_path: Path) -> None:
    page.get_by_role("tab", name="Judge").click()
    page.get_by_text("Make a study").click()
    page.get_by_label("Name of the study").fill("fills")
    page.get_by_label("Is the marked text a reasonable fill-in").check()
    file = tmp_path / "ours.jsonl"
    lines = [{"id": i, "left": f"It rained {i} days.", "fill": "The river rose.",
              "right": "The town was flooded."} for i in range(2)]  # fmt: skip
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    page.locator("#judge-files input[type=file]").set_input_files(str(file))
    page.wait_for_selector("#judge-files :text('ours')")
    page.click("#judge-make")
    page.wait_for_function("document.querySelector('#judge-made').innerText.includes('is made')")
    begin(page, "dora")
    assert page.locator(".tc-item mark").inner_text() == "The river rose."
    page.locator("[data-rating='5']").click()
    page.wait_for_function("document.querySelector('#judge-status').innerText.includes('1 done')")
    page.get_by_text("Results, for those").click()
    page.click("#judge-tell")
    page.wait_for_selector("#judge-results table")
    assert "ours" in page.locator("#judge-results").inner_text()
    assert (site.folder / "timecontrol-studies" / "fills.sqlite").is_file()
    page.reload()  # whoever comes later finds it, too
    page.wait_for_selector("#score-go")
    page.get_by_role("tab", name="Judge").click()
    page.get_by_label("Study", exact=True).click()
    page.get_by_role("option", name="fills").click()
    begin(page, "emil")
    assert page.locator(".tc-item mark").inner_text() == "The river rose."


def test_an_answer_that_could_not_be_kept_can_be_given_again(page: Any, site: Site) -> None:
    begin(page, "fritz")
    first, study = item(page), site.folder / "calls.sqlite"
    away = study.rename(site.folder / "away")
    page.locator("[data-rating='4']").click()
    page.wait_for_selector("#judge-status .tc-failed")
    away.rename(study)
    page.locator("[data-rating='4']:enabled").click()
    answered(page, first)
    assert [row["rating"] for row in rows(site, "fritz")] == [4]


def test_a_key_that_is_held_answers_once(page: Any, site: Site) -> None:
    begin(page, "gerda")
    first = item(page)
    page.locator("h1").click()
    for _ in range(4):  # the browser sends it again and again
        page.keyboard.down("3")
    answered(page, first)
    page.wait_for_timeout(500)
    page.keyboard.up("3")
    assert [row["rating"] for row in rows(site, "gerda")] == [3]


def test_no_name_is_told(page: Any) -> None:
    page.get_by_role("tab", name="Judge").click()
    page.click("#judge-begin")
    page.wait_for_selector("#judge-status .tc-failed")
