"""What the rooms of the studio and the HTTP API ask for: plain data in, plain data out.

``check`` is called again and again while a model works; what it raises ends the work. Nothing here
waits for its turn (``turns.py``) or knows of a browser.
"""

import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

import numpy as np

from timecontrol import __version__
from timecontrol.app.asked import Asked
from timecontrol.app.limits import Limits
from timecontrol.app.models import Models
from timecontrol.app.planes import Array, plane, seen
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError
from timecontrol.latents.fit import Fit
from timecontrol.pages.words import FAR, breaking, level, meaning
from timecontrol.scoring import Report, nothing
from timecontrol.sentences import paragraphs, splitter

Check = Callable[[], None]


@dataclass
class Studio:
    """The models, and what may be asked of them."""

    models: Models
    limits: Limits = field(default_factory=Limits)

    def about(self) -> dict[str, Any]:
        """Return what can be asked for."""
        from timecontrol.plans import KINDS

        return {
            "version": __version__,
            "encoders": list(self.models.encoders),
            "decoders": list(self.models.decoders),
            "fillers": list(self.models.fillers),
            "kinds": list(KINDS),
            "limits": vars(self.limits),
        }

    def score(
        self, text: str | Sequence[str], *, encoder: str | None = None, check: Check = nothing
    ) -> dict[str, Any]:
        """Return how well a text flows, with each sentence and its point in the path's plane.

        Args:
            text: A text, or its sentences.
            encoder: The first without a name.
            check: Called on the way.
        """
        sentences = self._sentences(text)
        scorer = self.models.encoder(encoder)
        check()
        found = told(scorer.score(sentences, tick=check), scorer.encoder)
        check()
        return found

    def order(
        self, sentences: Sequence[str], *, encoder: str | None = None, check: Check = nothing
    ) -> dict[str, Any]:
        """Return another order of sentences: of the likeliest paths the one that scores highest.

        Args:
            sentences: In the order they have now.
            encoder: The first without a name.
            check: Called on the way.
        """
        given = self._sentences(sentences)
        self.limits.check_ordered(len(given))
        scorer = self.models.encoder(encoder)
        check()
        found = scorer.suggest(given, tick=check)
        check()
        return {
            "order": [int(i) for i in found.order],
            "density": found.density,
            "best": found.best,
            "most": found.most,
            "exact": found.exact,
            "before": found.now.score,
            "report": told(found.report, scorer.encoder),
        }

    def plan(self, asked: Asked, *, check: Check = nothing) -> dict[str, Any]:
        """Return a plan, without writing."""
        asked = asked.checked(self.limits)
        decoder, writing, plans = self._planned(asked)
        check()
        return _drawn(plans[0], decoder, writing.budget)

    def write(
        self, asked: Asked, *, check: Check = nothing
    ) -> Generator[dict[str, Any], None, None]:
        """Yield the plan, each sentence when it is written, and the whole document last."""
        from timecontrol.generation.write import stream

        asked = asked.checked(self.limits)
        decoder, writing, plans = self._planned(asked)
        check()
        plan = plans[0]
        yield {"event": "plan", **_drawn(plan, decoder, writing.budget)}
        events: SimpleQueue[dict[str, Any] | BaseException] = SimpleQueue()
        gone = threading.Event()
        count = 0

        def tick() -> None:
            if gone.is_set():
                raise _Gone
            check()

        def say(tag: str | None, sentence: str) -> None:
            nonlocal count
            events.put({"event": "sentence", "number": count, "tag": tag, "text": sentence})
            count += 1

        def work() -> None:
            try:
                written = stream(decoder, plan, writing, say, tick=tick)
                events.put({"event": "done", **written.as_dict(), "markdown": written.markdown()})
            except BaseException as error:  # handed over, and raised where it is waited for
                events.put(error)

        thread = threading.Thread(target=work, name="writing", daemon=True)
        thread.start()
        try:
            while True:
                found = events.get()
                if isinstance(found, BaseException):
                    raise found
                yield found
                if found["event"] == "done":
                    return
        finally:
            gone.set()
            thread.join()

    def infill(
        self,
        text: str,
        *,
        model: str | None = None,
        candidates: int = 4,
        words: int | None = None,
        first: str | None = None,
        seed: int = 0,
        temperature: float = 0.7,
        check: Check = nothing,
    ) -> dict[str, Any]:
        """Return a text whose gaps are filled, each gap's candidates, and where these lie.

        Args:
            text: With gaps, ``[ ... ]`` or ``[ ...3 ]``.
            model: What fills; the first without a name.
            candidates: Drawn for each gap.
            words: About so many in each missing sentence.
            first: Words that the first missing sentence begins with.
            seed: Of the draws.
            temperature: Of the draws.
            check: Called on the way.
        """
        from timecontrol.infilling.fill import filling_of, infill
        from timecontrol.infilling.gaps import read_gaps

        self.limits.check_text(text, longer="timecontrol infill FILE takes any length.")
        self.limits.check_candidates(candidates)
        self.limits.check_sentences(len(read_gaps(text).slots))
        decoder = self.models.filler(model)._decoder()
        check()
        filling = filling_of(
            decoder,
            candidates=candidates,
            words=words,
            first=first or None,
            seed=seed,
            temperature=temperature,
        )
        done = infill(decoder, text, filling, check)
        return {**done.as_dict(), **_places(decoder, done)}

    def _sentences(self, text: str | Sequence[str]) -> list[str]:
        """Return the sentences of a text that is not too long."""
        if isinstance(text, str):
            self.limits.check_text(text)
            split = splitter("rules", "en")
            found = [s for p in paragraphs(text) for s in split(p)]
        else:
            self.limits.check_text("".join(text))
            found = list(text)
            if blank := [i for i, s in enumerate(found, 1) if not s.strip()]:
                raise TimeControlError(f"Sentence {blank[0]} is empty: leave it out.")
        if not found:
            raise TimeControlError("There is no text: give at least three sentences.")
        self.limits.check_sentences(len(found))
        return found

    def _planned(self, asked: Asked) -> tuple[Any, Any, list[Any]]:
        """Return a decoder, how it writes, and its plan."""
        from timecontrol.generation.request import default_writing, plans_for

        decoder = self.models.decoder(asked.model)._decoder()
        bare = asked.kind == BARE
        writing = default_writing(
            decoder,
            asked.length,
            seed=asked.seed,
            top_p=asked.top_p,
            temperature=asked.temperature,
            latents=not bare,
        )
        self.limits.check_tokens(writing.budget)
        plans = plans_for(
            decoder,
            1,
            writing,
            kind=None if bare else asked.kind,
            sentences=asked.sentences,
            start=asked.start,
            goal=asked.goal,
            waypoints=asked.waypoints,
            noise=asked.noise,
        )
        return decoder, writing, plans


BARE = "none"
"""What is asked for in the place of a kind of plan, so that the decoder is told none."""


class _Gone(Exception):
    """Nobody waits for what is written any more."""


def told(report: Report, encoder: Encoder) -> dict[str, Any]:
    """Return a report as plain data for a page: with levels, words, and points in a plane."""
    found = report.as_dict()
    flat: list[list[float]] = []
    if report.latents is not None and len(report.latents):
        flat = seen(report.latents, plane([report.latents], ahead_of(encoder.fit_)))
    found["sentences"] = [
        {
            "text": sentence,
            "fit": report.trace[i] if report.trace else None,
            "percentile": report.trace_percentile[i] if report.trace else None,
            "level": level(report, i) if report.trace else "fits",
            "at": flat[i] if flat else None,
        }
        for i, sentence in enumerate(report.sentences)
    ]
    del found["trace"]
    said = [meaning(report)] + ([breaking(report)] if not report.short else [])
    return found | {"said": " ".join(said), "warning": FAR if report.far else None}


def ahead_of(fit: Fit) -> Array:
    """Return the way from where documents begin to where they end, (d,)."""
    return np.asarray(fit.end.mean - fit.start.mean, np.float64)


def _drawn(plan: Any, decoder: Any, budget: int) -> dict[str, Any]:
    """Return a plan as plain data with its points in their plane; nothing of one that is none."""
    if plan is None:
        return {"plan": None, "at": [], "budget": budget}
    law = decoder.law
    where = plane(law.paths[:REFERENCE] or [plan.points], ahead_of(law.fit))
    return {"plan": plan.as_dict(), "at": seen(plan.points, where), "budget": budget}


REFERENCE = 50
"""Documents whose paths say which plane plans are shown in, so that two can be compared."""


def _places(decoder: Any, done: Any) -> dict[str, Any]:
    """Return the filled text's sentences, and they, the bridge and candidates in one plane."""
    texts = [slot.text for slot in done.whole.slots]
    if decoder.encoder is None:
        return {"sentences": texts, "at": []}
    path = np.asarray(decoder.encoder.encode(texts), np.float64)
    where = plane([path], ahead_of(decoder.encoder.fit_))
    shown = []
    for gap in done.gaps:
        candidates = [
            None if c.measured.latents is None else seen(c.measured.latents, where)
            for c in gap.candidates
        ]
        mean = None if gap.mean is None else seen(gap.mean, where)
        shown.append({"bridge": mean, "candidates": candidates})
    return {"sentences": texts, "at": seen(path, where), "shown": shown}
