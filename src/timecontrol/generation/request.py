"""What a user asks for, to plans: start, goal and waypoints as texts, a kind, a length."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.decoder import Decoder
from timecontrol.decoder.examples import has_stages, smoothed
from timecontrol.errors import TimeControlError, pick
from timecontrol.generation.settings import Writing
from timecontrol.plans import KINDS, Pin, Plan, own_length, plan_length, read_plans, sketch
from timecontrol.plans.plan import DOCUMENT
from timecontrol.sentences import paragraphs, splitter

Array = NDArray[np.float64]

Waypoint = tuple[float, str]
"""A share of the document, from 0 to 1, and what is to be said there."""

CROWDED = 2.0
"""A plan may have so many times the sentences that usually fit in the window."""

OWN_KINDS = {
    "paper": {"bridge": "euler", "brownian": "brownian", "implicit": "linear", "vae": "linear"},
    "released": {
        "bridge": "released",
        "brownian": "released-brownian",
        "implicit": "released",
        "vae": "released",
    },
}
"""The kind of plan that goes with a preset and an encoder; ``best`` has bridges for all.

The paper's text has straight lines for the VAE and implicit dynamics, its appendix bridges; the
authors' code draws bridges.
"""

SMOOTH = "smooth"
"""What says of a document's path, as a plan, how many sentences were averaged."""

NOISE = "noise"
"""What says what the noise of a plan was multiplied by, where it was."""

TOP_P = {"paper": 0.99, "released": 0.99}
"""Mass of the tokens that are drawn from, by preset, as in the paper; otherwise 0.95."""


def default_kind(decoder: Decoder) -> str:
    """Return the kind of plan that a decoder is meant to follow."""
    if decoder.settings.method.startswith("section-"):
        return "retrieved"
    if decoder.settings.method == "clock":
        return "mean"
    about = decoder.config["encoder"] or {}
    own = OWN_KINDS.get(decoder.settings.preset, {})
    usual = "bridge" if decoder.law is None or decoder.law.fitted else "bridge-brownian"
    return own.get(about.get("objective", ""), usual)


def default_writing(decoder: Decoder, length: str, **rest: Any) -> Writing:
    """Return how a decoder writes documents of a length: ``normal``, ``forced``, or so many tokens.

    ``forced`` fills the window it was trained with; a number of tokens forces that many.

    Args:
        decoder: What will write.
        length: How long.
        **rest: Other settings of ``Writing``. Where ``top_p`` is missing or ``None``, it is 0.95,
            but 0.99, the paper's setting, for decoders of the presets ``paper`` and ``released``.
            Likewise ``follow``: ``budget``, but ``sentences`` for these, and for old decoders.

    Raises:
        TimeControlError: This is no length, another setting is out of its range, or the decoder
            was trained to fill gaps.
    """
    if decoder.settings.fills:
        raise TimeControlError(
            f"This decoder fills gaps (arrangement {decoder.settings.arrangement}) and writes no "
            "whole documents: timecontrol infill FILE --model RUN."
        )
    if rest.get("top_p") is None:
        rest["top_p"] = TOP_P.get(decoder.settings.preset, Writing.top_p)
    if rest.get("follow") is None:
        own = decoder.settings.preset == "best" and (decoder.law is None or decoder.law.fitted)
        rest["follow"] = "budget" if own else "sentences"
    if length in ("normal", "forced"):
        return Writing(length=length, budget=decoder.window, **rest)
    if not length.isascii() or not length.isdigit() or len(length) > 9:
        raise TimeControlError(f"length is {length!r}: normal, forced, or a number of tokens.")
    return Writing(length="forced", budget=int(length), **rest)


def sentences_for(decoder: Decoder, writing: Writing) -> int:
    """Return how many sentences a plan has: those of a usual document, or scaled to the budget."""
    assert decoder.law is not None
    rule = decoder.settings.preset
    return plan_length(decoder.law, writing.length, writing.budget, rule)


def most_sentences(decoder: Decoder, budget: int) -> int:
    """Return how many sentences may be asked for within a budget of tokens."""
    assert decoder.law is not None
    usual = budget * decoder.law.sentences / decoder.law.tokens
    return max(2, int(CROWDED * usual))


def pins_of(
    decoder: Decoder,
    start: str | None = None,
    goal: str | None = None,
    waypoints: Sequence[Waypoint] = (),
) -> list[Pin]:
    """Return texts as points that a plan has to pass.

    The latent of each sentence is made as calm as the smoothed points of a plan are there, and a
    text of several sentences is the mean of theirs. Where the decoder was trained on utterances, a
    text is one, however many sentences it has.
    """
    asked: list[Waypoint] = []
    if start is not None:
        asked.append((0.0, start))
    asked += sorted(waypoints)
    if goal is not None:
        asked.append((1.0, goal))
    if not asked:
        return []
    if decoder.encoder is None:
        raise TimeControlError(
            f"A decoder of method {decoder.settings.method!r} has no encoder: start, goal and "
            "waypoints cannot be given as texts."
        )
    for share, _ in waypoints:
        if not 0 < share < 1:
            raise TimeControlError(
                f"A waypoint at {share:g}: its place is a share of the document between 0 and 1, "
                "as in 0.5:TEXT."
            )
    assert decoder.law is not None
    texts = [_units(decoder, text) for _, text in asked]
    for (share, text), sentences in zip(asked, texts, strict=True):
        if not sentences:
            raise TimeControlError(f"The text at {share:g} is empty ({text!r}): say something.")
    latents = decoder.encoder.encode([s for sentences in texts for s in sentences])
    ends = np.cumsum([len(s) for s in texts])[:-1]
    parts = np.split(np.asarray(latents, np.float64), ends)
    return [
        Pin(share, decoder.law.calmed(share, part).mean(0))
        for (share, _), part in zip(asked, parts, strict=True)
    ]


def plans_for(
    decoder: Decoder,
    count: int,
    writing: Writing,
    *,
    kind: str | None = None,
    sentences: int | None = None,
    start: str | None = None,
    goal: str | None = None,
    waypoints: Sequence[Waypoint] = (),
    noise: float = 1.0,
    first: int = 0,
) -> list[Plan | None]:
    """Return the plans of documents; ``None`` each for a decoder without plans.

    Args:
        decoder: What will write.
        count: Documents.
        writing: How: its seed, and the length of the plans.
        kind: A key of ``plans.KINDS``; the decoder's own otherwise.
        sentences: Points of a plan; otherwise as many as fill the budget, or, where none has to
            be filled, as many as a training document has.
        start: What the first sentence is about.
        goal: What the last is about.
        waypoints: What is to be said between.
        noise: What the noise of the plans is multiplied by; 0: none.
        first: The number of the first document.
    """
    if count < 1:
        raise TimeControlError(f"{count} documents are asked for: 1 or more.")
    law = decoder.law
    if law is None:
        given = (kind, sentences, start, goal)
        if waypoints or noise != 1 or any(value is not None for value in given):
            raise TimeControlError(
                "This decoder was trained without plans (method plain): no --plan, --sentences, "
                "--start, --goal, --waypoint or --noise."
            )
        return [None] * count
    kind = kind or default_kind(decoder)
    pick(KINDS, kind, "plan")
    if decoder.settings.method.startswith("section-") and kind != "retrieved":
        raise TimeControlError(
            f"A decoder told of sections follows those of real documents: --plan retrieved, not "
            f"{kind!r}."
        )
    if sentences is not None:
        most = most_sentences(decoder, writing.budget)
        if not 1 <= sentences <= most:
            raise TimeControlError(
                f"{sentences} sentences are asked for: from 1 to {most} in {writing.budget} "
                f"tokens, where {writing.budget * law.sentences / law.tokens:.0f} are usual; a "
                "larger --length has room for more."
            )
    usual = sentences or sentences_for(decoder, writing)
    pins = pins_of(decoder, start, goal, waypoints)
    as_documents = sentences is None and writing.length == "normal" and not pins
    as_documents = as_documents and decoder.settings.preset == "best" and law.fitted
    about: dict[str, Any] = {"rule": decoder.settings.preset}
    about |= {k: v for k, v in (("start", start), ("goal", goal)) if v is not None}
    if waypoints:
        about["waypoints"] = [list(w) for w in waypoints]
    if noise != 1:
        about[NOISE] = noise
    found: list[Plan | None] = []
    for number in range(first, first + count):
        n = usual
        if as_documents:
            n = own_length(law, kind, writing.seed, number) or usual
        drawn = sketch(law, kind, n, seed=writing.seed, number=number, pins=pins, noise=noise)
        own = (drawn.starts, drawn.pace, drawn.track)
        found.append(Plan(drawn.points, kind, writing.seed, number, about, *own))
    return found


def plans_from(decoder: Decoder, file: Path, count: int | None, writing: Writing) -> list[Plan]:
    """Return the plans of a file, as many as there are, or over again up to ``count``.

    The paths of documents, as ``timecontrol encode`` writes them, are smoothed as those were that
    the decoder was trained on; their ``about`` says so, so that they are not smoothed twice.
    """
    if decoder.law is None:
        raise TimeControlError("This decoder was trained without plans (method plain): no --plan.")
    if count is not None and count < 1:
        raise TimeControlError(f"{count} documents are asked for: 1 or more.")
    most = max(most_sentences(decoder, writing.budget), sentences_for(decoder, writing))
    found = [
        _as_followed(decoder, plan)
        for plan in read_plans(file, decoder.law.dim, most, writing.budget)
    ]
    wanted = len(found) if count is None else count
    return [found[i % len(found)] for i in range(wanted)]


def _units(decoder: Decoder, text: str) -> list[str]:
    """Return the parts of a text that have a latent each: sentences, or one utterance."""
    if decoder.codec.layout.unit == "utterance":
        whole = " ".join(text.split())
        return [whole] if whole else []
    split = splitter("rules", "en")
    return [s for p in paragraphs(text) for s in split(p)]


def _as_followed(decoder: Decoder, plan: Plan) -> Plan:
    """Return a plan with its points smoothed, where they are the raw path of a document."""
    if plan.kind == DOCUMENT and not has_stages(decoder.codec):
        plan = replace(plan, starts=())  # tags of speakers: no stages
    width = decoder.settings.smooth
    if plan.kind != DOCUMENT or SMOOTH in plan.about or width == 1:
        return plan
    stages = None
    if decoder.within and plan.starts:
        stages = np.searchsorted(plan.starts, np.arange(len(plan)), side="right").tolist()
    points = smoothed(plan.points, width, stages)
    return replace(plan, points=points, about={**plan.about, SMOOTH: width})
