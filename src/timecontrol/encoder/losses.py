"""One batch of an objective: sentences are drawn, encoded and compared.

Joins the pure objectives to a head and the sentences of a corpus. ``Trainee`` is all that is
trained; only its head is kept.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from timecontrol.encoder.head import Head
from timecontrol.encoder.reconstruction import Reconstruction
from timecontrol.encoder.sampling import Index, triplets, windows
from timecontrol.encoder.settings import Settings
from timecontrol.objectives import bridge, brownian, implicit, vae
from timecontrol.objectives.contrast import contrast, retrieval
from timecontrol.processes import BrownianBridge, BrownianMotion

Numbers = dict[str, Tensor]
"""What is reported of a batch; ``loss`` is what is minimised."""


@dataclass(frozen=True)
class Sentences:
    """The sentences of some documents, one document after the other."""

    features: Tensor
    """(n, D)"""
    index: Index

    @classmethod
    def of(cls, features: Tensor, lengths: list[int]) -> "Sentences":
        """Return the sentences of documents with so many each."""
        if sum(lengths) != len(features):
            raise ValueError(f"{len(features)} features for {sum(lengths)} sentences")
        return cls(features, Index.of(lengths))


class Trainee(nn.Module):
    """The head, and what an objective needs beside it."""

    def __init__(
        self, head: Head, settings: Settings, reconstruction: Reconstruction | None = None
    ) -> None:
        super().__init__()
        self.head = head
        self.settings = settings
        self.context = (
            implicit.Context(head.latent_dim, settings.context_units, settings.context_layers)
            if settings.objective == "implicit"
            else None
        )
        self.spread = self.reconstruction = None
        if settings.objective == "vae":
            if reconstruction is None:
                raise ValueError("a VAE needs a reconstruction")
            self.spread = nn.Linear(settings.hidden, head.latent_dim)
            self.reconstruction = reconstruction

    def posterior(self, features: Tensor) -> vae.Posterior:
        """Return q(z|x) of sentences' features, (N, D)."""
        assert self.spread is not None
        hidden = self.head.hidden(features)
        # bounded, so that no exponential overflows
        return vae.Posterior(self.head.layers[-1](hidden), self.spread(hidden).clamp(-10, 4))


def ends_of(index: Index, settings: Settings) -> Tensor:
    """Return the sentences that an objective's samples can end in."""
    step = settings.distance or 1
    before = {"bridge": 2, "vae": 2, "brownian": 2 if not settings.distance else 1, "implicit": 1}
    return index.ends(before[settings.objective] * step)


def batch_loss(
    model: Trainee,
    data: Sentences,
    ends: Tensor,
    generator: torch.Generator,
    weight: float = 1.0,
) -> Numbers:
    """Return the loss of one batch and what else is worth reporting.

    Args:
        model: What is trained.
        data: The sentences.
        ends: Which of them this batch ends in, (N,).
        generator: Where the draws come from.
        weight: Of the divergences of a VAE, at this point of the training.
    """
    step = {"bridge": _bridge, "brownian": _brownian, "implicit": _implicit}
    settings = model.settings
    if settings.objective == "vae":
        return _vae(model, data, ends, generator, weight)
    return step[settings.objective](model, data, ends, generator)


def _bridge(model: Trainee, data: Sentences, ends: Tensor, generator: torch.Generator) -> Numbers:
    s = model.settings
    drawn = triplets(data.index, ends, generator, s.distance)
    z_0, z_t, z_T = _latents(model.head, data, drawn.first, drawn.middle, drawn.last)
    place = data.index.position
    if s.loss == "paper":
        t, T = (x.to(z_t) for x in drawn.times())
        logits = bridge.logits(z_0, z_t, z_T, t, T, BrownianBridge())
    else:
        s_0, s_t, s_T = (place[x].to(z_t) for x in (drawn.first, drawn.middle, drawn.last))
        logits = bridge.released_logits(z_0, z_t, z_T, s_0, s_t, s_T, s.loss == "masked")
    numbers = _contrasted(logits)
    if s.pin:
        opens = (place[drawn.first] == 0).to(z_t)
        closes = (place[drawn.last] == data.index.length[drawn.last] - 1).to(z_t)
        numbers["pin"] = bridge.pinning(z_0, z_T, opens, closes)
        numbers["loss"] = numbers["contrast"] + s.pin * numbers["pin"]
    return numbers


def _brownian(model: Trainee, data: Sentences, ends: Tensor, generator: torch.Generator) -> Numbers:
    s = model.settings
    near = s.distance
    earlier = ends - near if near else triplets(data.index, ends, generator).middle
    z_s, z_t = _latents(model.head, data, earlier, ends)
    place = data.index.position
    if s.loss == "paper":
        gap = (ends - earlier).to(z_s)
        return _contrasted(brownian.logits(z_s, z_t, gap, BrownianMotion()))
    here, there = place[earlier].to(z_s), place[ends].to(z_s)
    return _contrasted(brownian.released_logits(z_s, z_t, here, there, s.loss == "masked"))


def _implicit(model: Trainee, data: Sentences, ends: Tensor, generator: torch.Generator) -> Numbers:
    assert model.context is not None
    window, following = windows(data.index, ends, model.settings.window)
    flat, z_next = _latents(model.head, data, window.flatten(), following)
    predicted = model.context(flat.view(*window.shape, -1))
    return _contrasted(implicit.logits(predicted, z_next))


def _vae(
    model: Trainee, data: Sentences, ends: Tensor, generator: torch.Generator, weight: float
) -> Numbers:
    assert model.reconstruction is not None
    s = model.settings
    drawn = triplets(data.index, ends, generator, s.distance)
    parts = (drawn.first, drawn.middle, drawn.last)
    q = [model.posterior(data.features[part]) for part in parts]
    z = [p.draw(generator) for p in q]
    t, T = (x.to(z[0]) for x in drawn.times())
    kl = vae.divergences((q[0], q[1], q[2]), (z[0], z[1], z[2]), t, T, BrownianBridge())
    likelihood = model.reconstruction(torch.cat(z), torch.cat(parts)).view(3, -1)  # (3, N)
    evidence = vae.evidence(likelihood, kl).mean()
    cost = (kl.mean(1) - s.free_nats).clamp(min=0).sum()  # by sentence and coordinate
    return {
        "loss": -likelihood.sum(0).mean() + weight * cost,
        "evidence": evidence,
        "divergence": kl.sum((0, 2)).mean(),
        "reconstruction": -likelihood.sum(0).mean(),
    }


def _latents(head: Head, data: Sentences, *parts: Tensor) -> list[Tensor]:
    """Return the latents of each part, all through the head at once."""
    z = head.raw(data.features[torch.cat(parts)])
    return list(torch.split(z, [len(part) for part in parts]))


def _contrasted(logits: Tensor) -> Numbers:
    loss = contrast(logits)
    return {"loss": loss, "contrast": loss, "retrieval": retrieval(logits.detach())}
