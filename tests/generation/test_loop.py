from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from timecontrol.decoder import Decoder
from timecontrol.decoder.alignment import stage_index
from timecontrol.errors import TimeControlError
from timecontrol.generation import Writing, Written, stream, write
from timecontrol.generation.loop import Loop, choose, read
from timecontrol.generation.request import default_kind, default_writing, plans_for
from timecontrol.generation.write import schedule_of
from timecontrol.plans import Plan

FOLLOWS = pytest.mark.parametrize("follow", ["budget", "sentences"])


@pytest.fixture(scope="module")
def decoder(decoder_run: Path) -> Decoder:
    return Decoder.load(decoder_run, device="cpu")


def leaning(run: Path, unit: float, tag: float) -> Decoder:
    """Return the decoder with a liking for ends of sentences and for tags."""
    found = Decoder.load(run, device="cpu")
    old: Any = found.model.lm.get_output_embeddings()
    head = torch.nn.Linear(old.in_features, old.out_features).requires_grad_(False)
    head.weight.copy_(old.weight)
    head.bias.zero_()
    head.bias[found.codec.unit_end] = unit
    head.bias[found.model.config.tags] = tag
    found.model.lm.set_output_embeddings(head)
    return found


@pytest.fixture(scope="module")
def brisk(decoder_run: Path) -> Decoder:
    """The same decoder, but that it likes to end its sentences, and its sections."""
    return leaning(decoder_run, 3.0, 2.0)


@pytest.fixture(scope="module")
def untagged(decoder_run: Path) -> Decoder:
    """One that never begins a section."""
    return leaning(decoder_run, 3.0, -99.0)


def plan(decoder: Decoder, number: int = 0, kind: str = "bridge") -> Plan:
    found = plans_for(decoder, 1, default_writing(decoder, "normal"), kind=kind, first=number)[0]
    assert found is not None
    return found


def looped(
    decoder: Decoder, count: int = 3, batch: int = 8, length: str = "48", **how: Any
) -> list[Written]:
    writing = default_writing(decoder, length, **{"loop": True, **how})
    plans = plans_for(decoder, count, writing, kind="bridge")
    return list(write(decoder, plans, writing, batch=batch))


@FOLLOWS
def test_without_planning_anew_one_candidate_is_the_open_loop(
    brisk: Decoder, follow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Loop, "take", lambda *_: None)
    closed, opened = (
        looped(brisk, length="96", follow=follow, loop=loop) for loop in (True, False)
    )
    assert [(w.ids, w.units) for w in closed] == [(w.ids, w.units) for w in opened]
    for a, b in zip(closed, opened, strict=True):
        assert a.plan is not None
        assert b.plan is not None
        np.testing.assert_array_equal(a.plan.points, b.plan.points)


def test_a_plan_that_is_only_chosen_by_stays_as_it_was(brisk: Decoder) -> None:
    """Candidates without the loop: the drawn plan is followed, and other sentences are kept."""
    how: dict[str, Any] = {"length": "96", "likelihood": 0.0}
    some, one = (looped(brisk, loop=False, candidates=k, **how) for k in (4, 1))
    assert [w.ids for w in some] != [w.ids for w in one]
    for a, b in zip(some, one, strict=True):
        assert a.plan is not None
        assert b.plan is not None
        np.testing.assert_array_equal(a.plan.points, b.plan.points)


@FOLLOWS
def test_the_plan_of_what_is_to_come_changes_with_what_was_written(
    brisk: Decoder, follow: str
) -> None:
    closed, opened = (
        looped(brisk, 1, length="96", follow=follow, loop=loop)[0] for loop in (True, False)
    )
    assert closed.plan is not None
    assert opened.plan is not None
    np.testing.assert_array_equal(closed.plan.points[0], opened.plan.points[0])
    assert not np.allclose(closed.plan.points[-1], opened.plan.points[-1])


def test_what_is_written_in_no_stage_teaches_nothing_of_those_to_come(untagged: Decoder) -> None:
    """No section begins, and the plan waits, or goes on without the text."""
    closed, opened = (looped(untagged, length="96", loop=loop) for loop in (True, False))
    assert [(w.ids, w.units) for w in closed] == [(w.ids, w.units) for w in opened]
    for text, other in zip(closed, opened, strict=True):
        assert text.plan is not None
        assert other.plan is not None
        assert text.units is not None
        assert set(text.units) == {0}
        np.testing.assert_array_equal(text.plan.points, other.plan.points)
    each, others = (
        looped(untagged, length="96", follow="sentences", loop=loop) for loop in (True, False)
    )
    for text, other in zip(each, others, strict=True):
        assert text.plan is not None
        assert other.plan is not None
        assert not np.allclose(text.plan.points, other.plan.points)


@FOLLOWS
@pytest.mark.parametrize("candidates", [1, 3])
def test_a_text_does_not_depend_on_what_is_written_beside_it(
    brisk: Decoder, candidates: int, follow: str
) -> None:
    how: dict[str, Any] = {"length": "96", "candidates": candidates, "follow": follow}
    together, apart = (looped(brisk, batch=batch, **how) for batch in (8, 1))
    assert [w.ids for w in together] == [w.ids for w in apart]


def learnt(decoder: Decoder, text: Written, writing: Writing) -> list[int]:
    """The rows of sentences with words that are not behind their plan, sentence by sentence."""
    assert text.plan is not None
    ids, starts, marks = torch.tensor([text.ids]), text.plan.starts, decoder.model.config.boundaries
    schedule = schedule_of(decoder, [text.plan], writing)
    rows = decoder.model.rows(ids, schedule)[0].tolist()
    stages = stage_index(ids, decoder.model.config.tags)[0].tolist()
    found, unit = [], []
    for place, token in enumerate(text.ids[1:], 1):
        unit.append(token)
        if token not in marks and place < len(text.ids) - 1:
            continue
        last = place - (token in marks)
        waits = stages[last] < len(starts) and rows[last] >= starts[stages[last]]
        if read(decoder, [unit])[0] is not None and not (schedule is not None and waits):
            found.append(rows[last])
        unit = []
    return found


@FOLLOWS
@pytest.mark.parametrize("length", ["96", "normal"])
@pytest.mark.parametrize("candidates", [1, 3])
def test_what_is_learnt_is_of_the_points_that_sentences_were_written_along(
    brisk: Decoder, candidates: int, length: str, follow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    take = Loop.take

    def spy(self: Loop, row: int, latent: Any) -> None:
        taken.append(row)
        take(self, row, latent)

    monkeypatch.setattr(Loop, "take", spy)
    writing = default_writing(brisk, length, loop=True, candidates=candidates, follow=follow)
    writing, seen = replace(writing, budget=96), set()
    for number in range(3):
        taken.clear()
        given = plans_for(brisk, 1, writing, kind="bridge", first=number)
        (text,) = write(brisk, given, writing, first=number)
        assert taken == sorted(taken)
        assert taken == learnt(brisk, text, writing)
        seen |= {(number, row) for row in taken}
    assert len(seen) > 3


def test_in_the_loop_too_a_plan_is_followed_by_the_budget_or_it_is_not(brisk: Decoder) -> None:
    for length in ("96", "normal"):
        some, others = (
            looped(brisk, 4, length=length, follow=follow) for follow in ("budget", "sentences")
        )
        assert [w.ids for w in some] != [w.ids for w in others]
        for text in some:
            assert text.plan is not None
            assert text.units is not None
            assert len(text.plan.pace) == len(text.plan) >= max(text.units)
        assert any(len(w.plan or ()) < max(w.units or (0,)) for w in others)


def test_a_plan_waits_at_its_next_stage_for_a_text_that_has_not_begun_it(
    decoder: Decoder,
) -> None:
    """Stages begin at 0, 2 and 5."""
    own = plan(decoder)
    assert own.track is not None
    spread = own.track.spread()
    loop = Loop(replace(own, starts=(0, 2, 5)), spread)
    behind = {(row, stage) for row in range(8) for stage in range(5) if loop.behind(row, stage)}
    expected = {(row, 0) for row in range(8)}  # before the first tag
    expected |= {(row, 1) for row in range(2, 8)} | {(row, 2) for row in range(5, 8)}
    assert behind == expected
    free = Loop(replace(own, starts=()), spread)
    assert not any(free.behind(row, stage) for row in range(8) for stage in range(5))


def test_what_is_planned_anew_keeps_its_pace(decoder: Decoder) -> None:
    for closed, opened in zip(looped(decoder), looped(decoder, loop=False), strict=True):
        assert closed.plan is not None
        assert opened.plan is not None
        assert closed.plan.pace == opened.plan.pace
        assert closed.plan.starts == opened.plan.starts


def test_candidates_that_are_nearer_the_plan_are_kept(decoder: Decoder) -> None:
    def distance(texts: list[Written]) -> float:
        found: list[float] = []
        for text in texts:
            assert text.plan is not None
            assert text.units is not None
            if text.units:  # the small model does not always write a sentence
                latents = decoder.encoder.encode(list(text.sentences))  # type: ignore[union-attr]
                rows = [min(u, len(text.plan) - 1) for u in text.units]
                apart = (np.asarray(latents) - text.plan.points[rows]) ** 2
                found += apart.mean(1).tolist()
        return float(np.mean(found))

    one = distance(looped(decoder, 32, nearness=1.0))
    many = distance(looped(decoder, 32, candidates=8, likelihood=0.0))
    assert many < one


def test_density_is_largest_on_the_plan_and_falls_with_distance(decoder: Decoder) -> None:
    own = plan(decoder)
    assert own.track is not None
    loop = Loop(own, own.track.spread())
    on = own.points[1]
    assert loop.density(1, on) == 0 > loop.density(1, on + 0.1) > loop.density(1, on + 1)
    assert loop.density(len(own) + 5, own.points[-1]) == 0  # past the end, the last point holds


def test_a_second_sentence_along_a_point_teaches_nothing(decoder: Decoder) -> None:
    own = plan(decoder)
    assert own.track is not None
    loop = Loop(own, own.track.spread())
    for row in (0, 2):  # a point may be skipped
        before = loop.plan
        loop.take(row, own.points[row] + 2.0)
        assert loop.plan is not before
        kept = loop.plan
        loop.take(row, own.points[row] - 5.0)
        assert loop.plan is kept
    once = Loop(own, own.track.spread())
    for row in (0, 2):
        once.take(row, own.points[row] + 2.0)
    np.testing.assert_array_equal(loop.plan.points, once.plan.points)


def test_only_what_is_to_come_is_planned_anew(decoder: Decoder) -> None:
    own = plan(decoder)
    assert own.track is not None
    loop = Loop(own, own.track.spread())
    loop.take(1, own.points[1] + 2.0)
    np.testing.assert_array_equal(loop.plan.points[:2], own.points[:2])
    assert not np.allclose(loop.plan.points[2], own.points[2])
    kept = loop.plan
    loop.take(len(own), own.points[0])
    assert loop.plan is kept


def test_units_without_a_word_have_no_latent(decoder: Decoder) -> None:
    codec = decoder.codec
    words = codec.tokenizer(" The town is old.", add_special_tokens=False)["input_ids"]
    found = read(decoder, [[codec.unit_end], [*words, codec.unit_end], []])
    assert found[0] is found[2] is None
    assert found[1] is not None
    expected = decoder.encoder.encode(["The town is old."])  # type: ignore[union-attr]
    np.testing.assert_allclose(found[1], np.asarray(expected)[0], atol=1e-5)
    assert read(decoder, [[]]) == [None]


def test_what_cannot_be_looped_is_said(decoder: Decoder, plain_run: str) -> None:
    writing = default_writing(decoder, "48", loop=True)
    with pytest.raises(TimeControlError, match="of kind 'static' does not know how far"):
        list(write(decoder, plans_for(decoder, 1, writing, kind="static"), writing))
    with pytest.raises(TimeControlError, match="no --stream with --loop"):
        stream(decoder, plan(decoder), writing, lambda *_: None)
    plain = Decoder.load(plain_run, device="cpu")
    with pytest.raises(TimeControlError, match="without plans"):
        list(write(plain, [None], default_writing(plain, "48", loop=True)))
    for how in ({"loop": True}, {"loop": False, "candidates": 2}):
        with pytest.raises(TimeControlError, match="no --candidates with --beams"):
            replace(writing, beams=2, **how)
        with pytest.raises(TimeControlError, match="no --candidates and no --beams with it"):
            replace(writing, guidance=1.0, **how)
        with pytest.raises(TimeControlError, match="not in the loop, with candidates"):
            list(write(decoder, [plan(decoder)], replace(writing, ordered=True, **how)))


def test_the_first_candidate_alone_decides_whether_a_document_ends(decoder: Decoder) -> None:
    own = plan(decoder)
    codec = decoder.codec
    words = codec.tokenizer(" The town is old.", add_special_tokens=False)["input_ids"]
    told, ends = [*words, codec.unit_end], [codec.end]

    def kept(*units: list[int]) -> int:
        assert own.track is not None
        found: list[int] = []
        step: Any = SimpleNamespace(
            wrote=torch.tensor([len(u) for u in units]),
            out=torch.tensor([u + [0] * (20 - len(u)) for u in units]),
            done=torch.tensor([u == ends for u in units]),
            told=torch.zeros(len(units), dtype=torch.long),
            surprise=torch.full((len(units),), 0.1),
            stage=torch.zeros(len(units), dtype=torch.long),
            schedule=None,
            at=torch.zeros(len(units)),
            token=torch.zeros(len(units), 1),
            follow=lambda to, source: found.extend(source.tolist()),
            go_on=lambda rows: None,
        )
        loop = Loop(own, own.track.spread())
        writing = default_writing(decoder, "normal", loop=True, candidates=len(units))
        choose(decoder, step, [loop], [0], writing)
        assert loop.over == (found[0] == 0 and units[0] == ends)
        return found[0]

    assert kept(ends, told) == 0
    assert kept(told, ends) == 0
    assert kept([codec.unit_end], told, ends) == 1  # a mark without a word is never wanted


@pytest.mark.parametrize("stage", [0, 1])
@pytest.mark.parametrize("told", [True, False], ids=["by tokens and tags", "by sentences"])
def test_a_sentence_is_learnt_from_unless_the_plan_waits(
    decoder: Decoder, stage: int, told: bool
) -> None:
    """Before the first tag it does, where it is told by tags."""
    own, codec = plan(decoder), decoder.codec
    assert own.track is not None
    assert own.starts[:2] == (0, 1)
    words = codec.tokenizer(" The town is old.", add_special_tokens=False)["input_ids"]
    unit = [*words, codec.unit_end]
    step: Any = SimpleNamespace(
        wrote=torch.tensor([len(unit)]),
        out=torch.tensor([unit]),
        done=torch.tensor([False]),
        told=torch.tensor([0]),
        surprise=torch.tensor([0.1]),
        stage=torch.tensor([stage]),
        schedule=object() if told else None,
        at=torch.zeros(1),
        token=torch.zeros(1, 1),
        go_on=lambda rows: None,
    )
    loop = Loop(own, own.track.spread())
    changed = choose(decoder, step, [loop], [0], default_writing(decoder, "normal", loop=True))
    waits = told and stage == 0
    assert changed == ([] if waits else [0])
    assert (loop.plan is own) == waits
    assert loop.start == len(unit)


def test_old_decoders_have_no_loop(decoder: Decoder) -> None:
    assert decoder.law is not None
    old = replace(decoder, law=replace(decoder.law, fitted=False))
    assert default_kind(old) == "bridge-brownian"
    writing = default_writing(old, "48", loop=True)
    with pytest.raises(TimeControlError, match="train it anew"):
        list(write(old, [plan(decoder)], writing))
