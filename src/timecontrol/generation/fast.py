"""The fast path: one decoding step of fixed shapes, captured in a CUDA graph where there is one.

Keys and values live in buffers of fixed size; position, running count of sentences, random numbers
and the tokens written so far are tensors on the device, changed in place. A step then needs nothing
from Python, and a graph replays it. Attention looks at no more of the buffers than has been
written, rounded up: one graph for each such window. Tokens are chosen by the same function and
the same numbers as in ``write``.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.cache_utils import Cache, CacheLayerMixin

from timecontrol.decoder import Decoder, PlannedLM
from timecontrol.decoder.alignment import Schedule, is_boundary, next_count, next_due, row_of
from timecontrol.errors import TimeControlError
from timecontrol.generation.noise import uniforms
from timecontrol.generation.packed import packed
from timecontrol.generation.processors import only_due
from timecontrol.generation.sampling import BLOCK, choose, draws_for, guided
from timecontrol.generation.settings import Writing
from timecontrol.plans import Plan

WINDOW = 128
"""Attention looks at a multiple of so many positions."""
LOOK = 32
"""Steps between two looks at whether all documents have ended."""
ATTENTION = "timecontrol_step"


class Slots(CacheLayerMixin):  # type: ignore[no-untyped-call]
    """Keys and values of one layer in buffers of fixed size."""

    is_compileable = True
    is_sliding = False

    def __init__(self, length: int, at: Tensor) -> None:
        """Hold ``length`` positions; ``at`` is the one that is written, (1,)."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.length, self.at, self.visible = length, at, length

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor | None = None) -> None:
        """Make the buffers when the first keys tell their shape."""
        rows, heads, _, dim = key_states.shape
        width = dim if value_states is None else value_states.shape[-1]
        self.keys = key_states.new_zeros(rows, heads, self.length, dim)
        self.values = key_states.new_zeros(rows, heads, self.length, width)
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **rest: Any
    ) -> tuple[Tensor, Tensor]:
        """Write the keys and values of one position, and return those that are looked at."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        keys, values = self.keys, self.values
        assert keys is not None
        assert values is not None
        self.put(keys, key_states)
        self.put(values, value_states)
        return keys[:, :, : self.visible], values[:, :, : self.visible]

    def put(self, buffer: Tensor, states: Tensor) -> None:
        """Write one position of every row, (rows, heads, 1, dim)."""
        buffer.index_copy_(2, self.at, states)

    def get_mask_sizes(self, *args: Any, **rest: Any) -> tuple[int, int]:
        """Return how many positions are looked at, from which on."""
        return self.visible, 0

    def get_seq_length(self, *args: Any) -> int:
        """Return 0: positions are told to the model."""
        return 0

    def get_max_length(self) -> int:
        """Return how many positions there are."""
        return self.length

    get_max_cache_shape = get_max_length


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **rest: Any,
) -> tuple[Tensor, None]:
    """Return the attention of one query a row, heads that share keys taken together.

    Args:
        module: The layer.
        query: (rows, heads, 1, dim).
        key: (rows, shared heads, positions, dim), and ``value`` alike.
        value: See there.
        attention_mask: What is added to the scores, (rows or 1, 1, 1, positions).
        scaling: Of the scores.
        dropout: Not used when writing.
        **rest: What other kinds of attention take.
    """
    rows, heads, _, dim = query.shape
    shared, positions = key.shape[1:3]
    grouped = query.reshape(rows * shared, heads // shared, dim)
    if attention_mask is None:
        attention_mask = query.new_zeros(1, 1, 1, positions)
    mask = attention_mask.to(query.dtype).expand(-1, shared, heads // shared, -1)
    if len(mask) == 1:  # one for all: it need not be copied out
        mask = mask[:, 0].expand(rows * shared, -1, -1)
    scores = torch.baddbmm(  # (rows shared, group, positions)
        mask.reshape(rows * shared, heads // shared, positions),
        grouped,
        key.reshape(rows * shared, positions, dim).transpose(-1, -2),
        alpha=dim**-0.5 if scaling is None else scaling,
    )
    found = scores.softmax(-1) @ value.reshape(rows * shared, positions, -1)
    return found.reshape(rows, 1, heads, value.shape[-1]), None


AttentionInterface.register(ATTENTION, attend)


def round_head(head: nn.Module) -> nn.Linear | None:
    """Return an output layer filled up to a round number of tokens, or ``None`` if it is round.

    Products of odd sizes take five times as long on a GPU, and a vocabulary with a few new tokens
    is always odd.
    """
    tokens = len(head.weight)  # type: ignore[arg-type]
    if type(head) is not nn.Linear or head.bias is not None or tokens % BLOCK == 0:
        return None
    size = tokens + -tokens % BLOCK
    w = head.weight
    found = nn.Linear(head.in_features, size, bias=False, device=w.device, dtype=w.dtype)
    return found.requires_grad_(False)


class Step:
    """Everything one decoding step reads and changes."""

    def __init__(
        self,
        decoder: Decoder,
        rows: int,
        writing: Writing,
        signals: Tensor | None,
        schedule: Schedule | None = None,
    ) -> None:
        """Make the buffers of ``rows`` documents."""
        self.model: PlannedLM = decoder.model
        self.writing = writing
        self.signals = None if signals is None else signals.clone()
        self.schedule = None if schedule is None else schedule.repeated(1)
        self.stage = torch.zeros(rows, dtype=torch.long, device=decoder.model.device)
        self.tag = torch.full_like(self.stage, -1)
        codec, device = decoder.codec, decoder.model.device
        self.begin, self.end = codec.begin, codec.end
        self.decide = (*self.model.config.boundaries, codec.begin)
        self.pad = int(codec.tokenizer.pad_token_id)
        never = [*codec.foreign, *([codec.end] if writing.forced else [])]
        self.never = torch.tensor(never, dtype=torch.long, device=device)
        self.order = torch.tensor(list(codec.tag_ids.values()), dtype=torch.long, device=device)
        self.said = torch.zeros(rows, dtype=torch.long, device=device)
        self.steps = writing.budget - 1
        self.noise = torch.zeros(rows, self.steps, draws_for(writing.top_p), device=device)
        self.token = torch.zeros(rows, 1, dtype=torch.long, device=device)
        self.count = torch.zeros(rows, dtype=torch.long, device=device)
        self.units = torch.zeros(rows, 1, dtype=torch.long, device=device)
        self.done = torch.zeros(rows, dtype=torch.bool, device=device)
        self.at = torch.zeros(1, dtype=torch.long, device=device)
        self.out = torch.zeros(rows, self.steps, dtype=torch.long, device=device)
        self.lengths = torch.zeros(rows, dtype=torch.long, device=device)
        self.places = torch.arange(self.steps, device=device)
        layers = int(decoder.model.config.text_config.num_hidden_layers)  # type: ignore[union-attr]
        self.slots = [Slots(self.steps, self.at) for _ in range(layers)]
        self.cache = Cache(layers=[*self.slots])
        self.head = round_head(decoder.model.lm.get_output_embeddings())
        self.tokens = len(decoder.model.lm.get_output_embeddings().weight)

    @contextmanager
    def prepared(self) -> Iterator[None]:
        """Give the base this path's attention and output layer for the time being."""
        lm: Any = self.model.lm
        attention, head = lm.config._attn_implementation, lm.get_output_embeddings()
        try:
            lm.set_attn_implementation(ATTENTION)
            if self.head is not None:
                with torch.no_grad():  # weights may have changed since the last batch
                    self.head.weight[: self.tokens].copy_(head.weight)
                lm.set_output_embeddings(self.head)
            yield
        finally:
            lm.set_output_embeddings(head)
            lm.set_attn_implementation(attention)

    def reset(
        self,
        noise: Tensor,
        lengths: Tensor,
        signals: Tensor | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        """Begin new documents, with the numbers of each step and their plans."""
        if self.signals is not None and signals is not None:
            self.signals.copy_(signals)
        if self.schedule is not None and schedule is not None:
            for name, value in vars(schedule).items():
                getattr(self.schedule, name).copy_(value)
        self.tag.fill_(-1)
        self.noise.copy_(noise)
        self.lengths.copy_(lengths)
        self.token.fill_(self.begin)
        self.out.fill_(self.pad)
        for state in (self.count, self.stage, self.said, self.units, self.done, self.at):
            state.zero_()

    @property
    def state(self) -> list[Tensor]:
        """What a step changes, but keys and values."""
        return [self.at, self.token, *self.place, self.said, self.units, self.done, self.out]

    @property
    def place(self) -> list[Tensor]:
        """Where in their plans documents are: what is due, stages so far, the last tag."""
        return [self.count, self.stage, self.tag]

    def look(self, visible: int) -> None:
        """Let attention look at so many positions."""
        for slots in self.slots:
            slots.visible = visible

    def __call__(self) -> None:
        """Write one token of every document."""
        w = self.writing
        visible = self.slots[0].visible
        mask = torch.where(self.places[:visible] <= self.at, 0.0, -torch.inf)
        mask = mask.to(self.model.dtype)
        given: dict[str, Any] = {}
        if self.signals is not None:
            given = {"signals": self.signals, "units": self.units}
        logits = (
            self.model(
                self.token,
                attention_mask=mask.view(1, 1, 1, -1),
                position_ids=self.at.view(1, 1).expand(len(self.token), 1),
                past_key_values=self.cache,
                use_cache=True,
                **given,
            )
            .logits[:, -1]
            .float()
        )
        logits[:, self.tokens :] = -torch.inf
        logits.index_fill_(1, self.never, -torch.inf)
        if w.ordered:
            only_due(logits, self.said, self.order)
        noise = self.noise.index_select(1, self.at).squeeze(1)  # (rows, draws)
        if w.guidance:
            decides = is_boundary(self.token.squeeze(-1), self.decide)
            logits, noise = guided(logits, w.guidance, decides), noise.chunk(2)[0]
        chosen = choose(logits, noise, w.top_p, w.temperature)
        chosen = chosen.repeat(2) if w.guidance else chosen
        chosen = torch.where(self.done, self.pad, chosen)
        self.out.index_copy_(1, self.at, chosen.unsqueeze(-1))
        self.done |= chosen == self.end
        self.said.add_(torch.isin(chosen, self.order))
        self.units.copy_(self.move_on(chosen).unsqueeze(-1))
        if w.stop == "plan" and self.signals is not None and not w.forced:
            self.done |= self.units.squeeze(-1) >= self.lengths
        self.token.copy_(chosen.unsqueeze(-1))
        self.at += 1

    def move_on(self, chosen: Tensor) -> Tensor:
        """Count one more token of each document, and return its row of the plan, (rows,)."""
        config = self.model.config
        if self.schedule is None:
            self.count.copy_(next_count(self.count, chosen, config.boundaries))
            return row_of(self.count, config.opens)
        mark = is_boundary(chosen, config.boundaries)
        self.count.copy_(next_due(self.count, mark, self.at + 2, self.schedule))
        if not config.tags:
            return self.count
        tag = is_boundary(chosen, config.tags)
        self.stage.add_(tag & (chosen != self.tag))
        self.tag.copy_(torch.where(tag, chosen, self.tag))
        return self.schedule.within(self.count.unsqueeze(-1), self.stage.unsqueeze(-1)).squeeze(-1)


class Runner:
    """Steps of one shape, captured once and replayed for batch after batch."""

    def __init__(self, step: Step) -> None:
        """Prepare to run ``step``."""
        self.step = step
        self.graphs: dict[int, Any] = {}

    def run(self, tick: Callable[[], None] | None = None) -> Tensor:
        """Write all documents, and return their tokens without the first, (rows, steps)."""
        step, last = self.step, self.step.steps
        for number in range(last):
            visible = min(last, (number // WINDOW + 1) * WINDOW)
            self.one(visible)
            if tick is not None:
                tick()
            if number % LOOK == LOOK - 1 and bool(step.done.all()):
                break
        return step.out

    def one(self, visible: int) -> None:
        """Do one step that looks at so many positions."""
        if self.step.token.device.type != "cuda":
            self.step.look(visible)
            self.step()
            return
        if visible not in self.graphs:
            self.graphs[visible] = self._capture(visible)
        self.graphs[visible].replay()

    def _capture(self, visible: int) -> Any:
        """Return a graph of the step; the state is as it was before."""
        step = self.step
        before = [tensor.clone() for tensor in step.state]
        step.look(visible)
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):  # kernels are chosen and memory is taken before the capture
                step()
                step.at.copy_(before[0])
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        for tensor, kept in zip(step.state, before, strict=True):
            tensor.copy_(kept)
        return graph


def reason_against(model: PlannedLM) -> str | None:
    """Return why a base cannot go along the fast path, or ``None``."""
    config: Any = model.config.text_config
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    if kinds != {"full_attention"} or getattr(config, "sliding_window", None):
        return "its attention has a sliding window"
    return None


@torch.no_grad()
def run(
    decoder: Decoder,
    plans: Sequence[Plan | None],
    numbers: Sequence[int],
    writing: Writing,
    tick: Callable[[], None] | None = None,
    least: int = 0,
) -> list[list[int]]:
    """Return the token ids of documents, as ``write.run_generate`` does, filled up at the end.

    ``least``: rows there must be, as in the batch before, so that its graphs can be used again.
    """
    from timecontrol.generation.write import ONE, filled, plan_options

    reason = reason_against(decoder.model)
    if reason is not None:
        raise TimeControlError(f"The fast path cannot be taken with this base: {reason}.")
    if writing.beams > 1:
        raise TimeControlError("The fast path has no beam search: no --fast with --beams.")
    model = decoder.model
    rows = filled(len(plans), model, writing.exact)
    rows += [len(plans) - 1] * (least - len(rows))
    options = plan_options(decoder, [plans[i] for i in rows], writing)
    schedule = options.get("schedule")
    rows *= 2 if writing.guidance else 1
    signals, lengths = None, torch.zeros(len(rows), dtype=torch.long, device=model.device)
    if options:
        lengths = options["plan_length"]
        with ONE, packed(model.projection):
            keep = options.get("plan_keep")
            signals = model.signals(options["plan"], lengths, keep, options["hold"])
    with ONE:
        runner = _runner(decoder, len(rows), writing, signals, schedule)
        keys, draws = [numbers[i] for i in rows], draws_for(writing.top_p)
        noise = uniforms(writing.seed, keys, writing.budget - 1, draws)
        runner.step.reset(noise.to(model.device), lengths, signals, schedule)
        with runner.step.prepared(), packed(model):
            found = runner.run(tick)[: len(plans)].tolist()
    return [[decoder.codec.begin, *row] for row in found]


def _runner(
    decoder: Decoder, rows: int, writing: Writing, signals: Tensor | None, schedule: Schedule | None
) -> Runner:
    """Return a runner for these shapes: that of the batch before, where it fits."""
    how = replace(writing, seed=0)
    model = decoder.model
    own = [] if schedule is None else [schedule.due, schedule.low, schedule.high]
    shapes = [None if given is None else tuple(given.shape) for given in (signals, *own)]
    key = (rows, how, *shapes, model.device, model.dtype)
    kept: dict[Any, Runner] = model.__dict__.setdefault("_runner", {})
    if key not in kept:
        kept.clear()  # its buffers are large
        kept[key] = Runner(Step(decoder, rows, writing, signals, schedule))
    return kept[key]
