"""Documents become arrays, short ones left out and counted."""

import json
from pathlib import Path

import numpy as np
import pytest

from timecontrol.corpora import open_corpus
from timecontrol.errors import InputError, TimeControlError
from timecontrol.experiments.material import held_out, read, trained_on
from timecontrol.features import open_base
from timecontrol.features.extract import extract


def corpus_of(folder: Path, documents: list[tuple[str, int]]) -> str:
    """Write documents of so many sentences, (split, sentences) each."""
    lines = []
    for number, (split, size) in enumerate(documents):
        sentences = [f"Town {number} has {i + 2} bridges." for i in range(size)]
        lines.append(json.dumps({"id": str(number), "split": split, "sentences": sentences}))
    (folder / "a.jsonl").write_text("\n".join(lines))
    return f"jsonl:{folder / 'a.jsonl'}"


def test_short_documents_are_left_out_and_counted(bases: dict[str, str], tmp_path: Path) -> None:
    spec = corpus_of(tmp_path, [("test", 3), ("test", 2), ("test", 5)])
    documents = held_out(open_corpus(spec), "test")
    reader = open_base(bases["bert"], device="cpu")
    found = read(documents, reader)
    assert found.short == 1
    assert found.layout.lengths.tolist() == [3, 5]
    assert found.ids == [documents[0].id, documents[2].id]
    assert found.documents == [list(documents[0].sentences), list(documents[2].sentences)]
    expected = extract(reader, found.texts)
    np.testing.assert_allclose(found.features, expected, rtol=1e-3, atol=1e-4)


def test_a_split_without_documents_is_said(tmp_path: Path) -> None:
    corpus = open_corpus(corpus_of(tmp_path, [("test", 3), ("test", 2), ("train", 5)]))
    with pytest.raises(TimeControlError, match="1 documents of 3 or more sentences in split"):
        held_out(corpus, "test")


def test_the_first_so_many_are_taken() -> None:
    corpus = open_corpus("synthetic:cities,documents=40")
    assert len(held_out(corpus, "train", 5)) == 5


def test_a_corpus_may_have_no_training_documents(tmp_path: Path) -> None:
    corpus = open_corpus(corpus_of(tmp_path, [("test", 3), ("test", 3), ("train", 5)]))
    assert trained_on(corpus) == []
    assert trained_on(open_corpus("synthetic:cities,documents=40"))


def test_a_broken_file_is_still_said(tmp_path: Path) -> None:
    corpus = open_corpus(corpus_of(tmp_path, [("train", 3)] * 3))
    (tmp_path / "a.jsonl").write_text("{")
    with pytest.raises(InputError):
        trained_on(corpus)
