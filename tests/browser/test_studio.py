"""What holds for the whole page: two users, narrow screens, the dark, keys alone, the API page."""

from typing import Any

import pytest

from tests.browser.conftest import Site, opened, picture
from tests.browser.test_score_room import scored, sentences

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True}


def test_two_users_at_once_get_their_own_texts(chromium: Any, site: Site) -> None:
    pages = [opened(chromium, site) for _ in range(2)]
    texts = [f"{name} went out. It rained. {name} came home." for name in ("Anna", "Bela")]
    for (page, _), text in zip(pages, texts, strict=True):
        page.get_by_label("Text").first.fill(text)
        page.click("#score-go")
    for (page, seen), name in zip(pages, ("Anna", "Bela"), strict=True):
        page.wait_for_selector(".tc-sentence")
        assert sentences(page)[0] == f"{name} went out."
        assert not seen.errors
    for (page, _), _name in zip(pages, ("Anna", "Bela"), strict=True):
        page.context.close()


def test_one_stops_and_the_other_goes_on(chromium: Any, site: Site) -> None:
    (writer, _), (other, _) = (opened(chromium, site) for _ in range(2))
    writer.get_by_role("tab", name="Plan & write").click()
    writer.click("#write-go")
    writer.wait_for_selector(".tc-said")
    other.click("#score-go")
    other.wait_for_function("document.querySelector('#score-status').innerText.includes('Waiting')")
    writer.context.close()  # who leaves the page frees the worker
    other.wait_for_selector(".tc-sentence", timeout=20_000)
    other.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_on_a_phone(chromium: Any, site: Site, scheme: str) -> None:
    page, seen = opened(chromium, site, color_scheme=scheme, **PHONE)
    scored(page)
    for name in ("Score", "Plan & write", "Infill", "Judge"):
        tab = page.get_by_role("tab", name=name)
        if not tab.is_visible():
            page.locator(".overflow-menu > button").first.click()
            page.locator(f".overflow-dropdown button:has-text('{name}')").click()
        else:
            tab.click()
        page.wait_for_timeout(400)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390, f"{name} is {wide} wide"
        picture(page, f"{name.split()[0].lower()}-phone-{scheme}")
    assert not seen.errors
    page.context.close()


def test_a_finger_moves_a_sentence(chromium: Any, site: Site) -> None:
    page, _ = opened(chromium, site, **PHONE)
    before = scored(page)
    page.locator(".tc-move[title='Move down']").first.tap()
    page.wait_for_function("document.querySelector('.tc-numbers').innerText.includes('by moving')")
    assert sentences(page)[:2] == [before[1], before[0]]
    page.context.close()


def test_the_dark_is_dark(chromium: Any, site: Site) -> None:
    page, _ = opened(chromium, site, color_scheme="dark")
    scored(page)
    picture(page, "score-dark")
    ground, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('.tc-text')).color]"
        ".map(c => c.match(/[\\d.]+/g).slice(0, 3).map(Number).reduce((a, b) => a + b))"
    )
    assert ground < 200 < 450 < ink
    page.context.close()


def test_keys_alone_score_a_text(page: Any) -> None:
    page.locator("#score-text textarea").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "score-go":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector(".tc-sentence")


def test_the_page_of_the_api_needs_nothing_from_elsewhere(chromium: Any, site: Site) -> None:
    page, seen = opened(chromium, site)
    page.get_by_role("link", name="HTTP API").click()
    page.get_by_role("heading", name="POST /api/score").wait_for()
    picture(page, "api")
    assert not seen.errors
    assert not seen.strangers
    page.context.close()
