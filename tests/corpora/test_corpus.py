import json
from pathlib import Path

import pytest

from tests.formats import SAMPLES
from timecontrol.corpora import CORPORA, open_corpus
from timecontrol.errors import InputError, TimeControlError

CITIES = SAMPLES["wikisection text"]
ARTICLES = SAMPLES["wikisection JSON"]


def cities(path: Path, *texts: str) -> Path:
    path.write_text(CITIES.content(*texts))
    return path


def test_an_unknown_corpus_is_answered_with_a_suggestion() -> None:
    with pytest.raises(TimeControlError, match="Did you mean 'wikisection'"):
        open_corpus("wikisecton:x")


def test_a_path_is_looked_up_here_and_under_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wikisection").mkdir()
    cities(tmp_path / "wikisection" / "x.train.txt", "One.")
    with pytest.raises(TimeControlError, match="TIMECONTROL_DATA is not set"):
        open_corpus("wikisection:wikisection/x.train.txt")
    with pytest.raises(TimeControlError, match="needs a path"):
        open_corpus("wikisection")
    monkeypatch.setenv("TIMECONTROL_DATA", str(tmp_path))
    for spec in ("wikisection", "wikisection:wikisection", "wikisection:wikisection/x.train.txt"):
        assert len(list(open_corpus(spec).documents())) == 1
    with pytest.raises(TimeControlError, match="No such file or folder: nowhere or"):
        open_corpus("wikisection:nowhere")


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
    assert open_corpus(f"wikisection:{tmp_path}").split_by == "published files"
    with pytest.raises(InputError, match="names files that are not read: other"):
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


def test_a_folder_of_several_formats_is_read_as_the_first_and_the_rest_is_mentioned(
    tmp_path: Path,
) -> None:
    cities(tmp_path / "c.txt", "One.")
    (tmp_path / "c.json").write_text(ARTICLES.content("Two."))
    corpus = open_corpus(f"wikisection:{tmp_path}")
    assert [f.name for f in corpus.files] == ["c.txt"]
    assert "c.json" in corpus.notes[0]
    [document] = open_corpus(f"wikisection:{tmp_path / 'c.json'}").documents()
    assert document.sections[0].text == "Two."


def test_what_lies_beside_the_data_is_not_read_as_data(tmp_path: Path) -> None:
    cities(tmp_path / "c.txt", "One.")
    (tmp_path / "LICENSE.txt").write_text("Licence")
    (tmp_path / "README.txt").write_text("Read me")
    assert [f.name for f in open_corpus(f"wikisection:{tmp_path}").files] == ["c.txt"]


def test_a_file_and_its_gzip_are_read_once(tmp_path: Path) -> None:
    path = cities(tmp_path / "c.txt", "One.")
    (tmp_path / "c.txt.gz").write_bytes(path.read_bytes())
    assert [f.name for f in open_corpus(f"wikisection:{tmp_path}").files] == ["c.txt"]


def test_a_folder_without_data_says_what_was_looked_for_and_where_it_may_be(
    tmp_path: Path,
) -> None:
    (tmp_path / "inner").mkdir()
    cities(tmp_path / "inner" / "c.txt", "One.")
    with pytest.raises(InputError, match=r"no wikisection data here \(\*.txt.*folders: inner"):
        open_corpus(f"wikisection:{tmp_path}")
    with pytest.raises(InputError, match=r"wikisection reads \*.txt, \*.json"):
        open_corpus(f"wikisection:{cities(tmp_path / 'c.xml', 'One.')}")


def test_a_corpus_can_be_streamed_twice(tmp_path: Path) -> None:
    corpus = open_corpus(f"wikisection:{cities(tmp_path / 'c.txt', 'One.', 'Two.')}")
    assert list(corpus.documents()) == list(corpus.documents())


def test_a_wrong_split_or_rule_is_one_line(tmp_path: Path) -> None:
    spec = f"wikisection:{cities(tmp_path / 'c.txt', 'One.')}"
    with pytest.raises(TimeControlError, match="No split named 'validate'"):
        list(open_corpus(spec).documents("validate"))
    with pytest.raises(TimeControlError, match="No split rule 'random'"):
        open_corpus(spec, split_by="random")


@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_says_what_it_reads(name: str) -> None:
    assert CORPORA[name].about
    assert CORPORA[name].formats
