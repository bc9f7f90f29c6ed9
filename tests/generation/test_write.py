import importlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats
from torch import Tensor
from transformers import TopPLogitsWarper

from tests.conftest import tiny_gpt2, tiny_llama
from tests.decoder.test_alignment import naive
from tests.generation.examples import (
    SENTENCES,
    TOKENS,
    like,
    logits_of,
    made,
    paced,
    path,
    plans,
    schedule_for,
    staged,
    written,
)
from timecontrol.corpora.documents import Section
from timecontrol.corpora.layout import DIALOGUE, HOWTO, RECIPE, STORY
from timecontrol.decoder import Decoder
from timecontrol.decoder.alignment import is_boundary
from timecontrol.decoder.examples import plan_batch
from timecontrol.decoder.lora import adapt
from timecontrol.errors import TimeControlError
from timecontrol.generation import Writing, Written, packed, stream, write
from timecontrol.generation.grouped import NAME
from timecontrol.generation.noise import uniforms
from timecontrol.generation.processors import Keyed
from timecontrol.generation.sampling import choose, draws_for
from timecontrol.generation.units import units_of
from timecontrol.generation.write import filled, finish, plain_attention, schedule_of
from timecontrol.plans import Plan
from timecontrol.progress import Advance
from timecontrol.vocabulary import tag_text

BATCHES = [1, 3, 5, 16]


def ids(documents: Sequence[Written]) -> list[tuple[int, ...]]:
    return [document.ids for document in documents]


@contextmanager
def threads(n: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@pytest.fixture(params=[True, False], ids=["laid out", "as they are"])
def weights(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of computing linear layers on a CPU."""
    if not request.param:
        monkeypatch.setattr(packed, "alike", lambda: False)
    elif not packed.alike():
        pytest.skip("oneDNN is not there, or does not round rows alike")


@pytest.mark.usefixtures("weights")
@pytest.mark.parametrize("how", [{}, {"length": "forced"}, {"stop": "plan"}, {"beams": 2}])
def test_a_text_does_not_depend_on_its_batch(talker: Decoder, how: dict[str, Any]) -> None:
    given = [*plans(8), *staged(8)]
    first, *others = [written(talker, given, batch=b, **how) for b in BATCHES]
    assert len(set(ids(first))) > 4
    for other in others:
        assert other == first


@pytest.mark.usefixtures("weights")
def test_nor_on_the_number_of_threads(talker: Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by luck: the scores are the same to the last bit.

    Two threads share the rows of a product; what one of them is left with must not round otherwise.
    """
    given, how = plans(6), {"length": "forced", "budget": 5}
    expected = ids(written(talker, given, batch=1, **how))
    seen: list[Tensor] = []
    choose = Keyed.__call__

    def spy(self: Keyed, input_ids: Tensor, scores: Tensor) -> Tensor:
        seen.append(scores.clone())
        return choose(self, input_ids, scores)

    monkeypatch.setattr(Keyed, "__call__", spy)
    scores = {}
    with threads(2):
        for batch in (1, 3, 6):
            seen.clear()
            some = [0, 5] if batch == 1 else range(0, 6, batch)
            for first in some:
                found = ids(written(talker, given[first : first + batch], first=first, **how))
                assert found == expected[first : first + batch]
            scores[batch] = seen[:4], seen[-4:]
    for batch in (1, 3):
        for step in range(4):
            assert torch.equal(scores[batch][0][step][0], scores[6][0][step][0])
            last = 2 if batch == 3 else 0
            assert torch.equal(scores[batch][1][step][last], scores[6][1][step][5])


@pytest.mark.parametrize("documents", range(1, 10))
@pytest.mark.parametrize("of", [1, 2, 4])
def test_rows_on_a_cpu_are_filled_up(
    documents: int, of: int, talker: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("timecontrol.generation.write")
    monkeypatch.setattr(module, "rows_alike", lambda model: of)
    rows = filled(documents, talker.model)
    assert len(rows) % of == 0
    assert len(rows) < documents + of
    assert rows[:documents] == list(range(documents))
    assert set(rows) == set(range(documents))
    assert filled(documents, talker.model, exact=False) == list(range(documents))
    elsewhere: Any = SimpleNamespace(device=torch.device("meta"))
    assert filled(documents, elsewhere) == list(range(documents))


SHAPES: dict[str, Any] = {
    "llama, 40 and 72 wide": lambda n: tiny_llama(n, hidden=40, inner=72),
    "llama, 36 and 90 wide": lambda n: tiny_llama(n, hidden=36, inner=90),
    "gpt2, 72 wide inside": lambda n: tiny_gpt2(n, inner=72),
    "with adapters": tiny_llama,
}


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_odd_shapes_are_computed_alike_too(
    shape: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit: layers that fill no whole vectors, and matrices in other layers."""
    decoder = made(SHAPES[shape])
    for part in decoder.model.lm.parameters():
        if part.ndim == 2:
            part.mul_(8)  # so that GELU and SiLU have something to round
    if shape == "with adapters":
        peft: Any = adapt(decoder.model, 4, sorted(decoder.codec.tag_ids.values()))
        for name, part in peft.named_parameters():
            if "lora_B" in name or "trainable_tokens" in name:
                torch.nn.init.normal_(part, std=0.3, generator=torch.Generator().manual_seed(0))
        peft.eval()
    seen: list[Tensor] = []

    def spy(scores: Tensor, *rest: Any) -> Tensor:
        seen.append(scores.clone())  # (rows, vocabulary)
        return choose(scores, *rest)

    for name in ("processors", "fast"):
        monkeypatch.setattr(
            importlib.import_module(f"timecontrol.generation.{name}"), "choose", spy
        )
    among: list[Tensor] = []
    for documents in (16, 1, 2, 3, 5):
        seen.clear()
        written(decoder, plans(documents, 3), length="forced", budget=16, batch=16, fast=fast)
        among = among or list(seen)
        for here, there in zip(seen, among, strict=True):
            assert torch.equal(here[:documents], there[:documents])


def test_a_document_alone_is_the_same_as_among_others(talker: Decoder) -> None:
    given = plans(8)
    whole = written(talker, given)
    alone = written(talker, [given[5]], first=5)
    assert alone == whole[5:6]
    assert alone[0].number == 5
    assert [document.number for document in written(talker, given[:3], first=40)] == [40, 41, 42]
    assert ids(written(talker, [given[5]], first=6)) != ids(whole[5:6])


def test_the_seed_makes_the_text_and_nothing_else_random_does(talker: Decoder) -> None:
    given = plans(4)
    torch.manual_seed(0)
    before = torch.get_rng_state()
    first = ids(written(talker, given, seed=1))
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(1)
    assert ids(written(talker, given, seed=1)) == first
    assert ids(written(talker, given, seed=2)) != first


def test_the_plan_makes_the_text(talker: Decoder) -> None:
    one, other = Plan(path(4, 1)), Plan(path(4, 2))
    assert ids(written(talker, [one])) != ids(written(talker, [other]))


@pytest.mark.parametrize("how", [{}, {"stop": "plan"}, {"length": "forced"}])
def test_plans_of_different_lengths_beside_each_other(talker: Decoder, how: dict[str, Any]) -> None:
    """The shorter are filled with zeros in a batch; nobody may see them."""
    given: list[Plan | None] = [Plan(path(n, n)) for n in (1, 9, 2, 5)]
    together = written(talker, given, **how)
    alone = [written(talker, [plan], first=i, **how)[0] for i, plan in enumerate(given)]
    assert together == alone


@pytest.mark.parametrize("beams", [1, 2])
@pytest.mark.parametrize("how", [{}, {"stop": "plan"}, {"length": "forced"}])
def test_plans_that_know_their_pace_and_stages_beside_others_that_do_not(
    talker: Decoder, how: dict[str, Any], beams: int
) -> None:
    """A text does not depend on what is written beside it, and is not told when others are due."""
    given = [p for some in zip(plans(3), paced(3), staged(3), strict=True) for p in some]
    given += [Plan(path(1)), Plan(path(9, 1), starts=(0, 2, 5, 8))]
    how = {**how, "beams": beams}
    together = written(talker, given, **how)
    alone = [written(talker, [plan], first=i, **how)[0] for i, plan in enumerate(given)]
    assert together == alone


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("how", [{}, {"stop": "plan"}, {"length": "forced"}])
def test_a_plan_is_followed_by_the_budget_or_it_is_not(
    talker: Decoder, how: dict[str, Any], fast: bool
) -> None:
    """By tokens, by its pace and by its stages, or as if it had none."""

    def found(given: list[Plan | None], follow: str) -> list[tuple[int, ...]]:
        return ids(written(talker, given, follow=follow, fast=fast, **how))

    every = (plans(5, 7), paced(5, 7), staged(5, 7))
    bare, pace, stages = (found(given, "budget") for given in every)
    each, *others = (found(given, "sentences") for given in every)
    assert others == [each, each]
    for one, other in combinations([bare, pace, stages, each], 2):
        assert one != other
    if how.get("length") == "forced":  # of one point, which holds
        assert found(plans(5, 1), "budget") == found(plans(5, 1), "sentences")


def test_when_points_are_due_in_a_text(talker: Decoder, plain: Decoder) -> None:
    """A forced length is filled; others are as the plan says, or sentences are, but not longer."""
    bare, own = Plan(path(5)), Plan(path(3), pace=(4.0, 8.0, 6.0), starts=(0, 2))
    usual = 5 * TOKENS / SENTENCES
    assert talker.law is not None
    assert (talker.law.tokens, talker.law.sentences) == (TOKENS, SENTENCES)
    for how, budgets in (
        ({"length": "forced", "budget": 60}, (60, 60)),
        ({"budget": 60}, (usual, 18)),
        ({"budget": 30}, (30, 18)),
        ({"budget": 12}, (12, 12)),
    ):
        found = schedule_of(talker, [bare, own], Writing(**how))
        assert found is not None
        for row, (plan, budget) in enumerate(zip((bare, own), budgets, strict=True)):
            expected = [*plan.due(budget), np.inf, np.inf][:5]
            torch.testing.assert_close(found.due[row], torch.tensor(expected).float())
        assert found.low.tolist() == [[0, 0, 0], [0, 0, 2]]
        assert schedule_of(talker, [own], Writing(**how, follow="sentences")) is None
        assert schedule_of(plain, [own], Writing(**how)) is None
    opened = made(layout=DIALOGUE, form="paper")
    assert schedule_of(opened, [own], Writing()) is None


@pytest.mark.parametrize("how", [{}, {"stop": "plan"}, {"length": "forced"}])
@pytest.mark.parametrize("tag", [-9.0, 2.5, 6.0], ids=["no tags", "some", "many"])
def test_every_sentence_has_the_row_of_the_law(tag: float, how: dict[str, Any]) -> None:
    decoder = made(likes={"unit": 5.5, "tag": tag})
    codec, taken = decoder.codec, 0
    given: list[Plan | None] = [*staged(6, 6), *plans(2)]
    for document in written(decoder, given, fast=True, budget=64, **how):
        plan = document.plan
        assert plan is not None
        usual = sum(plan.pace) or len(plan) * TOKENS / SENTENCES
        due = plan.due(64 if how.get("length") == "forced" else min(usual, 64))
        law = naive(
            document.ids, due.tolist(), plan.starts, codec.unit_end, [*codec.tag_ids.values()]
        )
        assert document.units == units_of(codec, document.ids, [row for _, _, row in law])
        taken += any(row > now for now, _, row in law)
    assert (taken > 0) == (tag > 0)


@pytest.mark.parametrize("fast", [False, True])
def test_where_tags_open_a_unit_a_plan_has_a_point_each(fast: bool) -> None:
    decoder = made(layout=DIALOGUE, form="paper", likes={"tag": 4.0, "unit": -9.0})
    some, others = (
        written(decoder, staged(4, 3), follow=follow, length="forced", fast=fast)
        for follow in ("budget", "sentences")
    )
    assert [(w.ids, w.units) for w in some] == [(w.ids, w.units) for w in others]


def test_a_sentence_has_the_point_that_is_due(talker: Decoder) -> None:
    """Five points of 4, 4, 8, 4 and 4 tokens, due after 2, 6, 12 and 18 of 24, the end after 22."""
    codec, plan = talker.codec, Plan(path(5), pace=(4, 4, 8, 4, 4))
    a, mark = codec.tokenizer.encode(" a", add_special_tokens=False), codec.unit_end
    assert len(a) == 1

    def units(*lengths: int, **how: Any) -> tuple[int, ...] | None:
        """Of sentences of so many tokens with their marks, the first with the begin token."""
        text = [token for n in lengths for token in a * (n - 1) + [mark]]
        whole = [codec.begin, *text[1:]]
        writing = Writing(**{"budget": 24, **how})
        return finish(talker, whole, plan, 0, writing).units

    for how in ({"length": "forced"}, {}, {"budget": 999}):  # the budget, or what the plan says
        assert units(4, 4, 8, 4, 4, **how) == (0, 1, 2, 3, 4)
        assert units(6, 6, 6, 6, **how) == (0, 2, 3, 4)
        assert units(11, 2, 11, **how) == (0, 2, 3)
        assert units(*[3] * 8, **how) == (0, 1, 2, 2, 3, 3, 4, 4)
        assert units(*[8] * 5, **how) == (0, 2, 3, 5, 5)  # after its end
        assert units(11, 2, 11, **how, follow="sentences") == (0, 1, 2)
        assert units(*[3] * 8, **how, follow="sentences") == (0, 1, 2, 3, 4, 5, 6, 7)
    assert units(*[3] * 8, length="forced", budget=48) == (0, 0, 1, 1, 2, 2, 2, 2)
    assert units(*[3] * 8, budget=12) == (0, 2, 3, 4, 5, 5, 5, 5)
    assert units(*[3] * 8, budget=12, stop="plan") == (0, 2, 3, 4)


def test_a_stage_that_is_early_takes_the_plan_along_and_none_is_left_out(
    talker: Decoder,
) -> None:
    """Six points of three tokens each; the title is the first, directions begin with the fifth."""
    codec, mark = talker.codec, talker.codec.unit_end
    title, parts, steps = codec.tag_ids.values()
    (a,) = codec.tokenizer.encode(" a", add_special_tokens=False)
    plan = Plan(path(6), pace=(3.0,) * 6, starts=(0, 1, 4))

    def units(*tags: int | None, stop: str = "end") -> tuple[int, ...] | None:
        """Of sentences of a word, with these tags before them or one word more."""
        text = [token for tag in tags for token in (tag or a, a, mark)]
        return finish(talker, [codec.begin, *text], plan, 0, Writing(stop=stop)).units

    assert units(title, parts, None, None, steps, None) == (0, 1, 2, 3, 4, 5)
    assert units(title, None, None, None, parts, None, steps) == (0, 1, 2, 3, 4, 5, 6)
    assert units(title, *[None] * 5, parts, None, steps) == (0, 1, 2, 3, 3, 3, 6, 6, 6)
    assert units(title, steps, parts, parts, None, None, None) == (0, 1, 4, 4, 4, 5, 6)
    assert units(title, *[title] * 5) == (0, 1, 2, 3, 3, 3)  # it was said before
    assert units(None, None, None) == (0, 0, 0)  # not even its first
    assert units(title, parts, steps, title, parts) == (0, 1, 4, 4, 4)  # more than it has
    last = (title, parts, steps, *[None] * 6)
    assert units(*last) == (0, 1, 4, 4, 4, 5, 6, 6, 6)
    assert units(*last, stop="plan") == (0, 1, 4, 4, 4, 5)
    late = (title, *[None] * 9)
    assert units(*late) == units(*late, stop="plan") == (0, 1, 2, *[3] * 7)


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(("likes", "points"), [(3.0, 12), (7.0, 4)], ids=["long", "short"])
def test_long_sentences_come_to_the_end_of_a_plan_and_short_ones_do_not_run_out_of_it(
    likes: float, points: int, fast: bool
) -> None:
    """It is over when the text is, or half a sentence of the plan before."""
    decoder = made(likes={"unit": likes})
    given: list[Plan | None] = [*plans(8, points), *paced(8, points)]
    how: dict[str, Any] = {"length": "forced", "budget": 60, "fast": fast}
    last = {}
    for follow in ("budget", "sentences"):
        found = []
        for text in written(decoder, given, follow=follow, **how):
            assert text.units is not None
            assert list(text.units) == sorted(text.units)
            found.append(max(text.units))
        last[follow] = found
    assert points - 1 <= max(last["budget"]) <= points
    if points == 12:
        assert max(last["sentences"]) < points - 1
        assert np.mean(last["budget"]) > np.mean(last["sentences"])
    else:
        assert min(last["budget"]) >= points - 1
        assert min(last["sentences"]) >= points


@pytest.mark.parametrize("given", [plans(8), paced(8), staged(8)], ids=["alike", "paced", "staged"])
@pytest.mark.parametrize("follow", ["budget", "sentences"])
@pytest.mark.parametrize("temperature", [0, 1])
@pytest.mark.parametrize("length", ["normal", "forced"])
def test_tokens_follow_from_what_the_model_thinks_in_training(
    talker: Decoder, length: str, temperature: float, follow: str, given: list[Plan | None]
) -> None:
    """Step by step with a cache is the same as the whole text at once, its plan beside it.

    After a forced document's plan its last point holds; a normal document is told that it is over.
    """
    forced, beyond = length == "forced", 0
    how = {"length": length, "temperature": temperature, "top_p": 0.9, "seed": 5}
    for document in written(talker, given, follow=follow, **how):
        assert document.plan is not None
        beyond += document.ids.count(talker.codec.unit_end) > len(document.plan)
        logits = logits_of(talker, document, hold=forced)[:-1]
        if forced:
            logits[:, talker.codec.end] = -torch.inf
        noise = uniforms(5, [document.number], len(logits), draws_for(0.9))[0]
        assert choose(logits, noise, 0.9, temperature).tolist() == list(document.ids[1:])
    assert beyond > 0


def test_first_tokens_have_the_law_of_the_nucleus(talker: Decoder) -> None:
    n, plan = 4096, Plan(path(3, 5))
    documents = written(talker, [plan] * n, budget=2, top_p=0.8, batch=n)
    chosen = torch.tensor([document.ids[1] for document in documents])
    logits = logits_of(talker, documents[0])[:1].double()
    kept = TopPLogitsWarper(0.8)(torch.zeros(1, 1).long(), logits)
    law = torch.softmax(kept[0], -1)
    counts = torch.bincount(chosen, minlength=len(law))
    assert counts[law == 0].sum() == 0
    inside = (law > 0).numpy()
    assert inside.sum() > 50
    assert stats.chisquare(counts.numpy()[inside], n * law.numpy()[inside]).pvalue > 1e-3


def test_normal_documents_stop_at_their_end(talker: Decoder) -> None:
    documents = written(talker, plans(16))
    end = talker.codec.end
    assert 0 < sum(document.ended for document in documents) < 16
    for document in documents:
        assert document.ids[0] == talker.codec.begin
        assert document.ids[1:].count(end) == document.ended
        if document.ended:
            assert document.ids[-1] == end
        else:
            assert len(document.ids) == 48


@pytest.mark.parametrize("pad", [None, "<pad>"])
def test_forced_documents_have_exactly_their_budget(pad: str | None) -> None:
    """Even where the model itself likes the token that fills batches: it is never written."""
    decoder = made(pad=pad, likes={"end": 7.0})
    if pad is not None:
        like(decoder, int(decoder.codec.tokenizer.pad_token_id), 7.0)
    normal = written(decoder, plans(16), budget=33)
    assert sum(document.ended for document in normal) > 8  # it would have ended
    forced = written(decoder, plans(16), length="forced", budget=33)
    for document in forced:
        assert len(document.ids) == 33
        assert decoder.codec.end not in document.ids[1:]
        assert not document.ended
        assert pad is None or decoder.codec.tokenizer.pad_token_id not in document.ids


@pytest.mark.parametrize("pad", [None, "<pad>"])
@pytest.mark.parametrize("beams", [1, 3])
def test_a_document_stops_with_its_plan(pad: str | None, beams: int) -> None:
    decoder = made(pad=pad, likes={"unit": 5.0})
    how: dict[str, Any] = {"stop": "plan", "beams": beams, "budget": 64}
    documents = written(decoder, plans(16), follow="sentences", **how)
    mark, stopped = decoder.codec.unit_end, 0
    for document in documents:
        assert document.plan is not None
        n = document.ids.count(mark)
        assert n <= len(document.plan)
        if n == len(document.plan):
            stopped += 1
            assert document.ids[-1] == mark
            assert not document.ended
            assert len(document.sentences) <= n + len(document.sections)
        else:
            assert document.ended or len(document.ids) == 64
        assert document.ids[1:].count(decoder.codec.end) == document.ended
    assert stopped > 4
    assert len({len(document.ids) for document in documents}) > 4  # not all at once


@pytest.mark.parametrize("pad", [None, "<pad>"])
@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.parametrize("given", [plans(12), staged(12)], ids=["tokens", "tokens and tags"])
def test_a_document_stops_when_the_end_of_its_plan_is_due(
    pad: str | None, beams: int, given: list[Plan | None]
) -> None:
    """At the very token at which it is, be it a mark or the last tag that was waited for."""
    decoder = made(pad=pad, likes={"unit": 5.0, "tag": 4.0, "end": -2.0})
    stopped = 0
    for document in written(decoder, given, stop="plan", beams=beams, budget=64):
        assert document.plan is not None
        schedule = schedule_for(decoder, document.plan, document.settings)
        rows = decoder.model.rows(torch.tensor([document.ids]), schedule)[0].tolist()
        over = [row >= len(document.plan) for row in rows]
        assert not any(over[:-1])
        stopped += over[-1]
        if over[-1]:
            codec = decoder.codec
            assert document.ids[-1] in (codec.unit_end, *codec.tag_ids.values())
        else:
            assert document.ended or len(document.ids) == 64
    assert stopped > 0


def test_a_plan_of_tags_stops_where_a_turn_too_many_would_open() -> None:
    decoder = made(layout=DIALOGUE, form="paper", likes={"tag": 4.0, "unit": -9.0})
    assert decoder.model.config.opens
    tags = set(decoder.codec.tag_ids.values())
    given = plans(8, 3)
    documents = written(decoder, given, stop="plan", budget=64)
    turns = [sum(token in tags for token in document.ids) for document in documents]
    assert max(turns) == 4
    for document, n in zip(documents, turns, strict=True):
        if n == 4:
            assert document.ids[-1] in tags
            assert len([t for t in document.tags if t is not None]) <= 3
    assert written(decoder, given, stop="plan", budget=64, batch=1) == documents


@pytest.mark.parametrize(
    ("layout", "form"),
    [
        (RECIPE, "best"),
        (RECIPE, "decided"),
        (RECIPE, "paper"),
        (HOWTO, "best"),
        (HOWTO, "decided"),
        (DIALOGUE, "paper"),
        (STORY, "best"),
    ],
)
def test_text_to_generate_to_parse(layout: Any, form: str) -> None:
    """No mark, no special token and no tag is left inside a sentence."""
    decoder = made(layout=layout, form=form, pad="<pad>")
    tokenizer = decoder.codec.tokenizer
    like(decoder, int(tokenizer.pad_token_id), 4.0)
    never = ["[ . ]", "[ + ]", "<pad>", "<|endoftext|>", *map(tag_text, layout.tags)]
    documents = written(decoder, plans(12), budget=64)
    assert sum(len(document.sentences) for document in documents) > 20
    for document in documents:
        assert document.sections == decoder.codec.decode(document.ids)
        for section in document.sections:
            assert section.tag is None or section.tag in layout.tags
            for sentence in section.sentences:
                assert sentence == sentence.strip()
                assert sentence
                assert not [mark for mark in never if mark in sentence]
        assert parsed(document.text) == [(s.tag, s.text) for s in document.sections]


def parsed(text: str) -> list[tuple[str | None, str]]:
    """Return tag and text of each line."""
    lines = text.split("\n") if text else []
    found = [re.fullmatch(r"(?:\[ ([^]]+) \] )?(.*)", line) for line in lines]
    return [(match[1], match[2]) for match in found if match is not None]


def test_beam_search_finds_what_is_more_probable(talker: Decoder) -> None:
    def probability(document: Written) -> float:
        logits = logits_of(talker, document, hold=True)
        logits[:, talker.codec.end] = -torch.inf
        chosen = torch.tensor(document.ids[1:]).unsqueeze(-1)
        return float(logits[:-1].log_softmax(-1).gather(-1, chosen).sum())

    how = {"length": "forced", "budget": 24}
    greedy = [probability(d) for d in written(talker, plans(4), temperature=0, **how)]
    beams = [probability(d) for d in written(talker, plans(4), beams=4, **how)]
    assert np.mean(beams) > np.mean(greedy)
    assert beams != greedy
    assert ids(written(talker, plans(4), beams=4, seed=1, **how)) == ids(
        written(talker, plans(4), beams=4, seed=2, **how)
    )


@pytest.mark.parametrize("form", ["best", "decided", "paper"])
@pytest.mark.parametrize("layout", [RECIPE, HOWTO, DIALOGUE])
def test_sentences_are_streamed_in_order(layout: Any, form: str) -> None:
    decoder = made(layout=layout, form=form)
    for number, plan in enumerate(plans(6)):
        for how in (Writing(budget=48), Writing(budget=48, stop="plan")):
            told: list[tuple[str | None, str]] = []
            document = stream(decoder, plan, how, lambda *s, told=told: told.append(s), number)
            assert document == next(write(decoder, [plan], how, first=number))
            assert told == [
                (section.tag if i == 0 else None, sentence)
                for section in document.sections
                for i, sentence in enumerate(section.sentences)
            ]


def test_a_sentence_is_handed_over_as_soon_as_it_is_done(
    talker: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [0]
    choose = Keyed.__call__

    def count(self: Keyed, input_ids: Tensor, scores: Tensor) -> Tensor:
        steps[0] += 1
        return choose(self, input_ids, scores)

    monkeypatch.setattr(Keyed, "__call__", count)
    when: list[int] = []
    how = Writing(length="forced", budget=60)
    document = stream(talker, plans(1)[0], how, lambda *_: when.append(steps[0]))
    codec = talker.codec
    closing = {codec.unit_end, *codec.tag_ids.values()}
    ends = [i for i, token in enumerate(document.ids) if token in closing]
    assert len(when) == len(document.sentences) > 3
    assert set(when[:-1]) <= set(ends)


def test_each_batch_is_there_before_the_next_is_begun(
    talker: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("timecontrol.generation.write")
    begun: list[list[int]] = []
    run = module.run_generate

    def spy(decoder: Decoder, some: Any, numbers: list[int], *rest: Any) -> Any:
        begun.append(list(numbers))
        return run(decoder, some, numbers, *rest)

    monkeypatch.setattr(module, "run_generate", spy)
    documents = write(talker, plans(5), Writing(budget=8), batch=2, first=3)
    assert begun == []
    next(documents)
    assert begun == [[3, 4]]
    assert [document.number for document in documents] == [4, 5, 6, 7]
    assert begun == [[3, 4], [5, 6], [7]]


def test_progress_counts_tokens(talker: Decoder) -> None:
    done: list[int] = []
    asked: list[int] = []

    @contextmanager
    def progress(what: str, total: int, start: int = 0, unit: str = "") -> Iterator[Advance]:
        asked.append(total)
        yield done.append

    written(talker, plans(5), length="forced", budget=20, batch=2, progress=progress)
    assert asked == [5 * 19]
    assert sum(done) == 5 * 19
    assert set(done) == {1, 2}


def test_a_decoder_without_plans(plain: Decoder) -> None:
    documents = written(plain, [None] * 6, batch=4)
    assert len(set(ids(documents))) == 6
    assert all(document.plan is None for document in documents)
    assert any(document.sentences for document in documents)
    told: list[str] = []
    alone = stream(plain, None, Writing(budget=48), lambda tag, s: told.append(s), 2)
    assert alone == documents[2]
    assert told == list(alone.sentences)


@pytest.mark.parametrize(
    ("given", "how", "message"),
    [
        ([None], {}, "This decoder follows plans, and was given none."),
        ([Plan(path(3, dim=2))], {}, "points have 2 numbers; this model reads points of 3"),
        ([Plan(np.full((2, 3), np.nan))], {}, "Point 1 of the plan's 2 holds NaN"),
        ([Plan(np.zeros((0, 3)))], {}, "The plan has no points"),
        ([Plan(path(3))], {"budget": 65}, "65 tokens are asked for; the base of this decoder"),
        ([Plan(path(3))], {"batch": 0}, "batch is 0: 1 or more"),
        ([Plan(path(3))], {"first": -1}, "The number of a document is -1: 0 or more"),
        ([Plan(path(3))], {"beams": 2, "fast": True}, "The fast path has no beam search"),
    ],
)
def test_what_cannot_be_written(
    talker: Decoder, given: list[Plan | None], how: dict[str, Any], message: str
) -> None:
    with pytest.raises(TimeControlError) as error:
        written(talker, given, **how)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_what_a_decoder_without_plans_refuses(plain: Decoder) -> None:
    with pytest.raises(TimeControlError, match="it cannot follow one"):
        written(plain, [Plan(path(3))])
    with pytest.raises(TimeControlError, match="no --stop plan"):
        written(plain, [None], stop="plan")


def test_beams_have_nothing_to_stream(talker: Decoder) -> None:
    with pytest.raises(TimeControlError, match="no --stream with --beams"):
        stream(talker, plans(1)[0], Writing(budget=20, beams=2), lambda *_: None)


def test_the_whole_of_the_base_can_be_filled() -> None:
    for maker in (tiny_llama, tiny_gpt2):
        decoder = made(maker)
        (document,) = written(decoder, plans(1), length="forced", budget=decoder.positions)
        assert len(document.ids) == 64


def test_what_stands_after_an_end_is_no_part_of_a_document(talker: Decoder) -> None:
    codec = talker.codec
    a, b = codec.tokenizer.encode(" a", add_special_tokens=False), codec.unit_end
    whole = [codec.begin, codec.tag_ids["TITLE"], *a, b, codec.end, *a, b, codec.end, codec.end]
    cut = whole[: 4 + len(a)]
    plan = Plan(path(2))
    found = finish(talker, whole, plan, 3, Writing(budget=20))
    assert found == Written(
        3,
        (Section("TITLE", ("a",)),),
        tuple(cut),
        True,
        plan,
        Writing(budget=20).as_dict(),
        (("TITLE", None),),
        (0,),
    )
    short = finish(talker, whole, Plan(path(1)), 3, Writing(stop="plan"))
    assert short.ids == tuple(cut[:-1])  # its one sentence was over before the end token came
    assert not short.ended
    assert finish(talker, whole, plan, 3, Writing(stop="plan")).ended


def test_every_sentence_knows_the_point_it_was_written_along(
    talker: Decoder, plain: Decoder
) -> None:
    codec = talker.codec
    a, mark = codec.tokenizer.encode(" a", add_special_tokens=False), codec.unit_end
    whole = [codec.begin, *a, mark, mark, *a, mark, *a, mark, codec.end]
    each = Writing(follow="sentences")
    assert finish(talker, whole, Plan(path(4)), 0, each).units == (0, 2, 3)
    assert finish(talker, whole, Plan(path(3)), 0, replace(each, stop="plan")).units == (0, 2)
    quick = Plan(path(4), pace=(1.0, 3.0, 2.0, 2.0))  # due after 1/2, 5/2, 5 and 7 tokens
    assert finish(talker, whole, quick, 0, Writing()).units == (0, 2, 3)
    assert finish(plain, whole, None, 0, Writing()).units is None
    for text in written(talker, plans(8)):
        assert text.units is not None
        assert len(text.units) == len(text.sentences)


def test_attention_is_put_back(talker: Decoder) -> None:
    config: Any = talker.model.lm.config
    before = config._attn_implementation
    assert before != NAME
    with plain_attention(talker.model):
        assert config._attn_implementation == NAME
    assert config._attn_implementation == before
    with pytest.raises(ZeroDivisionError), plain_attention(talker.model):
        raise ZeroDivisionError
    assert config._attn_implementation == before


@pytest.mark.parametrize("fast", [False, True])
def test_tags_that_are_not_due_may_be_forbidden_for_comparison(fast: bool) -> None:
    decoder = made(likes={"tag": 6.0})
    free, bound = (
        written(decoder, plans(6), fast=fast, length="forced", budget=64, ordered=ordered)
        for ordered in (False, True)
    )
    order = list(decoder.codec.tag_ids)
    assert any([tag for tag, _ in w.outline] != order[: len(w.outline)] for w in free)
    assert all([tag for tag, _ in w.outline] == order[: len(w.outline)] for w in bound)
    with pytest.raises(TimeControlError, match="no fixed order"):
        written(made(layout=DIALOGUE), plans(1), ordered=True)


def test_forbidding_tags_is_the_same_on_either_path() -> None:
    decoder = made(likes={"tag": 6.0})
    how: dict[str, Any] = {"length": "forced", "budget": 64, "ordered": True}
    slow, quick = (written(decoder, plans(4), fast=fast, **how) for fast in (False, True))
    assert [w.ids for w in slow] == [w.ids for w in quick]


@pytest.mark.parametrize("how", [{"length": "forced"}, {"length": "normal"}, {"top_p": 0.3}])
def test_guidance_is_the_same_on_either_path_and_in_any_batch(how: dict[str, Any]) -> None:
    decoder = made()
    given = plans(5)
    slow, quick, single = (
        written(decoder, given, guidance=1.5, **how, **own)
        for own in ({"fast": False}, {"fast": True}, {"fast": False, "batch": 1})
    )
    assert [w.ids for w in slow] == [w.ids for w in quick] == [w.ids for w in single]
    assert [w.ids for w in slow] != [w.ids for w in written(decoder, given, **how)]


def test_documents_may_have_any_numbers() -> None:
    decoder, given = made(), plans(3)
    own = list(write(decoder, given, Writing(budget=24), numbers=[2, 0, 2]))
    assert [w.number for w in own] == [2, 0, 2]
    [alone] = write(decoder, given[:1], Writing(budget=24), first=2)
    assert own[0].ids == alone.ids
    with pytest.raises(TimeControlError, match="number of a document is -1"):
        list(write(decoder, given, Writing(budget=24), numbers=[0, 1, -1]))


def test_no_guidance_is_as_if_nothing_were_said_of_it() -> None:
    decoder = made()
    one, other = written(decoder, plans(2)), written(decoder, plans(2), guidance=0.0)
    assert [w.ids for w in one] == [w.ids for w in other]


@pytest.mark.parametrize("fast", [False, True])
def test_the_token_that_guidance_makes_likeliest_is_taken(fast: bool) -> None:
    """At temperature 0: a + w (a - b), b being told the clock and no latents."""
    decoder = made()
    [found] = written(
        decoder, plans(1), guidance=2.0, temperature=0.0, length="forced", fast=fast, budget=32
    )
    assert found.plan is not None
    given = plan_batch([found.plan.points] * 2)
    given["plan_keep"] = torch.tensor([True, False])
    schedule = schedule_for(decoder, found.plan, found.settings)
    assert schedule is not None
    with torch.no_grad():
        signals = decoder.model.signals(**given, hold=True)
        ids = torch.tensor([found.ids] * 2)
        a, b = decoder.model(ids, signals=signals, schedule=schedule.repeated(2)).logits
    decides = is_boundary(ids[0], (*decoder.model.config.boundaries, decoder.codec.begin))
    led = torch.where(decides[:, None], a, a + 2.0 * (a - b))
    led[:, [*decoder.codec.foreign, decoder.codec.end]] = -torch.inf
    assert led[:-1].argmax(-1).tolist() == list(found.ids[1:])
    assert a[:-1].argmax(-1).tolist() != list(found.ids[1:])


def test_guidance_needs_a_decoder_that_has_written_without_latents() -> None:
    decoder = made()
    never = replace(decoder, settings=replace(decoder.settings, latent_dropout=0.0))
    with pytest.raises(TimeControlError, match=r"latent dropout 0\): no --guidance"):
        written(never, plans(1), guidance=1.0)
    with pytest.raises(TimeControlError, match="method plain"):
        written(made(plan_dim=0), [None], guidance=1.0)
