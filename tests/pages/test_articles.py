import re

import pytest

from tests.pages.made import SECTIONS, TAGS, article, articles, evil_article
from tests.pages.seen import of, parsed
from tests.pages.test_report import EVIL, Checked
from timecontrol.corpora.documents import Section
from timecontrol.pages.articles import articles_part, bar, lengths, outline

HISTORY, GEOGRAPHY = SECTIONS
TEXT = article().written


def test_the_words_of_each_section_are_counted() -> None:
    assert lengths(TEXT) == [("HISTORY", 9), ("GEOGRAPHY", 8)]
    untagged = article((Section(None, ("One two.", "Three.")), Section("A", ())))
    assert lengths(untagged.written) == [("text", 3), ("A", 0)]
    assert lengths(article(()).written) == []


def test_a_bar_has_a_part_for_each_section_as_wide_as_it_has_words() -> None:
    found = re.findall(r'<span class="(\w+)" style="flex-grow:(\d+)" title="([^"]+)"', bar(TEXT))
    assert found == [("c1", "9", "History: 9 words"), ("c2", "8", "Geography: 8 words")]
    empty = article((Section("A", ()), HISTORY)).written
    assert re.findall(r"flex-grow:(\d+)", bar(empty)) == ["1", "9"]  # still to be seen


@pytest.mark.parametrize(
    ("sections", "tags", "said"),
    [
        ((HISTORY, GEOGRAPHY), TAGS, "All 2 sections, once and in order."),
        ((GEOGRAPHY, HISTORY), TAGS, "Sections not once and in order."),
        ((HISTORY, GEOGRAPHY, HISTORY), TAGS, "Sections not once and in order."),
        ((HISTORY,), (*TAGS, "CLIMATE"), "Missing: Geography, Climate."),
        ((HISTORY, HISTORY), TAGS, "Missing: Geography."),
        ((), TAGS, "Missing: History, Geography."),
    ],
)
def test_an_outline_says_whether_all_sections_are_there(
    sections: tuple[Section, ...], tags: tuple[str, ...], said: str
) -> None:
    assert outline(article(sections).written, tags).startswith(said + " ")


def test_an_outline_counts_sentences_and_words() -> None:
    counted = "3 sentences. Words: History 9, Geography 8."
    assert outline(TEXT, ()) == counted
    assert outline(TEXT, TAGS).endswith(f". {counted}")


def test_an_empty_section_that_was_begun_is_not_missing() -> None:
    begun = article((HISTORY,), outline=(("HISTORY", None), ("GEOGRAPHY", None)))
    assert outline(begun.written, TAGS).startswith("All 2 sections")


def test_the_first_article_stands_beside_its_plan_the_others_are_cards() -> None:
    other = article((GEOGRAPHY,), name="static", about="The same point.")
    page = parsed(f"<div>{articles_part(articles(article(), other))}</div>")
    [river] = page.iter("ol")
    assert [row.get("id") for row in river] == [None, "s1", "s2", "s3"]
    own, second = ("".join(card.itertext()) for card in of(page, "div", "card"))
    assert "A path." in own
    assert "History. It was founded by monks. A bridge came later." in own
    assert "static" in second
    assert "The same point." in second
    assert "Missing: History." in second
    assert "monks" not in second
    assert "Decoder: wikisection." in "".join(page.itertext())


def test_an_article_alone_is_not_compared() -> None:
    page = Checked(articles_part(articles(article())))
    assert "Other plans" not in page.text
    assert page.tags.count("details") == 0


def test_rings_are_explained_only_where_something_was_read() -> None:
    assert "Small rings" in articles_part(articles(article()))
    assert "Small rings" not in articles_part(articles(article(read=False)))


def test_a_text_that_was_stopped_is_said_to_be() -> None:
    assert "It was stopped there" in articles_part(articles(article(ended=False)))
    assert "It was stopped there" not in articles_part(articles(article()))


def test_text_is_escaped() -> None:
    found = articles(evil_article(), evil_article(), tags=(f"{EVIL}2",), decoder=EVIL)
    markup = articles_part(found)
    page = Checked(markup)
    assert "<script" not in markup
    assert "script" not in page.tags
    for words in (f"Decoder: {EVIL}.", f"Missing: {EVIL}2", f"1{EVIL}", f"{EVIL}. "):
        assert words in page.text
    assert Checked(bar(evil_article().written)).tags == ["div", "span", "span"]
