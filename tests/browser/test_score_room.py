"""*Score*, by mouse and keyboard."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import picture

pytestmark = pytest.mark.browser

STRANGER = 4


def scored(page: Any) -> list[str]:
    """Score the text of the page, and return its sentences."""
    page.click("#score-go")
    page.wait_for_selector(".tc-sentence")
    settled(page)
    return sentences(page)


def settled(page: Any) -> None:
    """Wait until the scores are those of what is seen."""
    page.wait_for_selector(".tc-thread:not(.tc-waiting) .tc-sentence")


def sentences(page: Any) -> list[str]:
    texts = page.locator(".tc-sentence .tc-text").all_inner_texts()
    return [re.sub(r"^\d+ | ← .*$", "", text) for text in texts]


def score(page: Any) -> str:
    return str(page.locator(".tc-numbers dd").first.inner_text().split("\n")[0])


def test_a_text_is_scored_and_the_stranger_is_red(page: Any) -> None:
    found = scored(page)
    assert len(found) == 9
    stranger = page.locator(".tc-sentence").nth(STRANGER)
    assert "breaks the thread" in stranger.inner_text()
    assert "tc-breaks" in stranger.get_attribute("class")
    picture(page, "score-desktop")


def test_pointing_at_a_dot_shows_its_sentence_and_back(page: Any) -> None:
    found = scored(page)
    for number in (0, STRANGER, 8):
        page.locator(".tc-target").nth(number).hover()
        assert found[number] in page.locator(".tc-tip").inner_text()
        here = page.locator(".tc-sentence.tc-here")
        assert here.count() == 1
        assert found[number] in here.inner_text()
    page.locator(".tc-sentence").nth(2).hover()
    assert found[2] in page.locator(".tc-tip").inner_text()


def test_the_mouse_moves_a_sentence_and_the_score_moves(page: Any) -> None:
    before, old = scored(page), None
    old = score(page)
    handle = page.locator(".tc-handle").nth(0).bounding_box()
    target = page.locator(".tc-sentence").nth(5).bounding_box()
    page.mouse.move(handle["x"] + 5, handle["y"] + 5)
    page.mouse.down()
    page.mouse.move(target["x"] + 20, target["y"] + target["height"] - 3, steps=10)
    page.mouse.up()
    page.wait_for_function("document.querySelector('.tc-numbers').innerText.includes('by moving')")
    settled(page)
    assert sentences(page) == [*before[1:6], before[0], *before[6:]]
    assert score(page) != old


def test_another_encoder_leaves_no_old_score(page: Any) -> None:
    scored(page)
    page.locator("#score-encoder input").click()
    page.get_by_role("option", name="wikisection").click()
    page.wait_for_selector(".tc-sentence", state="detached")
    assert len(scored(page)) == 9


def test_what_was_moved_is_put_back(page: Any) -> None:
    before = scored(page)
    assert page.locator(".tc-undo").is_disabled()
    page.locator(".tc-sentence").nth(STRANGER).focus()
    for _ in range(2):
        page.keyboard.press("Alt+ArrowDown")
    settled(page)
    for _ in range(2):
        page.locator(".tc-undo:enabled").click()
        settled(page)
    assert sentences(page) == before
    assert page.locator(".tc-undo").is_disabled()


def test_keys_move_a_sentence_as_fast_as_they_are_pressed(page: Any) -> None:
    before = scored(page)
    page.locator(".tc-sentence").nth(STRANGER).focus()
    for _ in range(4):
        page.keyboard.press("Alt+ArrowDown")
    settled(page)
    page.wait_for_function("document.querySelector('.tc-numbers').innerText.includes('by moving')")
    settled(page)
    moved = [s for i, s in enumerate(before) if i != STRANGER] + [before[STRANGER]]
    assert sentences(page) == moved
    assert page.evaluate("document.activeElement.dataset.place") == "8"
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.place") == "7"


def test_the_numbers_after_many_moves_are_those_of_the_order_seen(page: Any) -> None:
    scored(page)
    page.locator(".tc-sentence").nth(STRANGER).focus()
    for key in ("Down", "Down", "Up", "Up", "Up", "Down"):
        page.keyboard.press(f"Alt+Arrow{key}")
    page.wait_for_timeout(300)
    settled(page)
    shown, order = score(page).split(" ")[0], sentences(page)
    page.get_by_label("Text").first.fill(" ".join(order))
    page.wait_for_selector(".tc-sentence", state="detached")
    assert scored(page) == order
    assert score(page) == shown


def test_an_order_is_suggested(page: Any) -> None:
    text = "Bake it for an hour. Peel the apples. Let it cool and serve it. Mix butter and flour."
    page.get_by_label("Text").first.fill(text)
    page.click("#score-suggest")
    page.wait_for_selector(".tc-sentence")
    status = page.locator("#score-status").inner_text()
    assert "old numbers: 4, 1, 3, 2" in status
    assert sorted(sentences(page)) == sorted(s if s.endswith(".") else f"{s}."
                                             for s in text.split(". "))  # fmt: skip
    picture(page, "score-suggested")
    page.locator(".tc-undo:enabled").click()
    settled(page)
    assert " ".join(sentences(page)) == text


def test_a_file_is_opened(page: Any, tmp_path: Path) -> None:
    file = tmp_path / "text.md"
    file.write_text("It rained. The river rose. The town was flooded.", encoding="utf-8")
    page.set_input_files("#score-upload input[type=file], input[type=file]", str(file))
    page.wait_for_function(
        "document.querySelector('#score-text textarea').value.startsWith('It r')"
    )
    assert scored(page)[1] == "The river rose."


def test_a_file_of_another_kind_is_refused_in_words(page: Any, tmp_path: Path) -> None:
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG")
    page.locator("input[type=file]").first.set_input_files(str(file))
    page.wait_for_selector("#score-status .tc-failed")
    assert "picture.png is no text file" in page.locator("#score-status").inner_text()


def test_five_megabytes_are_refused_and_the_page_goes_on(page: Any) -> None:
    before = page.get_by_label("Text").first.input_value()
    page.get_by_label("Text").first.fill("It rained again. " * 300_000)
    page.click("#score-go")
    page.wait_for_selector("#score-status .tc-failed")
    assert "5,1" in page.locator("#score-status").inner_text()
    assert "at most 200,000" in page.locator("#score-status").inner_text()
    page.get_by_label("Text").first.fill(before)
    assert len(scored(page)) == 9


def test_an_empty_text_and_a_short_one_are_told(page: Any) -> None:
    page.get_by_label("Text").first.fill("")
    page.click("#score-go")
    page.wait_for_selector("#score-status .tc-failed")
    page.get_by_label("Text").first.fill("One sentence.")
    page.click("#score-go")
    page.wait_for_selector(".tc-sentence")
    assert "too short" in page.locator(".tc-head").inner_text().lower()


def test_text_is_never_read_as_a_page(page: Any) -> None:
    evil = "<img src=x onerror=alert(1)> is here. ${alert(2)} is next. {{alert 3}} is last."
    page.get_by_label("Text").first.fill(evil)
    assert scored(page)[0] == "<img src=x onerror=alert(1)> is here."
    assert page.locator(".tc-thread img").count() == 0


def test_a_double_click_scores_once(page: Any) -> None:
    page.dblclick("#score-go")
    page.wait_for_selector(".tc-sentence")
    settled(page)
    assert len(sentences(page)) == 9
    assert page.locator("#score-status .tc-failed").count() == 0
