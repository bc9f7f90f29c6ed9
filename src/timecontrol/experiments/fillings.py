"""What decoders write into gaps, each in its way, and where that is kept.

A way is one decoder, or several that were trained alike, and how they are used (``way_of``). What
was written is kept as JSON lines, one file a decoder, way and seed, and not written again. Nothing
of the documents is kept there: a gap is named by its document and place.
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

from timecontrol.corpora import Document
from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.experiments.decoders import Found, about
from timecontrol.experiments.evaluate import Place
from timecontrol.infilling.asking import Ask, ask_of
from timecontrol.infilling.fill import Filling, bridge_of, fill_all, latents_of
from timecontrol.infilling.gaps import Gapped, Slot
from timecontrol.infilling.ranking import Measured, Weights
from timecontrol.plans.missing import Bridge
from timecontrol.pretrained import decoder_folder
from timecontrol.runs import read_config

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


def place_of(gap: Gap) -> str:
    """Return whether a gap is the first sentence of its document, the last, or an inner one."""
    if gap.place == 0:
        return "first"
    return "last" if gap.place == len(gap.document.sentences) - 1 else "inner"


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
