import pytest

from timecontrol.corpora.catalogue import CORPORA


@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_says_what_it_reads(name: str) -> None:
    entry = CORPORA[name]
    assert entry.about
    assert entry.formats
    assert all(f.patterns for f in entry.formats)
