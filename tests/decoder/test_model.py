"""A base that follows a plan, for six architectures of random weights."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, PreTrainedModel

from tests.conftest import tiny_gemma, tiny_gemma3, tiny_gpt2, tiny_llama, tiny_neox, tiny_qwen2
from timecontrol.decoder.alignment import Schedule, due_index, unit_index
from timecontrol.decoder.losses import IGNORED, counted, misplaced, token_losses
from timecontrol.decoder.model import PlannedConfig, PlannedLM

VOCABULARY, DIM = 40, 3
MARKS = list(range(20, 40))
"""Half of the tokens end a unit, so that what random models write has many units."""
BASES: dict[str, Callable[[int], PreTrainedModel]] = {
    "gpt2": tiny_gpt2,
    "llama": tiny_llama,
    "qwen2": tiny_qwen2,
    "gemma": tiny_gemma,
    "gemma3": tiny_gemma3,
    "neox": tiny_neox,
}
IDS = torch.tensor([[0, 5, 6, 31, 7, 8, 9, 32, 4, 3], [0, 1, 33, 2, 34, 6, 7, 8, 9, 10]])
UNITS = [[0, 0, 0, 1, 1, 1, 1, 2, 2, 2], [0, 0, 1, 1, 2, 2, 2, 2, 2, 2]]


def base(name: str = "llama") -> Any:
    made: Any = BASES[name](VOCABULARY)
    for config in (made.config, made.generation_config):
        config.bos_token_id, config.eos_token_id, config.pad_token_id = 0, None, 19
    return made.eval()


def planned(name: str = "llama", init: float = 0.5, **changes: Any) -> Any:
    """Return a model that follows plans; the same one each time."""
    lm = base(name)
    about: dict[str, Any] = {"plan_dim": DIM, "depths": (0, 1, 2), "boundaries": MARKS}
    torch.manual_seed(1)
    made: Any = PlannedLM.around(lm, init, **{**about, **changes})
    return made.eval()


def points(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, DIM, generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def logits(model: Any, ids: Tensor = IDS, **rest: Any) -> Tensor:
    found: Tensor = model(input_ids=ids, **rest).logits
    return found


@pytest.mark.parametrize("fusion", ["add", "film"])
@pytest.mark.parametrize("name", BASES)
def test_a_projection_of_zeros_leaves_the_base_as_it_is(name: str, fusion: str) -> None:
    plan = points(2, 3)
    expected = logits(base(name))
    assert torch.equal(logits(planned(name, init=0.0, fusion=fusion), plan=plan), expected)
    model = planned(name, fusion=fusion)
    assert torch.equal(logits(model), expected)  # nor does anything happen without a plan
    assert not torch.allclose(logits(model, plan=plan), expected, atol=1e-3)


@pytest.mark.parametrize("fusion", ["add", "film"])
@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("depths", [(0,), (0, 1, 2), (2,)])
def test_a_point_changes_nothing_before_its_unit(
    name: str, depths: tuple[int, ...], fusion: str
) -> None:
    model = planned(name, depths=depths, fusion=fusion)
    plan = points(2, 3)
    whole = logits(model, plan=plan)
    for k in range(3):
        other = plan.clone()
        other[:, k] += 1
        changed = (logits(model, plan=other) != whole).any(-1)
        for row, units in enumerate(UNITS):
            first = units.index(k)
            assert not changed[row, :first].any()
            assert changed[row, first]


@pytest.mark.parametrize("how", [{}, {"fusion": "film", "look": 2}], ids=["add", "film"])
@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("sampled", [False, True])
def test_writing_with_a_cache_is_a_whole_pass_for_each_token(
    name: str, sampled: bool, how: dict[str, Any]
) -> None:
    model = planned(name, **how)
    plan, prompt = points(2, 8), torch.tensor([[0, 5, 31, 6], [0, 7, 8, 32]])
    torch.manual_seed(5)
    written = model.generate(
        input_ids=prompt,
        plan=plan,
        max_new_tokens=16,
        do_sample=sampled,
        top_k=0,
        return_dict_in_generate=True,
        output_logits=True,
    )
    torch.manual_seed(5)
    ids = prompt
    for step in range(16):
        last = logits(model, ids, plan=plan)[:, -1]
        torch.testing.assert_close(written.logits[step], last, atol=1e-4, rtol=1e-4)
        drawn = torch.multinomial(last.softmax(-1), 1) if sampled else last.argmax(-1, keepdim=True)
        ids = torch.cat([ids, drawn], -1)
    assert torch.equal(written.sequences, ids)
    assert unit_index(ids, MARKS)[:, -1].min() >= (5 if sampled else 1)  # it went along its plan
    assert model.taps.signals is None


@pytest.mark.parametrize("name", BASES)
def test_another_plan_is_another_text(name: str) -> None:
    model, prompt = planned(name), torch.tensor([[0, 5]])
    given = {"input_ids": prompt, "max_new_tokens": 16, "do_sample": False}
    plan = points(1, 6)
    written = model.generate(plan=plan, **given)
    assert torch.equal(model.generate(plan=plan, **given), written)
    assert not torch.equal(model.generate(plan=-plan, **given), written)


@pytest.mark.parametrize("name", BASES)
def test_a_static_cache_writes_the_same(name: str) -> None:
    model = planned(name)
    plan, prompt = 2 * points(2, 6), torch.tensor([[0, 5, 31, 6], [0, 7, 8, 32]])
    given = {"input_ids": prompt, "plan": plan, "max_new_tokens": 16, "do_sample": False}
    expected = model.generate(**given)
    found = model.generate(**given, cache_implementation="static", disable_compile=True)
    assert torch.equal(found, expected)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_beams_follow_the_plan_of_their_document(name: str) -> None:
    model = planned(name)
    plan, prompt = 2 * points(2, 6), torch.tensor([[0, 5], [0, 7]])
    found = model.generate(
        input_ids=prompt,
        plan=plan,
        max_new_tokens=8,
        num_beams=3,
        do_sample=False,
        return_dict_in_generate=True,
        output_scores=True,
    )
    p = logits(model, found.sequences, plan=plan).log_softmax(-1)
    chosen = p[:, :-1].gather(-1, found.sequences[:, 1:, None])[:, 1:, 0]  # of what was written
    torch.testing.assert_close(chosen.mean(-1), found.sequences_scores, atol=1e-4, rtol=1e-4)


def test_sampled_text_is_by_document_not_by_batch() -> None:
    model = planned()
    plan, prompt = 2 * points(3, 6), torch.zeros(3, 1, dtype=torch.long)
    together = model.generate(input_ids=prompt, plan=plan, max_new_tokens=12, do_sample=False)
    for row in range(3):
        alone = model.generate(
            input_ids=prompt[:1], plan=plan[row : row + 1], max_new_tokens=12, do_sample=False
        )
        assert torch.equal(alone[0], together[row])


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("units", [0, 5])
def test_it_is_saved_and_loaded_whole(name: str, units: int, tmp_path: Path) -> None:
    more: dict[str, Any] = {"fusion": "film", "look": 1, "tags": [3, 4]} if units else {}
    model = planned(name, units=units, sparse=units > 0, opens=units > 0, **more)
    model.projection.mean += 0.5
    model.projection.sd *= 2
    plan = points(2, 4)
    expected = logits(model, plan=plan)
    model.save_pretrained(tmp_path)
    loaded: Any = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert type(loaded).__name__ == "PlannedLM"
    assert torch.equal(logits(loaded, plan=plan), expected)
    tied = model.lm.config.tie_word_embeddings
    assert tied == (name not in ("llama", "neox"))
    assert (loaded.get_output_embeddings().weight is loaded.get_input_embeddings().weight) == tied
    assert loaded.config.boundaries == MARKS
    assert loaded.generation_config.bos_token_id == 0


def hooked(name: str, depth: int, signal: Tensor) -> Tensor:
    """Return a base's logits with a signal added to the input of a layer, or of the last norm."""
    lm = base(name)
    places = {
        "gpt2": ("transformer.h", "transformer.ln_f"),
        "llama": ("model.layers", "model.norm"),
    }
    layers, norm = (lm.get_submodule(place) for place in places[name])
    module = (*layers, norm)[depth]
    module.register_forward_pre_hook(lambda m, inputs: (inputs[0] + signal, *inputs[1:]))
    return logits(lm)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_depth_is_the_input_of_a_layer(name: str, depth: int) -> None:
    model = planned(name, depths=(depth,))
    plan = points(2, 3)
    rows = model.signals(plan)[:, :, 0].detach()  # (batch, 4, hidden)
    signal = torch.stack([r[u] for r, u in zip(rows, torch.tensor(UNITS), strict=True)])
    expected = hooked(name, depth, signal)
    torch.testing.assert_close(logits(model, plan=plan), expected, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(expected, logits(base(name)), atol=1e-2)


def test_sparse_signals_are_given_at_boundaries_and_the_beginning_alone() -> None:
    plan = points(2, 3)
    model = planned("llama", depths=(0,), sparse=True)
    rows = model.signals(plan)[:, :, 0].detach()
    signal = torch.stack([r[u] for r, u in zip(rows, torch.tensor(UNITS), strict=True)])
    heard = torch.tensor([[i in (0, 3, 7) for i in range(10)], [i in (0, 2, 4) for i in range(10)]])
    expected = hooked("llama", 0, signal * heard.unsqueeze(-1))
    torch.testing.assert_close(logits(model, plan=plan), expected, atol=1e-5, rtol=1e-5)


def test_what_is_told_worked_by_hand() -> None:
    model = planned(depths=(0,))
    model.projection.mean.copy_(torch.tensor([1.0, 2.0, 3.0]))
    model.projection.sd.copy_(torch.tensor([2.0, 1.0, 0.5]))
    weight, bias = model.projection.layers[0].weight, model.projection.layers[0].bias
    torch.nn.init.normal_(bias)
    plan = torch.tensor([[[3.0, 2.0, 3.0], [1.0, 3.0, 4.0], [9.0, 9.0, 9.0]]])
    found = model.signals(plan, torch.tensor([2]))[0, :, 0]
    features = torch.tensor(
        [  # standardised point, there is one, share of the plan that is done, it is over
            [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            [0.0, 1.0, 2.0, 1.0, 1.0, 0.0],
            [0.0, 1.0, 2.0, 1.0, 1.0, 1.0],
            [0.0, 1.0, 2.0, 1.0, 1.0, 1.0],
        ]
    )
    torch.testing.assert_close(found, features @ weight.T + bias)
    dropped = model.signals(plan, torch.tensor([2]), torch.tensor([False]))[0, :, 0]
    features[:, :4] = 0
    torch.testing.assert_close(dropped, features @ weight.T + bias)
    bare = planned(depths=(0,), clock=False, end_row=False)
    assert bare.projection.layers[0].in_features == DIM + 1


def test_scale_and_shift_are_two_halves_of_what_is_told() -> None:
    """At depth 0 of a Llama: e (1 + s_1) + s_2."""
    model, plan = planned(depths=(0,), fusion="film"), points(2, 3)
    rows = model.signals(plan)[:, :, 0].detach()
    assert rows.shape == (2, 4, 64)
    signal = torch.stack([r[u] for r, u in zip(rows, torch.tensor(UNITS), strict=True)])
    embedded = model.get_input_embeddings()(IDS)
    given = embedded * (1 + signal[..., :32]) + signal[..., 32:]
    with torch.no_grad():
        expected = base()(inputs_embeds=given).logits
    torch.testing.assert_close(logits(model, plan=plan), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("look", [1, 2])
def test_where_the_plan_comes_from_and_goes_to_worked_by_hand(look: int) -> None:
    """Of a plan of three points 1, 4, 9 (and one that fills up), moves in standard deviations."""
    model = planned(depths=(0,), plan_dim=1, look=look, clock=False)
    model.projection.mean.fill_(4.0)
    model.projection.sd.fill_(2.0)
    weight, bias = model.projection.layers[0].weight, model.projection.layers[0].bias
    plan = torch.tensor([[[1.0], [4.0], [9.0], [77.0]]])
    found = model.signals(plan, torch.tensor([3]))[0, :, 0]
    moves: list[list[float]] = [[0, 1.5], [1.5, 2.5], [2.5, 0]]
    if look == 2:
        moves[0][1] = moves[2][0] = 4
    told = [[z, *move, 1.0, 0.0] for z, move in zip([-1.5, 0.0, 2.5], moves, strict=True)]
    over = [*told[2][:-1], 1.0]
    torch.testing.assert_close(found, torch.tensor([*told, over, over]) @ weight.T + bias)
    dropped = model.signals(plan, torch.tensor([3]), torch.tensor([False]))[0, :, 0]
    none = torch.zeros(5, 5)
    none[3:, -1] = 1
    torch.testing.assert_close(dropped, none @ weight.T + bias)


def test_the_moves_of_a_plan_do_not_depend_on_what_fills_the_batch() -> None:
    model = planned(look=2)
    plan, length = points(2, 6), torch.tensor([2, 5])
    found = model.signals(plan, length)
    for row, n in enumerate(length.tolist()):
        alone = model.signals(plan[row : row + 1, :n])
        torch.testing.assert_close(found[row, : n + 1], alone[0])


def test_hidden_units_are_between() -> None:
    model = planned(depths=(0, 2), units=7)
    first, last = model.projection.layers
    assert (first.out_features, last.in_features, last.out_features) == (7, 7, 64)
    told = torch.cat([points(1, 1)[0], torch.tensor([[1.0, 0, 0]])], -1)
    expected = last(torch.nn.functional.gelu(first(told)))
    torch.testing.assert_close(model.signals(points(1, 1))[0, :1].flatten(1), expected)


def test_after_the_plan_it_is_told_so_or_the_last_point_holds() -> None:
    model = planned()
    rows = model.signals(points(2, 3))
    assert rows.shape == (2, 4, 3, 32)
    assert not torch.allclose(rows[:, 3], rows[:, 2])
    held = model.signals(points(2, 3), hold=True)
    assert torch.equal(held[:, 3], held[:, 2])
    assert torch.equal(held[:, :3], rows[:, :3])
    deaf = planned(end_row=False).signals(points(2, 3))
    assert torch.equal(deaf[:, 3], deaf[:, 2])
    prompt = torch.tensor([[0, 31, 32, 33, 34]])  # past a plan of three
    given = {"input_ids": prompt, "plan": points(1, 3), "max_new_tokens": 1}
    given |= {"output_logits": True, "return_dict_in_generate": True}
    ends, holds = (model.generate(**given, hold=h).logits[0] for h in (False, True))
    assert not torch.allclose(ends, holds, atol=1e-3)
    units = torch.tensor([[0, 1, 2, 2, 2]])
    expected = logits(model, prompt, plan=points(1, 3), units=units)[:, -1]
    torch.testing.assert_close(holds, expected, atol=1e-5, rtol=1e-5)


def test_rows_that_fill_up_a_batch_do_not_matter() -> None:
    model = planned()
    plan, length = points(2, 6), torch.tensor([2, 3])
    whole = logits(model, plan=plan, plan_length=length)
    other = plan.clone()
    other[0, 2:], other[1, 3:] = 7.0, -7.0
    assert torch.equal(logits(model, plan=other, plan_length=length), whole)
    for row in range(2):
        n = int(length[row])
        alone = logits(model, IDS[row : row + 1], plan=plan[row : row + 1, :n])
        torch.testing.assert_close(alone[0], whole[row], atol=1e-5, rtol=1e-5)


def test_a_document_without_latents_is_told_none() -> None:
    model = planned()
    keep = torch.tensor([True, False])
    a = logits(model, plan=points(2, 3), plan_keep=keep)
    b = logits(model, plan=points(2, 3, seed=1), plan_keep=keep)
    assert torch.equal(a[1], b[1])
    assert not torch.allclose(a[0], b[0], atol=1e-3)
    assert not torch.allclose(a[1], logits(model, plan=points(2, 3))[1], atol=1e-3)


def test_units_can_be_given() -> None:
    model = planned()
    plan = points(2, 3)
    given = logits(model, plan=plan, units=torch.tensor(UNITS))
    assert torch.equal(given, logits(model, plan=plan))
    moved = logits(model, plan=plan, units=torch.zeros(2, 10, dtype=torch.long))
    assert not torch.allclose(moved, given, atol=1e-3)
    prepared = model.signals(plan)
    assert torch.equal(logits(model, signals=prepared), given)


def test_filling_on_the_right_does_not_matter() -> None:
    model = planned()
    plan = points(2, 3)
    ids = torch.cat([IDS, torch.zeros(2, 5, dtype=torch.long)], -1)
    mask = (torch.arange(15) < 10).long().expand(2, -1)
    found = logits(model, ids, attention_mask=mask, plan=plan)[:, :10]
    torch.testing.assert_close(found, logits(model, plan=plan), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("place", [0, 1])
def test_each_depth_gets_its_own_signal(name: str, place: int) -> None:
    """What is meant for one depth is seen from there on, and not before."""
    model = planned(name, depths=(0, 1))
    last = model.projection.layers[-1]
    with torch.no_grad():
        for part in (last.weight, last.bias):  # (depths hidden, ...): the other depth's is nothing
            part.view(2, -1)[1 - place] = 0
    states, expected = (
        m(input_ids=IDS, plan=points(2, 3), output_hidden_states=True).hidden_states
        for m in (model, base(name))
    )
    same = [torch.equal(a, b) for a, b in zip(states[:2], expected[:2], strict=True)]
    assert same == [place > 0, False]


def test_the_signal_of_one_pass_is_gone_in_the_next() -> None:
    model = planned()
    model(input_ids=IDS, plan=points(2, 3))  # with gradients, so it is kept for the way back
    assert model.taps.signals is not None
    assert torch.equal(logits(model), logits(base()))
    model(input_ids=IDS, plan=points(2, 3))
    model(input_ids=IDS[:1, :4])


def test_without_a_plan_s_size_it_is_the_base() -> None:
    model = planned(plan_dim=0, depths=())
    assert not hasattr(model, "projection")
    assert torch.equal(logits(model, plan=points(2, 3)), logits(base()))
    prompt = torch.tensor([[0, 5]])
    given = {"input_ids": prompt, "max_new_tokens": 6, "do_sample": False}
    assert torch.equal(model.generate(**given, plan=points(1, 3)), base().generate(**given))


def test_opening_tags_count_from_the_second_on() -> None:
    model = planned(opens=True)
    plan = points(2, 3)
    found = logits(model, plan=plan)
    units = (torch.tensor(UNITS) - 1).clamp_min(0)
    assert torch.equal(found, logits(planned(), plan=plan, units=units))
    prompt = IDS[:, :4]
    given = {"input_ids": prompt, "plan": plan, "max_new_tokens": 8, "do_sample": False}
    ids = prompt
    for _ in range(8):
        best = logits(model, ids, plan=plan)[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, best], -1)
    assert torch.equal(model.generate(**given), ids)


TAGS = [6, 8]
"""Of the models that are told by tokens and tags."""
DUE = [[2.0, 4.0, 6.0, 20.0, 21.0], [5.0]]
SCHEDULES = {
    "by tokens": Schedule.of(DUE, [[], []]),
    "by tokens and tags": Schedule.of(DUE, [[1, 3], [0]]),
    "never": Schedule.of([[], []], [[], []]),
}


def test_rows_are_by_marks_or_by_tokens_and_tags() -> None:
    model = planned(tags=TAGS)
    assert model.rows(IDS).tolist() == UNITS
    for name, expected in (
        ("by tokens", [[0] * 3 + [2] * 4 + [3] * 3, [0] * 4 + [1] * 6]),
        ("by tokens and tags", [[0, 0, 1, 2, 2] + [3] * 5, [0] * 4 + [1] * 6]),
        ("never", [[0] * 10] * 2),
    ):
        assert model.rows(IDS, SCHEDULES[name]).tolist() == expected
        assert torch.equal(
            model.rows(IDS, SCHEDULES[name]), due_index(IDS, MARKS, TAGS, SCHEDULES[name])
        )
    deaf = planned()  # of a model that knows no tags, no stage ever begins
    assert deaf.rows(IDS, SCHEDULES["by tokens"]).max() == 3
    same = Schedule.of(SCHEDULES["by tokens and tags"].due.tolist(), [[], []])
    assert torch.equal(deaf.rows(IDS, SCHEDULES["by tokens and tags"]), deaf.rows(IDS, same))
    opened = planned(opens=True)
    assert torch.equal(opened.rows(IDS), unit_index(IDS, MARKS, opens=True))


@pytest.mark.parametrize("schedule", [None, *SCHEDULES.values()], ids=["by marks", *SCHEDULES])
def test_rows_of_beams_are_by_the_plan_of_their_document(schedule: Schedule | None) -> None:
    model = planned(tags=TAGS)
    rows = model.rows(IDS, schedule)
    assert torch.equal(model.rows(IDS, schedule, last=True), rows[:, -1:])
    for beams in (2, 3):
        ids = IDS.repeat_interleave(beams, 0)
        assert torch.equal(model.rows(ids, schedule), rows.repeat_interleave(beams, 0))
        last = model.rows(ids, schedule, last=True)
        assert torch.equal(last, rows[:, -1:].repeat_interleave(beams, 0))


@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
@pytest.mark.parametrize("beams", [1, 3])
def test_a_plan_told_by_tokens_in_a_whole_pass_and_in_writing(
    beams: int, schedule: Schedule
) -> None:
    model, plan = planned(tags=TAGS), 2 * points(2, 5)
    units = model.rows(IDS, schedule)
    found = logits(model, plan=plan, schedule=schedule)
    assert torch.equal(found, logits(model, plan=plan, units=units))
    assert not torch.allclose(found, logits(model, plan=plan), atol=1e-3)
    prompt = IDS[:, :4]
    given = {"input_ids": prompt, "plan": plan, "schedule": schedule, "max_new_tokens": 12}
    given |= {"do_sample": False, "num_beams": beams}
    written = model.generate(**given, return_dict_in_generate=True, output_scores=True)
    whole = logits(model, written.sequences, plan=plan, schedule=schedule)
    p = whole.log_softmax(-1)[:, 3:-1]
    chosen = p.gather(-1, written.sequences[:, 4:, None])[..., 0]
    if beams == 1:
        torch.testing.assert_close(chosen, p.amax(-1), atol=1e-4, rtol=1e-4)
    else:
        expected = written.sequences_scores
        torch.testing.assert_close(chosen.mean(-1), expected, atol=1e-4, rtol=1e-4)


def test_nothing_is_kept_for_later_where_there_are_labels() -> None:
    model = planned()
    assert model(input_ids=IDS, labels=IDS).past_key_values is None
    assert model(input_ids=IDS).past_key_values is not None
    assert model(input_ids=IDS, labels=IDS, use_cache=True).past_key_values is not None


def test_the_loss_of_the_model_is_the_mean_over_what_counts() -> None:
    model, plan, labels = planned(), points(2, 3), IDS.clone()
    labels[1, 3:6] = IGNORED
    weights = torch.rand(IDS.shape, generator=torch.Generator().manual_seed(0))
    p = logits(model, plan=plan).log_softmax(-1)[:, :-1]
    lost = -p.gather(-1, IDS[:, 1:, None])[..., 0]
    for given in (None, weights):
        count = (labels[:, 1:] != IGNORED) * (1.0 if given is None else given[:, 1:])
        found = model(input_ids=IDS, labels=labels, weights=given, plan=plan).loss
        torch.testing.assert_close(found, (lost * count).sum() / count.sum())
    none = torch.full_like(IDS, IGNORED)
    assert model(input_ids=IDS, labels=none, plan=plan).loss == 0


KEPT_APART: dict[str, Any] = {"between": [5, 6, 7], "close": 8, "decided": True}


@pytest.mark.parametrize("decided", [False, True])
def test_what_is_misplaced_is_added_in_training_alone(decided: bool) -> None:
    how = {**KEPT_APART, "decided": decided, "apart": 3.0}
    model, labels, plan = planned(**how), IDS.clone(), points(2, 3)
    labels[0, 8:] = IGNORED
    weights = torch.rand(IDS.shape, generator=torch.Generator().manual_seed(0))
    given = {"input_ids": IDS, "labels": labels, "weights": weights, "plan": plan}
    held = model(**given)
    torch.testing.assert_close(held.loss, planned()(**given).loss)
    ends = torch.tensor([[t == 0 or t in MARKS for t in row] for row in IDS.tolist()])
    more = misplaced(
        held.logits, labels, token_losses(held.logits, labels), ends, [5, 6, 7], 8, decided
    )
    assert more > 0
    found = model.train()(**given).loss
    torch.testing.assert_close(found, held.loss + 3 * more / counted(labels, weights).sum())


@pytest.mark.parametrize("how", [{"apart": 0.0}, {"between": []}], ids=["no cost", "no tags"])
def test_where_nothing_is_kept_apart_training_is_as_it_was(how: dict[str, Any]) -> None:
    given = {"input_ids": IDS, "labels": IDS, "plan": points(2, 3)}
    model = planned(**{**KEPT_APART, "apart": 30.0, **how}).train()
    assert torch.equal(model(**given).loss, planned().train()(**given).loss)
    other = planned(**KEPT_APART, apart=30.0).train()
    assert other(**given).loss > model(**given).loss


def test_a_model_that_keeps_them_apart_thinks_less_of_tags_within_sentences() -> None:
    """And between them of little else, also where the end cannot come."""
    random = torch.Generator().manual_seed(0)

    def sentence() -> list[int]:
        return [*torch.randint(10, 20, (6,), generator=random).tolist(), 31]

    ids = torch.tensor([[0, 5, *sentence(), 7, *sentence(), 6, *sentence(), 8] for _ in range(8)])
    ends = [0, 8, 16, 24]  # after the last of them the end comes
    within = [i for i in range(24) if i not in ends]
    found = {}
    for apart in (0.0, 30.0):
        model = planned(init=0.0, apart=apart, **KEPT_APART).train()
        optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
        for _ in range(12):
            optimiser.zero_grad()
            model(input_ids=ids, labels=ids).loss.backward()
            optimiser.step()
        p = logits(model.eval(), ids).softmax(-1)
        left = p[:, ends, 5:8].sum(-1) / (1 - p[:, ends, 8])
        found[apart] = float(p[:, within, 5:9].sum(-1).mean()), float(left.mean())
    assert found[30.0][0] < 0.3 * found[0.0][0]
    assert 1 - found[30.0][1] < 0.3 * (1 - found[0.0][1])


def test_the_loss_of_the_model_is_that_of_transformers_where_weights_are_alike() -> None:
    model, plan = planned(init=0.0), points(2, 3)
    found = model(input_ids=IDS, labels=IDS, plan=plan).loss
    torch.testing.assert_close(found, base()(input_ids=IDS, labels=IDS).loss)
    heavy = model(input_ids=IDS, labels=IDS, plan=plan, weights=torch.full(IDS.shape, 3.0)).loss
    torch.testing.assert_close(found, heavy)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_gradients_reach_the_projection_also_when_layers_are_computed_twice(name: str) -> None:
    found = []
    for again in (False, True):
        model = planned(name)
        if again:
            model.train()
            model.gradient_checkpointing_enable({"use_reentrant": False})
            for module in model.modules():
                if isinstance(module, torch.nn.Dropout):
                    module.p = 0.0
        model(input_ids=IDS, labels=IDS, plan=points(2, 3)).loss.backward()
        found.append(model.projection.layers[0].weight.grad.clone())
    assert found[0].abs().sum() > 0
    torch.testing.assert_close(found[0], found[1], atol=1e-6, rtol=1e-4)


def test_a_configuration_comes_back_from_plain_data() -> None:
    more: dict[str, Any] = {"fusion": "film", "look": 2, "tags": (5, 6), "apart": 2.5, **KEPT_APART}
    config = planned(depths=(0, 2), sparse=True, opens=True, units=4, **more).config
    assert (config.fusion, config.look, config.tags) == ("film", 2, [5, 6])
    assert (config.between, config.close, config.decided) == ([5, 6, 7], 8, True)
    assert config.apart == 2.5
    again: Any = PlannedConfig.from_dict(config.to_dict())
    assert again.to_dict() == config.to_dict()
    assert again.text_config.model_type == "llama"
    assert again.vocab_size == VOCABULARY


def test_a_configuration_from_before_has_what_it_had() -> None:
    found = planned().config.to_dict()
    for name in ("fusion", "look", "tags", "between", "close", "decided", "apart"):
        del found[name]
    again: Any = PlannedConfig.from_dict(found)
    assert (again.fusion, again.look, again.tags) == ("add", 0, [])
    assert (again.between, again.decided, again.apart) == ([], False, 0.0)
