import json
from pathlib import Path

import pytest

from tests.formats import SAMPLES
from timecontrol.corpora import open_corpus
from timecontrol.errors import InputError, TimeControlError

CITIES = SAMPLES["wikisection text"]
ARTICLES = SAMPLES["wikisection JSON"]


def cities(path: Path, *texts: str) -> Path:
    path.write_text(CITIES.content(*texts))
    return path


def test_an_unknown_corpus_is_answered_with_a_suggestion() -> None:
    with pytest.raises(TimeControlError, match="Did you mean 'wikisection'"):
        open_corpus("wikisecton:x")
    with pytest.raises(TimeControlError, match="No such file or folder: no/such"):
        open_corpus("no/such.txt")


def test_published_names_are_splits_and_the_corpus_says_so(tmp_path: Path) -> None:
    cities(tmp_path / "c.train.txt", "One.", "Two.")
    cities(tmp_path / "c.test.txt", "Three.")
    corpus = open_corpus(f"wikisection:{tmp_path}")
    assert corpus.split_by == "published files"
    assert [len(list(corpus.documents(s))) for s in ("train", "val", "test")] == [2, 0, 1]


def test_an_index_file_has_precedence_and_can_be_overruled(tmp_path: Path) -> None:
    cities(tmp_path / "c.train.txt", "One.", "Two.", "Unused.")
    cities(tmp_path / "c.test.txt", "Three.")
    index = {"train": [["train", 0]], "val": [["test", 0]], "test": [["c.train", 1]]}
    (tmp_path / "split.json").write_text(json.dumps(index))
    corpus = open_corpus(f"wikisection:{tmp_path}")
    assert corpus.split_by == "index file split.json"
    assert {d.sections[0].text: d.split for d in corpus.documents()} == {
        "One.": "train", "Two.": "test", "Three.": "val",
    }  # fmt: skip
    published = open_corpus(f"wikisection:{tmp_path}", split_by="published")
    assert len(list(published.documents("train"))) == 3
    hashed = open_corpus(f"wikisection:{tmp_path}", split_by="hash")
    assert len(list(hashed.documents())) == 4
    assert "hash" in hashed.split_by


def test_the_index_of_one_file_is_found_beside_it(tmp_path: Path) -> None:
    path = cities(tmp_path / "c.txt", "One.", "Two.")
    (tmp_path / "c_split.json").write_text('{"train": [1], "test": [0]}')
    for spec in (f"wikisection:{path}", f"wikisection:{tmp_path}"):
        assert [d.split for d in open_corpus(spec).documents()] == ["test", "train"]


def test_an_index_that_names_other_files_is_not_used_unless_asked(tmp_path: Path) -> None:
    cities(tmp_path / "c.test.txt", "One.")
    (tmp_path / "split.json").write_text('{"train": [["other", 0]]}')
    corpus = open_corpus(f"wikisection:{tmp_path}")
    assert corpus.split_by == "published files"
    assert corpus.notes == ("split.json is not used: it names what is not read: 'other'",)
    with pytest.raises(InputError, match="names what is not read: 'other'"):
        open_corpus(f"wikisection:{tmp_path}", split_by="index")


def test_a_malformed_record_does_not_shift_the_index(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text(
        CITIES.join(CITIES.record(0, "One."), "broken", CITIES.record(2, "Three."))
    )
    (tmp_path / "c_split.json").write_text('{"train": [0], "val": [1], "test": [2]}')
    corpus = open_corpus(f"wikisection:{tmp_path}", skip_bad=True)
    assert [(d.sections[0].text, d.split) for d in corpus.documents()] == [
        ("One.", "train"), ("Three.", "test"),
    ]  # fmt: skip


def test_splits_never_overlap_however_they_are_made(tmp_path: Path) -> None:
    cities(tmp_path / "c.txt", *(f"City {i}." for i in range(60)))
    (tmp_path / "c_split.json").write_text(
        json.dumps({"train": list(range(40)), "val": [40], "test": list(range(41, 60))})
    )
    for rule in ("index", "hash"):
        corpus = open_corpus(f"wikisection:{tmp_path}", split_by=rule)
        parts = [{d.digest for d in corpus.documents(s)} for s in ("train", "val", "test")]
        assert sum(map(len, parts)) == len(set.union(*parts)) == 60
    with pytest.raises(InputError, match="no file name says"):
        open_corpus(f"wikisection:{tmp_path}", split_by="published")


def test_a_corpus_can_be_streamed_twice(tmp_path: Path) -> None:
    corpus = open_corpus(f"wikisection:{cities(tmp_path / 'c.txt', 'One.', 'Two.')}")
    assert list(corpus.documents()) == list(corpus.documents())


def test_a_wrong_split_or_rule_is_one_line(tmp_path: Path) -> None:
    spec = f"wikisection:{cities(tmp_path / 'c.txt', 'One.')}"
    with pytest.raises(TimeControlError, match="No split named 'validate'"):
        list(open_corpus(spec).documents("validate"))
    with pytest.raises(TimeControlError, match="No split rule 'random'"):
        open_corpus(spec, split_by="random")


def test_files_of_other_published_splits_are_not_read(tmp_path: Path) -> None:
    cities(tmp_path / "c.test.txt", "One.")
    (tmp_path / "c.train.txt").write_text("broken\n")
    cities(tmp_path / "more.txt", "Two.")
    corpus = open_corpus(f"wikisection:{tmp_path}")
    assert len(list(corpus.documents("test"))) == 1
    with pytest.raises(InputError, match=r"c.train.txt:1"):
        list(corpus.documents("train"))


def test_a_file_named_after_no_split_among_others_that_are_is_training_data(
    tmp_path: Path,
) -> None:
    cities(tmp_path / "c.test.txt", "One.")
    cities(tmp_path / "more.txt", "Two.")
    corpus = open_corpus(f"wikisection:{tmp_path}")
    assert [d.sections[0].text for d in corpus.documents("train")] == ["Two."]


def test_corpora_joined_by_a_plus_are_one(tmp_path: Path) -> None:
    cities(tmp_path / "c.train.txt", "One.", "Two.")
    (tmp_path / "a+b.txt").write_text("A plus. In the name.")
    specs = [f"wikisection:{tmp_path}/c.train.txt", f"text:{tmp_path}/a+b.txt", "synthetic:recipes"]
    corpus = open_corpus("+".join(specs))
    assert corpus.name == "wikisection+text+synthetic:recipes"
    found = list(corpus.documents())
    parts = [list(open_corpus(spec).documents()) for spec in specs]
    assert [d.sentences for d in found] == [d.sentences for part in parts for d in part]
    assert [d.split for d in found] == [d.split for part in parts for d in part]
    assert len({d.id for d in found}) == len(found)
    assert not any(corpus.layout.faults(d.tags) for d in found)


def test_a_part_of_a_mixture_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TimeControlError, match="nowhere"):
        open_corpus(f"synthetic+text:{tmp_path}/nowhere")
