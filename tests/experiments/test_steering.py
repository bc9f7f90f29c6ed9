"""Goals and waypoints given as texts, end to end, with a judge."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Ran
from tests.experiments.results import HERE, checked
from timecontrol.corpora import Corpus, Document
from timecontrol.corpora.documents import Section
from timecontrol.decoder import Decoder
from timecontrol.decoder.folder import ENCODER
from timecontrol.encoder import Encoder
from timecontrol.encoder.evaluations import FILE, count
from timecontrol.errors import TimeControlError
from timecontrol.experiments.steering import (
    NONE,
    Asked,
    Sight,
    Way,
    asked_of,
    compared,
    steerings,
    written,
)
from timecontrol.generation import Written
from timecontrol.generation.request import default_writing, plans_for

WAY = Way(4, "80", options={"seed": 2})


@pytest.fixture(scope="module")
def sight(judge: str, corpus: Corpus) -> Sight:
    """A judge, and the scale of its latents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMECONTROL_CACHE", str(Path(judge).parent / "cache"))
        return Sight.of(Encoder.load(judge, "cpu"), list(corpus.documents("train")))


def as_written(documents: Sequence[Document]) -> list[Written]:
    return [Written(i, d.sections, (), True, None) for i, d in enumerate(documents)]


def test_end_to_end(corpus: Corpus, model: str, judge: str, tmp_path: Path) -> None:
    way = replace(WAY, folder=tmp_path / "texts")
    found = steerings(corpus, models=[model], judge=judge, way=way, place=HERE)
    checked(found, "steering", [model])
    assert [(r["what"], r["share"], r["label"]) for r in found["rows"]] == [
        ("goal", 1.0, "planned"),
        ("waypoint", 0.5, "planned"),
    ]
    ends = {d.sentences[-1] for d in corpus.documents("val")}
    goal, _ = found["rows"]
    assert set(goal["texts"]) == ends
    assert goal["sentences"] == len(ends)
    for row, shown in zip(found["rows"], found["tables"], strict=True):
        assert row["documents"] + row["empty"] == 4
        for name in ("asked", "control", "sources"):
            cells = row[name]
            assert 0 <= cells["nearer"]["low"] <= cells["nearer"]["value"] <= 1
            m = row["sentences"]
            rank = 1 + (m - 1) * (1 - cells["nearer"]["value"])
            assert cells["rank"]["value"] == pytest.approx(rank)
        gain = row["asked"]["nearer"]["value"] - row["control"]["nearer"]["value"]
        assert row["gain"]["value"] == pytest.approx(gain)
        own, control, _ = shown["rows"]
        assert [r[0] for r in shown["rows"]] == ["planned", "planned, nothing asked", "sources"]
        assert own[2].startswith(f"{100 * row['asked']['nearer']['value']:.1f} [")
        assert control[2].startswith(f"{100 * row['control']['nearer']['value']:.1f} [")
    assert (found["split"], found["documents"]) == ("val", 4)
    assert "seed 5" in found["settings"]["judge"]
    assert found["settings"]["seed"] == 2
    assert found["settings"]["plans"] == ["bridge"]
    # the texts are those of generate with --goal, of the same number
    decoder = Decoder.load(model, "cpu")
    writing = default_writing(decoder, "80", seed=2)
    lines = (tmp_path / "texts" / "planned-goal.jsonl").read_text().splitlines()
    for number, line in enumerate(lines):
        kept = json.loads(line)
        (plan,) = plans_for(decoder, 1, writing, goal=goal["texts"][number], first=number)
        assert plan is not None
        assert kept["plan"]["about"]["goal"] == goal["texts"][number]
        np.testing.assert_allclose(kept["plan"]["points"], plan.points)
    assert sorted(p.stem for p in (tmp_path / "texts").iterdir()) == [
        "planned-goal",
        "planned-nothing",
        "planned-waypoint",
    ]
    nothing, middle = (
        [json.loads(line)["plan"] for line in (tmp_path / "texts" / file).read_text().splitlines()]
        for file in ("planned-nothing.jsonl", "planned-waypoint.jsonl")
    )
    assert [plan["points"] for plan in nothing] != [plan["points"] for plan in middle]
    assert [plan["number"] for plan in nothing] == [plan["number"] for plan in middle]


def test_asked_for_or_not_the_random_numbers_are_the_same(corpus: Corpus, model: str) -> None:
    decoder = Decoder.load(model, "cpu")
    writing = default_writing(decoder, "80", seed=2)
    asked = asked_of(list(corpus.documents("val")), "waypoint", 0.4, 2)
    texts = dict(written(model, decoder, writing, [asked], replace(WAY, count=3)))
    assert [t.number for t in texts[NONE]] == [t.number for t in texts["waypoint"]] == [0, 1, 2]
    plans = [t.plan for t in texts["waypoint"]]
    said = [plan.about["waypoints"] for plan in plans if plan is not None]
    assert said == [[[0.4, asked.texts[i]]] for i in (0, 1, 0)]  # over again


def test_documents_that_do_as_asked_are_nearest(corpus: Corpus, sight: Sight) -> None:
    """Texts that say the goal at their end win, and those that say another's lose."""
    documents = list(corpus.documents("train"))[:8]
    asked = asked_of(documents, "goal", 1.0, 8)
    obedient = [
        replace(d, sections=(*d.sections, Section(None, (text,) * 3)))
        for d, text in zip(asked.sources, asked.texts, strict=True)
    ]
    nothing = as_written(asked.sources[::-1])
    found = compared(asked, as_written(obedient), nothing, sight)
    assert found["asked"]["nearer"]["value"] == 1
    assert found["asked"]["rank"]["value"] == 1
    assert found["asked"]["margin"]["low"] > 0
    assert found["gain"]["low"] > 0
    turned = compared(asked, as_written(obedient[1:] + obedient[:1]), nothing, sight)
    assert turned["asked"]["nearer"]["high"] < 1


def test_what_is_read_at_a_place(corpus: Corpus, sight: Sight) -> None:
    documents = [d for d in corpus.documents("val") if len(d.sentences) > 5]
    path = next(iter(sight.encoder.paths(documents))) / sight.scale
    n, middle = len(path), round(0.5 * (len(path) - 1))
    np.testing.assert_allclose(sight.documents(documents, 1.0)[0], path[-3:].mean(0))
    np.testing.assert_allclose(
        sight.documents(documents, 0.5)[0], path[middle - 1 : middle + 2].mean(0)
    )
    np.testing.assert_allclose(
        sight.documents(documents, 1.0, without=True)[0], path[[n - 3, n - 2]].mean(0)
    )
    np.testing.assert_allclose(
        sight.documents(documents, 0.5, without=True)[0], path[[middle - 1, middle + 1]].mean(0)
    )


def test_the_scale_is_that_of_training_documents(corpus: Corpus, sight: Sight) -> None:
    whole = np.concatenate(list(sight.encoder.paths(corpus.documents("train")))) / sight.scale
    np.testing.assert_allclose(whole.std(0), 1)


def test_empty_documents_are_left_out(corpus: Corpus, sight: Sight) -> None:
    documents = list(corpus.documents("val"))
    asked = asked_of(documents, "goal", 1.0, 4)
    texts = as_written(documents)
    some = [replace(texts[0], sections=()), *texts[1:]]
    found = compared(asked, some, texts, sight)
    assert (found["documents"], found["empty"]) == (3, 1)
    with pytest.raises(TimeControlError, match="Nothing was written"):
        compared(asked, [replace(t, sections=()) for t in texts], texts, sight)


def test_sentences_are_asked_for_once_each(corpus: Corpus) -> None:
    documents = list(corpus.documents("val"))
    asked = asked_of([*documents, *documents], "goal", 1.0, 100)
    assert len(asked.texts) == len(set(asked.texts)) == len(asked.sources)
    for text, document in zip(asked.texts, asked.sources, strict=True):
        assert document.sentences[-1] == text
    assert len(asked_of(documents, "goal", 1.0, 2).texts) == 2
    with pytest.raises(TimeControlError, match="1 different sentences at 1 of the documents"):
        asked_of([documents[0]] * 3, "goal", 1.0, 9)


def test_a_request() -> None:
    goal = Asked("goal", 1.0, ["a", "b"], [])
    assert [goal.request(i) for i in (0, 1, 2)] == [{"goal": "a"}, {"goal": "b"}, {"goal": "a"}]
    assert Asked("waypoint", 0.3, ["a"], []).request(5) == {"waypoints": [(0.3, "a")]}


def test_looks_at_test_documents_are_written_down(corpus: Corpus, model: str, judge: str) -> None:
    options: dict[str, Any] = {"judge": judge, "way": replace(WAY, count=2, length="20")}
    found = steerings(corpus, models=[model], split="test", what="goal", place=HERE, **options)
    assert count(Path(model)) == 1
    line = json.loads((Path(model) / FILE).read_text())
    assert line["what"] == "evaluate steering"
    assert line["numbers"] == {"goal": found["rows"][0]["asked"]["nearer"]}
    assert "waypoint at" not in found["settings"]


def test_what_cannot_be_judged_is_refused(
    corpus: Corpus, model: str, plain_run: str, section_run: str, judge: str
) -> None:
    with pytest.raises(TimeControlError, match="The judge is the encoder that planned"):
        steerings(corpus, models=[model], judge=f"{model}/{ENCODER}", way=WAY, place=HERE)
    for name in (plain_run, section_run):
        with pytest.raises(TimeControlError, match="has no encoder; goals and waypoints"):
            steerings(corpus, models=[model, name], judge=judge, way=WAY, place=HERE)
    with pytest.raises(TimeControlError, match="share is 1: of a document, between 0 and 1"):
        steerings(corpus, models=[model], judge=judge, share=1, way=WAY, place=HERE)
    with pytest.raises(TimeControlError, match="named 'end'"):
        steerings(corpus, models=[model], judge=judge, what="end", way=WAY, place=HERE)


def test_as_it_is_typed(
    timecontrol: Callable[..., Ran], corpus: Corpus, model: str, judge: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    asked = ("evaluate", "steering", corpus.name, "--judge", judge, "--device", "cpu")
    ran = timecontrol(
        *asked, "--model", model, "--what", "waypoint", "--share", "0.4", "-n", "2", "--length",
        "80", "--plan", "linear", "--top-p", "0.8", "--seed", "3", "--batch-size", "1",
        "--out", str(out),
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    found = json.loads((out / "steering.json").read_text())
    (row,) = found["rows"]
    assert (row["what"], row["share"], row["sentences"]) == ("waypoint", 0.4, 2)
    settings = found["settings"]
    assert (settings["top_p"], settings["seed"], settings["plans"]) == ([0.8], 3, ["linear"])
    assert settings["waypoint at"] == 0.4
    page = (out / "steering.md").read_text()
    assert "| planned, nothing asked | 2 | " in page
    assert "planned, nothing asked" in ran.out
    wrong = timecontrol(*asked, "--model", model, "--plan", "brigde")
    assert (wrong.code, wrong.out) == (2, "")
    assert "Did you mean 'bridge'?" in wrong.err
    assert "No decoder: give --model RUN" in timecontrol(*asked).err
