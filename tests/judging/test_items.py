"""Files of outputs come to items, and every output says whose it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.judging.conftest import Writer, fills
from timecontrol.errors import InputError, TimeControlError, UnknownNameError
from timecontrol.judging.items import Material, only, placed, read_outputs


def test_outputs_of_one_example_are_found_by_what_is_about_them(write: Writer) -> None:
    files = [write(f"{name}.jsonl", fills(name, 3)) for name in ("a", "b")]
    found = read_outputs(files, "infill")
    assert list(found.systems) == ["a", "b"]
    assert len(found.items) == 6
    assert [{o.system for o in own} for own in found.examples().values()] == [{"a", "b"}] * 3
    assert [o.place for o in found.outputs[:2]] == [f"{files[0]}:1", f"{files[0]}:2"]


def test_what_is_seen_never_names_the_system(write: Writer) -> None:
    file = write("out.jsonl", [{"text": "One. Two.", "system": "secret"}])
    found = read_outputs([file], "ending")
    assert list(found.systems) == ["secret"]
    assert "secret" not in json.dumps(dict(found.items))


def test_a_system_is_named_by_its_lines_its_file_or_an_option(write: Writer) -> None:
    both = write("both.jsonl", [{"text": "One.", "system": "a"}, {"text": "Two.", "system": "b"}])
    found = read_outputs([both], "ending")
    assert [(o.system, o.example) for o in found.outputs] == [("a", "#1"), ("b", "#1")]
    plain = write("tc.forced.jsonl.gz".removesuffix(".gz"), [{"text": "One."}])
    assert list(read_outputs([plain], "ending").systems) == ["tc.forced"]
    assert list(read_outputs([plain], "ending", systems=["mine"]).systems) == ["mine"]
    with pytest.raises(InputError, match=r"both.jsonl:2: it is of the system 'b', and --system"):
        read_outputs([both], "ending", systems=["a"])
    with pytest.raises(TimeControlError, match="names 1 systems, and there are 2 files"):
        read_outputs([both, plain], "ending", systems=["a"])


def test_the_kth_line_of_a_system_goes_with_the_kth_of_another(write: Writer) -> None:
    one = write("a.jsonl", [{"text": "One."}, {"text": "Two."}])
    other = write("b.jsonl", [{"text": "Three."}, {"text": "Four."}])
    found = read_outputs([one, other], "ending").examples()
    assert {name: [o.system for o in own] for name, own in found.items()} == {
        "#1": ["a", "b"],
        "#2": ["a", "b"],
    }


def test_the_same_words_are_one_item_of_both_systems(write: Writer) -> None:
    one = write("a.jsonl", [{"text": "Bye."}, {"text": "Two."}])
    other = write("b.jsonl", [{"text": " Bye. "}, {"text": "Four."}])
    found = read_outputs([one, other], "ending")
    assert (len(found.outputs), len(found.items), found.shared) == (4, 3, 1)
    assert found.outputs[0].item == found.outputs[2].item


def test_an_item_is_known_again_in_another_file_and_study(write: Writer) -> None:
    line = {"text": "One. Two. Three."}
    first = read_outputs([write("a.jsonl", [line])], "ending")
    other = read_outputs([write("b.jsonl", [{"text": "Else."}, line])], "ending")
    assert set(first.items) < set(other.items)
    assert not set(read_outputs([write("a.jsonl", [line])], "ending", tail=2).items) & set(
        first.items
    )


def test_the_hash_of_a_study_is_of_what_is_judged(write: Writer) -> None:
    def made(name: str, *texts: str, tail: int = 5) -> str:
        return read_outputs([write(name, [{"text": t} for t in texts])], "ending", tail=tail).digest

    same = made("a.jsonl", "One.", "Two.")
    assert same == made("a.jsonl", "One. ", "Two.")
    assert same != made("b.jsonl", "One.", "Two.")
    assert same != made("a.jsonl", "One.", "Three.")
    assert same != made("a.jsonl", "Two.", "One.")
    assert same != made("a.jsonl", "One.", "Two.", tail=4)


def test_some_examples_are_drawn_from_those_that_all_systems_have(write: Writer) -> None:
    whole = read_outputs(
        [write("a.jsonl", fills("a", 9)), write("b.jsonl", fills("b", 6))], "infill"
    )
    found = only(whole, 4, seed=1)
    assert len(found.outputs) == 8 == len(found.items)
    assert [len(own) for own in found.examples().values()] == [2] * 4
    assert only(whole, 4, seed=1) == found
    draws = {frozenset(only(whole, 4, seed).examples()) for seed in range(9)}
    assert len(draws) > 1
    for count in (0, 7):
        with pytest.raises(TimeControlError, match="and 6 have an output of every system"):
            only(whole, count, 0)


def test_rows_of_the_paper_can_be_told(write: Writer) -> None:
    whole = read_outputs([write("a.jsonl", fills("a", 1))], "infill")
    found = placed(whole, {"a": {"dataset": "rocstories", "method": "LM"}})
    assert found.systems == {"a": {"dataset": "rocstories", "method": "LM"}}
    assert whole.systems == {"a": {}}
    with pytest.raises(UnknownNameError, match="No system named 'c'"):
        placed(whole, {"c": {}})


def test_what_evaluate_infilling_keeps_is_read_with_its_corpus(
    write: Writer, tmp_path: Path
) -> None:
    write("own.jsonl", [{"id": "d", "text": "One. Two. Three."}])
    kept = write("run.jsonl", [{"gap": "d#1", "candidates": [{"text": "Else."}]}])
    corpus = f"jsonl:{tmp_path / 'own.jsonl'}"
    found = read_outputs([kept], "infill", corpus=corpus)
    assert list(found.items.values()) == [{"left": "One.", "fill": "Else.", "right": "Three."}]
    with pytest.raises(TimeControlError, match="--corpus"):
        read_outputs([kept], "infill")
    write("run.jsonl", [{"gap": "d#1", "candidates": [{"text": "Else."}]}, {"gap": "d"}])
    with pytest.raises(InputError, match=r"run.jsonl:2: 'fill' must be text"):
        read_outputs([kept], "infill", corpus=corpus)
    write("run.jsonl", [{"gap": "d", "candidates": []}])
    with pytest.raises(InputError, match=r"run.jsonl:1: 'gap' must be DOCUMENT#PLACE"):
        read_outputs([kept], "infill", corpus=corpus)


TWO: list[dict[str, Any]] = [{"id": 1, "text": "One."}, {"id": 1, "text": "Two."}]
MIXED = [{"text": "One.", "method": "TC"}, {"text": "Two.", "method": "VAE"}]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (TWO, "a.jsonl:2: 'a' has an output for the example '1' already, at .*a.jsonl:1"),
        ([{"text": "One."}, {"text": ""}], "a.jsonl:2: the text is empty"),
        ([{"text": "One.", "system": " "}], "a.jsonl:1: 'system' must be a name"),
        ([{"text": "One.", "system": 3}], "'system' must be a name"),
        ([{"text": "One.", "system": "\ud800"}], "surrogate"),
        (MIXED, "a.jsonl:2: the lines of the system 'a' differ in method"),
    ],
)
def test_mistakes_are_said_with_file_and_line(
    write: Writer, lines: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        read_outputs([write("a.jsonl", lines)], "ending")


def test_files_that_do_not_fit_together_are_refused(write: Writer, tmp_path: Path) -> None:
    one, twin = (write(name, [{"text": "One."}]) for name in ("a.jsonl", "b.jsonl"))
    with pytest.raises(TimeControlError, match="'a' and 'b' have the same outputs throughout"):
        read_outputs([one, twin], "ending")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.jsonl").write_text('{"text": "Two."}\n')
    with pytest.raises(InputError, match="name them, with a --system for each file"):
        read_outputs([one, tmp_path / "x" / "a.jsonl"], "ending")
    with pytest.raises(TimeControlError, match="is given twice"):
        read_outputs([one, tmp_path / "x" / ".." / "a.jsonl"], "ending")


def test_what_is_asked_must_make_sense(write: Writer) -> None:
    file = write("a.jsonl", [{"text": "One."}])
    with pytest.raises(UnknownNameError, match="No task named 'ends'"):
        read_outputs([file], "ends")
    with pytest.raises(TimeControlError, match="1 line or more"):
        read_outputs([file], "ending", tail=0)
    with pytest.raises(TimeControlError, match="No files"):
        read_outputs([], "ending")
    assert isinstance(read_outputs([file], "ending"), Material)
