"""The measures of documents made by hand, and tables of them; then of decoders, end to end."""

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import make_tokenizer
from tests.experiments.results import HERE, OPTIONS, checked
from timecontrol.bases import set_ends
from timecontrol.corpora import Corpus
from timecontrol.corpora.documents import Section
from timecontrol.corpora.layout import DIALOGUE, RECIPE, STORY, Layout
from timecontrol.decoder import Decoder
from timecontrol.decoder.folder import ENCODER
from timecontrol.encoder.evaluations import FILE
from timecontrol.errors import InputError, TimeControlError
from timecontrol.experiments.structure import (
    APART,
    COLUMNS,
    NOTE,
    compared,
    difference_tables,
    measure,
    origin_of,
    rows,
    statistics,
    structures,
    tables,
)
from timecontrol.experiments.texts import Lengths, Texts, lengths_of, read_texts
from timecontrol.experiments.ways import Ways
from timecontrol.metrics.paired import ALIKE, BETTER, WORSE, Sample
from timecontrol.tokens import Codec

TITLE = Section("TITLE", ("Cake.",))
LIST = Section("INGREDIENTS", ("Flour and sugar and eggs.",))
STEPS = Section("DIRECTIONS", ("Mix it all well.", "Bake it all well."))
RIGHT = (TITLE, LIST, STEPS)
WRONG = (LIST, TITLE, STEPS)
MISSING = (TITLE, STEPS)
TWICE = (TITLE, LIST, STEPS, STEPS)


@pytest.fixture(scope="module")
def codec() -> Codec:
    return codec_of(RECIPE)


def codec_of(layout: Layout) -> Codec:
    return Codec(set_ends(make_tokenizer()), layout)


def texts(*sections: tuple[Section, ...], **changes: Any) -> Texts:
    n = len(sections)
    given: dict[str, Any] = {
        "label": "planned, bridge",
        "run": "a",
        "length": "normal",
        "budget": 100,
        "sections": list(sections),
        "tokens": [10] * n,
        "ended": [True] * n,
        "plans": [None] * n,
    }
    return Texts(**{**given, **changes})


def scaled(found: Lengths, scale: float) -> Lengths:
    return [(tag, scale * n) for tag, n in found]


def test_order_by_hand(codec: Codec) -> None:
    found = measure(texts(RIGHT, WRONG, MISSING, TWICE), RECIPE, codec, [lengths_of(RIGHT, codec)])
    quarter = sqrt(0.25 * 0.75 / 4)
    assert found["order"] == {"value": 1 / 4, "error": pytest.approx(quarter)}
    assert found["released"] == {"value": 2 / 4, "error": 0.25}  # a missing tag is no fault
    assert found["all_present"] == {"value": 3 / 4, "error": pytest.approx(quarter)}


def test_lengths_by_hand(codec: Codec) -> None:
    own = lengths_of(RIGHT, codec)
    same = measure(texts(RIGHT, RIGHT), RECIPE, codec, [own])
    assert same["MM"]["value"] == same["mean_of_deviations"]["value"] == 0
    # the reference is the mean of the training documents: half as long again
    half = measure(texts(RIGHT, RIGHT), RECIPE, codec, [own, scaled(own, 2)])
    assert half["MM"]["value"] == pytest.approx(100 / 3)
    # one longer, one shorter than the mean of the two: right in the mean, each off
    both = (TITLE, LIST, STEPS), (TITLE, LIST, replace(STEPS, sentences=STEPS.sentences[:1]))
    mean = [lengths_of(d, codec) for d in both]
    evened = measure(texts(*both), RECIPE, codec, mean)
    assert evened["MM"]["value"] == pytest.approx(0)
    a, b = (dict(m)["DIRECTIONS"] for m in mean)
    off = abs(a - b) / (a + b)
    assert evened["mean_of_deviations"]["value"] == pytest.approx(100 * off / 3)


def test_a_section_that_never_comes_is_off_by_all_of_it(codec: Codec) -> None:
    found = measure(texts(MISSING, MISSING), RECIPE, codec, [lengths_of(RIGHT, codec)])
    assert found["MM"]["value"] == pytest.approx(100 / 3)
    assert found["all_present"]["value"] == 0


def test_lengths_when_forced_are_compared_with_the_budget_too(codec: Codec) -> None:
    own = lengths_of(RIGHT, codec)
    total = sum(n for _, n in own)
    forced = texts(RIGHT, RIGHT, length="forced", budget=round(4 * total))
    found = measure(forced, RECIPE, codec, [own])
    assert found["MM"]["value"] == 0
    assert found["MMs"]["value"] == pytest.approx(75)  # a quarter of what it should be
    assert "MMs" not in measure(replace(forced, length="normal"), RECIPE, codec, [own])


def test_repetition_ends_and_sizes_by_hand(codec: Codec) -> None:
    again = (TITLE, LIST, Section("DIRECTIONS", ("Mix.", "Mix.", "Mix.", "Mix.")))
    given = texts(RIGHT, again, tokens=[10, 14], ended=[True, False])
    found = measure(given, RECIPE, codec, [lengths_of(RIGHT, codec)])
    assert found["repeated_sentences"]["value"] == pytest.approx((0 + 3 / 6) / 2)
    assert found["sentences"] == {"value": 5, "error": 1}  # 4 and 6
    assert found["tokens"] == {"value": 12, "error": 2}
    assert found["ended"] == {"value": 0.5, "error": 0.5}
    # cake flour and sugar and eggs mix it all well bake it all well: 14 words
    # cake flour and sugar and eggs mix mix mix mix: 10 words
    assert found["distinct_2"]["value"] == pytest.approx((11 / 13 + 7 / 9) / 2)
    assert found["repeated_4_grams"]["value"] == pytest.approx(0)


def test_documents_in_which_nothing_was_written(codec: Codec) -> None:
    reference = [lengths_of(RIGHT, codec)]
    found = measure(texts(RIGHT, ()), RECIPE, codec, reference)
    assert found["order"]["value"] == found["all_present"]["value"] == 0.5
    assert found["sentences"]["value"] == 2
    assert found["MM"]["value"] == 0  # those that have a section have it right
    assert found["mean_of_deviations"]["value"] == 50
    nothing = measure(texts((), ()), RECIPE, codec, reference)
    assert nothing["MM"]["value"] == 100
    assert "repeated_sentences" not in nothing
    assert [row[:3] for t in tables(rows([(texts((), ()), nothing)])) for row in t["rows"]] == [
        ["planned, bridge", "2", "1"]
    ]


def test_without_tags_there_is_no_order_and_no_length() -> None:
    story = codec_of(STORY)
    told = (Section(None, ("Once upon a time.", "The end.")),)
    found = measure(texts(told, told), STORY, story, [lengths_of(told, story)])
    assert not {"order", "released", "all_present", "MM", "MMs", "mean_of_deviations"} & set(found)
    assert found["sentences"]["value"] == 2
    forced = texts(told, told, length="forced")
    assert "MMs" not in measure(forced, STORY, story, [lengths_of(told, story)])


def test_every_measure_has_a_column(codec: Codec) -> None:
    forced = texts(RIGHT, WRONG, length="forced")
    found = measure(forced, RECIPE, codec, [lengths_of(RIGHT, codec)])
    assert {*found, "tail_repeated_4_grams"} == set(COLUMNS)


def cell(value: float, error: float | None = 9.0) -> dict[str, float | None]:
    return {"value": value, "error": error}


def test_decoders_that_differ_only_in_their_seed_share_a_row() -> None:
    given = [
        (texts(RIGHT, RIGHT, run=f"seed-{i}"), {"order": cell(value), "tokens": cell(100 + i)})
        for i, value in enumerate((0.5, 0.6, 0.9))
    ]
    (row,) = rows(given)
    assert (row["label"], row["length"], row["budget"]) == ("planned, bridge", "normal", 100)
    assert (row["documents"], row["decoders"]) == (2, 3)
    # mean 2/3; deviations -1/6, -1/15, 7/30
    spread = (1 / 6) ** 2 + (1 / 15) ** 2 + (7 / 30) ** 2
    assert row["cells"]["order"]["value"] == pytest.approx(2 / 3)
    assert row["cells"]["order"]["error"] == pytest.approx(sqrt(spread / 2 / 3))
    assert row["cells"]["tokens"] == {"value": 101, "error": pytest.approx(1 / sqrt(3))}
    assert [(r["run"], r["n"]) for r in row["runs"]] == [(f"seed-{i}", 2) for i in range(3)]
    assert [r["cells"]["order"]["value"] for r in row["runs"]] == [0.5, 0.6, 0.9]


def test_a_single_decoder_keeps_its_error_over_documents() -> None:
    (row,) = rows([(texts(RIGHT), {"order": cell(0.5, 0.07)})])
    assert row["cells"] == {"order": cell(0.5, 0.07)}
    assert row["decoders"] == 1


def test_other_ways_have_rows_of_their_own() -> None:
    one = {"order": cell(0.5)}
    given = [
        (texts(RIGHT), one),
        (texts(RIGHT, label="plain"), one),
        (texts(RIGHT, length="forced"), one),
        (texts(RIGHT, length="forced", budget=200), one),
        (texts(RIGHT, run="b"), one),
    ]
    found = [(r["label"], r["length"], r["budget"], r["decoders"]) for r in rows(given)]
    assert found == [
        ("planned, bridge", "normal", 100, 2),
        ("plain", "normal", 100, 1),
        ("planned, bridge", "forced", 100, 1),
        ("planned, bridge", "forced", 200, 1),
    ]


def test_a_measure_that_one_decoder_lacks_is_that_of_the_others() -> None:
    given = [
        (texts(RIGHT), {"order": cell(0.5)}),
        (texts(RIGHT, run="b"), {"order": cell(0.7), "distinct_2": cell(0.3)}),
    ]
    (row,) = rows(given)
    assert row["cells"]["order"]["value"] == pytest.approx(0.6)
    assert row["cells"]["distinct_2"] == cell(0.3, None)  # no spread over one decoder
    assert "MM" not in row["cells"]


def test_tables_by_hand() -> None:
    forced = {"length": "forced", "budget": 200}
    given = [
        (texts(RIGHT, RIGHT), {"order": cell(0.512, 0.031), "tokens": cell(99.6, 4.2)}),
        (texts(RIGHT, RIGHT, label="plain"), {"order": cell(1, None), "MM": cell(7.25, 0.5)}),
        (texts(RIGHT, RIGHT, **forced), {"MMs": cell(3.14, 0.2), "ended": cell(0, 0)}),
    ]
    normal, long = tables(rows(given))
    assert normal == {
        "title": "Structure, normal length",
        "columns": ["", "n", "decoders", "in order", "MM", "tokens"],
        "rows": [
            ["planned, bridge", "2", "1", "51.2 ± 3.1", "-", "100 ± 4"],
            ["plain", "2", "1", "100.0", "7.2 ± 0.5", "-"],
        ],
    }
    assert long == {
        "title": "Structure, forced to 200 tokens",
        "columns": ["", "n", "decoders", "MM stretched", "ended"],
        "rows": [["planned, bridge", "2", "1", "3.1 ± 0.2", "0.0 ± 0.0"]],
    }


def test_each_budget_has_a_table_of_its_own() -> None:
    given = [
        (texts(RIGHT, length="forced", budget=budget), {"MMs": cell(value, None)})
        for budget, value in ((100, 1), (200, 2))
    ]
    found = tables(rows(given))
    assert [t["title"] for t in found] == [f"Structure, forced to {n} tokens" for n in (100, 200)]
    assert [[row[-1] for row in t["rows"]] for t in found] == [["1.0"], ["2.0"]]


def test_repeated_tags_of_empty_sections_count_against_the_order() -> None:
    whole = (
        Section("TITLE", ("a",)),
        Section("INGREDIENTS", ("b",)),
        Section("DIRECTIONS", ("c",)),
    )
    tags: list[tuple[str, int | None]] = [
        ("TITLE", None),
        ("INGREDIENTS", None),
        ("INGREDIENTS", None),
        ("DIRECTIONS", None),
    ]
    common = {"label": "x", "run": "y", "length": "normal", "budget": 64, "sections": [whole],
              "tokens": [9], "ended": [True], "plans": [None]}  # fmt: skip
    found = Texts(**common, outlines=[tags])  # type: ignore[arg-type]
    assert found.tags == [["TITLE", "INGREDIENTS", "INGREDIENTS", "DIRECTIONS"]]
    assert Texts(**common).tags == [["TITLE", "INGREDIENTS", "DIRECTIONS"]]  # type: ignore[arg-type]


def test_recipes_that_differ_are_named_and_never_averaged() -> None:
    cells = {"order": {"value": 1.0, "error": 0.0}}
    whole = (Section("TITLE", ("a",)),)

    def one(run: str, **recipe: object) -> tuple[Texts, dict[str, Any]]:
        made = Texts("planned", run, "normal", 64, [whole], [3], [True], [None], recipe=recipe)
        return made, cells

    found = rows([one("a", lora=0), one("b", lora=0), one("c", lora=16)])
    assert [(r["label"], r["decoders"]) for r in found] == [
        ("planned (lora 0)", 2),
        ("planned (lora 16)", 1),
    ]
    assert [r["label"] for r in rows([one("a", lora=0), one("b", lora=0)])] == ["planned"]


COMPARED = ("order", "released", "MM", "MMs", "mean_of_deviations")


def test_what_is_compared_is_what_the_table_has(codec: Codec) -> None:
    shorter = (TITLE, LIST, replace(STEPS, sentences=STEPS.sentences[:1]))
    given = texts(RIGHT, WRONG, MISSING, shorter, length="forced", budget=60)
    reference = [lengths_of(RIGHT, codec), scaled(lengths_of(RIGHT, codec), 1.5)]
    cells = measure(given, RECIPE, codec, reference)
    found = statistics(given, RECIPE, codec, reference)
    assert tuple(found) == COMPARED
    for name, statistic in found.items():
        assert statistic.value == pytest.approx(cells[name]["value"])
    assert "MMs" not in statistics(replace(given, length="normal"), RECIPE, codec, reference)
    assert set(statistics(given, RECIPE, codec, [])) == {"order", "released"}


def test_layouts_whose_tags_repeat_have_no_stretched_lengths() -> None:
    codec = codec_of(DIALOGUE)
    turns = tuple(Section(tag, ("Yes.",)) for tag in (*DIALOGUE.tags, *DIALOGUE.tags))
    given = texts(turns, turns[::-1], length="forced")
    found = statistics(given, DIALOGUE, codec, [lengths_of(turns, codec)])
    assert DIALOGUE.repeats
    assert set(found) == set(COMPARED) - {"MMs"}
    told = (Section(None, ("The end.",)),)
    assert statistics(texts(told), STORY, codec_of(STORY), []) == {}


def test_the_numbers_of_steps_are_looked_at(codec: Codec) -> None:
    numbered = replace(RECIPE, numbered=frozenset({"DIRECTIONS"}))
    tags = [("TITLE", None), ("INGREDIENTS", None), ("DIRECTIONS", 1)]
    given = texts(RIGHT, RIGHT, outlines=[tags, [*tags[:2], ("DIRECTIONS", None)]])
    assert statistics(given, numbered, codec, [])["order"].value == 0.5
    assert statistics(given, RECIPE, codec, [])["order"].value == 1
    assert measure(given, numbered, codec, [])["order"]["value"] == 0.5


def runs_of(codec: Codec, label: str, right: list[int], **changes: Any) -> list[tuple[Any, ...]]:
    """Return runs of a way, a decoder a seed, with so many of 20 documents in order."""
    found = []
    for seed, n in enumerate(right):
        made = texts(
            *[RIGHT] * n, *[WRONG] * (20 - n), label=label, run=f"{label}-{seed}", **changes
        )
        known = statistics(made, RECIPE, codec, [lengths_of(RIGHT, codec)])
        found.append((made, Sample(seed, range(20), known)))
    return found


def test_rows_are_compared_with_plain_or_with_another(codec: Codec) -> None:
    given = [
        *runs_of(codec, "planned, bridge", [18, 17, 19]),
        *runs_of(codec, "plain", [4, 3, 5]),
        *runs_of(codec, "planned, static", [4, 3]),
    ]
    made, samples = zip(*given, strict=True)
    bridge, static = compared(made, samples)
    assert {k: v for k, v in bridge.items() if k != "cells"} == {
        "length": "normal",
        "budget": 100,
        "label": "planned, bridge",
        "against": "plain",
        "pairs": 3,
        "documents": 20,
    }
    assert tuple(bridge["cells"]) == ("order", "released", "MM", "mean_of_deviations")
    order = bridge["cells"]["order"]
    assert order["value"] == pytest.approx(14 / 20)
    assert 0.4 < order["low"] < 0.7 < order["high"] < 0.9
    assert order["verdict"] == BETTER
    # all have the same sections, in another order
    assert bridge["cells"]["MM"] == {"value": 0, "low": 0, "high": 0, "verdict": ALIKE}
    assert (static["label"], static["pairs"]) == ("planned, static", 2)
    assert static["cells"]["order"]["value"] == 0
    back = compared(made, samples, "planned, bridge")
    assert [(r["label"], r["against"]) for r in back] == [
        ("plain", "planned, bridge"),
        ("planned, static", "planned, bridge"),
    ]
    assert back[0]["cells"]["order"]["verdict"] == WORSE
    assert back[0]["cells"]["order"]["low"] == pytest.approx(-order["high"], abs=0.03)
    assert compared(made, samples, "nothing") == []
    assert compared(made[:3], samples[:3]) == []  # none is plain


def test_shorter_sections_are_worse_and_less_is_better(codec: Codec) -> None:
    reference = [lengths_of(RIGHT, codec)]
    both = [texts(*[RIGHT] * 8, label="planned"), texts(*[MISSING] * 8, label="plain")]
    samples = [Sample(0, range(8), statistics(t, RECIPE, codec, reference)) for t in both]
    (row,) = compared(both, samples)
    for name in ("MM", "mean_of_deviations"):
        assert row["cells"][name]["value"] == pytest.approx(-100 / 3)
        assert row["cells"][name]["verdict"] == BETTER


def test_only_rows_of_one_length_and_budget_are_compared(codec: Codec) -> None:
    forced = {"length": "forced", "budget": 60}
    given = [
        *runs_of(codec, "plain (paper)", [4]),
        *runs_of(codec, "planned", [9]),
        *runs_of(codec, "planned", [9], **forced),
        *runs_of(codec, "planned", [9], length="forced", budget=80),
        *runs_of(codec, "plain", [9], **forced),
    ]
    made, samples = zip(*given, strict=True)
    found = compared(made, samples)
    assert [(r["length"], r["budget"], r["against"]) for r in found] == [
        ("normal", 100, "plain (paper)"),
        ("forced", 60, "plain"),
    ]
    assert [t["title"] for t in difference_tables(found)] == [
        "Difference from plain (paper), normal length",
        "Difference from plain, forced to 60 tokens",
    ]


def test_rows_without_a_training_seed_in_common_are_left_out(codec: Codec) -> None:
    (made, sample), (plain, other) = (runs_of(codec, k, [9])[0] for k in ("planned", "plain"))
    assert compared([made, plain], [replace(sample, seed=1), other]) == []
    assert len(compared([made, plain], [sample, other])) == 1


def test_tables_of_differences_by_hand() -> None:
    cells = {
        "order": {"value": 0.0508, "low": 0.012, "high": 0.094, "verdict": BETTER},
        "MM": {"value": -3.14, "low": -8.7, "high": 2.06, "verdict": ALIKE},
    }
    row = {"length": "forced", "budget": 64, "label": "planned, mean", "against": "plain",
           "pairs": 3, "documents": 128, "cells": cells}  # fmt: skip
    assert difference_tables([row]) == [
        {
            "title": "Difference from plain, forced to 64 tokens",
            "columns": ["", "n", "pairs", "measure", "difference", "95 % interval", "verdict"],
            "rows": [
                ["planned, mean", "128", "3", "in order", "+5.1", "[+1.2, +9.4]", "better"],
                ["planned, mean", "128", "3", "MM", "-3.1", "[-8.7, +2.1]", "not told apart"],
            ],
        }
    ]
    assert difference_tables([]) == []


def test_a_file_tells_training_seed_and_numbers(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"

    def lines(*documents: dict[str, Any]) -> tuple[int | None, list[int]]:
        file.write_text("\n\n".join(map(json.dumps, documents)))
        seed, numbers = origin_of(file)
        return seed, list(numbers)

    assert lines({"number": 7, "decoder": {"seed": 3}}, {"number": 5}) == (3, [7, 5])
    assert lines({"number": 7, "decoder": None}, {"number": 7}) == (None, [0, 1])
    assert lines({"decoder": {"seed": "x"}}, {"number": 7}) == (None, [0, 1])


def test_structure_has_a_row_for_each_way(
    corpus: Corpus, model: str, plain_run: str, section_run: str, bases: dict[str, str]
) -> None:
    ways = Ways(["bridge", "static"], ["normal", "40"], 3, OPTIONS, batch=2)
    models = [model, plain_run, section_run]
    found = structures(
        corpus, models=models, ways=ways, tokenizer=bases["gpt2"], window=200, place=HERE
    )
    checked(found, "structure", models)
    rows = [(r["label"], r["length"], r["budget"], r["documents"]) for r in found["rows"]]
    assert rows == [
        ("planned, bridge", "normal", 256, 3),
        ("planned, static", "normal", 256, 3),
        ("planned, bridge", "forced", 40, 3),
        ("planned, static", "forced", 40, 3),
        ("plain", "normal", 64, 3),
        ("plain", "forced", 40, 3),
        ("section-dense, retrieved", "normal", 256, 3),
        ("section-dense, retrieved", "forced", 40, 3),
    ]
    assert all(
        r["cells"]["tokens"]["value"] == 40 for r in found["rows"] if r["length"] != "normal"
    )
    assert found["settings"] == {
        "documents of each decoder and way": 3,
        **OPTIONS,
        "top_p": [0.9],
        "tokens counted by": bases["gpt2"],
        "training documents": 32,
        "window": 200,
    }
    assert (found["split"], found["documents"]) == ("train", 32)
    assert not (Path(model) / FILE).exists()  # no test document was looked at
    # a plain decoder has another window, so that normal lengths differ
    apart = [(r["label"], r["against"], r["budget"], r["pairs"]) for r in found["differences"]]
    assert apart == [
        ("planned, bridge", "plain", 40, 1),
        ("planned, static", "plain", 40, 1),
        ("section-dense, retrieved", "plain", 40, 1),
    ]
    cells = {r["label"]: r["cells"] for r in found["rows"] if r["length"] == "forced"}
    for row in found["differences"]:
        assert tuple(row["cells"]) == COMPARED
        for name, cell in row["cells"].items():
            value = cells[row["label"]][name]["value"] - cells["plain"][name]["value"]
            assert cell["value"] == pytest.approx(value)
            assert cell["low"] <= cell["high"]
            assert cell["verdict"] == ALIKE  # three documents
    assert found["tables"][-1]["title"] == "Difference from plain, forced to 40 tokens"
    assert len(found["tables"][-1]["rows"]) == 3 * len(COMPARED)
    assert found["note"] == NOTE + APART


def test_texts_that_are_kept_give_the_same_rows(
    corpus: Corpus, model: str, bases: dict[str, str], tmp_path: Path
) -> None:
    keep = tmp_path / "kept" / "here"
    ways = Ways(["bridge", "mean"], ["60"], 3, OPTIONS, folder=keep)
    options: dict[str, Any] = {"tokenizer": bases["gpt2"], "window": 200, "place": HERE}
    first = structures(corpus, models=[model], ways=ways, **options)
    files = sorted(keep.iterdir())
    assert [f.name for f in files] == ["planned-60-bridge.jsonl", "planned-60-mean.jsonl"]
    again = structures(corpus, files=files, **options)
    assert [r["cells"] for r in again["rows"]] == [r["cells"] for r in first["rows"]]
    assert [r["label"] for r in again["rows"]] == ["planned, bridge", "planned, mean"]
    assert again["settings"]["texts"] == [f.name for f in files]
    assert again["decoders"] == []
    assert first["differences"] == again["differences"] == []  # nothing is plain
    assert first["note"] == NOTE
    asked = {"against": "planned, mean", **options}
    (apart,) = structures(corpus, files=files, **asked)["differences"]
    assert (apart["label"], apart["pairs"], apart["documents"]) == ("planned, bridge", 1, 3)
    wrote = structures(corpus, models=[model], ways=ways, **asked)
    assert wrote["differences"] == [apart]
    assert wrote["settings"]["against"] == "planned, mean"
    assert "documents of each decoder and way" not in again["settings"]
    kept, decoder = read_texts(files[0]), Decoder.load(model, "cpu")
    assert kept.encoder == decoder.config["encoder"]["identity"]
    assert kept.smooth == decoder.settings.smooth == 5
    assert decoder.law is not None
    assert all(p is not None and p.shape[1] == decoder.law.dim for p in kept.plans)
    assert json.loads(files[0].read_text().splitlines()[0])["settings"]["seed"] == 2
    both = structures(corpus, models=[model], files=files[:1], ways=ways, **options)
    runs = [[run["run"] for run in row["runs"]] for row in both["rows"]]
    assert runs == [["planned", "planned-60-bridge"], ["planned"]]


def test_structure_refuses_before_anything_is_written(
    corpus: Corpus,
    model: str,
    bases: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*arguments: Any, **rest: Any) -> Any:
        raise AssertionError("something was written")

    monkeypatch.setattr("timecontrol.experiments.ways.write", never)
    options: dict[str, Any] = {"tokenizer": bases["gpt2"], "place": HERE}
    with pytest.raises(TimeControlError, match="Nothing to measure: give --model or --texts"):
        structures(corpus, **options)
    with pytest.raises(TimeControlError, match=r"No decoder at .*nowhere"):
        structures(corpus, models=[model, str(tmp_path / "nowhere")], **options)
    with pytest.raises(TimeControlError, match="of kind 'encoder', not 'decoder'"):
        structures(corpus, models=[model, f"{model}/{ENCODER}"], **options)
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    with pytest.raises(InputError, match=r"bad\.jsonl:1: no document"):
        structures(corpus, models=[model], files=[bad], **options)
    for length, message in (("long", "length is 'long'"), ("1", "length is 1 tokens")):
        with pytest.raises(TimeControlError, match=message):
            structures(corpus, models=[model], ways=Ways(lengths=["normal", length]), **options)


def test_a_row_that_is_not_there_costs_no_texts(
    corpus: Corpus, model: str, bases: dict[str, str], tmp_path: Path
) -> None:
    ways = Ways(["bridge"], ["30"], 2, OPTIONS, folder=tmp_path / "kept")
    options: dict[str, Any] = {"tokenizer": bases["gpt2"], "against": "plan", "place": HERE}
    message = "No row named 'plan'. There are: planned, bridge."
    found = structures(corpus, models=[model], ways=ways, **options)
    assert found["settings"]["against"] == message
    assert found["differences"] == []
    with pytest.raises(TimeControlError, match=message):
        structures(corpus, files=sorted((tmp_path / "kept").iterdir()), **options)
