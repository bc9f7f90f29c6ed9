from pathlib import Path

import pytest

from tests.corpora.test_corpus import ARTICLES, cities
from timecontrol.corpora import open_corpus
from timecontrol.corpora.finding import data_folder
from timecontrol.errors import InputError, TimeControlError


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
    for name in ("kept_lt1024.test.json", "schema.json", "split.json", "c_split.json"):
        (tmp_path / name).write_text("{}")
    corpus = open_corpus(f"wikisection:{tmp_path}", split_by="hash")
    assert [f.name for f in corpus.files] == ["c.txt"]
    assert corpus.notes == ()


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


def test_folders_are_sought_to_the_bottom_only_for_own_texts(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("One.")
    assert [d.id for d in open_corpus(f"text:{tmp_path}").documents()] == ["a/b/c.txt"]
    with pytest.raises(InputError, match="no wikisection data here"):
        open_corpus(f"wikisection:{tmp_path}")


def test_upper_case_endings_are_endings(tmp_path: Path) -> None:
    (tmp_path / "A.TXT").write_text("One.")
    assert len(list(open_corpus(f"text:{tmp_path}").documents())) == 1


def test_a_home_folder_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("One.")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert len(list(open_corpus("text:~/a.txt").documents())) == 1


def test_the_data_folder_is_the_one_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert data_folder() is None
    monkeypatch.setenv("TIMECONTROL_DATA", "")
    assert data_folder() is None
    monkeypatch.setenv("TIMECONTROL_DATA", str(tmp_path))
    assert data_folder() == tmp_path
