"""What plans are drawn from: the paths of training documents, as the decoder saw them.

With r_t the residuals of a document of T + 1 sentences, about the mean path moved to its ends (or
about the straight line between them)::

    noise = mean over documents and inner sentences of  r_t r_t^T / (t (T - t) / T)

A bridge with this noise strays as far from its mean as the documents do; its trace over d is the
sigma^2 of ``latents.fit``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError
from timecontrol.latents.fit import Fit, Gaussian, clock, fit_paths, invertible, residuals

Array = NDArray[np.float64]

MOST_PATHS = 1000
"""Training paths kept."""

OWN = ("noise", "line_noise", "sentences", "tokens")
ENDS = ("start", "end")
"""Names of arrays: a law's own, and the Gaussians of its fit."""


@dataclass(frozen=True)
class Law:
    """Where plans start and end, how they go, how much they stray, how long they are."""

    fit: Fit
    noise: Array
    """Covariance of a bridge about the mean path, a sentence, (d, d)."""
    line_noise: Array
    """The same about the straight line."""
    paths: list[Array]
    """Some training paths, each (sentences, d), exact in float32."""
    sentences: float
    """Mean number of sentences of a training document."""
    tokens: float
    """Mean number of tokens of a training document."""

    @property
    def dim(self) -> int:
        """How many numbers a point has."""
        return len(self.fit.start.mean)

    @classmethod
    def of(cls, paths: Iterable[Array], tokens: float | Sequence[float]) -> "Law":
        """Fit the law to training documents.

        Args:
            paths: Each (sentences, d). Those under three sentences count for the mean length alone.
            tokens: Of each document, or their mean.

        Raises:
            TimeControlError: Fewer than two documents have three sentences, or none has a token.
        """
        everything = list(paths)
        usable = [np.asarray(p, np.float64) for p in everything if len(p) >= 3]
        fit = fit_paths(usable)
        mean = float(np.mean(tokens)) if np.size(tokens) else 0.0
        if not mean > 0:
            raise TimeControlError(f"Documents of {mean:g} tokens on average: no plan fits them.")
        chosen = np.linspace(0, len(usable) - 1, min(len(usable), MOST_PATHS)).round().astype(int)
        return cls(
            fit=fit,
            noise=bridge_noise([residuals(p, fit.mean_path) for p in usable]),
            line_noise=bridge_noise([residuals(p) for p in usable]),
            paths=[usable[i].astype(np.float32).astype(np.float64) for i in chosen],
            sentences=float(np.mean([len(p) for p in everything])),
            tokens=mean,
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
        return found

    @classmethod
    def from_tensors(cls, found: Mapping[str, NDArray[Any]]) -> "Law":
        """Return the law that ``tensors`` gave; other names are left alone.

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
            return cls(fit=Fit(**fit), paths=paths, **{name: part(name) for name in OWN})
        except KeyError as error:
            raise TimeControlError(f"These tensors hold no law of plans: no {error}.") from None


def bridge_noise(found: list[Array]) -> Array:
    """Return the noise of documents' residuals, each (sentences, d), with an inverse, (d, d)."""
    scaled = np.concatenate([r[1:-1] / np.sqrt(clock(len(r)))[:, None] for r in found])
    return invertible(scaled.T @ scaled / len(scaled), len(scaled))
