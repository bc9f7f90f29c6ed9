import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from timecontrol.corpora import Document, Section, Source
from timecontrol.corpora.splits import exact_split, hash_split, published_split, read_index, stem
from timecontrol.errors import InputError


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("wikisection_withSections.test.txt", "test"),
        ("x/HGD_en_city_validation.json.gz", "val"),
        ("dev.jsonl.gz", "val"),
        ("train/dialogues_001.json", "train"),
        ("dev/dialogues_001.json", "val"),
        ("TM-3-2020_train-bc.tsv.gz", "train"),
        ("contest.jsonl", None),
        ("train/test.jsonl", "test"),
        ("test_of_train.jsonl", "train"),
        ("data_00.json", None),
    ],
)
def test_names_tell_the_split(path: str, split: str | None) -> None:
    assert published_split(Path(path)) == split


def test_a_stem_is_a_name_without_endings() -> None:
    assert stem(Path("a/b.test.jsonl.gz")) == "b.test"


def document(text: str) -> Document:
    return Document(text, (Section(None, (text,)),), Source("a", 1, 0))


def test_a_hash_split_is_80_10_10_and_the_same_every_time() -> None:
    counts = Counter(hash_split(document(str(i))) for i in range(5000))
    assert abs(counts["train"] / 5000 - 0.8) < 0.03
    assert abs(counts["val"] / 5000 - 0.1) < 0.02
    assert abs(counts["test"] / 5000 - 0.1) < 0.02
    assert [hash_split(document(str(i))) for i in range(3)] == ["train", "train", "val"]


def index(folder: Path, value: object) -> Path:
    path = folder / "split.json"
    path.write_text(json.dumps(value))
    return path


def test_an_index_is_read_by_number_and_by_file(tmp_path: Path) -> None:
    a, b, c = Path("a.val.txt"), Path("b.jsonl.gz"), Path("c.val.txt")
    plain = read_index(index(tmp_path, {"train": [0, 2], "dev": [1]}))
    assert plain.strangers([a]) == []
    assert plain.resolve([a]) == {(a, 0): "train", (a, 2): "train", (a, 1): "val"}
    assert plain.strangers([a, b, c]) == ["a number without a file (3 files)"]
    for name in ("b", "b.jsonl", "b.jsonl.gz"):
        pairs = read_index(index(tmp_path, {"train": [["val", 0]], "test": [[name, 1]]}))
        assert pairs.resolve([a, b]) == {(a, 0): "train", (b, 1): "test"}
        assert pairs.strangers([a]) == [repr(name)]
        assert pairs.strangers([a, b, c]) == ["'val' (2 files)"]


def test_one_record_under_two_names_is_still_one_record(tmp_path: Path) -> None:
    twice = read_index(index(tmp_path, {"train": [["val", 0]], "test": [["a.val", 0]]}))
    with pytest.raises(InputError, match="is in it twice"):
        twice.resolve([Path("a.val.txt")])


def test_own_data_is_named_after_a_split_only_when_it_is_named_nothing_else() -> None:
    root = Path("x")
    assert exact_split(root / "train.jsonl", root) == "train"
    assert exact_split(root / "a.dev.txt.gz", root) == "val"
    assert exact_split(root / "test" / "deep" / "a.md", root) == "test"
    assert exact_split(root / "test-00000-of-00002.jsonl", root) == "test"
    assert exact_split(root / "train_01.jsonl", root) == "train"
    assert exact_split(root / "my test.txt", root) is None
    assert exact_split(root / "train-notes" / "a.txt", root) is None
    assert exact_split(Path("train/a.txt"), Path("train/a.txt")) is None


def test_a_group_is_never_split_apart() -> None:
    group = [replace(document(str(i)), group="one article") for i in range(50)]
    assert len({hash_split(d) for d in group}) == 1


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"train": [1], "test": [1]}, "is in train and again in test"),
        ({"train": [1, 1]}, "again in train"),
        ({"train": [-1]}, "must be a number"),
        ({"train": [True]}, "must be a number"),
        ({"train": ["x"]}, "must be a number"),
        ({"train": 3}, "is no split"),
        ({"later": [1]}, "is no split"),
        ([1], "wanted"),
    ],
)
def test_an_index_that_overlaps_or_makes_no_sense_is_refused(
    tmp_path: Path, value: object, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        read_index(index(tmp_path, value))
