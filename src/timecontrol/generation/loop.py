"""Writing sentence by sentence: the best of some candidates is kept; the rest is planned anew.

Of k candidates for the next sentence of a document, each drawn from the decoder along the plan, the
one with the largest

    score = a (mean log p of its tokens) + b (log density of its latent about the plan) / d,
    log density = - 1/2 sum over coordinates of (y - z)^2 / v

is kept, with y its latent as the encoder reads it, z the plan's point, and v the variance of single
sentences about plans (``plans.track``). Whether the document ends here is decided by the first
candidate alone, so that it ends as often as without others. In a closed loop the path is then known
there, and the plan of what is to come is that of the process given all that has been written;
otherwise the plan stays as it was.

All documents and candidates are written at once, and no document waits for another: when all its
candidates have finished their sentences, one is chosen and it goes on. What is drawn belongs to
(seed, document, candidate, step), never to a batch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.generation.noise import uniforms
from timecontrol.generation.packed import packed
from timecontrol.generation.rounds import Rounds, RoundStep
from timecontrol.generation.sampling import draws_for
from timecontrol.generation.settings import Writing
from timecontrol.plans import Plan

Array = NDArray[np.float64]


@dataclass
class Loop:
    """A document in the loop."""

    plan: Plan
    spread: Array
    """v, (n, d)."""
    start: int = 0
    """Tokens written before this round."""
    last: int = -1
    """The point of the sentence that was learnt from last."""
    over: bool = False
    """Whether it has ended."""

    def density(self, row: int, latent: Array) -> float:
        """Return the log density of a sentence's latent about the plan, over d."""
        row = min(row, len(self.plan) - 1)
        apart = (latent - self.plan.points[row]) ** 2 / np.maximum(self.spread[row], 1e-9)
        return float(-0.5 * apart.mean())

    def behind(self, row: int, stage: int) -> bool:
        """Return whether the plan is in a stage that the text has not begun."""
        starts = self.plan.starts
        return stage < len(starts) and row >= starts[stage]

    def take(self, row: int, latent: Array) -> None:
        """Learn what was written along a point, and plan anew what comes after it."""
        track = self.plan.track
        assert track is not None
        if row >= len(self.plan) or row == self.last:  # a second sentence along one point
            return
        self.last = row
        track = track.given(row, latent)
        points = self.plan.points.copy()
        points[row + 1 :] = track.plan()[row + 1 :]
        self.plan = replace(self.plan, points=points, track=track)


@torch.no_grad()
def run_loop(
    decoder: Decoder,
    plans: Sequence[Plan],
    numbers: Sequence[int],
    writing: Writing,
    tick: Callable[[int], None] | None = None,
) -> tuple[list[list[int]], list[Plan]]:
    """Return the token ids of documents, and the plans that were followed.

    Args:
        decoder: What writes; its encoder reads.
        plans: Drawn from the law as ``bridge`` or ``mean``.
        numbers: Of the documents.
        writing: How; ``candidates`` of each sentence, and whether it is planned anew (``loop``).
        tick: Told how many tokens have been written.
    """
    from timecontrol.generation.fast import reason_against
    from timecontrol.generation.write import ONE, filled, plan_options

    refuse(decoder, plans, reason_against(decoder.model))
    k, model = writing.candidates, decoder.model
    loops = [Loop(plan, plan.track.spread()) for plan in plans if plan.track is not None]
    places = [(document, c) for document in range(len(plans)) for c in range(k)]
    of = filled(len(places), model, writing.exact)
    places = [places[row] for row in of]  # on a CPU some rows more, to be exact
    options = plan_options(decoder, [plans[document] for document, _ in places], writing)
    lengths, schedule = options["plan_length"], options.get("schedule")
    numbered = [(numbers[document], c) for document, c in places]
    steps, draws = writing.budget - 1, draws_for(writing.top_p)
    noise = torch.cat([uniforms(writing.seed, [n], steps, draws, c) for n, c in numbered])
    with ONE:
        with packed(model.projection):
            signals = model.signals(options["plan"], lengths, hold=options["hold"])
        step = RoundStep(decoder, len(places), writing, signals, schedule)
        step.reset(noise.to(model.device), lengths, signals, schedule)
        rounds = Rounds(step)
        with step.prepared(), packed(model):
            while not all(loop.over for loop in loops):
                finished = rounds.some()
                ready = [i for i in range(len(loops)) if not loops[i].over]
                ready = [i for i in ready if all(finished[i * k : i * k + k])]
                if ready:
                    changed = choose(decoder, step, loops, ready, writing)
                    tell(decoder, step, loops, changed, writing)
                if tick is not None:
                    tick(min(loop.start for loop in loops))
        found = step.out[: len(plans) * k : k].tolist()
    return [[decoder.codec.begin, *row] for row in found], [loop.plan for loop in loops]


def refuse(decoder: Decoder, plans: Sequence[Plan], reason: str | None) -> None:
    """Raise an error where a loop cannot be closed."""
    if reason is not None:
        raise TimeControlError(f"Sentences cannot be chosen with this base: {reason}.")
    if decoder.encoder is None:
        raise TimeControlError(
            f"A decoder of method {decoder.settings.method!r} has no encoder to read what it "
            "writes: no --loop, no --candidates."
        )
    if decoder.law is not None and not decoder.law.fitted:
        raise TimeControlError(
            "This decoder was trained before plans could be drawn again: train it anew for --loop "
            "and --candidates."
        )
    for plan in plans:
        if plan.track is None:
            raise TimeControlError(
                f"A plan of kind {plan.kind!r} does not know how far sentences stray from it: "
                "--loop and --candidates need --plan bridge or mean."
            )


def choose(
    decoder: Decoder,
    step: RoundStep,
    loops: Sequence[Loop],
    ready: Sequence[int],
    writing: Writing,
) -> list[int]:
    """Keep the best candidate of each document that is ready, and let it go on.

    Returns the documents that have a new plan.
    """
    k, end = writing.candidates, decoder.codec.end
    device = step.at.device
    rows = torch.tensor([i * k + c for i in ready for c in range(k)], device=device)
    wrote, told, done, surprise, stage = (
        state.index_select(0, rows).tolist()
        for state in (step.wrote, step.told, step.done, step.surprise, step.stage)
    )
    units = _units(step, rows, [loops[i].start for i in ready for _ in range(k)], wrote)
    latents = read(decoder, units)
    to: list[int] = []
    source: list[int] = []
    changed = []
    for place, document in enumerate(ready):
        loop, own = loops[document], range(place * k, place * k + k)
        ended = [units[i][-1:] == [end] and latents[i] is None for i in own]
        scores = []
        for i, ends in zip(own, ended, strict=True):
            latent, likely = latents[i], -surprise[i] / max(len(units[i]), 1)
            if latent is None or (ends and not ended[0]):
                scores.append(-np.inf)
            else:
                near = loop.density(told[i], latent)
                scores.append(writing.likelihood * likely + writing.nearness * near)
        best = own[0] if ended[0] else own[int(np.argmax(scores))]
        to += [*_rows_of(document, len(loops), k, len(step.token))]
        source += [document * k + best - own[0]] * (len(to) - len(source))
        loop.start += wrote[best]
        loop.over = done[best]
        latent = latents[best]
        late = step.schedule is not None and loop.behind(told[best], stage[best])
        if writing.loop and latent is not None and not late:
            loop.take(told[best], latent)
            changed.append(document)
    target = torch.tensor(to, device=device)
    if k > 1:
        step.follow(target, torch.tensor(source, device=device))
    step.go_on(target)
    return changed


def _rows_of(document: int, count: int, k: int, rows: int) -> range:
    """Return the rows of a document; those that fill a batch up repeat the last one."""
    return range(document * k, rows if document == count - 1 else document * k + k)


def _units(
    step: RoundStep, rows: Tensor, starts: Sequence[int], wrote: Sequence[int]
) -> list[list[int]]:
    """Return the tokens that rows have written since they began a sentence."""
    first = torch.tensor(starts, device=rows.device).unsqueeze(-1)
    places = first + torch.arange(max(wrote, default=0), device=rows.device)
    places = places.clamp_max(step.out.shape[1] - 1)
    found = step.out.index_select(0, rows).gather(1, places).tolist()
    return [row[:n] for row, n in zip(found, wrote, strict=True)]


def read(decoder: Decoder, units: Sequence[Sequence[int]]) -> list[Array | None]:
    """Return the latent of each sentence, as the encoder reads it; ``None`` where there is none."""
    codec, encoder = decoder.codec, decoder.encoder
    assert encoder is not None
    texts = []
    for unit in units:
        sections = codec.decode([codec.begin, *unit])
        texts.append(" ".join(s for section in sections for s in section.sentences))
    whole = sorted({text for text in texts if text})
    if not whole:
        return [None] * len(texts)
    known = dict(zip(whole, np.asarray(encoder.encode(whole), np.float64), strict=True))
    return [known.get(text) for text in texts]


def tell(
    decoder: Decoder,
    step: RoundStep,
    loops: Sequence[Loop],
    changed: Sequence[int],
    writing: Writing,
) -> None:
    """Give the step the plans that have changed."""
    if not changed:
        return
    from timecontrol.generation.write import plan_options

    assert step.signals is not None
    options = plan_options(decoder, [loops[i].plan for i in changed], writing)
    plan = options["plan"]
    plan = F.pad(plan, (0, 0, 0, step.signals.shape[1] - 1 - plan.shape[1]))
    with packed(decoder.model.projection):
        signals = decoder.model.signals(plan, options["plan_length"], hold=options["hold"])
    k, rows = writing.candidates, len(step.token)
    own = [_rows_of(document, len(loops), k, rows) for document in changed]
    pairs = [(row, place) for place, some in enumerate(own) for row in some]
    to, source = torch.tensor(pairs, device=plan.device).unbind(-1)
    step.signals.index_copy_(0, to, signals.index_select(0, source).to(step.signals.dtype))
