"""Documents and a base to a trained model, and to what plans for it are drawn from."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from timecontrol.bases import load_causal
from timecontrol.corpora import Document
from timecontrol.decoder.alignment import unit_index
from timecontrol.decoder.captured import ROUND, captured
from timecontrol.decoder.estimate import Before, check_disk, estimate
from timecontrol.decoder.examples import (
    Collator,
    Example,
    Examples,
    boundaries,
    has_stages,
    items_of,
)
from timecontrol.decoder.folder import CHECKPOINTS
from timecontrol.decoder.health import health
from timecontrol.decoder.lora import adapt, rounded
from timecontrol.decoder.making import model_of, positions_of
from timecontrol.decoder.model import PlannedLM
from timecontrol.decoder.settings import FORWARD, Settings
from timecontrol.decoder.training import Outcome, train
from timecontrol.decoder.trimming import size
from timecontrol.encoder import Encoder
from timecontrol.encoder.documents import Chosen
from timecontrol.errors import TimeControlError
from timecontrol.plans import Law
from timecontrol.plans.missing import Bridge
from timecontrol.progress import Progress
from timecontrol.tokens import Codec

Array = NDArray[np.float64]

SHORT = 256
"""Tokens of the longest document up to which, on a CPU, plain products are the faster attention:
a training step of windows of 140 tokens takes a fifth less (PyTorch 2.13, bfloat16)."""


@dataclass(frozen=True)
class How:
    """Where and by which means it is trained; what comes out differs by rounding alone."""

    place: torch.device
    bf16: bool
    compiled: bool
    captured: bool
    checkpoints: bool
    tensorboard: Path | None
    each: bool = True
    """Whether every epoch is validated."""


@dataclass(frozen=True)
class Fitted:
    """What comes out."""

    model: PlannedLM
    peft: Any
    """The model with its adapters apart; ``None`` where all weights were trained."""
    law: Law | None
    bridge: Bridge | None
    """Where sentences lie that are missing; ``None`` without latents."""
    metrics: dict[str, Any]


def fine_tune(
    chosen: Chosen,
    codec: Any,
    encoder: Encoder | None,
    settings: Settings,
    about: dict[str, Any],
    folder: Path | None,
    how: How,
    before: Before | None,
    progress: Progress,
) -> Fitted:
    """Train the base on documents and their latents.

    Args:
        chosen: Training and validation documents.
        codec: How they are written as tokens.
        encoder: Whose latents are followed; ``None`` for methods without.
        settings: How to train.
        about: What ``config.json`` will hold: names the base, and is told the window and how many
            documents were used.
        folder: The run folder, for the states after each epoch.
        how: Where and by which means.
        before: Is told what it will take, before it begins.
        progress: Shows how far it is.
    """
    place, bf16, window = how.place, how.bf16, settings.window
    kept = folder / CHECKPOINTS if folder is not None and how.checkpoints else None
    lm = load_causal(about["base"]["name"], dtype=torch.float32)
    most = positions_of(lm)
    window = min(window or most, most)
    about["window"] = window
    chosen = replace(chosen, train=fewer(chosen.train, settings))
    paths = [paths_of(part, encoder, progress) for part in chosen.both]
    pairs = zip(chosen.both, paths, strict=True)
    items = [items_of(d, p, codec, settings, window) for d, p in pairs]
    if len(items[0]) < 2:
        raise TimeControlError(
            f"{about['corpus']['name']}: {len(items[0])} training documents under {window} "
            "tokens; at least 2 are needed. --trim sections shortens long ones."
        )
    about["corpus"]["used"] = {"train": len(items[0]), "val": len(items[1])}
    about["longest"] = max(len(item.pieces) for item in items[0])
    plain = Examples(items[0], codec, settings, window)
    law, mean, sd = law_of(plain, settings)
    torch.manual_seed(settings.seed)
    model = model_of(lm, codec, settings, 0 if law is None else law.dim)
    if model.config.plan_dim:
        model.projection.mean.copy_(torch.from_numpy(mean))  # type: ignore[operator]
        model.projection.sd.copy_(torch.from_numpy(sd))  # type: ignore[operator]
    peft = None
    if settings.lora:
        peft = adapt(model, settings.lora, codec.new_ids, settings.lora_dropout)
    trained: Any = model if peft is None else peft
    trained.to(place)
    bridge = None if encoder is None else Bridge.of(paths[0])
    training = Examples(items[0], codec, settings, window, sd, bridge=bridge)
    held = Examples(items[1], codec, settings, window, weighted=True, bridge=bridge)
    counted, opens = boundaries(codec)
    pad = int(codec.tokenizer.pad_token_id)
    collate = Collator(pad, tuple(counted), opens, settings.early)
    if before is not None:
        with progress("timing a few steps", 1) as advance, attending(model, place, training):
            found = estimate(
                trained, training, collate, settings, place, bf16, checkpoints=kept is not None
            )
            advance(1)
        if folder is not None:
            check_disk(found, folder)
        before(found)

    def watch() -> dict[str, float]:
        with torch.autocast(place.type, torch.bfloat16, enabled=bf16):
            found = health(model, held, collate)
        told = {"right_tag": "first", "choice_loss": "choice_loss", "misplaced": "misplaced"}
        known = {name: found[key] for name, key in told.items()} if found else {}
        return {name: value for name, value in known.items() if value is not None}

    batches = replace(collate, fixed=window) if how.compiled else collate
    with ExitStack() as stack:
        stack.enter_context(attending(model, place, training))
        graphs = how.captured and place.type == "cuda" and settings.accumulate == 1
        if graphs:
            batches = replace(collate, fixed=min(even(training, settings), most), masked=False)
            some = batches([training[i % len(training)] for i in range(settings.batch)])
            some = {name: value.to(place) for name, value in some.items()}
            stack.enter_context(captured(model, some, bf16, how.compiled))
        outcome = train(
            trained,
            training,
            held,
            batches,
            settings,
            checkpoints=kept,
            device=place,
            bf16=bf16,
            compiled=how.compiled and not graphs,
            tensorboard=how.tensorboard,
            watch=watch,
            each=how.each,
            progress=progress,
        )
    trained.eval()
    if peft is not None:
        rounded(peft)
    metrics = metrics_of(outcome)
    with torch.autocast(place.type, torch.bfloat16, enabled=bf16):
        metrics["health"] = health(model, held, collate) if len(held) else None
    return Fitted(model, peft, law, bridge, metrics)


@contextmanager
def attending(model: PlannedLM, place: torch.device, examples: Examples) -> Iterator[None]:
    """Compute attention by plain products where documents are short and there is no GPU."""
    before = model.lm.config._attn_implementation
    lengths = (len(examples[i].ids) for i in range(len(examples)))
    if place.type != "cpu" or max(lengths) > SHORT:  # in this order: a GPU need not count
        yield
        return
    model.lm.set_attn_implementation("eager")
    try:
        yield
    finally:
        model.lm.set_attn_implementation(before)


def fewer(documents: list[Document], settings: Settings) -> list[Document]:
    """Return as many documents as are to be trained on, in their order; drawn by the seed."""
    if not settings.documents or settings.documents >= len(documents):
        return documents
    random = np.random.default_rng((settings.seed, len(documents)))
    kept = random.choice(len(documents), settings.documents, replace=False)
    return [documents[i] for i in sorted(kept.tolist())]


def even(examples: Examples, settings: Settings) -> int:
    """Return the length of the longest document, rounded up, for batches of one shape."""
    longest = max(len(examples[i].ids) for i in range(len(examples)))
    if settings.trim == "sections":  # another draw may be a little longer
        longest = max(longest, min(examples.window, max(size(i.pieces) for i in examples.items)))
    return longest + -longest % ROUND


def paths_of(
    documents: Sequence[Document], encoder: Encoder | None, progress: Progress
) -> list[Array]:
    """Return the latents of documents; without an encoder, of no coordinates."""
    if encoder is None:
        return [np.zeros((len(d.sentences), 0)) for d in documents]
    return list(encoder.paths(documents, progress))


def law_of(examples: Examples, settings: Settings) -> tuple[Law | None, Array, Array]:
    """Return what plans are drawn from, and mean and standard deviation of their points."""
    if not settings.follows:
        return None, np.zeros(0), np.zeros(0)
    pieced = settings.method == "planned" and not settings.fills
    if settings.fills:  # plans are of documents as they are
        settings = replace(settings, arrangement=FORWARD)
        examples = Examples(examples.items, examples.codec, settings, examples.window)
    whole = [examples[i] for i in range(len(examples))]
    single = replace(settings, smooth=1)
    raw = Examples(examples.items, examples.codec, single, examples.window)
    law = Law.of(
        [e.points for e in whole],
        [len(e.ids) for e in whole],
        raw=[raw[i].points for i in range(len(raw))],
        sections=[e.sections for e in whole] if has_stages(examples.codec) else None,
        smooth=settings.smooth,
        within=settings.within,
        sizes=[sizes_of(e) for e in whole] if has_stages(examples.codec) else None,
        lengths=[lengths_of(e, *boundaries(examples.codec)) for e in whole],
        roles=[roles_of(e) for e in whole] if has_speakers(examples.codec) else None,
    )
    if not pieced:
        law = replace(law, analogs=None)
    points = np.concatenate([e.points for e in whole])
    spread_ = points.std(0)
    sd = np.where(spread_ > 1e-8, spread_, 1.0)
    if not settings.standardise:
        return law, np.zeros(law.dim), np.ones(law.dim)
    return law, points.mean(0), sd


def lengths_of(example: Example, counted: Sequence[int], opens: bool) -> list[int]:
    """Return the tokens of each unit of a document, with its mark."""
    ids = torch.tensor(example.ids)
    if not opens:  # the mark belongs to what it ends
        ids = torch.cat([torch.tensor([-1]), ids[:-1]])
    units = unit_index(ids, counted, opens)
    return torch.bincount(units, minlength=len(example.points))[: len(example.points)].tolist()


def has_speakers(codec: Codec) -> bool:
    """Return whether tags say who speaks, each sentence being a unit."""
    return bool(codec.layout.floating) and not codec.style.period


def roles_of(example: Example) -> list[int]:
    """Return who speaks in each unit of a document, as a number: the tag of its section."""
    return [stage for stage, units in example.sections for _ in range(units)]


def sizes_of(example: Example) -> list[int]:
    """Return the tokens of each section of a document; one that was cut off has none."""
    places = [at for _, at in example.starts[: len(example.sections)]]
    places += [len(example.ids)] * (len(example.sections) + 1 - len(places))
    return [b - a for a, b in pairwise(places)]


def metrics_of(outcome: Outcome) -> dict[str, Any]:
    """Return what ``metrics.json`` holds of a training."""
    kept = outcome.history[outcome.kept_epoch - 1] if outcome.history else {}
    return {
        "kept_epoch": outcome.kept_epoch,
        "epochs": len(outcome.history),
        "seconds": outcome.seconds,
        "tokens": outcome.tokens,
        "kept": kept,
        "history": outcome.history,
    }
