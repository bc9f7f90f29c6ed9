"""Decoders made on the spot: a tiny base of random weights that likes to end its sentences."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedModel

from tests.conftest import make_tokenizer, tiny_llama
from timecontrol.bases import set_ends
from timecontrol.corpora.layout import RECIPE, Layout
from timecontrol.decoder import Decoder, PlannedLM, Settings
from timecontrol.decoder.alignment import Schedule
from timecontrol.decoder.examples import boundaries, plan_batch
from timecontrol.generation import Writing, Written, write
from timecontrol.plans import Law, Plan
from timecontrol.tokens import Codec
from timecontrol.vocabulary import grow

DIM = 3

LIKES = {"unit": 4.0, "tag": 2.5, "end": 2.0}
"""What is added to the logits of marks: sentences of about ten tokens, documents of some dozen."""

SENTENCES, TOKENS = 5.5, 40.0
"""Of the documents of its law, on average."""

SHARP = 8.0
"""What the logits of random weights are multiplied by."""


def made(
    maker: Callable[[int], PreTrainedModel] = tiny_llama,
    layout: Layout = RECIPE,
    form: str = "best",
    plan_dim: int = DIM,
    likes: dict[str, float] | None = None,
    pad: str | None = None,
    fusion: str = "add",
    look: int = 0,
) -> Decoder:
    """Return a decoder that was not trained.

    Args:
        maker: Makes its base.
        layout: Of its documents.
        form: How they are written: a key of ``tokens.STYLES``.
        plan_dim: Coordinates of a plan's points; 0: it follows none.
        likes: Instead of ``LIKES``.
        pad: A padding token of its own; otherwise begin, end and padding are one, as in GPT-2.
        fusion: How a plan is joined to the base.
        look: Points before and after that are told along.
    """
    words = make_tokenizer()
    if pad is not None:
        words.add_special_tokens({"pad_token": pad})
    codec = Codec(set_ends(words), layout, form)
    lm = maker(len(words))
    codec.fit(lm)
    grow(lm, words, {codec.style.unit_end: "."})  # with which the tests have texts worth a look
    counted, opens = boundaries(codec)
    torch.manual_seed(1)
    depths = (0, int(lm.config.num_hidden_layers)) if plan_dim else ()
    about: dict[str, Any] = {
        "plan_dim": plan_dim,
        "depths": depths,
        "boundaries": counted,
        "opens": opens,
    }
    about |= {"tags": sorted(codec.tag_ids.values()), "fusion": fusion, "look": look}
    model = PlannedLM.around(lm, init=0.5, **about)
    lean(model, codec, {**LIKES, **(likes or {})})
    model.requires_grad_(False).eval()  # type: ignore[no-untyped-call]
    settings = Settings(method="planned" if plan_dim else "plain", form=form)
    positions = int(lm.config.max_position_embeddings)
    config = {"window": positions, "encoder": None, "identity": "none"}
    law = Law.of([path(n, n) for n in range(3, 9)], TOKENS) if plan_dim else None
    return Decoder(model, codec, settings, config, law, {})


def lean(model: PlannedLM, codec: Codec, likes: dict[str, float]) -> None:
    """Give the output layer a bias towards marks, and opinions: random weights have hardly any."""
    old: Any = model.lm.get_output_embeddings()
    head = nn.Linear(old.weight.shape[1], old.weight.shape[0])
    with torch.no_grad():
        head.weight.copy_(SHARP * old.weight)
        head.bias.zero_()
        head.bias[codec.unit_end] = likes["unit"]
        head.bias[list(codec.tag_ids.values())] = likes["tag"]
        if codec.go_on is not None:
            head.bias[codec.go_on] = likes["tag"]
        head.bias[codec.end] = likes["end"]
    model.lm.set_output_embeddings(head)


def path(n: int, seed: int = 0, dim: int = DIM) -> np.ndarray:
    """Return points that wander, (n, dim)."""
    return np.random.default_rng(seed).standard_normal((n, dim)).cumsum(0)


def plans(count: int, n: int | None = None) -> list[Plan | None]:
    """Return plans of different lengths, or of ``n`` points each."""
    return [Plan(path(n or 2 + i % 5, 100 + i)) for i in range(count)]


def paced(count: int, n: int | None = None) -> list[Plan | None]:
    """Return the same plans with sentences of 3 to 11 tokens."""
    found: list[Plan | None] = []
    for number, plan in enumerate(plans(count, n)):
        assert plan is not None
        found.append(
            replace(plan, pace=tuple(3.0 + (number + 5 * i) % 9 for i in range(len(plan))))
        )
    return found


def staged(count: int, n: int | None = None) -> list[Plan | None]:
    """Return these with stages: the first begins at once, or after a sentence, others later."""
    found: list[Plan | None] = []
    for number, plan in enumerate(paced(count, n)):
        assert plan is not None
        starts = range(number % 2, len(plan), 1 + number % 3)
        found.append(replace(plan, starts=tuple(starts)))
    return found


def written(decoder: Decoder, given: list[Plan | None], **how: Any) -> list[Written]:
    """Return what is written from plans; settings of writing and options of ``write`` by name."""
    own = {k: how.pop(k) for k in ("first", "batch", "fast", "progress") if k in how}
    return list(write(decoder, given, Writing(**{"budget": 48, **how}), **own))


def like(decoder: Decoder, token: int, much: float) -> None:
    """Set what is added to the logit of a token."""
    head: Any = decoder.model.lm.get_output_embeddings()
    with torch.no_grad():
        head.bias[token] = much


def schedule_for(decoder: Decoder, plan: Plan, how: Mapping[str, Any]) -> Schedule | None:
    """Return when the points of a plan are due in a text that is written so, of ``made``."""
    if how["follow"] != "budget" or decoder.model.config.opens:
        return None
    usual = sum(plan.pace) or len(plan) * TOKENS / SENTENCES
    budget = how["budget"] if how["length"] == "forced" else min(usual, how["budget"])
    return Schedule.of([plan.due(budget).tolist()], [plan.starts])


def logits_of(decoder: Decoder, document: Written, hold: bool = False) -> torch.Tensor:
    """Return what the model thinks of a whole document at once, (tokens, vocabulary)."""
    assert document.plan is not None
    given = plan_batch([document.plan.points])
    schedule = schedule_for(decoder, document.plan, document.settings)
    ids = torch.tensor([document.ids])
    with torch.no_grad():
        signals = decoder.model.signals(**given, hold=hold)
        found = decoder.model(ids, signals=signals, schedule=schedule).logits[0]
    return torch.as_tensor(found)
