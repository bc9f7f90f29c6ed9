"""What is no study is said in a line, and a study is there whole or not at all."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from timecontrol.errors import TimeControlError
from timecontrol.judging import database
from timecontrol.judging.database import FORMAT, MARK, making, reading, refuse_others, writing


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "a study?#%.sqlite"
    with making(place) as db:
        db.execute("INSERT INTO study VALUES ('task', 'ending')")
    return place


def rows(file: Path) -> list[str]:
    with reading(file) as db:
        return [row[0] for row in db.execute("SELECT value FROM study")]


def test_a_study_is_one_file_that_can_be_told_from_others(file: Path) -> None:
    assert [p.name for p in file.parent.iterdir()] == [file.name]
    with reading(file) as db:
        refuse_others(file, db)
        assert db.execute("PRAGMA application_id").fetchone()[0] == MARK
    assert rows(file) == ["ending"]


def test_a_study_that_is_there_is_not_replaced(file: Path) -> None:
    with pytest.raises(TimeControlError, match="is there already"), making(file):
        raise AssertionError
    assert rows(file) == ["ending"]


def test_nothing_is_left_of_one_that_could_not_be_made(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), making(tmp_path / "s.sqlite"):
        raise KeyboardInterrupt
    with pytest.raises(TimeControlError, match="There is no folder"), making(tmp_path / "x" / "s"):
        raise AssertionError
    assert list(tmp_path.iterdir()) == []


def test_another_database_and_another_version_are_refused(file: Path) -> None:
    for pragma, said in (
        (f"user_version = {FORMAT + 1}", f"format {FORMAT + 1}, this program reads {FORMAT}"),
        ("application_id = 7", "is no study"),
    ):
        with closing(sqlite3.connect(file)) as db:
            db.execute(f"PRAGMA {pragma}")
        with reading(file) as db, pytest.raises(TimeControlError, match=said):
            refuse_others(file, db)


def test_what_is_no_database_is_said_in_a_line(tmp_path: Path) -> None:
    text = tmp_path / "x.sqlite"
    text.write_text("no database " * 100)
    for open_ in (reading, writing):
        with (
            pytest.raises(TimeControlError, match="is no study, or a damaged one"),
            open_(text) as db,
        ):
            db.execute("SELECT * FROM study")
        nowhere = open_(tmp_path / "none.sqlite")
        with pytest.raises(TimeControlError, match="cannot be") as error, nowhere as db:
            db.execute("SELECT 1")
        assert "\n" not in str(error.value)
    assert not (tmp_path / "none.sqlite").exists()


def test_a_change_is_kept_whole_or_not_at_all(file: Path) -> None:
    with pytest.raises(TimeControlError, match="no such table"), writing(file) as db:
        db.execute("UPDATE study SET value = 'infill'") and db.execute("DELETE FROM gone")
    assert rows(file) == ["ending"]
    with writing(file) as db:
        db.execute("UPDATE study SET value = 'infill'")
    assert rows(file) == ["infill"]


def test_who_only_reads_cannot_write(file: Path) -> None:
    with pytest.raises(TimeControlError, match="readonly"), reading(file) as db:
        db.execute("UPDATE study SET value = 'infill'")


def test_a_study_that_another_program_holds_is_said_to_be_held(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "WAIT", 0.01)
    held = pytest.raises(TimeControlError, match="another program holds it")
    with writing(file), held, writing(file):
        raise AssertionError


def test_of_two_who_make_one_study_one_makes_it(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"

    def late() -> None:
        with making(file) as db:
            db.execute("INSERT INTO study VALUES ('name', 'late')")
            with making(file) as other:
                other.execute("INSERT INTO study VALUES ('name', 'first')")

    with pytest.raises(TimeControlError, match="there already"):
        late()
    with reading(file) as db:
        assert db.execute("SELECT value FROM study").fetchall() == [("first",)]
    assert [p.name for p in tmp_path.iterdir()] == ["a.sqlite"]
