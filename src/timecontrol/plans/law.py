"""What plans are drawn from: the paths of training documents, as the decoder saw them.

With r_t the residuals of a document of T + 1 sentences, about the mean path moved to its ends (or
about the straight line between them)::

    noise = mean over documents and inner sentences of  r_t r_t^T / (t (T - t) / T)

Its trace over d is the sigma^2 of ``latents.fit``. How far documents stray hardly depends on how
long they are, so a plan takes this noise in proportion to (S - 1) / (n - 1), S the mean number of
sentences of those documents and n its own (``kinds``): it strays from its mean as far as a document
of usual length does, whatever its length.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError
from timecontrol.latents.fit import Fit, Gaussian, clock, fit_paths, invertible, residuals
from timecontrol.plans.analogs import Analogs
from timecontrol.plans.calm import Calm
from timecontrol.plans.process import Process
from timecontrol.plans.timing import NO_STAGE, Sections, Timing

Array = NDArray[np.float64]

MOST_PATHS = 1000
"""Training paths kept."""
MOST_PIECES = 500
"""Training documents kept that paths are pieced together from."""

OWN = ("noise", "line_noise", "sentences", "tokens")
ENDS = ("start", "end")
"""Names of arrays: a law's own, and the Gaussians of its fit."""
CALM = "calm."
"""How the names of the maps from raw to smoothed points begin; old files have none."""
TIMING, PROCESS, ANALOGS = "timing.", "process.", "analogs."
"""The same of timing, process and analogs."""


@dataclass(frozen=True)
class Law:
    """Where plans start and end, how they go, how much they stray, how long they are."""

    fit: Fit
    noise: Array
    """Covariance of a bridge about the mean path, a sentence of a document, (d, d)."""
    line_noise: Array
    """The same about the straight line."""
    paths: list[Array]
    """Some training paths, each (sentences, d), exact in float32."""
    sentences: float
    """Mean number of sentences of a training document."""
    tokens: float
    """Mean number of tokens of a training document."""
    calm: Calm
    """From the latents of single sentences to points as plans have them."""
    timing: Timing
    """The sections of all documents."""
    process: Process
    """The paths as a Gaussian process in the time of their sections."""
    fitted: bool = True
    """Whether the two were fitted with it; otherwise they were made of the paths of an old file."""
    analogs: Analogs | None = None
    """What paths are pieced together from; old files, and decoders that need none, have none."""

    @property
    def dim(self) -> int:
        """How many numbers a point has."""
        return len(self.fit.start.mean)

    def sections_of(self, number: int) -> list[tuple[int, int]]:
        """Return stage and number of sentences of each section of a path that is kept."""
        known = self.timing.documents
        return known[kept_of(len(known), len(self.paths))[number]]

    def sizes_of(self, number: int) -> list[int]:
        """Return the tokens of each section of a path that is kept."""
        ends = np.cumsum(self.timing.lengths)
        document = kept_of(len(ends), len(self.paths))[number]
        last = int(ends[document])
        found: list[int] = self.timing.sizes[
            last - int(self.timing.lengths[document]) : last
        ].tolist()
        return found

    def calmed(self, share: float, point: Array) -> Array:
        """Return the latent of a single sentence as smoothed as the law's paths are.

        Args:
            share: Where in the document it is to be: 0 is the start, 1 the end.
            point: (d,), or several of that place, (n, d).
        """
        return self.calm.at(share)(np.asarray(point, np.float64))

    @classmethod
    def of(
        cls,
        paths: Iterable[Array],
        tokens: float | Sequence[float],
        raw: Iterable[Array] | None = None,
        sections: Iterable[Sections] | None = None,
        smooth: int = 1,
        sizes: Iterable[Sequence[int]] | None = None,
        within: bool = False,
        lengths: Iterable[Sequence[int]] | None = None,
        roles: Iterable[Sequence[int]] | None = None,
    ) -> "Law":
        """Fit the law to training documents.

        Args:
            paths: Each (sentences, d). Those under three sentences count for the mean length alone.
            tokens: Of each document, or their mean.
            raw: The points of the same documents before they were smoothed, of the same shapes;
                without, they were not.
            sections: Stage and number of sentences of each section of the same documents; without,
                a document is one stage without a tag.
            smooth: Sentences over which the paths were averaged.
            sizes: Tokens of each of those sections; without, they are shared out evenly.
            within: Whether they were averaged within stages alone.
            lengths: Tokens of each sentence; without, those of a stage are alike.
            roles: Who speaks in each sentence; without, nobody does.

        Raises:
            TimeControlError: Fewer than two documents have three sentences, none has a token, or
                the raw points are not of these documents.
        """
        everything = list(paths)
        parts = [[(NO_STAGE, len(p))] for p in everything] if sections is None else list(sections)
        usable = [np.asarray(p, np.float64) for p in everything if len(p) >= 3]
        fit = fit_paths(usable)
        mean = float(np.mean(tokens)) if np.size(tokens) else 0.0
        if not mean > 0:
            raise TimeControlError(f"Documents of {mean:g} tokens on average: no plan fits them.")
        chosen = kept_of(len(usable), min(len(usable), MOST_PATHS))
        known = [s for s, p in zip(parts, everything, strict=True) if len(p) >= 3]
        counted = evenly(parts, tokens) if sizes is None else list(sizes)
        counted = [n for n, p in zip(counted, everything, strict=True) if len(p) >= 3]
        each = None if lengths is None else list(lengths)
        if each is not None:
            each = [own for own, p in zip(each, everything, strict=True) if len(p) >= 3]
        whole = Timing.of(known, counted, each)
        before = everything if raw is None else list(raw)
        single = [np.asarray(p, np.float64) for p in before if len(p) >= 3]
        times = [whole.times(s) for s in known]
        who = [[0] * len(p) for p in everything] if roles is None else list(roles)
        who = [own for own, p in zip(who, everything, strict=True) if len(p) >= 3]
        pieces = kept_of(len(usable), min(len(usable), MOST_PIECES))
        return cls(
            fit=fit,
            noise=bridge_noise([residuals(p, fit.mean_path) for p in usable]),
            line_noise=bridge_noise([residuals(p) for p in usable]),
            paths=[usable[i].astype(np.float32).astype(np.float64) for i in chosen],
            sentences=float(np.mean([len(p) for p in everything])),
            tokens=mean,
            calm=Calm.of(before, everything),
            timing=whole,
            process=Process.of(single, times, smooth, whole.edges if within else np.zeros(0)),
            analogs=Analogs.of(
                [single[i] for i in pieces],
                [times[i] for i in pieces],
                whole.edges,
                [who[i] for i in pieces],
            ),
        )

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return the law as arrays by name; the paths are one float32 array, with lengths."""
        found: dict[str, NDArray[Any]] = {
            "paths": np.concatenate(self.paths).astype(np.float32),  # (sentences of all, d)
            "lengths": np.array([len(p) for p in self.paths], np.int64),
        }
        for name in OWN:
            found[name] = np.asarray(getattr(self, name), np.float64)
        for name, value in vars(self.fit).items():
            if name in ENDS:
                for part, number in vars(value).items():
                    found[f"fit.{name}.{part}"] = np.asarray(number, np.float64)
            else:
                found[f"fit.{name}"] = np.asarray(value, np.float64)
        parts = {
            CALM: self.calm.tensors(),
            TIMING: self.timing.tensors(),
            PROCESS: self.process.tensors(),
            ANALOGS: {} if self.analogs is None else self.analogs.tensors(),
        }
        for prefix, part in parts.items():
            found |= {prefix + name: value for name, value in part.items()}
        return found

    @classmethod
    def from_tensors(cls, found: Mapping[str, NDArray[Any]]) -> "Law":
        """Return the law that ``tensors`` gave; other names are left alone.

        Where there are no maps from raw to smoothed points, as in old files, they change nothing;
        where there is no timing, documents are one stage; and there may be no analogs.

        Raises:
            TimeControlError: One of its arrays is missing.
        """

        def part(name: str) -> Any:
            value = np.asarray(found[name], np.float64)
            return value if value.ndim else value.item()

        try:
            fit = {f.name: part(f"fit.{f.name}") for f in fields(Fit) if f.name not in ENDS}
            for end in ENDS:
                parts = {f.name: part(f"fit.{end}.{f.name}") for f in fields(Gaussian)}
                fit[end] = Gaussian(**parts)
            fit["documents"] = int(fit["documents"])
            paths = np.split(part("paths"), np.cumsum(part("lengths"))[:-1].astype(int))
            own = {name: part(name) for name in OWN}
            maps, clock, law = (_named(found, prefix) for prefix in (CALM, TIMING, PROCESS))
            calm = Calm.from_tensors(maps) if maps else Calm.identity(len(fit["start"].mean))
            whole: list[Sections] = [[(NO_STAGE, len(p))] for p in paths]
            timing = Timing.from_tensors(clock) if clock else Timing.of(whole)
            if law:
                process = Process.from_tensors(law)
            else:
                stages = [timing.documents[i] for i in kept_of(len(timing.lengths), len(paths))]
                process = Process.of(paths, [timing.times(s) for s in stages])
            parts = {"timing": timing, "process": process, "fitted": bool(law)}
            pieces = _named(found, ANALOGS)
            parts["analogs"] = Analogs.from_tensors(pieces) if pieces else None
            return cls(fit=Fit(**fit), paths=paths, calm=calm, **parts, **own)
        except KeyError as error:
            raise TimeControlError(f"These tensors hold no law of plans: no {error}.") from None


def evenly(parts: Sequence[Sections], tokens: float | Sequence[float]) -> list[list[int]]:
    """Return the tokens of sections, where those of documents are known, or their mean."""
    sentences = [sum(count for _, count in own) for own in parts]
    if np.size(tokens) == 1:
        rate = np.full(len(parts), float(np.mean(tokens)) / max(float(np.mean(sentences)), 1e-9))
    else:
        rate = np.asarray(tokens, np.float64) / np.maximum(sentences, 1)
    pairs = zip(parts, rate, strict=True)
    return [[max(round(count * each), 1) for _, count in own] for own, each in pairs]


def kept_of(documents: int, paths: int) -> list[int]:
    """Return which documents' paths are kept: evenly spread ones."""
    return [int(i) for i in np.linspace(0, documents - 1, paths).round()]


def _named(found: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin so, by the rest of their names."""
    return {k.removeprefix(prefix): v for k, v in found.items() if k.startswith(prefix)}


def bridge_noise(found: list[Array]) -> Array:
    """Return the noise of documents' residuals, each (sentences, d), with an inverse, (d, d)."""
    scaled = np.concatenate([r[1:-1] / np.sqrt(clock(len(r)))[:, None] for r in found])
    return invertible(scaled.T @ scaled / len(scaled), len(scaled))
