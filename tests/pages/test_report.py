import re
from html.parser import HTMLParser

import pytest

from tests.reports import made, short
from timecontrol.pages import comparison_page, reports_page
from timecontrol.versions import Versions

EVIL = "<script>alert('x')</script> & \"q\""
EMPTY = {"meta"}


class Checked(HTMLParser):
    """Every element is closed, and what it finds is kept."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.ids += [name] if (name := found.get("id")) else []
        links = [found.get(k) for k in ("href", "aria-describedby", "aria-labelledby")]
        self.links += [link.removeprefix("#") for link in links if link]
        assert "src" not in found
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


PAGES = [
    reports_page([made()], "general"),
    reports_page([made("a"), short("b"), made("c", trust=0.1)], "general", 3),
    reports_page([short()], "general", 1),
    comparison_page(Versions(made(), made(sentences=("x", "y", "z"))), "general"),
    comparison_page(Versions(short(), made()), "general"),
]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_whole_and_needs_nothing_else(page: str) -> None:
    found = Checked(page)
    assert not {"script", "link", "img", "iframe", "form"} & set(found.tags)
    assert "http:" not in page
    assert "https:" not in page
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= set(found.ids)
    assert 'lang="en"' in page
    assert 'name="viewport"' in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize(
    "page",
    [
        reports_page([made(EVIL, (EVIL, "b", "c")), short(EVIL)], EVIL),
        comparison_page(Versions(made(EVIL, (EVIL, "b", "c")), made(EVIL, ("a", EVIL, "c"))), EVIL),
    ],
)
def test_all_text_is_escaped(page: str) -> None:
    found = Checked(page)
    assert "script" not in found.tags
    assert "<script" not in page
    assert EVIL in found.text


def test_one_document_shows_its_numbers_sentences_and_charts() -> None:
    found = Checked(PAGES[0])
    for words in ("-0.50", "-1.00 to +0.00", "31", "4 %", "Sentence 2 breaks the thread."):
        assert words in found.text
    assert found.tags.count("svg") == 2
    assert "All documents" not in found.text
    assert "unlike anything" not in found.text


def test_colour_is_never_alone() -> None:
    page = PAGES[0]
    assert re.search(r'class="s breaks"[^>]*><sup>2.{0,9}&#10007;', page)
    assert '<td class="level breaks">breaks the thread</td>' in page
    assert "Sentence 2: breaks the thread." in page


def test_several_documents_have_an_index_on_top() -> None:
    found = Checked(PAGES[1])
    assert "3 documents." in found.text
    assert {"d1", "d2", "d3"} <= set(found.links)
    assert "too short: 1 of at least 3 sentences" in found.text
    assert found.text.count("unlike those the encoder knows") == 1


def test_a_page_that_is_cut_says_so() -> None:
    page = reports_page([made("a")], "general", 1234)
    assert "1,234 documents were scored. This page shows the 1 that score lowest." in page


def test_two_versions_show_what_became_of_each_sentence() -> None:
    old, new = made(sentences=("a", "b", "c")), made(sentences=("b", "a", "d"), score=2.0)
    found = Checked(comparison_page(Versions(old, new), "general"))
    for words in ("= kept", "↕ moved", "− removed", "+ added", "+2.50", "flows better"):
        assert words in found.text


def test_without_shuffles_there_is_no_probability() -> None:
    assert "another order" not in reports_page([made(shuffled=None)], "general")
