"""Written documents as data: those of a decoder, or of a file that ``generate`` wrote."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.corpora import Corpus, Document
from timecontrol.corpora.documents import Section, Source
from timecontrol.decoder.examples import Examples, items_of
from timecontrol.decoder.settings import Settings
from timecontrol.encoder.documents import choose_from
from timecontrol.errors import InputError, TimeControlError
from timecontrol.generation.request import NOISE
from timecontrol.plans import Plan
from timecontrol.tokens import Codec, Encoded

Array = NDArray[np.float64]
Lengths = list[tuple[str | None, float]]


@dataclass(frozen=True)
class Texts:
    """Documents that were written in one way."""

    label: str
    """The way, the same for decoders that differ only in their seed."""
    run: str
    """Which decoder, or file."""
    length: str
    """``normal`` or ``forced``."""
    budget: int
    sections: list[tuple[Section, ...]]
    tokens: list[int]
    ended: list[bool]
    plans: list[Array | None]
    smooth: int = 1
    """Sentences over which the latents were averaged that the decoder follows."""
    within: bool = False
    """Whether they were averaged within stages alone."""
    encoder: str | None = None
    """The identity of the encoder that planned."""
    outlines: list[list[tuple[str, int | None]]] | None = None
    """Every tag of each document, with the number of a numbered one; without, those of sections."""
    recipe: dict[str, Any] = field(default_factory=dict)
    """All that decided what came out, but seeds: of the decoder, and how it wrote."""
    units: list[list[int] | None] | None = None
    """The plan's point of each sentence; ``None``: not known, or no plan."""

    @property
    def tags(self) -> list[list[str | None]]:
        """The tags of each document, also of sections that are empty."""
        if self.outlines is None:
            return [[s.tag for s in d] for d in self.sections]
        lead = [[None] if d and d[0].tag is None else [] for d in self.sections]
        return [[*a, *(tag for tag, _ in o)] for a, o in zip(lead, self.outlines, strict=True)]

    @property
    def numbers(self) -> list[list[int | None]] | None:
        """The numbers that go with the tags; ``None`` where they are not known."""
        if self.outlines is None:
            return None
        lead = [[None] if d and d[0].tag is None else [] for d in self.sections]
        return [[*a, *(n for _, n in o)] for a, o in zip(lead, self.outlines, strict=True)]


def read_texts(file: Path) -> Texts:
    """Return the documents of a JSON-lines file that ``timecontrol generate`` wrote."""
    sections, tokens, ended, plans = [], [], [], []
    outlines: list[list[tuple[str, int | None]]] = []
    units: list[list[int] | None] = []
    way: dict[str, Any] = {}
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
                sections.append(tuple(_section(s) for s in found["sections"]))
                tokens.append(int(found["tokens"]))
                ended.append(bool(found["ended"]))
                if "outline" in found:
                    outlines.append([(str(tag), n) for tag, n in found["outline"]])
                units.append(_units(found.get("units"), sections[-1]))
                plan = Plan.from_dict(found["plan"]) if found.get("plan") else None
                plans.append(None if plan is None else plan.points)
                way = way or _way(found, plan, file.stem)
            except TimeControlError as error:  # of the plan
                raise InputError(file, number, str(error)) from None
            except BROKEN:
                raise InputError(
                    file, number, "no document that timecontrol generate wrote (--format jsonl)"
                ) from None
    if not sections:
        raise InputError(file, None, "no documents in it")
    known = outlines if len(outlines) == len(sections) else None
    return Texts(
        run=file.stem,
        sections=sections,
        tokens=tokens,
        ended=ended,
        plans=plans,
        outlines=known,
        units=units,
        **way,
    )


BROKEN = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What comes of a line that is no JSON, or other JSON."""


def _section(found: Any) -> Section:
    tag, sentences = found["tag"], found["sentences"]
    if not isinstance(tag, str | None) or not isinstance(sentences, list):
        raise TypeError
    if not all(isinstance(sentence, str) for sentence in sentences):
        raise TypeError
    return Section(tag, tuple(sentences))


def _units(found: Any, sections: Sequence[Section]) -> list[int] | None:
    """Return the plan's point of each sentence; ``None`` where a line does not tell."""
    if found is None:
        return None
    whole = [int(unit) for unit in found]
    if len(whole) != sum(len(s.sentences) for s in sections) or min(whole, default=0) < 0:
        raise ValueError
    return whole


def _way(found: Any, plan: Plan | None, stem: str) -> dict[str, Any]:
    """Return how a document was written, as its line tells."""
    made, how = found.get("decoder") or {}, found.get("settings") or {}
    kind = None if plan is None else kind_told(plan)
    return {
        "label": label_of(made.get("method", stem), kind, made.get("preset", "best")),
        "length": how.get("length", "normal"),
        "budget": int(how.get("budget", 1024)),
        "smooth": int(made.get("smooth", 1)),
        "within": bool(made.get("within", False)),
        "encoder": made.get("encoder"),
        "recipe": {**made.get("recipe", {}), **recipe_of(how)},
    }


DECIDE = (
    "top_p",
    "temperature",
    "beams",
    "stop",
    "follow",
    "guidance",
    "ordered",
    "loop",
    "candidates",
    "likelihood",
    "nearness",
)
"""Settings of writing that decide a text, but the seed."""


def kind_told(plan: Plan) -> str:
    """Return the kind of a plan, and what its noise was multiplied by, where it was."""
    return f"{plan.kind}, {plan.about[NOISE]:g} x noise" if NOISE in plan.about else plan.kind


def recipe_of(how: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides a text of how it was written, but the seed."""
    return {name: how[name] for name in DECIDE if name in how}


def differing(recipes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return in words how recipes differ from each other; empty where they are all the same."""
    names = dict.fromkeys(name for recipe in recipes for name in recipe)
    found = [n for n in names if len({repr(r.get(n)) for r in recipes}) > 1]
    return [", ".join(f"{n.replace('_', ' ')} {r.get(n)}" for n in found) for r in recipes]


def label_of(method: str, kind: str | None, preset: str) -> str:
    """Return a way of writing in words."""
    words = method if kind is None else f"{method}, {kind}"
    return words if preset == "best" else f"{words} ({preset})"


def as_document(sections: Sequence[Section]) -> Document:
    """Return sections as a document."""
    return Document("written", tuple(sections), Source("written", 1, 0))


def lengths_of(sections: Sequence[Section], codec: Codec) -> Lengths:
    """Return the tag and the tokens of each section that has a tag of the layout."""
    known = [s for s in sections if s.tag is None or s.tag in codec.tag_ids]
    encoded = codec.encode(as_document(known))
    if not encoded.starts:  # nothing was written
        return []
    return [(tag, float(n)) for tag, n in codec.lengths(encoded)]


def training_lengths(corpus: Corpus, codec: Codec, window: int) -> list[Lengths]:
    """Return the section lengths of the training documents, trimmed to a window as in training.

    One fixed reference for everything that is compared: drawn with seed 0. A window of 0 trims
    nothing.
    """
    settings = Settings(method="plain", window=window)
    window = window or 1 << 30
    documents = choose_from(corpus).train
    empty = [np.zeros((len(d.sentences), 0)) for d in documents]
    examples = Examples(
        items_of(documents, empty, codec, settings, window), codec, settings, window
    )
    whole = [examples[i] for i in range(len(examples))]
    return [[(tag, float(n)) for tag, n in codec.lengths(Encoded(e.ids, e.starts))] for e in whole]


def mean_and_error(values: Iterable[float]) -> tuple[float, float | None]:
    """Return the mean of runs and its standard error; ``None`` for a single run."""
    found = np.array(list(values), np.float64)
    error = float(found.std(ddof=1) / np.sqrt(len(found))) if len(found) > 1 else None
    return float(found.mean()), error


def shown(cell: Mapping[str, Any] | None, digits: int = 1, scale: float = 1.0) -> str:
    """Return ``71.7 ± 0.3``: mean and standard error."""
    if cell is None or cell["value"] is None:
        return "-"
    error = "" if cell["error"] is None else f" ± {scale * cell['error']:.{digits}f}"
    return f"{scale * cell['value']:.{digits}f}{error}"
