"""What was written is read again; lengths by hand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import make_tokenizer
from timecontrol.bases import set_ends
from timecontrol.corpora import open_corpus
from timecontrol.corpora.documents import Section
from timecontrol.corpora.layout import RECIPE, STORY, Layout
from timecontrol.encoder.documents import choose_from
from timecontrol.errors import InputError, TimeControlError
from timecontrol.experiments.texts import (
    as_document,
    kind_told,
    label_of,
    lengths_of,
    mean_and_error,
    read_texts,
    shown,
    training_lengths,
)
from timecontrol.generation import Writing, Written
from timecontrol.plans import Plan
from timecontrol.tokens import Codec

CAKE = (Section("TITLE", ("Cake.",)), Section("DIRECTIONS", ("Mix it.", "Bäcke es: 200 °C.")))
BARE = (Section(None, ("No tag.",)), Section("TITLE", ("[ . ]",)))
MADE = {
    "method": "planned",
    "preset": "paper",
    "seed": 3,
    "smooth": 5,
    "encoder": "abc",
}


@pytest.fixture(scope="module")
def codec() -> Codec:
    return codec_of(RECIPE)


def codec_of(layout: Layout) -> Codec:
    return Codec(set_ends(make_tokenizer()), layout)


def written(
    sections: tuple[Section, ...], number: int = 0, units: tuple[int, ...] | None = None, **how: Any
) -> Written:
    plan = Plan(np.array([[1.5, -2.0], [0.1, 1e-9]]) + number, "mean", 3, number)
    settings = Writing(**how).as_dict()
    ids, ended = tuple(range(7 + number)), number == 0
    return Written(number, sections, ids, ended, plan, settings, units=units)


def saved(file: Path, lines: list[Any]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def line(**changes: Any) -> dict[str, Any]:
    return {**written(CAKE).as_dict(), "decoder": MADE, **changes}


def test_documents_come_back_as_they_were_written(tmp_path: Path) -> None:
    given = [written(CAKE, 0, length="forced", budget=77), written((), 1), written(BARE, 2)]
    file = saved(tmp_path / "a.jsonl", [{**t.as_dict(), "decoder": MADE} for t in given])
    file.write_text("\n" + file.read_text() + "  \n")  # lines with nothing on them
    found = read_texts(file)
    assert found.sections == [CAKE, (), BARE]
    assert found.tokens == [7, 8, 9]
    assert found.ended == [True, False, False]
    for points, text in zip(found.plans, given, strict=True):
        assert text.plan is not None
        np.testing.assert_array_equal(points, text.plan.points)
    assert (found.label, found.run) == ("planned, mean (paper)", "a")
    assert (found.length, found.budget) == ("forced", 77)  # the first line tells
    assert (found.smooth, found.encoder) == (5, "abc")


def test_the_points_of_sentences_come_back_where_they_are_told(tmp_path: Path) -> None:
    given = [written(CAKE, 0, (0, 2, 2)), written((), 1, ()), written(CAKE, 2)]
    given.append(written(CAKE, 3, (0, 2, 1)))  # they may fall again
    old = {k: v for k, v in line().items() if k != "units"}  # of an earlier version
    found = read_texts(saved(tmp_path / "a.jsonl", [*(t.as_dict() for t in given), old]))
    assert found.units == [[0, 2, 2], [], None, [0, 2, 1], None]


def test_a_decoder_without_plans_has_none(tmp_path: Path) -> None:
    made = {"method": "plain", "preset": "best", "smooth": 5, "encoder": None}
    found = read_texts(saved(tmp_path / "a.jsonl", [line(plan=None, decoder=made)]))
    assert found.plans == [None]
    assert (found.label, found.encoder) == ("plain", None)


def test_documents_that_say_nothing_of_themselves_are_named_after_their_file(
    tmp_path: Path,
) -> None:
    bare = {"sections": [{"tag": None, "sentences": ["Hi."]}], "tokens": 3, "ended": False}
    found = read_texts(saved(tmp_path / "by-hand.jsonl", [bare]))
    assert (found.label, found.run, found.length) == ("by-hand", "by-hand", "normal")
    assert (found.budget, found.smooth, found.encoder) == (1024, 1, None)


def without(name: str) -> str:
    return json.dumps({k: v for k, v in line().items() if k != name})


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "no document that timecontrol generate wrote"),
        ("[" * 100_000, "no document"),
        ("[1]", "no document"),
        ("7", "no document"),
        ("null", "no document"),
        (without("sections"), "no document"),
        (without("tokens"), "no document"),
        (without("ended"), "no document"),
        (json.dumps(line(tokens="many")), "no document"),
        (json.dumps(line(tokens=float("inf"))), "no document"),
        (json.dumps(line(sections=[{"tag": "TITLE"}])), "no document"),
        (json.dumps(line(sections=[{"tag": "TITLE", "sentences": "Hi."}])), "no document"),
        (json.dumps(line(sections=[{"tag": "TITLE", "sentences": [1]}])), "no document"),
        (json.dumps(line(sections=[{"tag": 1, "sentences": ["Hi."]}])), "no document"),
        (json.dumps(line(units=[0, 1])), "no document"),  # of three sentences
        (json.dumps(line(units=[-1, 0, 1])), "no document"),
        (json.dumps(line(units=[0, 1, -1])), "no document"),
        (json.dumps(line(units=3)), "no document"),
        (json.dumps(line(plan="mean")), 'an object with "points"'),
        (json.dumps(line(plan={"points": [1, 2]})), "one row of numbers a sentence"),
        (json.dumps(line(plan={"points": [[1], [2, 3]]})), "rows of the same length"),
        (json.dumps(line(plan={"points": [[1, float("nan")]]})), "holds NaN"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, bad: str, reason: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(f"{json.dumps(line())}\n\n{bad}\n{json.dumps(line())}\n")
    with pytest.raises(InputError) as found:
        read_texts(file)
    assert (found.value.file, found.value.line) == (file, 3)
    assert str(found.value).startswith(f"{file}:3: ")
    assert reason in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    "part", [{"decoder": "x"}, {"settings": [1]}, {"settings": {"budget": ""}}]
)
def test_a_first_line_that_tells_nonsense_is_named(tmp_path: Path, part: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"a\.jsonl:1: no document"):
        read_texts(saved(tmp_path / "a.jsonl", [line(**part)]))


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(json.dumps(line()).encode() + b'\n{"text": "\xff"}\n')
    with pytest.raises(InputError, match=r"a\.jsonl:2: no document"):
        read_texts(file)


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_without_documents_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(content)
    with pytest.raises(InputError, match=r"a\.jsonl: no documents in it"):
        read_texts(file)


def test_a_way_of_writing_in_words() -> None:
    assert label_of("plain", None, "best") == "plain"
    assert label_of("planned", "bridge", "best") == "planned, bridge"
    assert label_of("planned", "euler", "paper") == "planned, euler (paper)"
    assert label_of("plain", None, "released") == "plain (released)"


def test_lengths_by_hand(codec: Codec) -> None:
    def words(text: str) -> int:
        options = {"add_special_tokens": False, "split_special_tokens": True}
        return len(codec.tokenizer(f" {text}", **options)["input_ids"])

    found = lengths_of(CAKE, codec)
    directions = words("Mix it.") + words("Bäcke es: 200 °C.")
    assert found == [
        ("TITLE", 1 + words("Cake.") + 1),  # the tag, the words, the mark
        ("DIRECTIONS", 1 + directions + 2),
    ]
    assert all(isinstance(n, float) for _, n in found)
    assert lengths_of(BARE, codec) == [
        (None, words("No tag.") + 1),
        ("TITLE", 2 + words("[ . ]")),  # text that looks like a mark is text
    ]


def test_tags_the_layout_does_not_know_are_left_out(codec: Codec) -> None:
    odd = (CAKE[0], Section("EPILOGUE", ("The end.",)), CAKE[1])
    assert lengths_of(odd, codec) == lengths_of(CAKE, codec)
    assert lengths_of(odd[1:2], codec) == []


def test_a_document_of_nothing_has_no_lengths(codec: Codec) -> None:
    assert lengths_of((), codec) == []
    assert lengths_of((Section("TITLE", ()),), codec) == []


def test_sections_as_a_document() -> None:
    document = as_document(list(CAKE))
    assert document.sections == CAKE
    assert document.sentences == ("Cake.", "Mix it.", "Bäcke es: 200 °C.")


def test_training_documents_that_fit_are_as_long_as_they_are(codec: Codec) -> None:
    corpus = open_corpus("synthetic:recipes,documents=20")
    found = training_lengths(corpus, codec, 1024)
    train = choose_from(corpus).train
    assert found == [lengths_of(d.sections, codec) for d in train]
    assert len(found) == 16
    assert training_lengths(corpus, codec, 0) == found  # 0: no window


def test_trimmed_documents_keep_their_sections_and_fit(codec: Codec) -> None:
    corpus = open_corpus("synthetic:recipes,documents=20")
    whole, found = (training_lengths(corpus, codec, w) for w in (1024, 120))
    assert found == training_lengths(corpus, codec, 120)
    for before, after in zip(whole, found, strict=True):
        assert [tag for tag, _ in after] == [tag for tag, _ in before]
        assert sum(n for _, n in after) + 2 <= 120 < sum(n for _, n in before) + 2
        assert after[:2] == before[:2]  # of one sentence each: nothing to leave out


def test_own_documents_by_hand(tmp_path: Path, codec: Codec) -> None:
    """Two sections of known words; the document of two sentences is too short to be trained on."""
    lines = [
        {"sentences": ["aa", "bb", "cc"], "split": "train"},
        {"sentences": ["aa", "bb"], "split": "train"},
        {"sentences": ["cc", "aa", "bb", "aa"], "split": "train"},
        {"sentences": ["cc", "bb", "aa"], "split": "val"},
    ]
    file = saved(tmp_path / "own.jsonl", lines)
    story = codec_of(STORY)
    ids = {w: len(story.tokenizer(f" {w}", add_special_tokens=False)["input_ids"]) for w in
           ("aa", "bb", "cc")}  # fmt: skip
    first = sum(ids[w] + 1 for w in ("aa", "bb", "cc"))
    third = sum(ids[w] + 1 for w in ("cc", "aa", "bb", "aa"))
    found = training_lengths(open_corpus(f"jsonl:{file}"), story, 64)
    assert found == [[(None, first)], [(None, third)]]


def test_a_window_too_small_for_anything_is_refused(codec: Codec) -> None:
    with pytest.raises(TimeControlError, match="window is 3: 16 tokens or more"):
        training_lengths(open_corpus("synthetic:recipes,documents=20"), codec, 3)


def test_mean_and_standard_error_by_hand() -> None:
    value, error = mean_and_error([1, 2, 4])
    assert value == pytest.approx(7 / 3)
    assert error == pytest.approx(np.sqrt((16 + 1 + 25) / 9 / 2 / 3))  # squares over n - 1, over n
    assert mean_and_error(iter([5.0])) == (5, None)
    assert mean_and_error([2, 2]) == (2, 0)


def test_a_cell_in_words() -> None:
    cell = {"value": 0.7172, "error": 0.0031}
    assert shown(cell, 1, 100) == "71.7 ± 0.3"
    assert shown(cell, 3) == "0.717 ± 0.003"
    assert shown({"value": 0.7172, "error": None}, 2) == "0.72"
    assert shown({"value": 3, "error": 0.0}) == "3.0 ± 0.0"
    assert shown(None) == shown({"value": None, "error": None}) == "-"


def test_a_plan_whose_noise_was_multiplied_is_a_kind_of_its_own() -> None:
    points = np.zeros((3, 2))
    assert kind_told(Plan(points, "bridge", 0, 0)) == "bridge"
    assert kind_told(Plan(points, "bridge", 0, 0, {"noise": 0.5})) == "bridge, 0.5 x noise"
