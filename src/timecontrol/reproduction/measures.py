"""From a work to its numbers: one function a kind."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from timecontrol import figures
from timecontrol.bases import load_tokenizer
from timecontrol.corpora import Document, open_corpus
from timecontrol.decoder import Decoder
from timecontrol.decoder.facts import layout_dict
from timecontrol.devices import choose_device
from timecontrol.encoder import Encoder
from timecontrol.encoder.evaluations import log_test
from timecontrol.encoder.provenance import provenance
from timecontrol.errors import TimeControlError
from timecontrol.experiments.discourse import Source
from timecontrol.experiments.discourse import discourse as probed
from timecontrol.experiments.following import adhered, predicted
from timecontrol.experiments.material import read
from timecontrol.experiments.texts import Texts, read_texts, training_lengths
from timecontrol.features import open_base
from timecontrol.latents import diagnose
from timecontrol.latents.fit import GRID, at
from timecontrol.metrics.overlap import known_grams, overlap
from timecontrol.metrics.repetition import repetition
from timecontrol.pretrained import looks_folder
from timecontrol.reproduction.examples import examples
from timecontrol.reproduction.given import name_of
from timecontrol.reproduction.outlines import outlines_of, references, structure
from timecontrol.reproduction.recipes import (
    PROBES,
    counter,
    feature_base,
    recipe_of,
    stand_of,
)
from timecontrol.reproduction.records import FIGURES, Record, Value, identity, keep
from timecontrol.reproduction.scales import Stand
from timecontrol.reproduction.works import Work
from timecontrol.reproduction.workshop import Workshop
from timecontrol.runs import read_config
from timecontrol.statistics import gather
from timecontrol.tokens import STYLES, Codec

KS = (1, 5, 10)
DEFINITIONS = ("paper", "released", "best")
COORDINATES = 4
"""That time explains best, and that are drawn."""


@dataclass
class Found:
    """What a measurement gives."""

    values: dict[str, Value]
    base: str
    """What it is called in results."""
    each: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    look: Path | None = None
    """Where it is written down that test documents were looked at, where they were."""


def run(work: Work, shop: Workshop, command: str, folder: Path) -> Record:
    """Make what a work needs, measure it, keep its record and return it.

    Args:
        work: What is asked for.
        shop: Where things are made.
        command: What makes the record again.
        folder: Of records and figures.
    """
    stand, recipe = stand_of(work, shop), recipe_of(work, shop)
    found = MEASURES[work.kind](work, stand, shop, folder / FIGURES)
    device = choose_device(shop.place.device)
    record = Record(
        work,
        shop.scale.name,
        shop.label(stand),
        found.base,
        recipe,
        recipe["data"],
        command,
        found.values,
        found.each,
        {**found.made, "with": provenance(device)},
        identity(recipe),
    )
    keep(record, folder)
    if found.look is not None:  # a look counts when its numbers are kept
        short = {name: value.value for name, value in found.values.items()}
        found.look.mkdir(parents=True, exist_ok=True)
        log_test(found.look, f"reproduce {work.name}", stand.label, short)
    return record


def probe(work: Work, stand: Stand, shop: Workshop, pictures: Path) -> Found:
    """Tell the order of sentences by latents, or by a base's own features."""
    place, train, test = shop.place, shop.training(stand).train, shop.test(stand)
    if work.plans:
        folder = shop.encoder(work, stand)
        encoder = Encoder.load(folder, place.device, place.dtype)
        reader, tags = encoder.open(), encoder.settings.tags
    else:
        base = shop.base(feature_base(work, shop))
        reader, tags = open_base(base, "mean", place.device, place.dtype), False
    known, held = (read(d, reader, tags, place.progress) for d in (train, test))
    rows = [part.features for part in (known, held)]
    if work.plans:
        rows = [encoder.latents(part) for part in rows]
    values, runs = {}, {}
    for definition in DEFINITIONS:
        cells = probed(
            [Source(work.row, [(rows[0], rows[1])])],
            known.layout,
            held.layout,
            ks=KS,
            definition=definition,
            probe_seeds=PROBES,
            progress=place.progress,
        )[work.row]
        for k in KS:
            cell = cells[f"k = {k}"]
            name = f"{definition} k={k}"
            error = 100 * cell["document_error"]
            values[name] = Value(100 * cell["value"], error, cell["pairs"])
            runs[name] = cell["runs"][0]
    made: dict[str, Any] = {"documents": len(held.ids)}
    if work.plans:
        made["encoder"] = encoder.config["identity"]
    label = shop.called(feature_base(work, shop) if not work.plans else shop.scale.encoder_base)
    return Found(values, label, {"probes": runs}, made, folder if work.plans else shop.folder)


def texts(work: Work, stand: Stand, shop: Workshop, pictures: Path) -> Found:
    """Write documents, and measure their structure."""
    file = written(work, stand, shop)
    found = read_texts(file)
    corpus, base = shop.corpus(stand), base_of(work, stand, shop)
    codec = Codec(load_tokenizer(base), corpus.layout)
    outlines = outlines_of(found, codec)
    reference = references(training_lengths(corpus, codec, shop.scale.window), corpus.layout)
    budget = found.budget if found.length == "forced" else None
    values = structure(outlines, corpus.layout, reference, budget)
    n = len(outlines)
    again = repetition([[s for part in d for s in part.sentences] for d in found.sections])
    names = {
        "tail": "tail_repeated_4_grams",
        "repeated 4-grams": "repeated_4_grams",
        "repeated sentences": "repeated_sentences",
        "distinct 2-grams": "distinct_2",
    }
    for name, key in names.items():
        if (cell := again.get(key)) is not None and cell["value"] is not None:
            values[name] = Value(100 * cell["value"], 100 * cell["error"], n)
    for name, numbers in (
        ("ended", [100.0 * e for e in found.ended]),
        ("tokens", [float(t) for t in found.tokens]),
        ("sentences", [float(sum(len(s.sentences) for s in d)) for d in found.sections]),
    ):
        values[name] = mean_of(numbers)
    known = known_grams(d.sentences for d in shop.training(stand).train)
    copied = [overlap([s for part in d for s in part.sentences], known) for d in found.sections]
    values["known 8-grams"] = mean_of([100 * c.share for c in copied])
    values["longest known"] = mean_of([float(c.longest) for c in copied])
    each: dict[str, Any] = {
        "layout": layout_dict(corpus.layout),
        "reference": reference,
        "budget": budget,
        "outlines": [o.line(corpus.layout) for o in outlines],
    }
    if stand.open:
        each["examples"] = examples(found.sections, known)
    made = decoder_of(work, stand, shop) | {"writing": found.recipe}
    return Found(values, label_of(work, stand, shop), each, made)


def base_of(work: Work, stand: Stand, shop: Workshop) -> str:
    """Return the base of the decoder of a work."""
    given = shop.given_for(work, stand)
    return shop.base(shop.scale.decoder_base) if given is None else str(given["base"]["name"])


def label_of(work: Work, stand: Stand, shop: Workshop) -> str:
    """Return what the base of the decoder of a work is called in results."""
    given = shop.given_for(work, stand)
    return shop.called(shop.scale.decoder_base) if given is None else str(given["base"]["label"])


def mean_of(numbers: list[float]) -> Value:
    """Return the mean of numbers, one a document, with its standard error."""
    n = len(numbers)
    error = float(np.std(numbers, ddof=1) / np.sqrt(n)) if n > 1 else None
    return Value(float(np.mean(numbers)), error, n)


def written(work: Work, stand: Stand, shop: Workshop) -> Path:
    """Return the texts of a work, named by what decides them.

    Raises:
        TimeControlError: They are not as many as they should be.
    """
    asked = replace(work, kind="texts")
    file = shop.texts(asked, stand, identity(recipe_of(asked, shop)))
    with file.open("rb") as lines:
        found = sum(bool(line.strip()) for line in lines)
    if found != shop.scale.documents:
        raise TimeControlError(
            f"{file} has {found} documents, not {shop.scale.documents}: remove it, and run again"
        )
    return file


def decoder_of(work: Work, stand: Stand, shop: Workshop) -> dict[str, Any]:
    """Return which decoder it was."""
    config = read_config(shop.decoder_folder(work, stand), "decoder")
    found = {
        "decoder": config["identity"],
        "encoder": (config["encoder"] or {}).get("identity"),
        "decoder with": config.get("made_with"),
    }
    if (name := name_of(work, shop.given)) is not None:
        found["given"] = name
    return found


def adherence(work: Work, stand: Stand, shop: Workshop, pictures: Path) -> Found:
    """Do texts go along their plans, as another encoder sees it?"""
    place = shop.place
    found = first(read_texts(written(work, stand, shop)), shop.scale.judged)
    planner = shop.planner(work, stand)
    judge = Encoder.load(shop.judge(work, stand), place.device, place.dtype)
    cells = adhered(found, planner, judge, shop.training(stand).train, place.progress)
    n = cells["documents"]
    values = {}
    for name, cell in (("R2", cells["r2"]), ("r2", cells["explained"])):
        values[name] = number(cell["mean"], n)
    values["progress"] = number(cells["progress"]["mean"], n)
    if cells["permuted"]:
        values["r2 permuted"] = number(cells["permuted"]["explained"]["mean"], n)
        values["progress permuted"] = number(cells["permuted"]["progress"]["mean"], n)
    made = decoder_of(work, stand, shop) | {"judge": judge.config["identity"]}
    kept = {name: value for name, value in values.items() if value is not None}
    return Found(kept, label_of(work, stand, shop), {}, made)


def number(cell: Any, n: int) -> Value | None:
    """Return a mean, with its error where it has one; ``None`` where there is none."""
    value, error = (cell["value"], cell["error"]) if isinstance(cell, dict) else (cell, None)
    return None if value is None else Value(float(value), error, n)


def first(texts: Texts, count: int) -> Texts:
    """Return the first so many documents."""
    return replace(
        texts,
        sections=texts.sections[:count],
        tokens=texts.tokens[:count],
        ended=texts.ended[:count],
        plans=texts.plans[:count],
        outlines=None if texts.outlines is None else texts.outlines[:count],
        units=None if texts.units is None else texts.units[:count],
    )


def perplexity(work: Work, stand: Stand, shop: Workshop, pictures: Path) -> Found:
    """Predict held-out documents, with their own latents where a decoder has any."""
    folder = shop.decoder(work, stand)
    decoder = Decoder.load(folder, shop.place.device, shop.place.dtype)
    if decoder.settings.method.startswith("section-"):
        decoder.encoder = None
    cells = predicted(decoder, shop.test(stand), progress=shop.place.progress)
    names = {"true": "own", "plain": "own", "none": "dropped", "other": "another's"}
    values = {
        told: Value(cells[name]["value"], cells[name]["error"], cells["documents"])
        for name, told in names.items()
        if name in cells
    }
    given = name_of(work, shop.given)
    look = folder if given is None else looks_folder(given, "decoder")
    made = decoder_of(work, stand, shop) | {"tokens": cells["tokens"]}
    return Found(values, label_of(work, stand, shop), {}, made, look)


def counts(work: Work, stand: Stand, shop: Workshop, pictures: Path) -> Found:
    """Count the documents of a corpus, and how long their sections are, as the paper does."""
    style = STYLES["paper"]
    corpus = open_corpus(stand.spec, splitter_name=style.splitter)
    name, place = counter(shop)
    codec = Codec(load_tokenizer(place), corpus.layout, "paper")

    def sizes(document: Document) -> tuple[int, list[tuple[str | None, int]]]:
        encoded = codec.encode(document)
        return len(encoded.ids), codec.lengths(encoded)

    values = {}
    for limit in (None, shop.scale.window):
        for split, found in gather(corpus.documents(), sizes, limit).items():
            n = found.documents
            if limit is None:
                values[f"{split} documents"] = Value(float(n), None, n)
                sentences = found.document_sentences
                values[f"{split} sentences"] = Value(sentences.mean, sentences.se, n)
                continue
            values[f"{split} documents under {limit} tokens"] = Value(float(n), None, n)
            for tag, spread in found.sections.items():
                values[f"{split} {tag.lower()}"] = Value(spread.mean, spread.se, spread.n)
            for tag in corpus.layout.repeats & found.totals.keys():
                spread = found.totals[tag]
                values[f"{split} {tag.lower()}s"] = Value(spread.mean, spread.se, spread.n)
    return Found(values, f"tokens of {name}")


def paths(work: Work, stand: Stand, shop: Workshop, pictures: Path) -> Found:
    """Look at the paths of validation documents over time, in order and shuffled."""
    place = shop.place
    encoder = Encoder.load(shop.encoder(work, stand), place.device, place.dtype)
    documents = shop.training(stand).val
    own = list(encoder.paths(documents, place.progress).long_enough())
    found = diagnose(own, encoder.fit_)
    n = len(own)
    values = {
        "time": Value(100 * found.time_share_best, None, n),
        "time, all coordinates": Value(100 * found.time_share, None, n),
        "shuffled": Value(100 * found.shuffled_larger, 100 * found.shuffled_error, n),
        "step correlation": Value(found.step_correlation, None, n),
    }
    if (ratio := spread(own)) is not None:
        values["spread"] = Value(ratio, None, n)
    stem = work.name.removeprefix("paths/").replace("/", "_")
    pictures.mkdir(parents=True, exist_ok=True)
    drawn = {
        f"{stem}-trajectories.png": figures.trajectories(own, encoder.fit_, 0, 4, COORDINATES),
        f"{stem}-band.png": figures.band(own, encoder.fit_, 0, COORDINATES),
    }
    for name, figure in drawn.items():
        figures.save(figure, pictures / name, dpi=90)
    made = {"encoder": encoder.config["identity"], "figures": list(drawn)}
    return Found(values, shop.called(shop.scale.encoder_base), {}, made)


def spread(own: list[np.ndarray[Any, Any]]) -> float | None:
    """Return how far documents stray at a place, beside how far their mean goes over places.

    sqrt(mean_t var_documents z(t)) / sqrt(var_t mean_documents z(t)), over coordinates; large
    where time says nothing of a latent, ``None`` where the mean does not move at all.
    """
    whole = np.stack([at(path, GRID) for path in own])  # (documents, places, d)
    strays, goes = whole.var(0).mean(), whole.mean(0).var(0).mean()
    return float(np.sqrt(strays / goes)) if goes > 0 else None


Measure = Callable[[Work, Stand, Workshop, Path], Found]
MEASURES: dict[str, Measure] = {
    "probe": probe,
    "texts": texts,
    "adherence": adherence,
    "perplexity": perplexity,
    "counts": counts,
    "paths": paths,
}
"""By the kind of work."""
