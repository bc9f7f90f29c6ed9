"""Texts to reports: how coherent a document is, and which sentence breaks the thread.

    from timecontrol import TimeControl
    tc = TimeControl.from_pretrained("general")
    report = tc.score(text)
    report.score, report.percentile, report.worst

Nothing leaves the machine.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence import TERMS, Judged, Ragged
from timecontrol.coherence.arranging import arrange
from timecontrol.coherence.bridge import SHORTEST
from timecontrol.coherence.ordering import check_count
from timecontrol.coherence.points import Points, points_of
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError
from timecontrol.features.extract import extract
from timecontrol.hub import located
from timecontrol.pretrained import DECODERS, SHIPPED, open_encoder
from timecontrol.runs import is_finished, kind_of
from timecontrol.sentences import paragraphs, splitter

if TYPE_CHECKING:
    from timecontrol.decoder import Decoder
    from timecontrol.generation import Written
    from timecontrol.infilling.fill import Infilled
    from timecontrol.plans import Plan

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Text = tuple[str, tuple[str, ...]]
Tick = Callable[[], None]
"""A document: its id and its sentences."""

SHUFFLES = 100
"""Of each document, to see how many would score higher."""
DOCUMENTS, SENTENCES = 64, 4096
"""Documents and sentences that are worked on at once: memory is bounded by them."""
ROWS = 32768
"""Sentences of shuffled versions that are judged at once."""
APART = 1.5
"""How far below the median of its document, in standard deviations of known sentences."""
SAME = 1e-4
"""Scores that differ by less are the same: features differ a little with what is read beside."""
SUSPICIOUS, WEAK = 2.0, 10.0
"""Percentiles of known sentences below which one is pointed at, and mentioned."""


def nothing() -> None:
    """Do nothing, where nobody asks to be called."""


@dataclass(frozen=True)
class Report:
    """What is found of one document."""

    id: str
    sentences: tuple[str, ...]
    score: float | None
    """Higher is more coherent; 0 is the usual document of those the encoder knows, and one is a
    standard deviation among them. ``None`` for a document under three sentences."""
    interval: tuple[float, float] | None = None
    """95 % interval of the score, from the spread over the document's sentences."""
    percentile: float | None = None
    """Share of known documents that score lower, 0 to 100."""
    shuffled: float | None = None
    """Probability that its sentences in another order would score higher."""
    trace: tuple[float, ...] = ()
    """How well each sentence fits, in standard deviations of known sentences; low breaks."""
    trace_percentile: tuple[float, ...] = ()
    """Share of known sentences that fit less well, 0 to 100."""
    terms: dict[str, float] | None = None
    """Standard scores of the four terms: bridge, place, context, nearness."""
    novelty: float | None = None
    """How far the text is from those the encoder knows, in standard deviations."""
    trust: float | None = None
    """Weight of what the encoder learned, from 1 (a known kind of text) to 0."""
    latents: Array | None = None
    """The path, (sentences, d)."""

    @property
    def short(self) -> bool:
        """Whether the document is too short to be judged."""
        return self.score is None

    @cached_property
    def worst(self) -> int | None:
        """The number of the sentence that fits least, from 0."""
        return int(np.argmin(self.trace)) if self.trace else None

    @cached_property
    def breaks(self) -> tuple[int, ...]:
        """The sentences that fit less well than nearly all known ones, worst first.

        They must also stand out from the document they are in (where all of it is unusual, no
        single sentence breaks the thread), first and last sentences twice as far, and not merely
        stand beside a worse one.
        """
        low = sorted(self._below(SUSPICIOUS, APART), key=lambda i: self.trace[i])
        kept: list[int] = []
        for i in low:  # the neighbour of a stranger fits badly for that reason alone
            if not {i - 1, i + 1} & set(kept):
                kept.append(i)
        return tuple(kept)

    @cached_property
    def weak(self) -> tuple[int, ...]:
        """The sentences that fit less well than most known ones and most of this document."""
        return tuple(i for i in self._below(WEAK, APART / 2) if i not in self.breaks)

    def _below(self, percentile: float, apart: float) -> list[int]:
        """Return the sentences below a percentile and so far below the document's median."""
        if not self.trace:
            return []
        middle, ends = float(np.median(self.trace)), {0, len(self.trace) - 1}
        pairs = zip(self.trace, self.trace_percentile, strict=True)
        lines = {True: middle - 2 * apart, False: middle - apart}
        return [i for i, (t, p) in enumerate(pairs) if p < percentile and t < lines[i in ends]]

    @property
    def far(self) -> bool:
        """Whether the text is unlike anything the encoder knows, so that only likeness counts."""
        return self.trust is not None and self.trust < 0.5

    @property
    def reason(self) -> str | None:
        """Why there is no score, or ``None``."""
        if not self.short:
            return None
        return f"too short: {len(self.sentences)} of at least {SHORTEST} sentences"

    def plot(self) -> Any:
        """Return a matplotlib figure: the fit of each sentence, and the path.

        Raises:
            TimeControlError: The document is too short, or matplotlib is not installed.
        """
        from timecontrol.figures import flow

        if self.latents is None:
            raise TimeControlError(f"{self.id}: nothing to draw ({self.reason or 'no path kept'}).")
        return flow(np.array(self.trace), self.latents, self.breaks, self.id)

    def as_dict(self, latents: bool = False) -> dict[str, Any]:
        """Return the report as plain data."""
        found: dict[str, Any] = {
            "id": self.id,
            "sentences": len(self.sentences),
            "score": self.score,
            "interval": list(self.interval) if self.interval else None,
            "percentile": self.percentile,
            "shuffled_higher": self.shuffled,
            "terms": self.terms,
            "novelty": self.novelty,
            "trust": self.trust,
            "far": self.far,
            "worst": self.worst,
            "breaks": list(self.breaks),
            "reason": self.reason,
        }
        rows = zip(self.sentences, self.trace, self.trace_percentile, strict=False)
        found["trace"] = [{"sentence": s, "fit": t, "percentile": p} for s, t, p in rows]
        if latents and self.latents is not None:
            found["latents"] = self.latents.tolist()
        return found


@dataclass(frozen=True)
class Suggestion:
    """Another order of a document's sentences."""

    order: tuple[int, ...]
    """Which sentence is told first, second ..., by their numbers from 0."""
    now: Report
    """Of the document as it is."""
    report: Report
    """Of the document in this order."""
    density: float
    """Log density of the path as a bridge, as it is."""
    best: float
    """The same in this order."""
    most: float
    """The highest of all orders that were tried."""
    exact: bool
    """Whether no order at all is likelier than ``most``, for certain: up to 12 sentences."""

    @property
    def same(self) -> bool:
        """Whether the document stands in this order already."""
        return self.order == tuple(range(len(self.order)))

    def as_dict(self) -> dict[str, Any]:
        """Return the suggestion as plain data."""
        names = ("density", "best", "most", "exact", "same")
        found = {name: getattr(self, name) for name in names}
        reports = {"now": self.now.as_dict(), "report": self.report.as_dict()}
        return {"order": list(self.order), **found, **reports}


@dataclass(repr=False)
class TimeControl:
    """An encoder and a decoder put to use."""

    encoder: Encoder
    writer: "Decoder | Callable[[], Decoder] | None" = None
    """What writes, or what opens it on first use."""

    def __repr__(self) -> str:
        writer = "a decoder, not opened yet" if callable(self.writer) else self.writer
        return f"TimeControl({', '.join(str(part) for part in (self.encoder, writer) if part)})"

    @classmethod
    def from_pretrained(
        cls, name: Path | str = "general", device: str = "auto", dtype: str = "auto"
    ) -> "TimeControl":
        """Open what comes with the package, or the run folder of an encoder or a decoder.

        Bases are loaded on first use.

        Args:
            name: ``general``, ``wikisection``, ``dialogue``, ``stories``, a run folder, or one on a
                hub, ``hub:OWNER/NAME``; one of a planned decoder has its encoder with it.
            device: ``auto``, ``cpu``, ``cuda``, ``cuda:N``, ``mps``.
            dtype: Of the bases: ``auto``, ``float32``, ``bfloat16``, ``float16``.
        """

        def writer() -> "Decoder":
            from timecontrol.decoder import Decoder

            return Decoder.load(name, device, dtype)

        name = located(name)
        known = str(name) in DECODERS and not is_finished(Path(name))
        if kind_of(Path(name)) == "decoder" or (known and str(name) not in SHIPPED):
            decoder = writer()
            if decoder.encoder is None:
                raise TimeControlError(
                    f"{name} has no encoder (method {decoder.settings.method}): open it with "
                    "timecontrol.decoder.Decoder.load."
                )
            return cls(decoder.encoder, decoder)
        return cls(open_encoder(name, device, dtype), writer if known else None)

    def generate(
        self,
        n: int = 1,
        *,
        start: str | None = None,
        goal: str | None = None,
        waypoints: "Sequence[tuple[float, str]]" = (),
        plan: "str | Sequence[Plan] | None" = None,
        sentences: int | None = None,
        length: str | int = "normal",
        seed: int = 0,
        noise: float = 1.0,
        top_p: float | None = None,
        temperature: float = 1.0,
        guidance: float = 0.0,
        loop: bool = False,
        candidates: int = 1,
        batch: int = 16,
    ) -> "list[Written]":
        """Write documents along sampled plans.

        Args:
            n: Documents; with plans given, as many as these.
            start: What the first sentence is about.
            goal: What the last sentence is about.
            waypoints: What is to be said between: (share of the document, text) each.
            plan: A kind of plan (``plans.KINDS``), or the plans themselves, one a document.
            sentences: Of a plan; as many as usual otherwise.
            length: ``normal``, ``forced``, or so many tokens.
            seed: Of plans and texts; the same seed gives the same texts.
            noise: What the noise of the plans is multiplied by; 0: none.
            top_p: Mass of the tokens that are drawn from; 0.95, or what the preset has.
            temperature: Of the draws; 0: the most probable token.
            guidance: How much further the plan leads than it has been learnt to; twice the work.
            loop: Whether each sentence is read again, and the rest planned anew.
            candidates: Sentences to choose from, each time, by likelihood and nearness to the plan.
            batch: Documents at once.

        Raises:
            TimeControlError: There is no decoder, or something that cannot be written is asked for.
        """
        from timecontrol.generation import write
        from timecontrol.generation.request import default_writing, plans_for

        writer = self._decoder()
        more = {"seed": seed, "top_p": top_p, "temperature": temperature}
        more |= {"guidance": guidance, "loop": loop, "candidates": candidates}
        writing = default_writing(writer, str(length), **more)
        if plan is None or isinstance(plan, str):
            plans = plans_for(
                writer,
                n,
                writing,
                kind=plan,
                sentences=sentences,
                start=start,
                goal=goal,
                waypoints=waypoints,
                noise=noise,
            )
        else:
            plans = list(plan)
            if n not in (1, len(plans)) or start or goal or waypoints or sentences:
                raise TimeControlError(
                    f"{len(plans)} plans are given, and followed as they are: no other n ({n}), "
                    "start, goal, waypoints or sentences."
                )
        return list(write(writer, plans, writing, batch=batch))

    def infill(
        self,
        left: str = "",
        right: str = "",
        n: int = 1,
        *,
        candidates: int = 1,
        first: str | None = None,
        words: int | None = None,
        context: int | None = None,
        weights: "Mapping[str, float] | None" = None,
        noise: float = 0.0,
        seed: int = 0,
        top_p: float = 0.95,
        temperature: float = 0.7,
    ) -> "Infilled":
        """Write the sentences that are missing between two texts.

        Args:
            left: What comes before the gap; with gaps marked in it (``[ ... ]``), a whole text.
            right: What comes after it.
            n: Missing sentences.
            candidates: Drawn for a gap; the best one is put in, the others are kept beside it.
            first: Words that the first missing sentence begins with.
            words: About so many in each missing sentence.
            context: Sentences that are read on each side, at most.
            weights: Of the ranking: ``likely``, ``near``, ``follows``.
            noise: What the noise of the bridge is multiplied by; 0: its mean.
            seed: Of the draws.
            top_p: Mass of the tokens that are drawn from.
            temperature: Of the draws; 0: the most probable token.

        Raises:
            TimeControlError: There is no decoder, no text, or more than the decoder takes.
        """
        from timecontrol.infilling.fill import filling_of, infill
        from timecontrol.infilling.gaps import MARK, MOST

        if not isinstance(n, int) or not 1 <= n <= MOST:
            raise TimeControlError(f"n is {n}: from 1 to {MOST} missing sentences.")
        for name, part in (("left", left), ("right", right)):
            if not isinstance(part, str):
                raise TimeControlError(f"{name} is {part!r}: give a text, or leave it out.")
        whole = left
        if n > 1 and not right and MARK.search(left):
            raise TimeControlError("n is told by the mark in the text: [ ...3 ] for three.")
        if any("\ud800" <= c <= "\udfff" for c in left + right):
            raise TimeControlError("The text is not UTF-8: it holds half of a character.")
        if right or not MARK.search(left):
            if MARK.search(left + right):
                raise TimeControlError("Gaps are marked in the text, or lie between two: not both.")
            whole = f"{left} [ ...{n} ] {right}"
        decoder = self._decoder()
        filling = filling_of(
            decoder,
            candidates=candidates,
            first=first,
            words=words,
            context=context,
            weights=weights,
            noise=noise,
            seed=seed,
            top_p=top_p,
            temperature=temperature,
        )
        return infill(decoder, whole, filling)

    def _decoder(self) -> "Decoder":
        """Return the decoder, opened on first use."""
        if self.writer is None:
            raise TimeControlError(
                "There is no decoder to write with: open the run folder of one (timecontrol train "
                f"decoder){' or ' + ', '.join(DECODERS) if DECODERS else ''}."
            )
        if callable(self.writer):
            self.writer = self.writer()
        return self.writer

    def score(
        self,
        text: "str | Sequence[str] | Written",
        id: str = "text",
        tick: Tick = nothing,
    ) -> Report:
        """Judge one document: a text, its sentences, or what ``generate`` wrote.

        Args:
            text: What is judged.
            id: What it is called in the report.
            tick: Called again and again on the way; what it raises ends the work.
        """
        given: Any = text if isinstance(text, str | Sequence) else getattr(text, "sentences", text)
        return next(self._judge([(id, _sentences_of(given))], SHUFFLES, tick))

    def score_many(
        self, documents: Iterable[tuple[str, str | Sequence[str]]], shuffles: int = SHUFFLES
    ) -> Iterator[Report]:
        """Judge documents, (id, text or sentences) each, in order; a few at a time.

        Args:
            documents: May be a stream of any length.
            shuffles: Of each document, for ``shuffled``; 0: none.
        """

        def texts() -> Iterator[Text]:
            for given in documents:
                if isinstance(given, str) or len(given) != 2:
                    raise TimeControlError("score_many takes (id, text) pairs; score takes a text.")
                yield given[0], _sentences_of(given[1])

        for batch in _batches(texts()):
            yield from self._judge(batch, shuffles)

    def suggest(
        self,
        text: str | Sequence[str],
        *,
        by: str = "score",
        fixed_first: bool = False,
        fixed_last: bool = False,
        shuffles: int = SHUFFLES,
        id: str = "text",
        tick: Tick = nothing,
    ) -> Suggestion:
        """Suggest an order for the sentences of a document (``coherence.arranging``).

        Args:
            text: A text, or its sentences: 3 to 60.
            by: ``score``: of the likeliest paths between each two ends the one that scores highest;
                ``density``: the likeliest.
            fixed_first: Whether the first sentence stays first.
            fixed_last: Whether the last sentence stays last.
            shuffles: For ``shuffled`` in both reports; 0: none.
            id: Of the document.
            tick: Called again and again on the way; what it raises ends the work.

        Raises:
            TimeControlError: There are too few sentences, or too many.
        """
        sentences = _sentences_of(text)
        check_count(len(sentences))
        features, latents = self._read(sentences, tick)
        points = points_of(self.encoder.coherence.context, features, latents)
        found = arrange(self.encoder.coherence, points, by, fixed_first, fixed_last)
        order = np.array(found.order)
        both = [(id, sentences), (id, tuple(sentences[i] for i in order))]
        rows = np.concatenate([np.arange(len(order)), order])
        tick()
        now, report = self._judged(both, points.take(rows), latents[rows], shuffles, tick)
        return Suggestion(
            order=found.order,
            now=now,
            report=report,
            density=found.density_now,
            best=found.density,
            most=found.density_most,
            exact=found.exact,
        )

    def _judge(self, batch: list[Text], shuffles: int, tick: Tick = nothing) -> Iterator[Report]:
        found = self._reports([b for b in batch if len(b[1]) >= SHORTEST], shuffles, tick)
        for id, sentences in batch:
            yield next(found) if len(sentences) >= SHORTEST else Report(id, sentences, None)

    def _reports(self, batch: list[Text], shuffles: int, tick: Tick) -> Iterator[Report]:
        if not batch:
            return
        features, latents = self._read([s for _, sentences in batch for s in sentences], tick)
        points = points_of(self.encoder.coherence.context, features, latents)
        yield from self._judged(batch, points, latents, shuffles, tick)

    def _read(self, sentences: Sequence[str], tick: Tick) -> tuple[Floats, Floats]:
        """Return features, (N, D), and latents, (N, d), of sentences; the same are read once."""
        row = {text: i for i, text in enumerate(dict.fromkeys(sentences))}
        features = extract(self.encoder.open(), list(row), tick)[[row[s] for s in sentences]]
        return features, self.encoder.latents(features)

    def _judged(
        self, batch: list[Text], points: Points, latents: Floats, shuffles: int, tick: Tick
    ) -> Iterator[Report]:
        """Judge documents that were read, of three sentences or more each."""
        layout = Ragged.of([len(sentences) for _, sentences in batch])
        judged = self.encoder.coherence.judge_points(points, layout)
        for number, (id, sentences) in enumerate(batch):
            here = np.arange(layout.lengths[number]) + layout.starts[number]
            higher = self._shuffled(points, here, judged.score[number], sentences, shuffles, tick)
            yield _report(id, sentences, judged, number, here, latents, higher)

    def _shuffled(
        self,
        points: Points,
        here: NDArray[np.int64],
        score: float,
        text: Sequence[str],
        n: int,
        tick: Tick,
    ) -> float | None:
        """Return the share of shuffles of a document that score as high, itself among them.

        That is the p-value of a permutation test.
        """
        if not n:
            return None
        digest = hashlib.sha256("\n".join(text).encode("utf-8", "surrogatepass")).digest()
        rng = np.random.default_rng(list(digest[:16]))
        coherence, higher, left = self.encoder.coherence, 0, n
        while left:
            tick()
            some = min(left, max(1, ROWS // len(here)))
            order = np.concatenate([here[rng.permutation(len(here))] for _ in range(some)])
            layout = Ragged.of([len(here)] * some)
            others = coherence.judge_points(points.take(order), layout).score
            higher += int((others > score - SAME).sum())
            left -= some
        return (1 + higher) / (n + 1)


def _sentences_of(text: str | Sequence[str]) -> tuple[str, ...]:
    """Return the sentences of a text, or those that are given."""
    if isinstance(text, str):
        split = splitter("rules", "en")
        return tuple(s for p in paragraphs(text) for s in split(p))
    if isinstance(text, Sequence) and all(isinstance(s, str) for s in text):
        return tuple(text)
    raise TimeControlError(
        f"A document is a text or a list of sentences, not {type(text).__name__}."
    )


def student(df: int) -> float:
    """Return the 97.5 % point of Student's t, by Cornish and Fisher: within 3 % from df = 2 on."""
    z = 1.959964
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / df + second / df**2 + third / df**3


def _report(
    id: str,
    sentences: tuple[str, ...],
    judged: Judged,
    number: int,
    here: NDArray[np.int64],
    latents: Floats,
    higher: float | None,
) -> Report:
    score = float(judged.score[number])
    half = student(len(sentences) - 1) * float(judged.error[number])
    return Report(
        id=id,
        sentences=sentences,
        score=score,
        interval=(score - half, score + half),
        percentile=float(judged.percentile[number]),
        shuffled=higher,
        trace=tuple(judged.trace[here].tolist()),
        trace_percentile=tuple(judged.trace_percentile[here].tolist()),
        terms=dict(zip(TERMS, judged.standard[number].tolist(), strict=True)),
        novelty=float(judged.novelty[number]),
        trust=float(judged.trust[number]),
        latents=latents[here].astype(np.float64),
    )


def _batches(documents: Iterator[Text]) -> Iterator[list[Text]]:
    """Yield documents a few at a time, so many sentences together at most (or one document)."""
    batch: list[Text] = []
    size = 0
    for document in documents:
        if batch and (len(batch) >= DOCUMENTS or size + len(document[1]) > SENTENCES):
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += len(document[1])
    if batch:
        yield batch
