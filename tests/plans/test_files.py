import io
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.errors import InputError
from timecontrol.latents import Paths
from timecontrol.plans import Plan, read_plans, write_plans
from timecontrol.plans.files import READERS

POINTS = np.random.default_rng(0).normal(size=(4, 2))
PLANS = [Plan(POINTS, "bridge", 3, 7, {"goal": "Ein Dörfchen."}), Plan(POINTS[:2] * 1e-9)]


def same(found: Sequence[Plan], expected: Sequence[Plan]) -> bool:
    return [p.as_dict() for p in found] == [p.as_dict() for p in expected]


def refusal(file: Path, **limits: int) -> str:
    with pytest.raises(InputError) as caught:
        read_plans(file, **limits)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(file), file.name)


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_what_is_written_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    file = tmp_path / "plans.json"
    write_plans(file, PLANS)
    assert same(read_plans(file, 2, 4), PLANS)
    assert [p.name for p in tmp_path.iterdir()] == ["plans.json"]
    assert json.loads(file.read_text(encoding="utf-8"))["format"] == 1


def test_one_plan_in_json_needs_no_list(tmp_path: Path) -> None:
    plain = PLANS[0].as_dict()
    for value in (plain, {"plan": plain, "text": "A town."}):
        assert same(read_plans(written(tmp_path, "a.json", json.dumps(value))), PLANS[:1])


def test_json_lines_with_texts_hold_plans(tmp_path: Path) -> None:
    lines = [json.dumps({"text": "A\ntown.", "plan": PLANS[0].as_dict()}), ""]
    lines.append(json.dumps(PLANS[1].as_dict()))
    file = written(tmp_path, "texts.jsonl", "\ufeff" + "\n".join(lines))
    assert same(read_plans(file), PLANS)


def test_numpy_files_hold_one_plan_or_several(tmp_path: Path) -> None:
    file = tmp_path / "a.npy"
    np.save(file, POINTS)
    assert same(read_plans(file), [Plan(POINTS)])
    np.save(file, np.stack([POINTS, -POINTS]))
    assert same(read_plans(file, 2, 4), [Plan(POINTS), Plan(-POINTS, number=1)])


@pytest.mark.parametrize("head", ["", "x,y\n", "\n\nx,y\n", "\ufeffx,y\r\n"])
def test_csv_has_a_point_a_line_and_perhaps_a_header(head: str, tmp_path: Path) -> None:
    rows = "\n".join(f"{a!r}, {b!r}" for a, b in POINTS.tolist())
    assert same(read_plans(written(tmp_path, "a.csv", head + rows + "\n\n")), [Plan(POINTS)])


def test_encoded_documents_are_plans(tmp_path: Path) -> None:
    latents = np.arange(10, dtype=np.float32).reshape(5, 2)
    paths = Paths(["a", "b"], ["test", None], [2, 3], [None] * 5, latents)
    paths.write(tmp_path / "a.parquet")
    found = read_plans(tmp_path / "a.parquet", 2, 3)
    expected = [
        Plan(latents[:2].astype(float), "document", 0, 0, {"document": "a", "split": "test"}),
        Plan(latents[2:].astype(float), "document", 0, 1, {"document": "b"}),
    ]
    assert same(found, expected)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.json", '{\n "plans": [,]}', "a.json:2: not JSON: Expecting value at column 12"),
        ("a.json", '{"points": [[1]]}\n{}', "name it .jsonl if it holds an object a line"),
        ("a.json", "[1]", 'a.json: holds no plans: {"plans": [...]} is wanted'),
        ("a.json", '{"plans": {}}', 'a.json: "plans" must be a list'),
        ("a.json", '{"plans": []}', "a.json: holds no plan"),
        (
            "a.json",
            '{"format": 2, "plans": []}',
            "a.json: has format 2; this version reads up to 1",
        ),
        ("a.json", '{"format": "x"}', "has format 'x'"),
        ("a.json", '{"plans": [{"points": [[1]]}, 3]}', "a.json: plan 2: A plan is an object"),
        ("a.json", '{"plans": [{"points": [[NaN]]}]}', "plan 1: Point 1 of the plan's 1 holds NaN"),
        ("a.json", "[" * 100_000, "a.json:1: not JSON"),
        ("a.jsonl", '{"points": [[1]]}\n\n{"points', "a.jsonl:3: not JSON: Unterminated string"),
        (
            "a.jsonl",
            '{"points": [[1]]}\n{"text": ""}',
            'a.jsonl:2: A plan is an object with "points"',
        ),
        ("a.jsonl", '{"plan": null}', 'a.jsonl:1: A plan is an object with "points"'),
        ("a.jsonl", "\n", "a.jsonl: holds no plan"),
        ("a.csv", "1,2\n3,x\n", "a.csv:2: 'x' is not a finite number"),
        ("a.csv", "x,y\n1,2\n\n3\n", "a.csv:4: 1 numbers, the first point has 2"),
        ("a.csv", "x,y\n1,nan\n", "a.csv:2: 'nan' is not a finite number"),
        ("a.csv", "1;2\n3;4\n", "a.csv:2: '3;4' is not a finite number"),
        ("a.csv", '1,"2\n', "a.csv:1: not CSV: unexpected end of data"),
        ("a.csv", "x,y\n", "a.csv: The plan has no points"),
        ("a.csv", "", "a.csv: The plan has no points"),
        ("a.npy", "nothing of the kind", "a.npy: not a NumPy array of numbers"),
        ("a.npy", "", "a.npy: not a NumPy array of numbers"),
        ("a.parquet", "nothing of the kind", "a.parquet: holds no latents of documents"),
        ("a.txt", "1", "a.txt: not a file of plans: they end in .json, .jsonl, .ndjson, .npy"),
    ],
)
def test_bad_files_are_refused_in_one_line(
    name: str, text: str, reason: str, tmp_path: Path
) -> None:
    assert reason in refusal(written(tmp_path, name, text))


@pytest.mark.parametrize("suffix", READERS)
def test_a_file_that_is_missing_or_no_text_is_told(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"a{suffix}"
    assert refusal(file) == f"a{suffix}: no such file"
    file.write_bytes(b"\xff\xfe\x00\xd8")
    assert refusal(file).startswith(f"a{suffix}: ")


@pytest.mark.parametrize("suffix", [s for s in READERS if s != ".parquet"])
@given(
    content=st.binary(max_size=60)
    | st.text(alphabet='{}[]",:0123456789.eEpointsa\n').map(str.encode)
)
def test_nothing_but_a_clear_line_comes_of_any_bytes(
    suffix: str, content: bytes, tmp_path: Path
) -> None:
    file = tmp_path / f"a{suffix}"
    file.write_bytes(content)
    with suppress(InputError):
        assert read_plans(file)


def test_arrays_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "a.npy"

    def told(value: Any) -> str:
        np.save(file, value, allow_pickle=True)
        return refusal(file, dim=2, most=4)

    assert "not a NumPy array of numbers" in told(np.array([{}], object))  # never unpickled
    assert "this has 1 dimensions" in told(np.zeros(3))
    assert "this has 4 dimensions" in told(np.zeros((1, 1, 1, 2)))
    assert "must be numbers" in told(np.array([["a", "b"]]))
    assert "holds no plan" in told(np.zeros((0, 3, 2)))
    assert "plan 2: Point 1 of the plan's 1" in told(np.array([[[0.0, 0]], [[0, np.inf]]]))
    assert "have 3 numbers; this model reads points of 2" in told(np.zeros((2, 3)))
    assert "5 points; the window allows about 4 sentences" in told(np.zeros((5, 2)))


def test_a_numpy_archive_and_a_cut_file_are_refused(tmp_path: Path) -> None:
    file, whole = tmp_path / "a.npy", io.BytesIO()
    with file.open("wb") as stream:
        np.savez(stream, POINTS)
    assert "not a NumPy array of numbers" in refusal(file)
    np.save(whole, POINTS)
    for length in range(0, len(whole.getvalue()), 7):
        file.write_bytes(whole.getvalue()[:length])
        assert "not a NumPy array of numbers" in refusal(file)


@pytest.mark.parametrize("size", [2**40, 2**62, 2**80, -1])
def test_an_array_that_promises_too_much_is_refused(size: int, tmp_path: Path) -> None:
    from numpy.lib.format import write_array_header_1_0

    with (tmp_path / "a.npy").open("wb") as stream:
        header = {"descr": "<f8", "fortran_order": False, "shape": (size, 2)}
        write_array_header_1_0(stream, header)
        stream.write(POINTS.tobytes())
    assert "not a NumPy array of numbers" in refusal(tmp_path / "a.npy")


def test_the_limits_of_the_model_are_told_with_the_place(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    write_plans(file, PLANS)
    assert "a.json: plan 1: The plan's points have 2 numbers" in refusal(file, dim=8)
    assert "the window of 64 tokens allows about 3 sentences" in refusal(file, most=3, window=64)
    Paths(["x"], [None], [2], [None] * 2, np.zeros((2, 3), np.float32)).write(
        tmp_path / "a.parquet"
    )
    assert "document 'x': The plan's points have 3" in refusal(tmp_path / "a.parquet", dim=2)


def test_only_whole_json_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="plans are written as JSON"):
        write_plans(tmp_path / "a.npy", PLANS)
    with pytest.raises(InputError, match="cannot be written: No such file"):
        write_plans(tmp_path / "none" / "a.json", PLANS)
    assert list(tmp_path.iterdir()) == []
