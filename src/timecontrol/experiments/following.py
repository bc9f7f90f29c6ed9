"""Does a decoder follow its plan? Three questions, none of which needs anybody to read the texts.

``predicted``  Are documents better predicted with their own latents than without, and without than
               with another document's?
``swapped``    Do the section profiles of two texts change places when their plans do?
``adhered``    Does a text, read by another encoder than the one that planned, go along its plan?
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.corpora import Document
from timecontrol.corpora.documents import Section
from timecontrol.decoder import Decoder
from timecontrol.decoder.examples import (
    Collator,
    Example,
    Examples,
    boundaries,
    items_of,
    smoothed,
)
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError
from timecontrol.experiments.texts import Texts, as_document
from timecontrol.generation import Writing, write
from timecontrol.generation.request import sentences_for
from timecontrol.metrics.adherence import adherence, linear_map
from timecontrol.metrics.intervals import ratio
from timecontrol.metrics.perplexity import perplexity, surprise
from timecontrol.plans import Plan
from timecontrol.plans.stretching import stretched
from timecontrol.progress import Progress, silent

Array = NDArray[np.float64]
Found = dict[str, Any]


def predicted(
    decoder: Decoder,
    documents: Sequence[Document],
    batch: int = 8,
    seed: int = 0,
    progress: Progress = silent,
) -> Found:
    """Return perplexities of documents: with their latents, without, and with others'.

    Documents are whole, or trimmed inside their sections where the base takes less, alike for all
    decoders of it.

    Args:
        decoder: Which.
        documents: Held out.
        batch: Documents at once.
        seed: Of who gets whose latents.
        progress: Shows how far it is.
    """
    settings, codec = decoder.settings, decoder.codec
    strange = {tag for d in documents for tag in d.tags} - {None, *codec.tag_ids}
    if strange:
        known = ", ".join(codec.tag_ids) or "none"
        raise TimeControlError(
            f"This decoder does not know the tag {min(map(str, strange))!r} of these documents "
            f"(known: {known}): give a corpus like the one it was trained on."
        )
    empty = [np.zeros((len(d.sentences), 0)) for d in documents]
    paths = list(decoder.encoder.paths(documents, progress)) if decoder.encoder else empty
    window = decoder.positions
    same = replace(settings, seed=0, trim="sections")
    examples = Examples(items_of(documents, paths, codec, same, window), codec, same, window)
    whole = [examples[i] for i in range(len(examples))]
    if len(whole) < 2:
        raise TimeControlError(
            f"{len(whole)} of {len(documents)} documents are within {window} tokens: at least 2 "
            "are needed."
        )
    ways: dict[str, list[Example]] = {"true" if settings.follows else "plain": whole}
    if settings.follows:
        order = np.random.default_rng((seed, len(whole))).permutation(len(whole))
        other = {order[i]: order[i - 1] for i in range(len(order))}  # a cycle: nobody their own
        if settings.latent_dropout:  # others never saw a document without latents
            ways["none"] = [_changed(e, keep=False) for e in whole]
        ways["other"] = [_changed(e, whole[other[i]].points) for i, e in enumerate(whole)]
    counted, opens = boundaries(codec)
    pad = int(codec.tokenizer.pad_token_id)
    collate = Collator(pad, tuple(counted), opens, settings.early)
    sums: dict[str, list[float]] = {name: [] for name in ways}
    tokens: list[float] = []
    device = decoder.model.device
    with progress("reading", len(whole) * len(ways), 0, "documents") as advance:
        for name, given in ways.items():
            tokens = []
            for start in range(0, len(given), batch):
                some = collate(given[start : start + batch])
                losses, n = surprise(decoder.model, {k: v.to(device) for k, v in some.items()})
                sums[name] += losses.tolist()
                tokens += n.tolist()
                advance(len(losses))
    found: Found = {name: perplexity(s, tokens).as_dict() for name, s in sums.items()}
    for name, more, less in (("without", "none", "true"), ("wrong", "other", "none")):
        if more in sums and less in sums:  # paired: nats a token
            apart = np.array(sums[more]) - np.array(sums[less])
            found[name] = ratio(apart, np.array(tokens)).as_dict()
    found["tokens"] = int(sum(tokens))
    found["documents"] = len(whole)
    return found


def _changed(example: Example, points: Array | None = None, keep: bool = True) -> Example:
    """Return an example with another path, stretched to its length, or without one."""
    if points is not None:
        points = stretched(points, len(example.points))
    own = example.points if points is None else points
    return replace(example, points=own, keep=keep)


def profile(sections: Sequence[Section], tags: Sequence[str]) -> Array:
    """Return the share of a document's sentences in each section, (tags,)."""
    counts = np.array([sum(len(s.sentences) for s in sections if s.tag == t) for t in tags], float)
    return np.asarray(counts / max(1.0, counts.sum()))


def paths_of(
    decoder: Decoder, documents: Sequence[Document], progress: Progress = silent
) -> list[Array]:
    """Return the paths of documents as a decoder sees them: trimmed to its window, averaged."""
    if decoder.encoder is None:
        raise TimeControlError("Plans can be swapped where there are plans, and two tags or more.")
    codec, window = decoder.codec, decoder.window
    same = replace(decoder.settings, seed=0, trim="sections")
    items = items_of(
        documents, list(decoder.encoder.paths(documents, progress)), codec, same, window
    )
    examples = Examples(items, codec, same, window)
    return [examples[i].points for i in range(len(examples))]


def swapped(
    decoder: Decoder,
    pairs: int,
    writing: Writing,
    batch: int = 16,
    progress: Progress = silent,
    paths: Sequence[Array] | None = None,
) -> Found:
    """Return whether section profiles follow the plan or the random numbers of a text.

    Two documents' paths a and b, and two sets of random numbers 1 and 2, give four texts.
    With p their profiles, the difference p(a, 1) - p(b, 2) is compared with p(a, 2) - p(b, 1), the
    same plans with the numbers swapped::

        correlation over pairs and sections: 1 the plan decides, 0 nothing does, -1 the numbers do

    Also: how far apart are the profiles of two texts of one plan, and of two plans?

    Args:
        decoder: A planned one.
        pairs: Of plans.
        writing: How.
        batch: Documents at once.
        progress: Shows how far it is.
        paths: Of held-out documents; those of training documents otherwise. Where there are fewer
            than two for each pair, some are in several.
    """
    law, tags = decoder.law, decoder.codec.layout.tags
    if law is None or len(tags) < 2:
        raise TimeControlError("Plans can be swapped where there are plans, and two tags or more.")
    paths = law.paths if paths is None else paths
    if len(paths) < 2:
        raise TimeControlError(f"{len(paths)} paths: two are needed to change places.")
    n, random = sentences_for(decoder, writing), np.random.default_rng((writing.seed, pairs))
    if len(paths) >= 2 * pairs:
        chosen = random.permutation(len(paths))[: 2 * pairs]
    else:
        chosen = np.concatenate([random.choice(len(paths), 2, False) for _ in range(pairs)])
    plans = [Plan(stretched(paths[i], n), "retrieved", writing.seed, int(i)) for i in chosen]
    first = list(write(decoder, plans, writing, batch=batch, progress=progress))
    turned = [plans[i ^ 1] for i in range(2 * pairs)]  # neighbours change places
    second = list(write(decoder, turned, writing, batch=batch, progress=progress))
    p = np.stack([profile(t.sections, tags) for t in first])  # (2 pairs, tags)
    q = np.stack([profile(t.sections, tags) for t in second])
    one = p[0::2] - p[1::2]  # (a, 1) - (b, 2)
    two = q[1::2] - q[0::2]  # (a, 2) - (b, 1)
    value = _correlation(one, two)
    state = np.random.default_rng(0)
    drawn = [_correlation(one[i], two[i]) for i in state.integers(0, pairs, (1000, pairs))]
    low, high = np.percentile(drawn, [2.5, 97.5])
    same = np.abs(p - q[np.arange(2 * pairs) ^ 1]).sum(-1)  # one plan, other numbers
    apart = np.abs(p - q).sum(-1)  # the same numbers, the other plan
    return {
        "pairs": pairs,
        "paths": len(paths),
        "sentences": n,
        "correlation": {"value": value, "low": float(low), "high": float(high)},
        "follows_plan": float((same < apart).mean()),
        "distance_same_plan": float(same.mean()),
        "distance_same_numbers": float(apart.mean()),
    }


def _correlation(a: Array, b: Array) -> float:
    """Return the correlation of two arrays about zero."""
    below = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum() / below) if below > 0 else 0.0


def along(plan: Array, units: Sequence[int] | None) -> Array:
    """Return the points of a plan in the order of a text's sentences: point k for sentence k.

    Points that no sentence was written along are left out; those after the last sentence's remain.

    Args:
        plan: (n, d).
        units: The point of each sentence, not falling, some perhaps past the end of the plan;
            ``None``: not known, the plan stays as it is.
    """
    if not units:
        return plan
    own = [unit for unit in units if unit < len(plan)]
    return np.concatenate([plan[own], plan[units[-1] + 1 :]])


def stages_of(document: Document) -> list[str | None]:
    """Return the tag of each sentence's section, (sentences,)."""
    return [section.tag for section in document.sections for _ in section.sentences]


def adhered(
    texts: Texts,
    planner: Encoder,
    judge: Encoder,
    training: Sequence[Document],
    progress: Progress = silent,
) -> Found:
    """Return how well texts go along their plans, as another encoder sees it.

    Its latents are mapped into the space of the plans by a linear map that is fitted to training
    documents, which both encoders read. A sentence is compared with the point it was written along,
    where the texts tell which that is; else the k-th with the k-th.

    Args:
        texts: With their plans.
        planner: The encoder that planned.
        judge: Another one.
        training: Documents to fit the map to.
        progress: Shows how far it is.
    """
    if judge.config["identity"] == planner.config["identity"]:
        raise TimeControlError(
            "The judge is the encoder that planned: give one of another seed and base."
        )

    def calm(path: Array, document: Document) -> Array:
        return smoothed(path, texts.smooth, stages_of(document) if texts.within else None)

    target, source = (
        np.concatenate(list(map(calm, e.paths(training, progress), training)))
        for e in (planner, judge)
    )
    to_plan = linear_map(source, target)
    kept = [i for i, plan in enumerate(texts.plans) if plan is not None]
    units = texts.units or [None] * len(texts.plans)
    plans = [along(p, u) for p, u in zip(texts.plans, units, strict=True) if p is not None]
    if not kept:
        raise TimeControlError(f"{texts.run}: its documents have no plans.")
    if any(plan.shape[1] != planner.latent_dim for plan in plans):
        raise TimeControlError(
            f"{texts.run}: its plans are not of this encoder, whose latents have "
            f"{planner.latent_dim} numbers."
        )
    documents = [as_document(texts.sections[i]) for i in kept]
    if not any(d.sentences for d in documents):
        raise TimeControlError(f"{texts.run}: its documents have no sentences.")
    own = zip(judge.paths(documents, progress), documents, strict=True)
    found = [to_plan(calm(path, document)) for path, document in own]
    axis = planner.fit_.end.mean - planner.fit_.start.mean
    about = adherence(plans, found, axis)
    real = to_plan(source)
    spread = ((target - target.mean(0)) ** 2).sum(0)
    about["map_r2"] = (1 - ((target - real) ** 2).sum(0) / spread).tolist()
    return about
