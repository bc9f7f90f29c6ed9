import json
from pathlib import Path

import pytest

from timecontrol.app.studies import Studies
from timecontrol.errors import TimeControlError


def outputs(folder: Path, name: str) -> Path:
    file = folder / f"{name}.jsonl"
    lines = [{"id": i, "text": f"Line {i} of {name}.\nThe end of {i}."} for i in range(3)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_a_study_is_made_of_uploaded_files_and_found_again(tmp_path: Path) -> None:
    own = Studies.of([], tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
    name = own.make(" trial 1 ", [outputs(tmp_path, "a"), outputs(tmp_path, "b")], "ending")
    assert (name, list(own.files)) == ("trial 1", ["trial 1"])
    assert set(own.open(name).systems) == {"a", "b"}
    assert list(Studies.of([], tmp_path / "kept").files) == ["trial 1"]
    given = Studies.of([tmp_path / "kept" / "trial 1.sqlite"], tmp_path / "kept")
    assert list(given.files) == ["trial 1"]


@pytest.mark.parametrize("name", ["", "../out", "a/b", ".hidden", "x" * 61, "a\0b", "a.b"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    own = Studies.of([], tmp_path / "kept")
    with pytest.raises(TimeControlError, match="A study named"):
        own.make(name, [outputs(tmp_path, "a")], "ending")
    assert not (tmp_path / "kept").exists()


def test_wrong_files_leave_nothing_behind(tmp_path: Path) -> None:
    own = Studies.of([], tmp_path / "kept")
    text = tmp_path / "a.txt"
    text.write_text("text")
    broken = tmp_path / "b.jsonl"
    broken.write_text("{")
    for files in ([], [text], [broken]):
        with pytest.raises(TimeControlError):
            own.make("one", files, "ending")
    assert not own.files
    assert not (tmp_path / "kept").exists()


def test_a_study_is_not_made_twice(tmp_path: Path) -> None:
    own = Studies.of([], tmp_path / "kept")
    own.make("one", [outputs(tmp_path, "a")], "ending")
    with pytest.raises(TimeControlError, match="already"):
        own.make("one", [outputs(tmp_path, "a")], "ending")


def test_only_studies_it_has_can_be_opened(tmp_path: Path) -> None:
    own = Studies.of([], tmp_path)
    for name in (None, "", "../secret"):
        with pytest.raises(TimeControlError):
            own.open(name)
    with pytest.raises(TimeControlError):
        Studies.of([tmp_path / "none.sqlite"])


def test_a_visitor_is_not_told_where_files_lie(tmp_path: Path) -> None:
    own = Studies.of([], tmp_path / "kept")
    broken = tmp_path / "b.jsonl"
    broken.write_text("{")
    with pytest.raises(TimeControlError, match=r"^b\.jsonl") as found:
        own.make("one", [broken], "ending")
    assert str(tmp_path) not in str(found.value)
    own.make("two", [outputs(tmp_path, "a")], "ending")
    assert own.open("two").outputs[0].place == "a.jsonl:1"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    own = Studies(folder=tmp_path / "file" / "kept")
    with pytest.raises(TimeControlError, match=r"cannot be written here .*--studies FOLDER"):
        own.make("one", [outputs(tmp_path, "a")], "ending")
