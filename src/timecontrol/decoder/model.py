"""A causal language model that follows a plan.

With e the embedding of a token, k the number of its unit (``alignment``), z_k the plan's latent::

    f_k   = [ (z_k - mean) / sd,  is there a latent,  k / (n - 1),  is the plan over ]
    s_k   = W f_k                      one vector for each depth
    input = e + s_k[0],    before layer i:  h + s_k[i]

With ``look`` l above 0, where the plan comes from and goes to is told, too: f_k then also holds
(z_k - z_{k-l}) / sd and (z_{k+l} - z_k) / sd, points beyond the ends being those at the ends.

The base is any decoder-only model of transformers; everything of its ``generate`` works.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    GenerationConfig,
    GenerationMixin,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.modeling_outputs import CausalLMOutputWithPast

from timecontrol.decoder.alignment import (
    Schedule,
    due_index,
    is_boundary,
    last_unit,
    rows_at,
    unit_index,
)
from timecontrol.decoder.fusion import Taps, joined, layers_of
from timecontrol.decoder.losses import counted, misplaced, token_losses


class PlannedConfig(PreTrainedConfig):  # type: ignore[no-untyped-call]
    """A base's configuration, and how the plan enters it."""

    model_type = "timecontrol"
    sub_configs = {"text_config": AutoConfig}  # noqa: RUF012

    def __init__(
        self,
        text_config: PreTrainedConfig | dict[str, Any] | None = None,
        plan_dim: int = 0,
        depths: Sequence[int] = (),
        clock: bool = True,
        end_row: bool = True,
        sparse: bool = False,
        units: int = 0,
        boundaries: Sequence[int] = (0,),
        opens: bool = False,
        fusion: str = "add",
        look: int = 0,
        tags: Sequence[int] = (),
        between: Sequence[int] = (),
        close: int = 0,
        decided: bool = False,
        apart: float = 0.0,
        **rest: Any,
    ) -> None:
        """Describe a model.

        Args:
            text_config: Of the base.
            plan_dim: Coordinates of a plan's points; 0: no plan.
            depths: Where the signal is added; 0 is the input.
            clock: Whether the share of the plan that is done is told too.
            end_row: Whether it is told when the plan is over.
            sparse: Whether points are told only where they change, at the boundary before.
            units: Hidden units of the projection; 0: it is linear.
            boundaries: Token ids by which units are counted.
            opens: Whether these open a unit instead of ending one.
            fusion: How the signal is joined to what is there: ``add`` or ``film``.
            look: How many points before and after are told, as differences; 0: none.
            tags: Token ids that begin a section.
            between: Token ids that stand between sentences alone: tags, that one goes on; ``close``
                is such a one, too.
            close: The id that ends a document.
            decided: Whether nothing but these follows a sentence.
            apart: How much it costs in training to think otherwise.
            **rest: What every configuration may have.
        """
        if isinstance(text_config, dict):
            plain = {k: v for k, v in text_config.items() if k != "model_type"}
            text_config = AutoConfig.for_model(text_config["model_type"], **plain)
        self.text_config = text_config
        self.plan_dim, self.depths = plan_dim, list(depths)
        self.clock, self.end_row, self.sparse, self.units = clock, end_row, sparse, units
        self.boundaries, self.opens = list(boundaries), opens
        self.fusion, self.look, self.tags = fusion, look, list(tags)
        self.between, self.close, self.decided = list(between), close, decided
        self.apart = apart
        if text_config is not None:
            rest.setdefault("tie_word_embeddings", text_config.tie_word_embeddings)
            rest.setdefault("attn_implementation", text_config._attn_implementation)
        super().__init__(**rest)

    @property
    def vocab_size(self) -> int:
        """Entries of the base's vocabulary."""
        return int(self.text_config.vocab_size)  # type: ignore[union-attr]


class PlannedLM(PreTrainedModel, GenerationMixin):
    """A base, and the projection that brings a plan into it."""

    config: PlannedConfig
    config_class = PlannedConfig
    base_model_prefix = "lm"
    supports_gradient_checkpointing = True
    accepts_loss_kwargs = False  # its loss is a mean of its own
    _supports_sdpa = _supports_flash_attn = _supports_attention_backend = True
    _can_compile_fullgraph = True

    def __init__(self, config: PlannedConfig, lm: PreTrainedModel | None = None) -> None:
        """Put a projection on a base; ``lm`` is the base with its weights, where there are any."""
        super().__init__(config)
        text: Any = config.text_config
        bare: Any = AutoModelForCausalLM
        self.lm: Any = bare.from_config(text) if lm is None else lm
        self.hidden = int(text.hidden_size)
        self.taps: Taps | None = None
        if config.plan_dim:
            more = 1 + config.clock + config.end_row
            self.width = self.hidden * (2 if config.fusion == "film" else 1)
            out = len(config.depths) * self.width
            views = 3 if config.look else 1
            self.projection = Projection(config.plan_dim, more, config.units, out, views)
            layers = layers_of(self.lm, int(text.num_hidden_layers))
            self.taps = Taps(list(layers), config.depths)
        tied = getattr(self.lm, "_tied_weights_keys", None) or {}  # PEFT looks for them here
        self._tied_weights_keys = {f"lm.{k}": f"lm.{v}" for k, v in dict(tied).items()}
        self.post_init()  # type: ignore[no-untyped-call]

    def _init_weights(self, module: nn.Module) -> None:
        """Leave weights as they were made; the base starts its own."""

    @classmethod
    def around(cls, lm: PreTrainedModel, init: float = 0.0, **about: Any) -> "PlannedLM":
        """Return a base made to follow plans.

        Args:
            lm: The base, its vocabulary grown already; its weights are taken, not copied.
            init: Standard deviation of the projection's weights at first; 0: no effect at first.
            **about: The fields of ``PlannedConfig``.
        """
        config = PlannedConfig(text_config=lm.config, **about)
        model = cls(config, lm)
        if config.plan_dim:
            last: Any = model.projection.layers[-1]
            nn.init.normal_(last.weight, std=init) if init else nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)
        text: Any = lm.config  # a base's own habits, such as a penalty, are not taken over
        model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
            bos_token_id=text.bos_token_id,
            eos_token_id=text.eos_token_id,
            pad_token_id=text.pad_token_id,
        )
        nn.Module.to(model, device=lm.device, dtype=lm.dtype)
        return model

    def get_input_embeddings(self) -> nn.Module:
        """Return the base's."""
        found: nn.Module = self.lm.get_input_embeddings()
        return found

    def set_input_embeddings(self, value: nn.Module) -> None:
        """Set the base's."""
        self.lm.set_input_embeddings(value)

    def get_output_embeddings(self) -> nn.Module | None:
        """Return the base's."""
        found: nn.Module | None = self.lm.get_output_embeddings()
        return found

    def set_output_embeddings(self, value: nn.Module) -> None:
        """Set the base's."""
        self.lm.set_output_embeddings(value)

    def signals(
        self,
        plan: Tensor,
        plan_length: Tensor | None = None,
        plan_keep: Tensor | None = None,
        hold: bool = False,
    ) -> Tensor:
        """Return what a plan adds, one row a unit and one for what comes after.

        Args:
            plan: Latents, (batch, n, d).
            plan_length: Points of each, (batch,); all of them otherwise.
            plan_keep: Which rows have a latent at all, (batch,); all of them otherwise.
            hold: Whether the last point holds after the plan's end, instead of saying so.

        Returns:
            (batch, n + 1, depths, hidden), or twice as wide: scale and shift
        """
        batch, most, _ = plan.shape
        if plan_length is None:
            plan_length = plan.new_full((batch,), most, dtype=torch.long)
        length = plan_length.to(plan.device).unsqueeze(-1)  # (batch, 1)
        row = torch.arange(most + 1, device=plan.device).expand(batch, -1)  # (batch, n + 1)
        over = row >= length
        inside = torch.minimum(row, length - 1)
        points = rows_at(plan, inside)  # (batch, n + 1, d)
        if self.config.sparse:  # only where a section begins
            begins = torch.ones_like(over)
            begins[:, 1:] = (points[:, 1:] != points[:, :-1]).any(-1)
            points = points * begins.unsqueeze(-1).to(points)
        moves = None
        if look := self.config.look:
            before = points - rows_at(plan, (inside - look).clamp_min(0))
            after = rows_at(plan, torch.minimum(inside + look, length - 1)) - points
            moves = torch.stack([before, after], -2)  # (batch, n + 1, 2, d)
        kept = points.new_ones(batch) if plan_keep is None else plan_keep.to(points)
        told = [kept.view(batch, 1).expand(-1, most + 1)]
        if self.config.clock:
            told.append(inside / (length - 1).clamp_min(1))
        if self.config.end_row:
            told.append((over & (not hold)).to(points))
        found: Tensor = self.projection(points, torch.stack(told, -1), moves)
        return found.view(batch, most + 1, len(self.config.depths), self.width)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        weights: Tensor | None = None,
        plan: Tensor | None = None,
        plan_length: Tensor | None = None,
        plan_keep: Tensor | None = None,
        signals: Tensor | None = None,
        units: Tensor | None = None,
        schedule: Schedule | None = None,
        **rest: Any,
    ) -> CausalLMOutputWithPast:
        """Predict the next token of each position.

        Args:
            input_ids: (batch, tokens).
            attention_mask: As the base takes it.
            labels: Tokens to predict, as in transformers: the same ids, ``IGNORED`` where none.
            weights: How much each label counts, (batch, tokens).
            plan: Latents, (batch, n, d), with ``plan_length`` and ``plan_keep`` as in ``signals``.
            plan_length: Points of each plan.
            plan_keep: Which rows have a latent.
            signals: Instead of a plan, what ``signals`` makes of it.
            units: Which unit each token belongs to, (batch, tokens), where ``input_ids`` is not the
                whole document.
            schedule: When the points of each plan are due, where rows are told by tokens and tags
                (``alignment.due_index``).
            **rest: Handed to the base.
        """
        if signals is None and plan is not None and self.config.plan_dim:
            signals = self.signals(plan, plan_length, plan_keep)
        given: dict[str, Any] = {"input_ids": input_ids}
        if self.taps is not None:
            self.taps.signals = None  # of the pass before, kept for its gradients
        if signals is not None and self.taps is not None:
            if units is None:
                units = self.rows(input_ids, schedule)
            added = rows_at(signals, units)  # (batch, tokens, depths, hidden)
            if self.config.sparse:
                added = added * self._at_boundary(input_ids).to(added)
            self.taps.signals = added.unbind(2)
            if 0 in self.config.depths:
                embedded = self.get_input_embeddings()(input_ids)
                signal = self.taps.signals[self.config.depths.index(0)]
                given = {"inputs_embeds": joined(embedded, signal)}
        if labels is not None:
            rest.setdefault("use_cache", False)  # nothing will follow
        try:
            found = self.lm(**given, attention_mask=attention_mask, **rest)
        finally:
            if self.taps is not None and not torch.is_grad_enabled():
                self.taps.signals = None
        if labels is None:
            return found  # type: ignore[no-any-return]
        losses = token_losses(found.logits, labels)
        counts = counted(labels, weights)
        total, c = (losses * counts).sum(), self.config
        if self.training and c.apart and c.between:
            ends = self._at_boundary(input_ids)[..., 0, 0]
            about = (c.between, c.close, c.decided)
            total = total + c.apart * misplaced(found.logits, labels, losses, ends, *about)
        loss = total / counts.sum().clamp_min(1e-9)
        return CausalLMOutputWithPast(
            loss=loss,  # type: ignore[arg-type]
            logits=found.logits,
            past_key_values=found.past_key_values,
            hidden_states=found.hidden_states,
            attentions=found.attentions,
        )

    def rows(self, ids: Tensor, schedule: Schedule | None = None, last: bool = False) -> Tensor:
        """Return the plan's row of each token of whole documents, (batch, tokens).

        Args:
            ids: (batch, tokens).
            schedule: When their plans' points are due, if they are told by that; in beam search
                there are several rows of ``ids`` for each plan.
            last: Whether those of the last tokens alone are wanted, (batch, 1).
        """
        c = self.config
        if schedule is None:
            return (last_unit if last else unit_index)(ids, c.boundaries, c.opens)
        schedule = schedule.repeated(len(ids) // len(schedule.due))
        found = due_index(ids, c.boundaries, c.tags, schedule)
        return found[:, -1:] if last else found

    def _at_boundary(self, ids: Tensor) -> Tensor:
        """Return which tokens are boundaries, or begin the document, (batch, tokens, 1, 1)."""
        begin = self.lm.config.bos_token_id
        found: Tensor = is_boundary(ids, self.config.boundaries) | (ids == begin)
        return found[..., None, None]

    def prepare_inputs_for_generation(
        self, input_ids: Tensor, *args: Any, **kwargs: Any
    ) -> dict[str, Any]:
        """Return what a step of ``generate`` hands to ``forward``: the units of its tokens too."""
        bare: Any = super()
        found: dict[str, Any] = bare.prepare_inputs_for_generation(input_ids, *args, **kwargs)
        if found.get("signals") is not None:
            step = found["input_ids"].shape[1]
            units = self.rows(input_ids, found.get("schedule"), last=step == 1)
            found["units"] = units[:, -step:].contiguous()
        return found

    @torch.no_grad()
    def generate(
        self,
        *args: Any,
        plan: Tensor | None = None,
        plan_length: Tensor | None = None,
        plan_keep: Tensor | None = None,
        hold: bool = False,
        **rest: Any,
    ) -> Any:
        """Write as transformers' ``generate`` does, along a plan; it is projected only once."""
        if plan is not None and self.config.plan_dim:
            rest["signals"] = self.signals(plan, plan_length, plan_keep, hold)
        bare: Any = super()
        return bare.generate(*args, **rest)


class Projection(nn.Module):
    """A plan's points, standardised, and what else is told, to what is added to the model."""

    def __init__(self, dim: int, more: int, units: int, out: int, views: int = 1) -> None:
        """Make a linear map, or one with hidden units.

        Args:
            dim: Coordinates of a point.
            more: Other features; the first says whether there is a point.
            units: Hidden units; 0: linear.
            out: Numbers that come out.
            views: The point itself, and how many moves from and to it.
        """
        super().__init__()
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("sd", torch.ones(dim))
        first = nn.Linear(views * dim + more, units or out)
        self.layers = nn.ModuleList([first, nn.Linear(units, out)] if units else [first])

    def forward(self, points: Tensor, told: Tensor, moves: Tensor | None = None) -> Tensor:
        """Return what is added, (..., dim), (..., more) and (..., moves, dim) to (..., out)."""
        mean: Any = self.mean
        sd: Any = self.sd
        told = told.to(mean.dtype)
        latent = (points.to(mean.dtype) - mean) / sd
        if moves is not None:
            latent = torch.cat([latent, (moves.to(mean.dtype) / sd).flatten(-2)], -1)
        found: Tensor = self.layers[0](torch.cat([latent * told[..., :1], told], -1))
        for layer in self.layers[1:]:
            found = layer(F.gelu(found))
        return found


AutoConfig.register(PlannedConfig.model_type, PlannedConfig, exist_ok=True)
AutoModelForCausalLM.register(PlannedConfig, PlannedLM, exist_ok=True)
