"""Do a goal and a waypoint, given as texts, show in what is written?

A goal is the last sentence of a held-out document, a waypoint the sentence at its share of one.
Each written document is asked for one of them, and read by another encoder than the decoder's: the
last three sentences, or the three about the waypoint. ``metrics.steering`` tells whether they are
nearer the sentence that was asked for than those that others were. Beside it: documents of the same
random numbers that were asked for nothing, and the very documents that the sentences are from, read
without them. Looks at test documents are written down.
"""

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence.bridge import SHORTEST
from timecontrol.corpora import Corpus, Document
from timecontrol.decoder import Decoder
from timecontrol.encoder import Encoder
from timecontrol.encoder.documents import choose_from
from timecontrol.encoder.evaluations import log_test
from timecontrol.errors import TimeControlError, pick
from timecontrol.experiments.decoders import Found, about, check, result
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.material import held_out
from timecontrol.experiments.texts import as_document
from timecontrol.experiments.ways import kept_as
from timecontrol.generation import Writing, Written, write
from timecontrol.generation.request import default_kind, default_writing, plans_for
from timecontrol.metrics.steering import gained, sentence_at, sentences_about, steered
from timecontrol.pretrained import decoder_folder, looks_folder, open_encoder
from timecontrol.progress import Progress, silent
from timecontrol.runs import read_config

Array = NDArray[np.float64]

WHAT = {"goal": ("goal",), "waypoint": ("waypoint",), "both": ("goal", "waypoint")}
NONE = "nothing"
"""What the documents of the control are asked for."""

NOTE = (
    "nearer own: other documents' sentences (percent) that a text is farther from than from the "
    "one it was asked for, 50 where asking does nothing; rank: of the own sentence among all; "
    "margin: how much farther the others are, in standard deviations of the judge's latents. In "
    "brackets: 95 % bootstrap interval over documents, those of one sentence drawn together. "
    "nothing asked: texts of the same random numbers, against sentences they were never given; "
    "gain: how much larger nearer own is than theirs, paired. sources: the real documents that the "
    "sentences are from, read at the same place without them."
)


@dataclass(frozen=True)
class Asked:
    """Sentences that texts are asked for, and where."""

    what: str
    """``goal`` or ``waypoint``."""
    share: float
    """Of a document; 1 for a goal."""
    texts: list[str]
    """All different, (m,)."""
    sources: list[Document]
    """What they are from, (m,)."""

    def request(self, number: int) -> dict[str, Any]:
        """Return what a document of this number is asked for, as ``plans_for`` takes it."""
        text = self.texts[number % len(self.texts)]
        return {"goal": text} if self.what == "goal" else {"waypoints": [(self.share, text)]}


@dataclass(frozen=True)
class Way:
    """How decoders are asked to write."""

    count: int = 64
    length: str = "normal"
    kind: str | None = None
    """Of plans; the decoder's own otherwise."""
    options: dict[str, Any] = field(default_factory=dict)
    """Of ``Writing``: ``top_p``, ``seed`` ..."""
    batch: int = 64
    folder: Path | None = None
    """Where the texts are kept."""


@dataclass(frozen=True)
class Sight:
    """Another encoder, and how far apart the sentences of training documents are to it."""

    encoder: Encoder
    scale: Array
    """Standard deviation of its latents, (d,)."""
    progress: Progress = silent

    @classmethod
    def of(
        cls, encoder: Encoder, training: Sequence[Document], progress: Progress = silent
    ) -> "Sight":
        """Return a judge, its scale that of training documents."""
        spread = np.concatenate(list(encoder.paths(training, progress))).std(0)  # (d,)
        return cls(encoder, np.where(spread > 0, spread, 1), progress)

    def sentences(self, texts: Sequence[str]) -> Array:
        """Return sentences as points, (n, d)."""
        return np.asarray(self.encoder.encode(texts), np.float64) / self.scale

    def documents(
        self, documents: Sequence[Document], share: float, without: bool = False
    ) -> Array:
        """Return what documents say at a share of them, (n, d): the mean of three sentences.

        Args:
            documents: Of at least one sentence; without it, two.
            share: Where.
            without: Whether the sentence that stands just there is left out.
        """
        found = []
        for path in self.encoder.paths(documents, self.progress):
            left = sentence_at(share, len(path)) if without else None
            rows = [i for i in sentences_about(share, len(path)) if i != left]
            found.append(path[rows].mean(0))
        return np.stack(found) / self.scale


def steerings(
    corpus: Corpus,
    *,
    models: Sequence[str],
    judge: str,
    what: str = "both",
    share: float = 0.5,
    split: str = "val",
    way: Way | None = None,
    place: Place | None = None,
) -> Found:
    """Return whether goals and waypoints, given as texts, show in what decoders write.

    Args:
        corpus: Whose held-out documents the texts are from, and whose training documents tell the
            judge's scale.
        models: Planned decoders.
        judge: Another encoder than theirs, of another seed and best of another base.
        what: A key of ``WHAT``.
        share: Where the waypoint is.
        split: Of the documents that texts are from.
        way: How decoders write.
        place: Where to compute.
    """
    place, way = place or Place(), way or Way()
    pick(WHAT, what, "thing to ask for")
    if not 0 < share < 1:
        raise TimeControlError(f"share is {share:g}: of a document, between 0 and 1.")
    check(models)
    other = open_encoder(judge, place.device, place.dtype)
    for name in models:
        refuse_own(name, other)
    documents = held_out(corpus, split)
    wanted = [asked_of(documents, w, 1.0 if w == "goal" else share, way.count) for w in WHAT[what]]
    sight = Sight.of(other, choose_from(corpus).train, place.progress)
    rows, decoders = [], []
    top_p, kinds = set(), set()
    for name in models:
        decoder = Decoder.load(name, place.device, place.dtype)
        writing = default_writing(decoder, way.length, **way.options)
        top_p.add(writing.top_p)
        kinds.add(way.kind or default_kind(decoder))
        decoders.append(about(name, decoder))
        texts = dict(written(name, decoder, writing, wanted, way, place.progress))
        cells = [compared(a, texts[a.what], texts[NONE], sight, writing.seed) for a in wanted]
        rows += [{"label": Path(name).name, **own} for own in cells]
        if split == "test":
            values = {own["what"]: own["asked"]["nearer"] for own in cells}
            log_test(looks_folder(name, "decoder"), "evaluate steering", corpus.name, values)
        del decoder
        gc.collect()  # a captured step and its model hold each other
    settings = {
        "judge": f"{judge}: {other.config['base']['label']}, d = {other.latent_dim}, seed "
        f"{other.settings.seed}, trained on {other.config['corpus']['name']}, identity "
        f"{other.config['identity'][:12]}",
        "documents of each": way.count,
        "length": way.length,
        **way.options,
        "top_p": sorted(top_p),
        "plans": sorted(kinds),
        "waypoint at": share if "waypoint" in WHAT[what] else None,
    }
    found = result("steering", corpus, decoders, settings, rows, place)
    made = [table(asked, [r for r in rows if r["what"] == asked.what]) for asked in wanted]
    return {**found, "split": split, "documents": len(documents), "tables": made, "note": NOTE}


def asked_of(documents: Sequence[Document], what: str, share: float, most: int) -> Asked:
    """Return the sentences at a share of documents, each once, at most so many.

    Raises:
        TimeControlError: There are not two.
    """
    found: dict[str, Document] = {}
    for document in documents:
        if len(document.sentences) >= SHORTEST and len(found) < most:
            text = document.sentences[sentence_at(share, len(document.sentences))]
            found.setdefault(text, document)
    if len(found) < 2:
        raise TimeControlError(
            f"{len(found)} different sentences at {share:g} of the documents: at least 2 are "
            "needed, one is compared with others."
        )
    return Asked(what, share, list(found), list(found.values()))


def refuse_own(name: str, judge: Encoder) -> None:
    """Refuse a judge that is the decoder's own encoder, and a decoder that has none."""
    config = read_config(decoder_folder(name), "decoder")
    if not config["encoder"]:
        raise TimeControlError(
            f"{name}: a decoder of method {config['settings']['method']!r} has no encoder; goals "
            "and waypoints cannot be given as texts."
        )
    if config["encoder"]["identity"] == judge.config["identity"]:
        raise TimeControlError(
            "The judge is the encoder that planned: give one of another seed and base."
        )


def written(
    name: str,
    decoder: Decoder,
    writing: Writing,
    wanted: Sequence[Asked],
    way: Way,
    progress: Progress = silent,
) -> Iterator[tuple[str, list[Written]]]:
    """Yield the documents written for each thing asked for, and for nothing, of the same numbers.

    All plans are made before the first document is written: what cannot be asked for is known then.
    """
    plans = {
        asked.what: [
            plan
            for i in range(way.count)
            for plan in plans_for(decoder, 1, writing, kind=way.kind, first=i, **asked.request(i))
        ]
        for asked in wanted
    }
    plans[NONE] = plans_for(decoder, way.count, writing, kind=way.kind)
    for what, own in plans.items():
        texts = list(write(decoder, own, writing, batch=way.batch, progress=progress))
        if way.folder is not None:
            kept_as(texts, way.folder / f"{Path(name).name}-{what}.jsonl", decoder)
        yield what, texts


def compared(
    asked: Asked, texts: Sequence[Written], control: Sequence[Written], sight: Sight, seed: int = 0
) -> Found:
    """Return whether texts are nearer what they were asked for than what others were.

    Args:
        asked: What.
        texts: Written for it, by number.
        control: Of the same numbers, asked for nothing.
        sight: The judge.
        seed: Of the resamples.
    """
    kept = [
        i
        for i, pair in enumerate(zip(texts, control, strict=True))
        if all(t.sentences for t in pair)
    ]
    if not kept:
        raise TimeControlError("Nothing was written: there are no sentences to read.")
    own = np.array([i % len(asked.texts) for i in kept])
    goals = sight.sentences(asked.texts)  # (m, d)
    x, y = (
        sight.documents([as_document(some[i].sections) for i in kept], asked.share)
        for some in (texts, control)
    )  # (n, d)
    real = sight.documents(asked.sources, asked.share, without=True)  # (m, d)
    return {
        "what": asked.what,
        "share": asked.share,
        "sentences": len(asked.texts),
        "documents": len(kept),
        "empty": len(texts) - len(kept),
        "asked": steered(x, goals, own, seed),
        "control": steered(y, goals, own, seed),
        "gain": gained(x, y, goals, own, seed),
        "sources": steered(real, goals, np.arange(len(goals)), seed),
        "texts": asked.texts,
    }


def table(asked: Asked, rows: Sequence[Found]) -> Found:
    """Return the rows of a goal or a waypoint as a table."""
    where = "the end" if asked.what == "goal" else f"{asked.share:g} of the text"
    m = len(asked.texts)
    lines = []
    for r in rows:
        n, gain = str(r["documents"]), bracketed(r["gain"], 1, 100)
        lines.append([r["label"], n, *_cells(r["asked"]), gain])
        lines.append([f"{r['label']}, nothing asked", n, *_cells(r["control"]), "-"])
    lines.append(["sources", str(m), *_cells(rows[0]["sources"]), "-"])
    return {
        "title": f"A {asked.what} given as text: is {where} nearer its own than others'?",
        "columns": ["", "n", "nearer own", f"rank of {m}", "margin", "gain"],
        "rows": lines,
    }


def bracketed(cell: Found, digits: int, scale: float = 1.0) -> str:
    """Return ``63.2 [55.0, 71.1]``: value and 95 % interval."""
    value, low, high = (f"{scale * cell[k]:.{digits}f}" for k in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def _cells(cells: Found) -> list[str]:
    share, margin = bracketed(cells["nearer"], 1, 100), bracketed(cells["margin"], 2)
    return [share, bracketed(cells["rank"], 1), margin]
