import csv
import io

from tests.reports import made, short
from timecontrol.cli.sheets import documents_to, sentences_to


def rows(stream: io.StringIO) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(stream.getvalue())))


def test_a_row_for_each_document() -> None:
    stream = io.StringIO()
    write = documents_to(stream)
    write(made('a "quoted", id', ("One", "Two\nlines", "Three"), trust=0.1))
    first, *none = rows(stream)
    assert none == []  # written as it comes
    write(short("b"))
    _, second = rows(stream)
    assert first["id"] == 'a "quoted", id'
    assert float(first["score"]) == -0.5
    assert (float(first["low"]), float(first["high"])) == (-1.0, 0.0)
    assert (first["worst"], first["worst_sentence"]) == ("2", "Two\nlines")
    assert (first["breaks"], first["far"], first["reason"]) == ("2", "1", "")
    assert (second["id"], second["sentences"], second["score"]) == ("b", "1", "")
    assert second["reason"] == "too short: 1 of at least 3 sentences"


def test_a_row_for_each_sentence() -> None:
    stream = io.StringIO()
    write = sentences_to(stream)
    write(made("a"))
    write(short("b"))
    found = rows(stream)
    assert [r["number"] for r in found] == ["1", "2", "3"]
    assert [r["breaks"] for r in found] == ["0", "1", "0"]
    assert float(found[1]["fit"]) == -3.0
    assert found[2]["sentence"] == "It was founded by monks."
