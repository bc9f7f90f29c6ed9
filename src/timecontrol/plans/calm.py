"""From the latent of a single sentence to the smoothed latent that plans are made of.

Decoders follow means over several neighbouring sentences, but a text that is to be a start, a goal
or a waypoint has only its own latent, which strays further. What the smoothed latent y of such a
sentence is, given its raw one x, is learnt from training documents::

    y = A x + b,    A, b least squares with a small ridge on standardised x

for first, inner and last sentences each: at the ends fewer sentences are averaged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError

Array = NDArray[np.float64]

RIDGE = 1.0
"""Added to the sum of squares of each standardised coordinate: as much as one sentence counts."""


@dataclass(frozen=True)
class Affine:
    """x to A x + b."""

    weight: Array
    """A, (d, d)."""
    bias: Array
    """b, (d,)."""

    def __call__(self, points: Array) -> Array:
        """Return A x + b of one point, (d,), or of each of several, (n, d)."""
        return np.asarray(points @ self.weight.T + self.bias)

    @classmethod
    def identity(cls, d: int) -> "Affine":
        """Return the map that changes nothing."""
        return cls(np.eye(d), np.zeros(d))

    @classmethod
    def of(cls, x: Array, y: Array) -> "Affine":
        """Fit y = A x + b to points, each (n, d), by ridge regression.

        With z = (x - mean) / sd a coordinate, A = C^T / sd, (Z^T Z + ridge I) C = Z^T (y - mean).
        """
        centre, sd = x.mean(0), x.std(0)
        sd = np.where(sd > 1e-8, sd, 1.0)
        z = (x - centre) / sd
        found = np.linalg.solve(z.T @ z + RIDGE * np.eye(z.shape[1]), z.T @ (y - y.mean(0)))
        weight = found.T / sd
        return cls(weight, y.mean(0) - weight @ centre)


@dataclass(frozen=True)
class Calm:
    """Raw latents to smoothed ones, by place in the document."""

    start: Affine
    """Of first sentences."""
    inner: Affine
    """Of those between."""
    end: Affine
    """Of last sentences."""

    @classmethod
    def identity(cls, d: int) -> "Calm":
        """Return the maps that change nothing."""
        same = Affine.identity(d)
        return cls(same, same, same)

    @classmethod
    def of(cls, raw: Sequence[Array], paths: Sequence[Array]) -> "Calm":
        """Fit the maps to documents; where nothing was smoothed, they change nothing.

        Args:
            raw: The latents of each document, (sentences, d). Those under three sentences are left
                out; one at least has more.
            paths: The same documents smoothed, of the same shapes.

        Raises:
            TimeControlError: The shapes differ.
        """
        if [np.shape(x) for x in raw] != [np.shape(y) for y in paths]:
            raise TimeControlError("Raw and smoothed latents must be of the same documents.")
        raw, paths = ([np.asarray(p, np.float64) for p in a if len(p) >= 3] for a in (raw, paths))
        if all(map(np.array_equal, raw, paths)):
            return cls.identity(paths[0].shape[1])
        places = {"start": slice(0, 1), "inner": slice(1, -1), "end": slice(-1, None)}
        return cls(
            **{
                name: Affine.of(
                    np.concatenate([x[place] for x in raw]),
                    np.concatenate([y[place] for y in paths]),
                )
                for name, place in places.items()
            }
        )

    def at(self, share: float) -> Affine:
        """Return the map for a share of the document: 0 is the start, 1 the end."""
        return self.start if share == 0 else self.end if share == 1 else self.inner

    def tensors(self) -> dict[str, Array]:
        """Return the maps as arrays by name."""
        return {
            f"{place.name}.{part}": np.asarray(value, np.float64)
            for place in fields(self)
            for part, value in vars(getattr(self, place.name)).items()
        }

    @classmethod
    def from_tensors(cls, found: Mapping[str, NDArray[Any]]) -> "Calm":
        """Return the maps that ``tensors`` gave; a missing one is a KeyError."""
        return cls(
            **{
                place.name: Affine(
                    **{
                        part.name: np.asarray(found[f"{place.name}.{part.name}"], np.float64)
                        for part in fields(Affine)
                    }
                )
                for place in fields(cls)
            }
        )
