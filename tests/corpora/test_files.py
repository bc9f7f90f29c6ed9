import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.corpora import files
from timecontrol.corpora.files import (
    BadRecord,
    Malformed,
    check,
    csv_rows,
    csv_table,
    json_array,
    json_lines,
    lines,
    parse,
)
from timecontrol.errors import InputError

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
objects = st.lists(st.dictionaries(st.text(), values), max_size=6)


@given(objects, st.sampled_from([None, 0, 2]), st.booleans(), st.integers(1, 40))
def test_a_json_array_is_read_as_json_would_whatever_the_block_size(
    tmp_path: Path, items: list[dict[str, object]], indent: int | None, ascii: bool, block: int
) -> None:
    path = tmp_path / "x.json"
    text = json.dumps(items, indent=indent, ensure_ascii=ascii)
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    before = files.BLOCK
    files.BLOCK = block
    try:
        found = list(json_array(path))
    finally:
        files.BLOCK = before
    if "\\ud" not in json.dumps(items):  # lone surrogates are not UTF-8
        assert [r.value for r in found] == items
    assert [r.index for r in found] == list(range(len(items)))


def test_the_items_of_an_array_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('\n[\n {"a":\n 1},\n\n {"b": "]},\\"["} , {"c": [{}, 2]}\n]\n')
    found = [(r.line, r.index, r.value) for r in json_array(path)]
    assert found == [(3, 0, {"a": 1}), (6, 1, {"b": ']},"['}), (6, 2, {"c": [{}, 2]})]


def test_a_bad_item_does_not_hide_the_next(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[{"a": 1}, {"a": tru}, {"a": 3}]')
    one, bad, three = json_array(path)
    assert (one.value, three.value) == ({"a": 1}, {"a": 3})
    assert isinstance(bad.value, Malformed)
    assert "not a JSON object: Expecting value at character" in bad.value.reason


@pytest.mark.parametrize("text", ['[{"a": 1}', '[{"a": "1', '[{"a": 1},', "["])
def test_an_array_that_is_cut_off_is_said_to_be(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    last = list(json_array(path))[-1]
    assert isinstance(last.value, Malformed)
    assert "cut off" in last.value.reason


def test_something_else_than_an_array_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": 1}')
    [record] = json_array(path)
    assert record.value == Malformed("a JSON array of documents is wanted")


@pytest.mark.parametrize("text", ['[{"a": 1}][{"a": 2}]', '[{"a": 1}] x', '[{"a": 1},,]'])
def test_what_is_no_array_after_all_is_said_and_nothing_dropped_in_silence(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    first, second, *_ = json_array(path)
    assert first.value == {"a": 1}
    assert isinstance(second.value, Malformed)


def test_blanks_before_an_array_may_be_long(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("\n" * 200_000 + '[{"a": 1}]')
    [record] = json_array(path)
    assert (record.line, record.value) == (200_001, {"a": 1})


def test_blank_lines_do_not_count_but_keep_line_numbers(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\r\na\r\n\r\n  \r\nb\r\n")
    assert [(r.line, r.index, r.value.strip()) for r in lines(path)] == [(2, 0, "a"), (5, 1, "b")]


def test_a_line_separator_of_unicode_does_not_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": "x\u2028y\x85z"}\n{"a": "b"}\n', encoding="utf-8")
    assert [r.value["a"] for r in json_lines(path)] == ["x\u2028y\x85z", "b"]


def test_csv_rows_may_run_over_lines_and_know_where_they_begin(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'a,b\r\n1,"x\r\ny ""z"""\r\n\r\n2,w\r\n')
    found = [(r.line, r.index, r.value) for r in csv_table(path)]
    assert found == [(2, 0, {"a": "1", "b": 'x\r\ny "z"'}), (5, 1, {"a": "2", "b": "w"})]


def test_a_quote_that_never_closes_is_an_error_not_a_swallowed_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b\n1,"x\n2,y\n')
    [record] = csv_table(path)
    assert record.line == 2
    assert isinstance(record.value, Malformed)


def test_a_field_longer_than_the_csv_default_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a," + "x" * 300_000)
    [record] = csv_rows(path)
    assert len(record.value[1]) == 300_000


def test_deep_nesting_and_huge_numbers_are_refused_not_crashed_on() -> None:
    assert isinstance(parse('{"a":' + "[" * 100_000 + "]" * 100_000 + "}"), Malformed)
    assert isinstance(parse('{"a":' + "9" * 10_000 + "}"), Malformed)


def test_utf16_is_read_when_said_and_hinted_at_when_not(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("Grüße\nZwei\n", encoding="utf-16")
    assert [r.value.strip() for r in lines(path, "utf-16")] == ["Grüße", "Zwei"]
    with pytest.raises(BadRecord, match="utf-16"):
        check("G\0r\0")


def test_an_unknown_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a")
    for name in ("utf-99", "base64"):
        with pytest.raises(InputError, match=f"no text encoding named '{name}'"):
            list(lines(path, name))


def test_a_folder_in_place_of_a_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(lines(tmp_path))
