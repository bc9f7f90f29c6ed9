"""Ratings are kept once each, whoever rates at the same time, and nobody sees whose an item is."""

import json
import sqlite3
import threading
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from tests.judging.conftest import Writer, fills
from timecontrol.errors import TimeControlError
from timecontrol.judging import Progress, Study, create_study, open_study, read_outputs
from timecontrol.judging.store import name_of


def rate_all(study: Study, name: str, rating: int = 3) -> list[str]:
    """Rate whatever is shown, and return it in order."""
    seen = []
    while (shown := study.next_item(name)) is not None:
        study.rate(name, shown.item, rating)
        seen.append(shown.item)
    return seen


def test_a_study_is_what_it_was_made_of(study: Study, write: Writer) -> None:
    again = open_study(study.file)
    assert again == study
    files = [write(f"{name}.jsonl", fills(name, 6)) for name in ("alpha", "beta")]
    assert again.digest == read_outputs(files, "infill").digest
    assert (again.task.name, again.seed, again.wanted, again.tail) == ("infill", 3, None, 5)
    assert list(again.systems) == ["alpha", "beta"]
    assert again.texts().keys() == again.examples.keys()


def test_nothing_that_is_shown_names_a_system(study: Study) -> None:
    shown = study.next_item("anna")
    assert shown is not None
    told = json.dumps([shown.item, shown.texts, shown.task.question, shown.task.labels])
    assert not any(name in told for name in ("alpha", "beta", "jsonl"))
    assert set(shown.texts) == set(shown.task.fields)


def test_everybody_sees_every_item_once_in_an_order_of_their_own(study: Study) -> None:
    orders = [rate_all(study, name) for name in ("anna", "ben", "cleo")]
    assert all(sorted(own) == sorted(study.examples) for own in orders)
    assert len({tuple(own) for own in orders}) == 3
    examples = [[study.examples[item] for item in own] for own in orders]
    assert not any(a == b for own in examples for a, b in pairwise(own))
    assert study.progress("anna") == Progress(12, 0, 12)


def test_somebody_goes_on_where_they_stopped(study: Study) -> None:
    whole = rate_all(study, "ben")
    first = [study.next_item("anna") for _ in range(3)]
    assert first[0] == first[1] == first[2]  # looked at again: still the same
    for _ in range(5):
        shown = study.next_item("anna")
        assert shown is not None
        study.rate("anna", shown.item, 4)
    later = open_study(study.file)
    assert later.progress(" Anna ") == Progress(5, 7, 12)
    rest = rate_all(later, "ANNA")
    assert len(rest) == 7
    assert len(whole) == 12
    assert len({r.item for r in later.ratings() if r.annotator == "anna"}) == 12


def test_a_double_click_is_one_rating(study: Study) -> None:
    item = next(iter(study.examples))
    study.rate("anna", item, 4, 2.5)
    before = study.ratings()
    study.rate("anna", item, 4, 2.6)
    assert study.ratings() == before
    (rating,) = before
    assert (rating.item, rating.annotator, rating.rating, rating.seconds, rating.revised) == (
        item, "anna", 4, 2.5, 0,
    )  # fmt: skip
    study.rate("ben", item, 4)
    assert len(study.ratings()) == 2


def test_the_last_rating_can_be_changed_and_no_earlier_one(study: Study) -> None:
    one, two, *_ = study.examples
    study.rate("anna", one, 1)
    study.rate("anna", one, 2)
    study.rate("anna", two, 3)
    study.rate("ben", one, 5)
    with pytest.raises(TimeControlError, match="given last can be changed"):
        study.rate("anna", one, 4)
    study.rate("anna", one, 2)  # the same again: nothing to change
    study.rate("anna", two, 4)
    told = {(r.annotator, r.item): (r.rating, r.revised) for r in study.ratings()}
    assert told == {("anna", one): (2, 1), ("anna", two): (4, 1), ("ben", one): (5, 0)}
    with closing(sqlite3.connect(study.file)) as db:
        kept = db.execute("SELECT item, annotator, rating FROM replaced").fetchall()
    assert kept == [(one, "anna", 1), (two, "anna", 3)]


def test_what_was_rated_last_can_be_looked_at(study: Study) -> None:
    assert study.last_item("anna") is None
    shown = study.next_item("anna")
    assert shown is not None
    study.rate("anna", shown.item, 2)
    assert study.last_item("anna") == (shown, 2)
    assert study.last_item("ben") is None


def test_many_may_rate_at_once(study: Study) -> None:
    failed: list[BaseException] = []

    def work(name: str) -> None:
        try:
            rate_all(open_study(study.file), name)
        except BaseException as error:
            failed.append(error)

    names = [f"person {i % 4}" for i in range(8)]  # each twice: two windows of one browser
    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    found = {(r.annotator, r.item) for r in study.ratings()}
    assert len(found) == len(study.ratings()) == 4 * 12


def test_items_get_as_many_ratings_as_are_wanted(write: Writer, tmp_path: Path) -> None:
    material = read_outputs([write(f"{n}.jsonl", fills(n, 3)) for n in ("a", "b")], "infill")
    study = create_study(tmp_path / "s.sqlite", material, wanted=2)
    assert len(rate_all(study, "anna")) == 6
    for _ in range(2):
        shown = study.next_item("ben")
        assert shown is not None
        study.rate("ben", shown.item, 1)
    assert study.progress("ben") == Progress(2, 4, 6)
    cleo = rate_all(study, "cleo")  # those that ben has not rated
    assert len(cleo) == 4
    assert study.next_item("ben") is None
    assert study.progress("ben") == Progress(2, 0, 6)
    counts = [sum(r.item == item for r in study.ratings()) for item in study.examples]
    assert counts == [2] * 6


@pytest.mark.parametrize("rating", [0, 6, 2.5, True, None, "3"])
def test_a_rating_is_from_1_to_5(study: Study, rating: int) -> None:
    with pytest.raises(TimeControlError, match=r"A rating is .*: 1 to 5"):
        study.rate("anna", next(iter(study.examples)), rating)
    assert study.ratings() == []


def test_what_is_no_item_cannot_be_rated(study: Study) -> None:
    for call in (lambda: study.rate("anna", "x", 3), lambda: study.shown("x")):
        with pytest.raises(TimeControlError, match="has no item 'x'"):
            call()


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0, None])
def test_times_that_are_none_are_not_kept(study: Study, seconds: float | None) -> None:
    study.rate("anna", next(iter(study.examples)), 3, seconds)
    assert study.ratings()[0].seconds is None


def test_names_are_the_same_however_they_are_typed() -> None:
    assert name_of(" Anna  Maria\n") == name_of("anna maria") == "anna maria"
    for wrong in ("", "  ", "x" * 61, "a\x07b", "a\0b", "\ud800"):
        with pytest.raises(TimeControlError, match="name"):
            name_of(wrong)


def test_the_introduction_is_kept(write: Writer, tmp_path: Path) -> None:
    material = read_outputs([write("a.jsonl", fills("a", 1))], "infill")
    place = tmp_path / "s.sqlite"
    assert create_study(place, material, introduction=" A  b. ").introduction == "A b."
    for more in ({"wanted": 0}, {"introduction": "\ud800"}):
        with pytest.raises(TimeControlError):
            create_study(tmp_path / "t.sqlite", material, **more)
    assert not (tmp_path / "t.sqlite").exists()


def test_what_is_no_study_is_said_in_a_line(study: Study, tmp_path: Path) -> None:
    empty, text = tmp_path / "e.sqlite", tmp_path / "t.sqlite"
    empty.touch()
    text.write_text("Dear diary, " * 99)
    for place, said in (
        (tmp_path / "none.sqlite", "No study at .*: timecontrol judge create"),
        (tmp_path, "is a folder"),
        (empty, "is no study"),
        (text, "is no study"),
    ):
        with pytest.raises(TimeControlError, match=said) as error:
            open_study(place)
        assert "\n" not in str(error.value)
    for change in ("DELETE FROM study WHERE name = 'seed'", "UPDATE systems SET about = '{'"):
        with closing(sqlite3.connect(study.file)) as db, db:
            db.execute(change)
        with pytest.raises(TimeControlError, match="damaged"):
            open_study(study.file)


def test_a_study_that_has_gone_is_not_made_anew(study: Study) -> None:
    item = next(iter(study.examples))
    study.file.unlink()
    for call in (study.ratings, lambda: study.rate("anna", item, 3)):
        with pytest.raises(TimeControlError, match="cannot be"):
            call()
    assert not study.file.exists()
