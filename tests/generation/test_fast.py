from typing import Any

import pytest
import torch
from hypothesis import given as over
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from torch.nn import functional as F

from tests.conftest import (
    tiny_gemma,
    tiny_gemma3,
    tiny_gpt2,
    tiny_llama,
    tiny_neox,
    tiny_qwen2,
)
from tests.generation.examples import made, paced, plans, staged, written
from timecontrol.corpora.layout import DIALOGUE
from timecontrol.decoder import Decoder
from timecontrol.decoder.alignment import Schedule, stage_index
from timecontrol.errors import TimeControlError
from timecontrol.generation import Writing, fast, packed
from timecontrol.generation.fast import LOOK, Slots, attend, reason_against, round_head
from timecontrol.generation.rounds import RoundStep
from timecontrol.generation.sampling import BLOCK, choose
from timecontrol.plans import Plan

MAKERS: dict[str, Any] = {
    "gpt2": tiny_gpt2,
    "llama": tiny_llama,
    "qwen2": tiny_qwen2,
    "gemma": tiny_gemma,
    "neox": tiny_neox,
}

WAYS: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0},
    "sampled": {},
    "sorted": {"top_p": 0.3, "temperature": 2.0},
    "forced": {"length": "forced", "budget": 64},
    "plan": {"stop": "plan"},
}


@pytest.mark.parametrize("how", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("base", MAKERS)
def test_the_fast_path_writes_the_same(base: str, how: dict[str, Any]) -> None:
    decoder, given = made(MAKERS[base]), plans(6)
    slow = written(decoder, given, fast=False, **how)
    assert written(decoder, given, fast=True, **how) == slow
    assert len({document.ids for document in slow}) > 1


@pytest.mark.parametrize("how", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("follow", ["budget", "sentences"])
@pytest.mark.parametrize("given", [paced(6), staged(6)], ids=["a pace", "stages, too"])
def test_plans_that_know_more_are_followed_the_same(
    how: dict[str, Any], follow: str, given: list[Plan | None]
) -> None:
    decoder = made(form="decided", fusion="film", look=1)
    slow = written(decoder, given, fast=False, follow=follow, **how)
    assert written(decoder, given, fast=True, follow=follow, **how) == slow
    assert written(decoder, given, fast=True, follow=follow, batch=2, **how) == slow
    assert len({document.ids for document in slow}) > 1


PACED = made()
KINDS = {0: 5, 1: PACED.codec.unit_end} | dict(enumerate(PACED.codec.tag_ids.values(), 2))
"""A word, the mark, and each of the tags."""
starts_ = st.sets(st.integers(0, 6), max_size=4).map(sorted)
dues_ = st.lists(st.floats(0, 30, width=32), max_size=6).map(sorted)


@hypothesis_settings(max_examples=50)
@over(
    tokens=st.lists(st.lists(st.sampled_from(list(KINDS)), min_size=3, max_size=3), max_size=25),
    dues=st.lists(dues_, min_size=3, max_size=3),
    starts=st.lists(starts_, min_size=3, max_size=3),
    kind=st.sampled_from([fast.Step, RoundStep]),
)
def test_the_running_row_of_a_plan_is_that_of_the_whole_text(
    tokens: list[list[int]], dues: list[list[float]], starts: list[list[int]], kind: type[fast.Step]
) -> None:
    """Whatever tags, marks and plans there are, and again when it is begun anew."""
    ids = torch.tensor([[KINDS[kind] for kind in row] for row in tokens]).view(-1, 3).T
    ids = torch.cat([torch.full((3, 1), PACED.codec.begin), ids.long()], -1)
    stages, signals = stage_index(ids, PACED.model.config.tags), torch.zeros(3, 9, 2, 32)
    for schedule in (None, Schedule.of(dues, [[]] * 3), Schedule.of(dues, starts)):
        step = kind(PACED, 3, Writing(budget=64), signals, schedule)
        expected = PACED.model.rows(ids, schedule)
        for _ in range(2):
            assert torch.equal(step.units[:, 0], expected[:, 0])
            for place in range(1, ids.shape[1]):
                assert torch.equal(step.move_on(ids[:, place]), expected[:, place])
                assert schedule is None or torch.equal(step.stage, stages[:, place])
                step.at += 1
            step.reset(step.noise, step.lengths, signals, schedule)


def test_another_schedule_takes_the_place_of_the_one_before() -> None:
    """In the same buffers, and what was given is not changed."""
    first, other = Schedule.of([[2.0, 3.0]], [[1]]), Schedule.of([[9.0, 12.0]], [[0]])
    step = fast.Step(PACED, 1, Writing(budget=64), torch.zeros(1, 3, 2, 32), first)
    step.reset(step.noise, step.lengths, step.signals, other)
    assert step.schedule is not None
    for name, value in vars(other).items():
        assert torch.equal(getattr(step.schedule, name), value)
    assert first.due.tolist() == [[2, 3]]
    assert first.low.tolist() == [[0, 1]]


def test_more_and_more_of_the_buffers_is_looked_at(
    talker: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows of 8, 16, ... positions, the last of them cut at the end of the buffers."""
    monkeypatch.setattr(fast, "WINDOW", 8)
    looked: list[int] = []
    look = fast.Step.look

    def spy(self: fast.Step, visible: int) -> None:
        looked.append(visible)
        look(self, visible)

    monkeypatch.setattr(fast.Step, "look", spy)
    given = plans(4)
    found = written(talker, given, length="forced", budget=22, fast=True)
    assert looked == [8] * 8 + [16] * 8 + [21] * 5
    assert found == written(talker, given, length="forced", budget=22, fast=False)


@pytest.mark.parametrize("how", [{}, {"stop": "plan"}])
def test_where_tags_open_a_unit(how: dict[str, Any]) -> None:
    decoder = made(layout=DIALOGUE, form="paper", likes={"tag": 4.0, "unit": -9.0})
    given = plans(6, 2)
    slow = written(decoder, given, **how)
    assert written(decoder, given, fast=True, **how) == slow


def test_a_signal_at_boundaries_alone() -> None:
    decoder, given = made(), plans(4)
    dense = written(decoder, given, fast=True)
    decoder.model.config.sparse = True
    sparse = written(decoder, given, fast=True)
    assert sparse == written(decoder, given, fast=False)
    assert sparse != dense


def test_a_decoder_without_plans(plain: Decoder) -> None:
    assert written(plain, [None] * 5, fast=True) == written(plain, [None] * 5, fast=False)


@pytest.mark.parametrize("pad", [None, "<pad>"])
def test_a_text_does_not_depend_on_its_batch(pad: str | None) -> None:
    decoder, given = made(pad=pad), plans(9)
    for how in ({}, {"stop": "plan"}):
        first, *others = [written(decoder, given, batch=b, fast=True, **how) for b in (1, 5, 9)]
        for other in others:
            assert other == first


@pytest.mark.parametrize("points", [2, 3, 8])
def test_nor_do_its_scores(points: int, talker: Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit, whatever is beside it."""
    seen: list[torch.Tensor] = []

    def spy(logits: torch.Tensor, *rest: Any) -> torch.Tensor:
        seen.append(logits[0].clone())
        return choose(logits, *rest)

    monkeypatch.setattr(fast, "choose", spy)
    found = []
    decoder = bare() if points == 3 else talker  # with an output layer that is filled up, too
    for documents in (1, 2, 6):
        seen.clear()
        written(decoder, plans(documents, points), length="forced", budget=20, fast=True)
        found.append(torch.stack(seen))
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


@pytest.mark.skipif(not packed.alike(), reason="no oneDNN that rounds rows alike here")
def test_plans_are_projected_with_weights_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in ``generate``; a plan of many coordinates would be rounded otherwise."""
    decoder, seen = made(), []
    bare = decoder.model.signals

    def spy(*args: Any, **rest: Any) -> torch.Tensor:
        seen.append("forward" in decoder.model.projection.layers[0].__dict__)
        return bare(*args, **rest)

    monkeypatch.setattr(decoder.model, "signals", spy)
    for fast_path in (True, False):
        written(decoder, plans(2, 3), budget=6, fast=fast_path)
    assert seen == [True, True]


def test_batch_after_batch_through_the_same_buffers() -> None:
    """Nothing of one batch may be left in the next: neither keys nor plans nor ends."""
    decoder = made()
    for given, how in ((plans(4, 3), {}), (staged(4, 3), {"length": "forced"})):
        alone, kept = (
            [
                written(d or made(), [p] * 4, first=4 * i, fast=True, **how)
                for i, p in enumerate(given)
            ]
            for d in (None, decoder)
        )
        assert kept == alone
        assert len({document.ids for documents in kept for document in documents}) > 8


def test_a_smaller_last_batch_goes_through_the_same_buffers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps: list[int] = []
    make = fast.Step.__init__

    def spy(self: Any, decoder: Any, rows: int, *rest: Any) -> None:
        steps.append(rows)
        make(self, decoder, rows, *rest)

    monkeypatch.setattr(fast.Step, "__init__", spy)
    decoder, given, writing = made(), plans(1) * 5, Writing(budget=24, exact=False)
    first = fast.run(decoder, given[:4], range(4), writing)
    last = fast.run(decoder, given[4:], [4], writing, least=4)
    assert steps == [4]
    slow = written(decoder, given, fast=False, budget=24)
    assert [tuple(ids[: len(d.ids)]) for ids, d in zip(first + last, slow, strict=True)] == [
        d.ids for d in slow
    ]


def test_other_settings_are_not_mixed_up_with_those_before() -> None:
    decoder, given = made(), staged(4, 3)
    forced = {"length": "forced"}
    for how in (
        {},
        {"follow": "sentences"},
        {"stop": "plan"},
        {"seed": 5},
        {"top_p": 0.5},
        forced,
        {**forced, "follow": "sentences"},
        {**forced, "budget": 30},
        {},
    ):
        assert written(decoder, given, fast=True, **how) == written(decoder, given, **how)


def test_it_stops_soon_after_all_have_ended() -> None:
    decoder = made(pad="<pad>", likes={"end": 9.0})
    steps = [0]

    def tick() -> None:
        steps[0] += 1

    ids = fast.run(decoder, plans(5), list(range(5)), Writing(budget=64), tick)
    ends = [row.index(decoder.codec.end, 1) for row in ids]
    assert max(ends) <= LOOK
    assert steps[0] == LOOK
    assert {len(row) for row in ids} == {64}
    pad = decoder.codec.tokenizer.pad_token_id
    assert all(set(row[end + 1 :]) == {pad} for row, end in zip(ids, ends, strict=True))
    assert all(document.ended for document in written(decoder, plans(5), fast=True))


@pytest.mark.parametrize("pad", [None, "<pad>"])
@pytest.mark.parametrize("follow", ["budget", "sentences"])
def test_all_stopped_by_their_plans(pad: str | None, follow: str) -> None:
    """No end token comes; what fills the rest must not be taken for text, or for an end."""
    decoder = made(pad=pad, likes={"unit": 8.0, "end": -9.0})
    given, how = paced(5), {"stop": "plan", "budget": 64, "follow": follow}
    documents = written(decoder, given, fast=True, **how)
    assert documents == written(decoder, given, fast=False, **how)
    mark = decoder.codec.unit_end
    for document, plan in zip(documents, given, strict=True):
        assert plan is not None
        marks = [so_far for so_far, token in enumerate(document.ids, 1) if token == mark]
        if follow == "sentences":
            assert len(marks) == len(plan)
        else:  # the first mark at which the end is due
            due = plan.due(sum(plan.pace))[-1]
            assert [so_far >= due for so_far in marks] == [False] * (len(marks) - 1) + [True]
        assert document.ids[-1] == mark
        assert not document.ended


def test_it_is_not_taken_on_a_cpu_unless_asked_for(
    talker: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object) -> list[list[int]]:
        raise AssertionError

    monkeypatch.setattr(fast, "run", never)
    assert len(written(talker, plans(1), budget=4)) == 1
    with pytest.raises(AssertionError):
        written(talker, plans(1), budget=4, fast=True)


def test_a_sliding_window_is_refused_in_a_line() -> None:
    decoder = made(tiny_gemma3)
    assert reason_against(decoder.model) is not None
    with pytest.raises(TimeControlError) as error:
        written(decoder, plans(1), fast=True)
    assert str(error.value) == (
        "The fast path cannot be taken with this base: its attention has a sliding window."
    )
    assert len(written(decoder, plans(1))) == 1  # by the other path it writes


@pytest.mark.parametrize("base", MAKERS)
def test_bases_without_one_can_be_used(base: str) -> None:
    assert reason_against(made(MAKERS[base]).model) is None


def test_a_window_in_the_configuration_alone_is_enough(talker: Decoder) -> None:
    decoder = made()
    text: Any = decoder.model.config.text_config
    assert reason_against(decoder.model) is None
    text.sliding_window = 4096  # as Mistral has it, without kinds of layers
    assert reason_against(decoder.model) is not None


def test_attention_and_head_are_put_back_even_after_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoder = bare()
    config: Any = decoder.model.lm.config
    before, head = config._attn_implementation, decoder.model.lm.get_output_embeddings()
    written(decoder, plans(1), fast=True)
    assert config._attn_implementation == before

    def fail(self: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(fast.Step, "__call__", fail)
    with pytest.raises(ZeroDivisionError):
        written(decoder, plans(1), fast=True)
    assert config._attn_implementation == before
    assert decoder.model.lm.get_output_embeddings() is head
    with torch.no_grad():
        (kept,) = decoder.model.__dict__["_runner"].values()
        kept.step.tokens = 5  # the copy fails
    with pytest.raises(RuntimeError):
        written(decoder, plans(1), fast=True)
    assert config._attn_implementation == before
    assert decoder.model.lm.get_output_embeddings() is head


def test_the_head_is_filled_up_to_a_round_size() -> None:
    assert round_head(torch.nn.Linear(3, 2 * BLOCK, bias=False)) is None
    assert round_head(torch.nn.Linear(3, 5)) is None  # a bias would have to come along
    assert round_head(torch.nn.Embedding(5, 3)) is None
    found = round_head(torch.nn.Linear(3, BLOCK + 1, bias=False, dtype=torch.bfloat16))
    assert found is not None
    assert found.weight.shape == (2 * BLOCK, 3)
    assert found.weight.dtype == torch.bfloat16


def bare(maker: Any = tiny_llama) -> Decoder:
    """Return a decoder whose output layer has no bias, so that it is filled up."""
    decoder = made(maker)
    head: Any = decoder.model.lm.get_output_embeddings()
    head.bias = None
    assert round_head(head) is not None
    return decoder


@pytest.mark.parametrize("base", MAKERS)
@pytest.mark.parametrize("how", [{}, {"temperature": 9.0}, {"temperature": 9.0, "top_p": 1.0}])
def test_tokens_that_fill_up_the_head_are_never_written(base: str, how: dict[str, Any]) -> None:
    """Hot, every token is nearly as probable as any other."""
    decoder, given = bare(MAKERS[base]), plans(4)
    found = [document.ids for document in written(decoder, given, fast=True, **how)]
    assert found == [d.ids for d in written(decoder, given, fast=False, **how)]


def test_it_writes_with_the_weights_as_they_are_now() -> None:
    """The filled-up head is a copy; it follows what is trained on in between."""
    decoder = bare()
    first = [document.ids for document in written(decoder, plans(2), fast=True)]
    with torch.no_grad():
        decoder.model.lm.get_output_embeddings().weight.mul_(-1)
    again = [document.ids for document in written(decoder, plans(2), fast=True)]
    assert again != first
    assert again == [document.ids for document in written(decoder, plans(2), fast=False)]


@pytest.mark.parametrize("shared", [1, 2, 4])
@pytest.mark.parametrize("scaling", [None, 0.3])
def test_attention_of_one_query(shared: int, scaling: float | None) -> None:
    state = torch.Generator().manual_seed(0)
    query = torch.randn(3, 4, 1, 8, generator=state)
    key, value = (torch.randn(3, shared, 10, 8, generator=state) for _ in range(2))
    mask = torch.where(torch.arange(10) <= 6, 0.0, -torch.inf).view(1, 1, 1, -1)
    found, _ = attend(torch.nn.Identity(), query, key, value, mask, scaling)
    expected = F.scaled_dot_product_attention(
        query, key, value, mask.expand(3, 1, 1, -1), scale=scaling, enable_gqa=True
    )
    torch.testing.assert_close(found, expected.transpose(1, 2))
    key[:, :, 7:] = value[:, :, 7:] = 1e6  # beyond what may be seen
    again, _ = attend(torch.nn.Identity(), query, key, value, mask, scaling)
    torch.testing.assert_close(again, found)


def test_slots_hold_what_is_written_at_their_place() -> None:
    at = torch.zeros(1, dtype=torch.long)
    slots = Slots(6, at)
    slots.visible = 4
    rows = [torch.full((2, 1, 1, 3), float(i + 1)) for i in range(3)]
    for row in rows:
        keys, values = slots.update(row, 10 * row)
        at += 1
    assert keys.shape == (2, 1, 4, 3)
    assert keys[0, 0, :, 0].tolist() == [1, 2, 3, 0]
    assert values[1, 0, :, 2].tolist() == [10, 20, 30, 0]
    assert slots.get_mask_sizes() == (4, 0)
    assert slots.get_max_length() == 6
