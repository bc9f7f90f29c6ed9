import re

import pytest

from tests.pages.made import article, articles, evil_article, learned, shown, told, twins
from tests.pages.test_report import EVIL, Checked
from tests.reports import made
from timecontrol.pages.demo import TITLES, Shown, demo_page
from timecontrol.pages.style import SHOW, STYLE

BLOCKS = {"div", "p", "figure", "table", "ol", "ul", "dl", "section", "h2", "h3", "h4"}
PARTS = ("twins", "stranger", "articles", "told", "learned")
WHOLE = demo_page(shown(), "1.2")
PAGES = {
    "whole": WHOLE,
    "empty": demo_page(Shown()),
    **{name: demo_page(shown(**{name: None})) for name in PARTS},
    "unread": demo_page(
        shown(articles=articles(article(read=False)), told=told(latents=False), steps=[])
    ),
}


class Nested(Checked):
    """No paragraph has anything in it that would end it."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in BLOCKS or "p" not in self.open
        super().handle_starttag(tag, attrs)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_a_page_is_whole_and_needs_nothing_else(page: str) -> None:
    found = Nested(page)
    assert not {"script", "link", "img", "iframe", "form", "object"} & set(found.tags)
    for far in ("http:", "https:", "url(", "@import"):
        assert far not in page
    assert not re.search(r"<[^>]*\son\w+=", page)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= set(found.ids)
    assert 'lang="en"' in page
    assert 'name="viewport"' in page
    assert "default-src 'none'" in page
    assert not re.search(r"\bnan\b", page)


def test_the_parts_stand_in_order_with_an_index() -> None:
    found = Checked(WHOLE)
    sections = [name for name in found.ids if name in TITLES]
    assert sections == list(TITLES)
    assert re.findall(r'<li><a href="#(\w+)">', WHOLE) == sections
    assert re.findall(r'<span class="no">(\d)</span>', WHOLE) == ["1", "2", "3", "4", "5"]
    assert "Time Control 1.2" in found.text


@pytest.mark.parametrize(("left", "name"), list(zip(PARTS, TITLES, strict=True)))
def test_what_is_not_there_is_left_out_and_the_reason_given(left: str, name: str) -> None:
    reason = f"{TITLES[name]} There is no base."
    found = Checked(demo_page(shown(**{left: None}, left_out=[reason])))
    assert name not in found.ids
    assert name not in found.links
    assert [n for n in found.ids if n in TITLES] == [n for n in TITLES if n != name]
    assert reason in found.text
    assert found.text.count("There is no base.") == 1


def test_on_top_is_what_was_learned_where_something_was() -> None:
    assert WHOLE.index('class="hero"') < WHOLE.index("<main>")
    assert 'class="hero"' not in PAGES["learned"]


def test_a_sentence_that_is_pointed_at_lights_up_only_where_there_is_an_article() -> None:
    assert "#article:has(#s3:is(:hover,:focus)) .sp3" in WHOLE
    assert ":has(" not in PAGES["articles"]


def test_a_text_unlike_those_the_encoder_knows_comes_with_a_warning() -> None:
    assert "Take care." in WHOLE
    assert "Take care." not in demo_page(shown(stranger=made(trust=1.0)))
    assert "Sentence 2 breaks the thread." in WHOLE


def test_the_time_of_each_step_and_of_all_is_told() -> None:
    rows = re.findall(r'<tr><th scope="row">([^<]*)</th><td class="n">([\d.]+) s</td></tr>', WHOLE)
    assert rows == [("Does it flow?", "2.4"), ("A gap, filled", "62"), ("all", "64")]
    assert "How long it took" not in demo_page(Shown())


def test_all_text_is_escaped() -> None:
    evil = Shown(
        twins=twins((EVIL, "b", EVIL), encoder=EVIL),
        stranger=made(EVIL, (EVIL, "b", "c")),
        articles=articles(evil_article(), evil_article(), decoder=EVIL, tags=(EVIL,)),
        told=told(text=EVIL),
        learned=learned(corpus=EVIL, base=EVIL),
        left_out=[EVIL],
        steps=[(EVIL, 1.0)],
    )
    page = demo_page(evil, EVIL)
    found = Checked(page)
    assert "script" not in found.tags
    assert "<script" not in page
    assert found.text.count(EVIL) > 20
    assert set(found.tags) == set(Checked(WHOLE).tags)


def test_every_colour_is_there_in_light_and_dark() -> None:
    named = re.compile(r"--([\w-]+):")
    light, dark = SHOW.split("@media (prefers-color-scheme: dark)")
    assert set(named.findall(light)) == set(named.findall(dark.split(".show {")[0]))
    known = set(named.findall(STYLE + SHOW))
    assert set(re.findall(r"var\(--([\w-]+)", SHOW)) <= known
    assert SHOW.count("{") == SHOW.count("}")
