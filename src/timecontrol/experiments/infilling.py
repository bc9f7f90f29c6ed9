"""Every sentence of a window left out in turn, written again in several ways, and compared.

A way is a decoder and how it is used: ``RUN``, ``RUN:latent-free`` (its latents are not told),
``RUN:best-8`` (the best of 8 candidates), ``RUN:greedy`` (the most probable token each time),
``RUN:temperature-0.7``, ``RUN:noise-1`` (latents drawn from the bridge). What was
written is kept beside the result, one file a decoder, way and seed, and not written again. Nothing
of the documents is kept there: a gap is named by its document and place.

One draw says little of a way: ``draws`` of them, of as many seeds, are measured together. The best
of so many candidates, or more, is drawn once. Several trainings are one way, too: ``RUN+RUN+RUN``,
``RUN+RUN:greedy``; their spread is told.

Every way is compared with the first that draws as it does (greedy with greedy, the best of 8 with
the best of 8), or else with the first; and with the same decoder used more plainly, where that is
among the ways: the best of 8 with one draw, without its latents and with them.
"""

import gc
import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from timecontrol.bases import resolve
from timecontrol.corpora import Corpus, Document
from timecontrol.decoder import Decoder
from timecontrol.devices import choose_device, choose_dtype
from timecontrol.encoder.evaluations import log_test
from timecontrol.errors import TimeControlError
from timecontrol.experiments.decoders import Found, about, check, result
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.material import held_out, trained_on
from timecontrol.infilling.asking import Ask, ask_of
from timecontrol.infilling.drafts import Drawing
from timecontrol.infilling.fill import Filling, bridge_of, fill_all, latents_of
from timecontrol.infilling.gaps import Gapped, Slot
from timecontrol.infilling.ranking import Measured, Weights
from timecontrol.metrics.infilling import Fillings, differences
from timecontrol.metrics.overlap import known_grams, overlap
from timecontrol.plans.missing import Bridge
from timecontrol.pretrained import decoder_folder, looks_folder
from timecontrol.runs import read_config

COMPARED = ("bleu", "rouge_l", "bertscore_f1")
SHOWN = (
    "bleu", "rouge_1", "rouge_2", "rouge_l", "bertscore_p", "bertscore_r", "bertscore_f1",
    "bleurt", "distinct_1", "distinct_2", "stuck", "words",
)  # fmt: skip
HOW = r"latent-free|greedy|best-\d{1,3}|(?:noise|temperature)-\d+(?:\.\d+)?"
"""Words after a decoder that say how it is used."""
FORMAT = 2
NUMBERS = ("likely", "near", "follows")
"""What is known of a candidate: kept with it, so that other weights need no other draws."""


@dataclass(frozen=True)
class Way:
    """Decoders that were trained alike, often one, and how they are used."""

    text: str
    """As it was given."""
    models: tuple[str, ...]
    how: tuple[str, ...]
    """Words that say how they are used."""
    filling: Filling

    @property
    def label(self) -> str:
        """What it is called in tables."""
        names = [Path(model).name for model in self.models]
        heads, rest = {n.rpartition("-")[0] for n in names}, [n.rpartition("-")[2] for n in names]
        alike = len(names) > 1 and len(heads) == 1 and heads != {""}
        joined = f"{heads.pop()}-{','.join(rest)}" if alike else "+".join(names)
        return ":".join([joined, *self.how])

    def seeded(self, seed: int) -> "Way":
        """Return the same with another seed of the draws."""
        drawing = replace(self.filling.drawing, seed=seed)
        return replace(self, filling=replace(self.filling, drawing=drawing))

    @property
    def draws(self) -> tuple[Any, ...]:
        """How it draws, the latents left out."""
        f = self.filling
        return f.candidates, f.noise, f.drawing.temperature, f.drawing.top_p

    def plainer(self, ways: Sequence["Way"]) -> "Way | None":
        """Return the same decoders used with one word less, if that is among ``ways``."""
        for i in range(len(self.how)):
            less = (self.models, sorted((*self.how[:i], *self.how[i + 1 :])))
            for other in ways:
                if (other.models, sorted(other.how)) == less:
                    return other
        return None


def way_of(text: str, filling: Filling) -> Way:
    """Return the way that ``RUN:latent-free:best-8`` names."""
    model, found, how = text, filling, list[str]()
    while True:
        match = re.fullmatch(rf"(.+):({HOW})", model)
        if match is None:
            return Way(text, tuple(model.split("+")), tuple(how), found)
        model, word = match[1], match[2]
        how.insert(0, word)
        kind, _, number = word.partition("-")
        if word == "latent-free":
            found = replace(found, drawing=replace(found.drawing, latents=False))
        elif kind == "best":
            found = replace(found, candidates=int(number))
        elif kind in ("greedy", "temperature"):
            found = replace(found, drawing=replace(found.drawing, temperature=float(number or 0)))
        else:
            found = replace(found, noise=float(number))


@dataclass(frozen=True)
class Gap:
    """A sentence that is left out."""

    document: Document
    place: int

    @property
    def key(self) -> str:
        """What names it."""
        return f"{self.document.id}#{self.place}"

    @property
    def story(self) -> str:
        """What it is drawn with in resamples."""
        return self.document.group or self.document.id

    @property
    def true(self) -> str:
        """The sentence that stood there."""
        return self.document.sentences[self.place]

    def text(self) -> Gapped:
        """Return the document without it."""
        slots: list[Slot] = []
        for section in self.document.sections:
            for i, sentence in enumerate(section.sentences):
                own = None if len(slots) == self.place else sentence
                slots.append(Slot(own, section.tag, i == 0 and section.tag is not None))
        return Gapped(tuple(slots))


def gaps_of(documents: Sequence[Document]) -> list[Gap]:
    """Return every sentence of every document of two or more, each left out alone."""
    return [Gap(d, i) for d in documents if len(d.sentences) > 1 for i in range(len(d.sentences))]


def spread(documents: Sequence[Document], most: int | None) -> list[Document]:
    """Return so many documents, evenly spread over all: neighbours are often of one story."""
    n = len(documents)
    if most is None or most >= n:
        return list(documents)
    return [documents[i * n // most] for i in range(most)]


def infillings(
    corpus: Corpus,
    *,
    models: Sequence[str],
    split: str = "val",
    top_p: float = 0.95,
    temperature: float = 1.0,
    weights: Weights | None = None,
    seed: int = 0,
    draws: int = 1,
    base: str | None = "mpnet",
    bleurt: str | None = None,
    examples: int = 0,
    most: int | None = None,
    batch: int = 32,
    out: Path | None = None,
    place: Place | None = None,
) -> Found:
    """Return how like the fillings of several ways are to the sentences that stood there.

    Args:
        corpus: Whose documents.
        models: Ways, as text; the first is what the others are compared with.
        split: Of the corpus.
        top_p: Mass of the tokens that are drawn from.
        temperature: Of the draws.
        weights: By which candidates are ranked.
        seed: Of the draws.
        draws: Fillings of each gap, of this seed and the next ones.
        base: Of BERTScore; ``None``: it is not measured.
        bleurt: A folder or hub id of BLEURT; ``None``: it is not measured.
        examples: So many gaps, evenly spread, of which the fillings of all ways are shown, but for
            those that have 8 words in a row from training documents or documents of the split.
        most: Only so many documents, evenly spread over the split.
        batch: Fillings at once: gaps, times candidates.
        out: A folder where what was written is kept.
        place: Where to compute.
    """
    place = place or Place()
    filling = Filling(
        drawing=Drawing(top_p=top_p, temperature=temperature, seed=seed),
        weights=weights or Weights(),
    )
    ways = [way_of(text, filling) for text in models]
    check([model for way in ways for model in way.models])
    folder = resolve(base).source if base is not None else None
    gaps = gaps_of(spread(held_out(corpus, split), most))
    stories, true = [gap.story for gap in gaps], [gap.true for gap in gaps]
    rows: list[Found] = []
    decoders: list[Found] = []
    known: list[tuple[Way, Fillings]] = []
    for way in ways:
        cool = not way.filling.drawing.temperature
        seeds = range(seed, seed + (1 if cool else max(1, draws // way.filling.candidates)))
        parts: dict[str, list[Fillings]] = {}
        for model in way.models:
            for own in seeds:
                texts, told = written(model, way.seeded(own), gaps, batch, out, place)
                part = Fillings.of(stories, texts, true, folder, bleurt, place.device, place.dtype)
                parts.setdefault(model, []).append(part)
            decoders.append(told)
        found = Fillings.together([part for own in parts.values() for part in own])
        row: Found = {"label": way.label, "n": len(gaps), "draws": len(seeds)}
        row |= {"trainings": len(parts)} | spread_of(list(parts.values()))
        row["by_place"] = by_place(found, gaps * (len(found.texts) // len(gaps)))
        if known:
            alike = (pair for pair in known if pair[0].draws == way.draws)
            other, first = next(alike, known[0])
            row["against"] = {"label": other.label, **differences(first, found)}
        plainer = way.plainer([other for other, _ in known])
        if plainer is not None:
            beside = next(part for other, part in known if other is plainer)
            row["beside"] = {"label": plainer.label, **differences(beside, found)}
        known.append((way, found))
        if split == "test":
            numbers = {k: row["measures"].get(k) for k in COMPARED}
            for model in way.models:
                where = looks_folder(model, "decoder")
                log_test(where, f"evaluate infilling {way.label}", corpus.name, numbers)
        rows.append(row)
    settings = {
        "gaps": len(gaps),
        "stories": len(set(stories)),
        "top_p": top_p,
        "temperature": temperature,
        "seed": seed,
        "draws of each gap": draws,
        "weights of candidates": asdict(filling.weights),
        "BERTScore": _reads(base, place) if base else None,
        "BLEURT": bleurt,
    }
    unique = {told["identity"]: told for told in decoders}
    made = result("infilling", corpus, list(unique.values()), settings, rows, place)
    documents = len({gap.document.id for gap in gaps})
    whole: Found = {**made, "split": split, "documents": documents, "tables": tables(rows)}
    if examples:  # too long for a terminal
        read = [list(d.sentences) for d in (*trained_on(corpus), *held_out(corpus, split))]
        whole["examples"] = [table_of_examples(known, gaps, known_grams(read), examples)]
    return {**whole, "note": NOTE}


def _reads(base: str, place: Place) -> str:
    """Return what computes BERTScore, in words."""
    precision = choose_dtype(place.dtype, choose_device(place.device))
    rounded = "" if precision == torch.float32 else f", {str(precision).removeprefix('torch.')}"
    return f"{resolve(base).label}{rounded}, last layer, not rescaled"


def spread_of(parts: Sequence[Sequence[Fillings]]) -> Found:
    """Return the mean of all measures over draws, and its standard error over trainings.

    Args:
        parts: Of each training its draws.
    """
    each = [[part.measures() for part in own] for own in parts]
    means = [{k: float(np.mean([m[k] for m in own])) for k in own[0]} for own in each]
    found: Found = {"measures": {k: float(np.mean([m[k] for m in means])) for k in means[0]}}
    if len(means) > 1:
        n = len(means)
        found["errors"] = {
            k: float(np.std([m[k] for m in means], ddof=1) / np.sqrt(n)) for k in means[0]
        }
    return found


def written(
    model: str, way: Way, gaps: Sequence[Gap], batch: int, out: Path | None, place: Place
) -> tuple[list[str], Found]:
    """Return what a decoder writes into gaps, and which it is; what is kept is not written."""
    config = read_config(decoder_folder(model), "decoder")
    drawn = {k: v for k, v in asdict(way.filling).items() if k != "weights"}
    drawn["follows"] = way.filling.weights.follows > 0
    key = {"format": FORMAT, "identity": config["identity"], "filling": drawn}
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:12]
    kept: dict[str, Any] = {}
    file = None
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        label = ":".join([Path(model).name, *way.how])
        file = out / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', label)}-{name}.jsonl"
        kept = dict(_read(file))
    left = [gap for gap in gaps if gap.key not in kept]
    if left:
        decoder = Decoder.load(model, place.device, place.dtype)
        told = about(model, decoder)
        for some in fillings(decoder, way.filling, left, batch, place):
            kept |= some
            if file is not None:
                _append(file, some)
        del decoder
        gc.collect()
    else:
        told = _about(model, config)
    return [best(kept[gap.key]["candidates"], way.filling.weights)["text"] for gap in gaps], told


def best(candidates: Sequence[dict[str, Any]], weights: Weights) -> dict[str, Any]:
    """Return the best of the candidates that were kept, by any weights."""

    def score(one: dict[str, Any]) -> tuple[bool, bool, float]:
        known = Measured(one["likely"], one["near"], one["follows"], None)
        return bool(one["text"].strip()), not one["cut"], known.score(weights)

    return max(candidates, key=score)


def fillings(
    decoder: Decoder, filling: Filling, gaps: Sequence[Gap], batch: int, place: Place
) -> Iterator[dict[str, Any]]:
    """Yield what is written into gaps, a batch at a time, by their keys."""
    bridge = bridge_of(decoder)
    order = sorted(gaps, key=lambda gap: len(gap.document.text))
    batch = max(1, batch // filling.candidates)
    with place.progress("filling", len(gaps), 0, "gaps") as advance:
        for start in range(0, len(order), batch):
            some = order[start : start + batch]
            texts = [gap.text() for gap in some]
            latents = latents_of(decoder, texts)
            asks = [
                asked(decoder, text, gap, bridge, own)
                for gap, text, own in zip(some, texts, latents, strict=True)
            ]
            numbers = [_number(gap.key) for gap in some]
            found = fill_all(decoder, asks, numbers, filling, exact=False)
            advance(len(some))
            yield {
                gap.key: {"candidates": [_short(c.as_dict()) for c in one.candidates]}
                for gap, one in zip(some, found, strict=True)
            }


def asked(
    decoder: Decoder, text: Gapped, gap: Gap, bridge: Bridge | None, latents: dict[int, Any]
) -> Ask:
    """Return what a decoder is asked, with fewer sentences where not all have room."""
    place = range(gap.place, gap.place + 1)
    context: int | None = None
    while True:
        try:
            return ask_of(decoder, text, place, bridge, latents, context=context)
        except TimeControlError:
            context = len(text.slots) - 2 if context is None else context - 1
            if context < 1:
                raise


def _short(candidate: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a candidate."""
    numbers = {k: None if candidate[k] is None else round(candidate[k], 4) for k in NUMBERS}
    return {"text": candidate["text"], "cut": candidate["cut"], **numbers}


def _number(key: str) -> int:
    """Return the number of a gap, for its random numbers: the same in every run."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")


def _read(file: Path) -> Iterator[tuple[str, Any]]:
    if file.is_file():
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                found = json.loads(line)
                yield found["gap"], {"candidates": found["candidates"]}
            except (ValueError, KeyError, TypeError):
                raise TimeControlError(
                    f"{file}, line {number}: not what was written there; delete the file."
                ) from None


def _append(file: Path, some: dict[str, Any]) -> None:
    """Add lines to a file at once, so that an interrupted run leaves whole ones."""
    lines = "".join(json.dumps({"gap": key, **value}) + "\n" for key, value in some.items())
    with file.open("a", encoding="utf-8") as out:
        out.write(lines)
        out.flush()
        os.fsync(out.fileno())


def _about(name: str, config: Found) -> Found:
    """Return what a result says of a decoder that need not be opened."""
    parts = ("identity", "encoder", "settings")
    found = {part: config[part] for part in parts}
    base = config["base"]
    return {
        "name": Path(name).name,
        **found,
        "base": base["label"],
        "base_checksum": base["checksum"],
        "corpus": config["corpus"]["name"],
        "metrics": {},
    }


def by_place(found: Fillings, gaps: Sequence[Gap]) -> dict[str, dict[str, float]]:
    """Return the measures of first, inner and last gaps apart."""
    kinds = np.array([place_of(gap) for gap in gaps])
    result = {}
    for kind in ("first", "inner", "last"):
        rows = np.flatnonzero(kinds == kind)
        if len(rows):
            part = Fillings(
                tuple(found.stories[i] for i in rows),
                tuple(found.texts[i] for i in rows),
                found.parts[rows],
                {name: values[rows] for name, values in found.means.items()},
            )
            result[kind] = {"n": float(len(rows)), **part.measures()}
    return result


def place_of(gap: Gap) -> str:
    """Return whether a gap is the first sentence of its document, the last, or an inner one."""
    if gap.place == 0:
        return "first"
    return "last" if gap.place == len(gap.document.sentences) - 1 else "inner"


def tables(rows: Sequence[Found]) -> list[Found]:
    """Return the tables of a result."""
    columns = [name for name in SHOWN if name in rows[0]["measures"]]
    whole = {
        "title": "Fillings beside the sentences that stood there",
        "columns": ["", *(name.replace("_", " ") for name in columns)],
        "rows": [[r["label"], *(_number_of(r, name) for name in columns)] for r in rows],
    }
    made = [whole]
    compared = [name for name in COMPARED if name in rows[0]["measures"]]
    if len(rows) > 1:
        made.append(
            {
                "title": "Differences from the first way that draws alike [95 % over stories]",
                **_differences(rows, "against", compared),
            }
        )
    if any("beside" in r for r in rows):
        made.append(
            {
                "title": "Differences from the same decoders used more plainly",
                **_differences(rows, "beside", compared),
            }
        )
    kinds = [kind for kind in ("first", "inner", "last") if kind in rows[0]["by_place"]]
    made.append(
        {
            "title": "By the place of the gap: " + " / ".join(kinds),
            "columns": ["", *(name.replace("_", " ") for name in compared)],
            "rows": [
                [
                    r["label"],
                    *(
                        " / ".join(_digits(name, r["by_place"][kind][name]) for kind in kinds)
                        for name in compared
                    ),
                ]
                for r in rows
            ],
        }
    )
    return made


def table_of_examples(
    ways: Sequence[tuple[Way, Fillings]], gaps: Sequence[Gap], known: set[int], wanted: int
) -> Found:
    """Return what the first training of each way first wrote into some gaps.

    Args:
        ways: With what they wrote.
        gaps: The gaps, in that order.
        known: n-grams of documents: a filling that has one of them is not shown.
        wanted: How many gaps.
    """
    chosen = [i * len(gaps) // wanted + len(gaps) // (2 * wanted) for i in range(wanted)]
    rows = []
    for i in chosen:
        for way, found in ways:
            text = " ".join(found.texts[i].split())
            copied = overlap([text], known).longest > 0
            rows.append([gaps[i].key, way.label, "(not shown: known words)" if copied else text])
    return {"title": "What was written into some gaps", "columns": ["gap", "", ""], "rows": rows}


def _number_of(row: Found, name: str) -> str:
    own = _digits(name, row["measures"][name])
    return f"{own} ± {_digits(name, row['errors'][name])}" if "errors" in row else own


def _digits(name: str, value: float) -> str:
    return (
        f"{value:.3f}" if name.startswith(("bertscore", "bleurt", "distinct")) else f"{value:.2f}"
    )


def _differences(rows: Sequence[Found], kind: str, names: Sequence[str]) -> Found:
    """Return the columns and rows of a table of differences."""
    return {
        "columns": ["", "from", *(name.replace("_", " ") for name in names)],
        "rows": [
            [r["label"], r[kind]["label"], *(_difference(name, r[kind][name]) for name in names)]
            for r in rows
            if kind in r
        ],
    }


def _difference(name: str, cell: dict[str, float]) -> str:
    digits = 4 if name.startswith("bertscore") else 2
    value, low, high = (f"{cell[k]:+.{digits}f}" for k in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


NOTE = (
    "BLEU of all gaps together (sacrebleu), ROUGE F1 (percent, stemmed), BERTScore of the base "
    "named above; distinct n: different n-grams over all; stuck: fillings (percent) that say a "
    "run of four words twice or spend a fifth of their words in one cycle. Intervals: 2,000 "
    "resamples of whole stories, paired. A way that ranks so many candidates or more, and a greedy "
    "one, is drawn once. ±: standard error over trainings, where there are several (intervals are "
    "of stories alone)."
)
