import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timecontrol.app.strict import BadJson, read_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=40)
@given(value=JSON, ascii=st.booleans())
def test_json_is_read_as_it_was_written(value: object, ascii: bool) -> None:
    assert read_json(json.dumps(value, ensure_ascii=ascii).encode()) == value


@given(body=st.binary(max_size=60))
def test_noise_is_read_or_refused_in_one_line(body: bytes) -> None:
    try:
        read_json(body)
    except BadJson as error:
        assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is no JSON: Expecting value at character 0"),
        (b"{", "is no JSON"),
        (b"\xff{}", "not UTF-8 text (byte 0)"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8 text (byte 0)"),
        ("\ufeff{}".encode(), "is no JSON"),
        (b"[NaN]", "holds NaN"),
        (b"[-Infinity]", "holds -Infinity"),
        (b"[1e999]", "number 1e999"),
        (b"[0." + b"1" * 500 + b"]", "too large or long"),
        (b"[" + b"9" * 5000 + b"]", "a number of 5,000 digits: at most 40"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"a": 1, "a": 2}', "a key twice"),
        (rb'["\ud83d"]', "half of a character"),
        (rb'[{"\uDE00": 1}]', "half of a character"),
        (rb'["\ude00\ud83d"]', "half of a character"),
    ],
)
def test_what_is_no_strict_json_is_refused_in_one_line(body: bytes, said: str) -> None:
    with pytest.raises(BadJson) as caught:
        read_json(body)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 150


def test_two_escapes_that_are_one_character_are_taken() -> None:
    assert read_json(rb'["\ud83d\ude00", "\ud7ff", "\\ud83d"]') == [
        "\U0001f600",
        "\ud7ff",
        r"\ud83d",
    ]
