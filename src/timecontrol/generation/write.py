"""Plans to texts: in batches, by transformers' ``generate``, or along the fast path.

The same seed and document number give the same text whatever the batch: on a CPU in float32
exactly, because rows are computed alike (``packed.rows_alike``, attention by plain products).
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from timecontrol.decoder import Decoder, PlannedLM
from timecontrol.decoder.alignment import Schedule
from timecontrol.decoder.examples import plan_batch
from timecontrol.errors import TimeControlError
from timecontrol.generation.grouped import NAME
from timecontrol.generation.noise import uniforms
from timecontrol.generation.packed import packed, rows_alike
from timecontrol.generation.processors import InOrder, Keyed, PlanEnd, Sentences
from timecontrol.generation.sampling import draws_for
from timecontrol.generation.settings import Writing
from timecontrol.generation.units import units_of
from timecontrol.generation.written import Written
from timecontrol.plans import Plan, check
from timecontrol.progress import Progress, silent

ONE = threading.Lock()
"""A model has one way of attention, and one output layer, at a time."""


def write(
    decoder: Decoder,
    plans: Sequence[Plan | None],
    writing: Writing,
    *,
    first: int = 0,
    numbers: Sequence[int] | None = None,
    batch: int = 16,
    fast: bool | None = None,
    progress: Progress = silent,
) -> Iterator[Written]:
    """Write a document for each plan.

    Args:
        decoder: What writes.
        plans: One a document; ``None`` for a decoder without plans.
        writing: How.
        first: The number of the first document.
        numbers: Of each document, where they do not follow each other: plans of one number are
            written by the same random numbers.
        batch: Documents at once.
        fast: Whether the fast path is taken (fixed shapes, captured on a CUDA GPU); by default on
            such a GPU, where it can be.
        progress: Shows how far it is.
    """
    if numbers is None:
        numbers = range(first, first + len(plans))
    _check(decoder, plans, writing, min(numbers, default=0), batch)
    on_gpu = decoder.model.device.type == "cuda"
    if fast is None:
        from timecontrol.generation.fast import reason_against

        fast = on_gpu and writing.beams == 1 and reason_against(decoder.model) is None
    steps = writing.budget - 1
    with progress("writing", len(plans) * steps, 0, "tokens at most") as advance:
        for start in range(0, len(plans), batch):
            some = list(plans[start : start + batch])
            own = list(numbers[start : start + batch])
            rows = len(some)

            def tick(rows: int = rows) -> None:
                advance(rows)

            if writing.by_sentence:
                from timecontrol.generation.loop import run_loop

                whole = [plan for plan in some if plan is not None]
                before = 0

                def tick_to(at: int, rows: int = rows) -> None:
                    nonlocal before
                    advance(rows * (at - before))
                    before = at

                ids, followed = run_loop(decoder, whole, own, writing, tick_to)
                some = [*followed]
            elif fast:
                from timecontrol.generation.fast import run

                ids = run(decoder, some, own, writing, tick, batch if start and on_gpu else 0)
            else:
                ids = run_generate(decoder, some, own, writing, tick)
            for row, plan, number in zip(ids, some, own, strict=True):
                yield finish(decoder, row, plan, number, writing)


def stream(
    decoder: Decoder,
    plan: Plan | None,
    writing: Writing,
    say: Callable[[str | None, str], None],
    number: int = 0,
    tick: Callable[[], None] | None = None,
) -> Written:
    """Write one document, and hand over each sentence when it is done.

    Args:
        decoder: What writes.
        plan: Its plan.
        writing: How; beams cannot be streamed.
        say: Called with the tag, where the sentence begins a section, and the sentence.
        number: Of the document.
        tick: Called once a token; what it raises ends the writing.
    """
    _check(decoder, [plan], writing, number, 1)
    if writing.beams > 1:
        raise TimeControlError("Beam search has no text before its end: no --stream with --beams.")
    if writing.by_sentence:
        raise TimeControlError(
            "A sentence is chosen when it is whole: no --stream with --loop or --candidates."
        )
    codec = decoder.codec
    seen = [codec.begin]
    told = 0

    def take(token: int) -> None:
        seen.append(token)
        ends = token == codec.unit_end or token == codec.end or token in codec.tag_ids.values()
        if ends:
            tell(len(seen))

    def tell(upto: int) -> None:
        nonlocal told
        sections = codec.decode(seen[:upto])
        flat = [(s.tag if i == 0 else None, t) for s in sections for i, t in enumerate(s.sentences)]
        for tag, sentence in flat[told:]:
            say(tag, sentence)
        told = max(told, len(flat))

    ids = run_generate(decoder, [plan], [number], writing, tick, Sentences(take))
    tell(len(seen))
    return finish(decoder, ids[0], plan, number, writing)


@torch.no_grad()
def run_generate(
    decoder: Decoder,
    plans: Sequence[Plan | None],
    numbers: Sequence[int],
    writing: Writing,
    tick: Callable[[], None] | None = None,
    streamer: Sentences | None = None,
) -> list[list[int]]:
    """Return the token ids of documents, written by transformers' ``generate``."""
    model, codec = decoder.model, decoder.codec
    device = model.device
    rows = filled(len(plans), model, writing.exact)
    times = 2 if writing.guidance else 1
    prompt = torch.full((times * len(rows), 1), codec.begin, device=device)
    options: dict[str, Any] = {
        "max_new_tokens": writing.budget - 1,
        "min_new_tokens": writing.budget - 1 if writing.forced else None,
        "eos_token_id": codec.end,
        "pad_token_id": int(codec.tokenizer.pad_token_id),
        "do_sample": False,
        "suppress_tokens": codec.foreign or None,
        "attention_mask": torch.ones_like(prompt),
    }
    options |= plan_options(decoder, [plans[i] for i in rows], writing)
    if writing.stop == "plan" and "plan_length" in options and not writing.forced:
        options["stopping_criteria"] = [
            PlanEnd(model, options["plan_length"].to(device), options.get("schedule"))
        ]
    if writing.beams > 1:
        options["num_beams"] = writing.beams
    else:
        draws = draws_for(writing.top_p)
        keys = [numbers[i] for i in rows]
        noise = uniforms(writing.seed, keys, writing.budget - 1, draws).to(device)
        decide = (*model.config.boundaries, codec.begin)
        keyed = Keyed(noise, 1, writing.top_p, writing.temperature, tick, writing.guidance, decide)
        order = torch.tensor(list(codec.tag_ids.values()), dtype=torch.long, device=device)
        options["logits_processor"] = [*([InOrder(order)] if writing.ordered else []), keyed]
    with ONE, plain_attention(model, writing.exact), packed(model):
        found = model.generate(prompt, streamer=streamer, **options)
    return [row.tolist() for row in found[: len(plans)]]


def filled(documents: int, model: PlannedLM, exact: bool = True) -> list[int]:
    """Return the document of each row of a batch; on a CPU the last is written more than once."""
    of = 1
    if exact and model.device.type == "cpu":
        with ONE:  # while another text is written, its layers are not what they are
            of = rows_alike(model)
    return [*range(documents), *[documents - 1] * (-documents % of)]


def plan_options(
    decoder: Decoder, plans: Sequence[Plan | None], writing: Writing
) -> dict[str, Any]:
    """Return the plans as ``PlannedLM.generate`` takes them; nothing where there are none."""
    if not decoder.model.config.plan_dim:
        return {}
    known = [plan for plan in plans if plan is not None]
    known *= 2 if writing.guidance else 1
    given = plan_batch([plan.points for plan in known])
    if writing.guidance:
        given["plan_keep"] = torch.arange(len(known)) < len(known) // 2
    elif not writing.latents:
        given["plan_keep"] = torch.zeros(len(known), dtype=torch.bool)
    found: dict[str, Any] = {k: v.to(decoder.model.device) for k, v in given.items()}
    schedule = schedule_of(decoder, known, writing)
    if schedule is not None:
        found["schedule"] = schedule.to(decoder.model.device)
    return {**found, "hold": writing.forced}


def schedule_of(decoder: Decoder, plans: Sequence[Plan], writing: Writing) -> Schedule | None:
    """Return when the points of plans are due; ``None`` where each sentence has its own.

    A forced length is filled; otherwise a text is as long as its plan says, or as sentences are on
    average.
    """
    law = decoder.law
    if writing.follow != "budget" or decoder.model.config.opens or law is None:
        return None
    due = []
    for plan in plans:
        usual = sum(plan.pace) or len(plan) * law.tokens / law.sentences
        budget = writing.budget if writing.forced else min(usual, writing.budget)
        due.append(plan.due(budget).tolist())
    return Schedule.of(due, [plan.starts for plan in plans])


def finish(
    decoder: Decoder, ids: Sequence[int], plan: Plan | None, number: int, writing: Writing
) -> Written:
    """Return a document of its tokens; what stands after its end, or its plan's, is cut off."""
    end, last = decoder.codec.end, len(ids) - 1
    index: list[int] = []
    if plan is not None:
        schedule = schedule_of(decoder, [plan], writing)
        index = decoder.model.rows(torch.tensor([ids]), schedule)[0].tolist()
    if writing.stop == "plan" and plan is not None and not writing.forced:
        over = torch.tensor(index) >= len(plan)
        last = int(over.int().argmax()) if over.any() else last
    last = next((i for i in range(1, last) if ids[i] == end), last)
    kept = tuple(ids[: last + 1])
    ended = last > 0 and kept[-1] == end
    codec = decoder.codec
    sections, outline, units = codec.decode(kept), codec.outline(kept), None
    if plan is not None:
        units = units_of(codec, kept, index)
    return Written(number, sections, kept, ended, plan, writing.as_dict(), outline, units)


@contextmanager
def plain_attention(model: Any, exact: bool = True) -> Iterator[None]:
    """Compute attention in a way that suits writing.

    On a CPU, to be exact, by plain products (``grouped``), which round alike for any batch. On a
    CUDA GPU not by cuDNN, which prepares itself anew for every length, that is, for every token:
    40 ms each on an H200.
    """
    before = model.lm.config._attn_implementation
    if model.device.type == "cuda":
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel(
            [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
        ):
            yield
        return
    change = exact and model.device.type == "cpu" and before != NAME
    if change:
        model.lm.set_attn_implementation(NAME)
    try:
        yield
    finally:
        if change:
            model.lm.set_attn_implementation(before)


def _check(
    decoder: Decoder, plans: Sequence[Plan | None], writing: Writing, first: int, batch: int
) -> None:
    """Refuse what cannot be written."""
    if first < 0:
        raise TimeControlError(f"The number of a document is {first}: 0 or more.")
    if batch < 1:
        raise TimeControlError(f"batch is {batch}: 1 or more.")
    if writing.budget > decoder.positions:
        raise TimeControlError(
            f"{writing.budget} tokens are asked for; the base of this decoder takes at most "
            f"{decoder.positions}: give a smaller --length."
        )
    dim = decoder.model.config.plan_dim
    layout = decoder.codec.layout
    if writing.ordered and (writing.by_sentence or writing.beams > 1 or not layout.tags):
        raise TimeControlError(
            "Only tags can be put in order: not in the loop, with candidates or with beams."
        )
    if writing.ordered and (layout.repeats or layout.floating):
        raise TimeControlError(f"The tags of layout {layout.name!r} have no fixed order.")
    if writing.by_sentence and not dim:
        raise TimeControlError(
            "This decoder was trained without plans (method plain): no --loop, no --candidates."
        )
    bare = writing.guidance or not writing.latents
    if bare and not (dim and decoder.settings.latent_dropout):
        raise TimeControlError(
            "This decoder never wrote without latents beside writing with them (method "
            f"{decoder.settings.method}, latent dropout {decoder.settings.latent_dropout:g}): no "
            f"{'--guidance' if writing.guidance else '--no-latents'}."
        )
    if writing.stop == "plan" and not dim:
        raise TimeControlError(
            "This decoder was trained without plans (method plain): no --stop plan."
        )
    for plan in plans:
        if dim and plan is None:
            raise TimeControlError("This decoder follows plans, and was given none.")
        if plan is not None and dim:
            check(plan.points, dim)
        if plan is not None and not dim:
            raise TimeControlError(
                "This decoder was trained without plans (method plain): it cannot follow one."
            )
