import pytest
import torch

from tests.generation.examples import made, staged
from timecontrol.decoder import Decoder
from timecontrol.decoder.alignment import Schedule, stage_index
from timecontrol.generation import Writing
from timecontrol.generation.noise import uniforms
from timecontrol.generation.rounds import Rounds, RoundStep
from timecontrol.generation.sampling import draws_for
from timecontrol.generation.write import plan_options

BUDGET = 60
SHORT = {"unit": 7.0}
"""A liking for sentences that fit into it."""


def begun(decoder: Decoder, rows: int, follow: str = "budget") -> RoundStep:
    writing = Writing(length="forced", budget=BUDGET, follow=follow)
    options = plan_options(decoder, staged(rows), writing)
    signals = decoder.model.signals(options["plan"], options["plan_length"], hold=True)
    step = RoundStep(decoder, rows, writing, signals, options.get("schedule"))
    noise = uniforms(0, range(rows), BUDGET - 1, draws_for(writing.top_p))
    step.reset(noise, options["plan_length"], signals, options.get("schedule"))
    return step


def sentence(rounds: Rounds) -> None:
    """Write a sentence of every row."""
    rounds.step.go_on(rounds.step.rows)
    while not all(rounds.some()):
        pass


@torch.no_grad()
def test_a_round_is_one_sentence_of_every_row() -> None:
    decoder = made(likes=SHORT)
    step = begun(decoder, 4)
    with step.prepared():
        sentence(Rounds(step))
    ends = decoder.codec.unit_end
    for row, at in zip(step.out.tolist(), step.at.tolist(), strict=True):
        assert row[at - 1] == ends
        assert ends not in row[: at - 1]
        assert set(row[at:]) == {step.pad}
    assert len(set(step.at.tolist())) > 1  # they stand at different places


@pytest.mark.parametrize(
    "likes", [SHORT, {"unit": 40.0}, {"tag": 40.0}], ids=["words", "marks alone", "tags alone"]
)
@pytest.mark.parametrize("follow", ["budget", "sentences"])
@torch.no_grad()
def test_a_row_that_waits_does_not_move(follow: str, likes: dict[str, float]) -> None:
    step = begun(made(likes=likes), 4, follow)
    with step.prepared():
        step() if "tag" in likes else sentence(Rounds(step))
        step.waits[:] = torch.tensor([True, False, True, False])
        before = [tensor.clone() for tensor in step.state]
        for _ in range(3):
            step()
    for was, now in zip(before, step.state, strict=True):
        assert torch.equal(was[[0, 2]], now[[0, 2]])
    assert (step.at[[1, 3]] > before[0][[1, 3]]).all()


def alone(schedule: Schedule, row: int) -> Schedule:
    """Return the schedule of one row."""
    return Schedule(*(value[row : row + 1] for value in vars(schedule).values()))


@pytest.mark.parametrize("tag", [-9.0, 2.5, 7.0], ids=["no tags", "some", "many"])
@torch.no_grad()
def test_each_row_is_told_the_point_that_is_due_where_it_stands(tag: float) -> None:
    decoder = made(likes={**SHORT, "tag": tag})
    step, seen = begun(decoder, 4), set()
    with step.prepared():
        rounds = Rounds(step)
        for _ in range(6):
            sentence(rounds)
            for row, at in enumerate(step.at.tolist()):
                ids = torch.tensor([[decoder.codec.begin, *step.out[row, :at].tolist()]])
                assert step.schedule is not None
                expected = decoder.model.rows(ids, alone(step.schedule, row))[0]
                assert step.units[row] == expected[-1]
                assert step.stage[row] == stage_index(ids, decoder.model.config.tags)[0, -1]
                if step.wrote[row] > 1:  # of the sentence, not of its mark
                    assert step.told[row] == expected[-2]
                seen.add((row, int(step.units[row])))
    assert len({row for row, _ in seen}) < len(seen) < 4 * 6
    assert bool(step.stage.any()) == (tag > 0)


@torch.no_grad()
def test_surprise_is_that_of_the_sentence() -> None:
    decoder = made(likes=SHORT)
    step = begun(decoder, 3)
    with step.prepared():
        sentence(Rounds(step))
    for row in range(3):
        ids = torch.tensor([[decoder.codec.begin, *step.out[row, : step.at[row]].tolist()]])
        assert step.signals is not None
        assert step.schedule is not None
        how = {"signals": step.signals[row : row + 1], "schedule": alone(step.schedule, row)}
        logits = decoder.model(ids, **how).logits[0, :-1].float()
        logits.index_fill_(1, step.never, -torch.inf)
        told = logits.log_softmax(-1).gather(-1, ids[0, 1:, None]).sum()
        torch.testing.assert_close(step.surprise[row], -told, rtol=1e-4, atol=1e-4)


@torch.no_grad()
def test_rows_go_on_from_where_another_stands() -> None:
    step = begun(made(likes=SHORT), 4)
    with step.prepared():
        rounds = Rounds(step)
        sentence(rounds)
        step.follow(torch.tensor([0, 1]), torch.tensor([2, 2]))
        step.noise[:] = step.noise[:1].clone()
        assert step.signals is not None
        step.signals[:] = step.signals[:1].clone()
        sentence(rounds)
    assert torch.equal(step.out[0], step.out[1])
    assert torch.equal(step.out[0], step.out[2])
    assert torch.equal(step.surprise[:1].expand(3), step.surprise[:3])


@torch.no_grad()
def test_rows_are_done_when_the_budget_is_full() -> None:
    step = begun(made(likes=SHORT), 2)
    with step.prepared():
        rounds = Rounds(step)
        for _ in range(BUDGET):
            sentence(rounds)
    assert step.done.all()
    assert not (step.out == step.pad).any()


@torch.no_grad()
def test_a_row_goes_on_while_another_waits() -> None:
    step = begun(made(likes=SHORT), 4)
    with step.prepared():
        rounds = Rounds(step)
        finished = rounds.some()
        while not any(finished):
            finished = rounds.some()
        rows = [i for i, waits in enumerate(finished) if waits]
        assert 0 < len(rows) < 4
        at = step.at.clone()
        step.go_on(torch.tensor(rows))
        rounds.some()
    assert (step.at == at + 1).all()  # those that go on, and those that had not finished
    assert (step.wrote[rows] == 1).all()
