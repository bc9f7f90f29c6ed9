"""How probable given tokens are after others, for many sequences at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from timecontrol.decoder import Decoder
from timecontrol.decoder.examples import plan_batch
from timecontrol.decoder.losses import IGNORED, token_losses

Array = NDArray[np.float64]

TOKENS = {"cuda": 16384}
"""Tokens of a batch, at most, filled ones too, by the kind of device."""
FEWER = 8192
"""The same on any other."""


@dataclass(frozen=True)
class Sequel:
    """Tokens after others."""

    before: list[int]
    ids: list[int]
    """At least one."""
    points: Array | None
    """The plan of both, (units, d)."""


@torch.no_grad()
def log_probs(
    decoder: Decoder, sequels: Sequence[Sequel], latents: bool = True
) -> NDArray[np.float64]:
    """Return the log probability of the tokens of each, in nats, (sequels,).

    Args:
        decoder: Whose probability.
        sequels: Of these.
        latents: Whether it is told the latents.
    """
    found = np.zeros(len(sequels))
    lengths = [len(s.before) + len(s.ids) for s in sequels]
    order = sorted(range(len(sequels)), key=lambda i: lengths[i])
    most = TOKENS.get(decoder.model.device.type, FEWER)
    while order:
        longest = lengths[order[-1]]
        some = [order.pop() for _ in range(min(len(order), max(1, most // longest)))]
        found[some] = _batch(decoder, [sequels[i] for i in some], latents)
    return found


def _batch(decoder: Decoder, sequels: Sequence[Sequel], latents: bool) -> Array:
    model = decoder.model
    longest = max(len(s.before) + len(s.ids) for s in sequels)
    ids = torch.full((len(sequels), longest), int(decoder.codec.tokenizer.pad_token_id))
    labels, mask = torch.full_like(ids, IGNORED), torch.zeros_like(ids)
    for row, s in enumerate(sequels):
        whole = torch.tensor([*s.before, *s.ids])
        ids[row, : len(whole)] = whole
        mask[row, : len(whole)] = 1
        labels[row, len(s.before) : len(whole)] = whole[len(s.before) :]
    given: dict[str, Any] = {"attention_mask": mask.to(model.device), "use_cache": False}
    if model.config.plan_dim:
        plan = plan_batch([s.points for s in sequels if s.points is not None])
        given |= {name: value.to(model.device) for name, value in plan.items()}
        given["plan_keep"] = torch.full((len(sequels),), latents, device=model.device)
    logits = model(ids.to(model.device), **given).logits
    losses = token_losses(logits, labels.to(model.device))
    return np.asarray(-losses.sum(-1).double().cpu().numpy())
