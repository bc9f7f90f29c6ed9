"""Objects come with the line they begin on, or the line is said that is none."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.errors import InputError
from timecontrol.judging.values import values


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "x.jsonl"


def test_a_line_is_an_object(file: Path) -> None:
    file.write_text('{"a": 1}\n\n{"a": "two\\nlines"}\r\n{"a": 3}')
    assert list(values(file)) == [(1, {"a": 1}), (3, {"a": "two\nlines"}), (4, {"a": 3})]


def test_an_object_may_run_over_lines(file: Path) -> None:
    found = [{"a": [1, 2]}, {"b": {"c": None}}]
    file.write_text("\n".join(json.dumps(one, indent=1) for one in found))
    assert list(values(file)) == [(1, found[0]), (7, found[1])]


def test_gzip_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl.gz"
    file.write_bytes(gzip.compress(b'\xef\xbb\xbf{"a": 1}\n'))
    assert list(values(file)) == [(1, {"a": 1})]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "x.jsonl: holds no outputs: it is empty"),
        (b" \n\n", "it is empty"),
        (b'{"a": 1}\n[1]\n', "x.jsonl:2: an object {...} is wanted, got list"),
        (b'{"a": 1}\n"x"\n', "got str"),
        (b'{"a": 1}\n\n{"b": \n{"c": 1}\n', "x.jsonl:3: not JSON: "),
        (b"text of a document\n", "x.jsonl:1: not JSON: Expecting value at line 1, character 1"),
        (b'{"a": 1}\n{"a": "\xff"}\n', "x.jsonl:2: byte 0xff cannot be read"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON we can read"),
        (b"[" * 10**6, "x.jsonl:1: not JSON"),
    ],
)
def test_what_is_none_is_said_with_its_line(file: Path, text: bytes, said: str) -> None:
    file.write_bytes(text)
    with pytest.raises(InputError) as error:
        list(values(file))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_no_file_and_a_folder_are_said(tmp_path: Path) -> None:
    for place in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            list(values(place))


PLAIN = st.dictionaries(st.text(max_size=3), st.text(max_size=5) | st.integers(), max_size=3)


@given(st.lists(PLAIN, min_size=1, max_size=5), st.sampled_from(["\n", "\r\n", "\n \n\t", " "]))
def test_whatever_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, found: list[dict[str, Any]], between: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.jsonl"
    file.write_text(between.join(map(json.dumps, found)))
    read = list(values(file))
    assert [value for _, value in read] == found
    assert [line for line, _ in read] == [1 + i * between.count("\n") for i in range(len(found))]
