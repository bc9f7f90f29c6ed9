import re
from collections import Counter

import pytest

from timecontrol.corpora import open_corpus
from timecontrol.errors import TimeControlError

KINDS = ("cities", "dialogues", "recipes")


@pytest.mark.parametrize("kind", KINDS)
def test_every_document_is_as_its_layout_says(kind: str) -> None:
    corpus = open_corpus(f"synthetic:{kind},documents=300")
    documents = list(corpus.documents())
    assert Counter(d.split for d in documents) == {"train": 240, "val": 30, "test": 30}
    assert all(corpus.layout.faults(d.tags) == [] for d in documents)
    assert len({d.digest for d in documents}) == 300


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_and_nothing_else_decides(kind: str) -> None:
    few = list(open_corpus(f"synthetic:{kind},documents=10,seed=5").documents())
    many = list(open_corpus(f"synthetic:{kind},documents=50,seed=5").documents())
    other = list(open_corpus(f"synthetic:{kind},documents=10,seed=6").documents())
    assert [d.sections for d in few] == [d.sections for d in many[:10]]
    assert all(a.sections != b.sections for a, b in zip(few, other, strict=True))


def test_the_years_of_a_history_rise() -> None:
    for document in open_corpus("synthetic:cities").documents():
        years = [int(y) for y in re.findall(r"\b1[6-9]\d\d\b", document.sections[1].text)]
        assert years == sorted(years)
        assert len(years) >= 2


def test_a_split_is_the_same_alone_and_among_all() -> None:
    corpus = open_corpus("synthetic")
    alone = [d.id for d in corpus.documents("val")]
    assert alone == [d.id for d in corpus.documents() if d.split == "val"]


@pytest.mark.parametrize("bad", ["citys", "cities,seed=x", "cities,pages=3", "cities,seed=-1"])
def test_a_bad_spec_is_one_line(bad: str) -> None:
    with pytest.raises(TimeControlError):
        open_corpus(f"synthetic:{bad}")
