"""What a plan was drawn from, so that the rest of it can be drawn again from what has been written.

A plan is a mean over neighbouring sentences of a path of the process (``process``). Once a sentence
has been written, the path z is known there, and the rest of it is moved as the process has it, one
sentence after the other; with P the covariance of a coordinate given what was known before::

    z' = z + P_i (y - z_i) / P_ii,    P' = P - P_i P_i^T / P_ii,    P_i the column of sentence i

The plan is the same mean of what was written and what is to come.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from timecontrol.plans.process import JITTER, Process, moved

Array = NDArray[np.float64]

LEAST = 0.05
"""The share of the variance of sentences that they have about a plan, at least."""


@dataclass(frozen=True)
class Track:
    """A path that a plan was made of."""

    process: Process
    times: Array
    """Of its sentences, (n,)."""
    path: Array
    """Latents of single sentences, given what has been written, (n, d)."""
    pins: Mapping[int, Array] = field(default_factory=dict)
    """Points the plan must meet, each (d,), by sentence."""
    gain: float = 1.0
    """How restless the document is."""
    left: Array | None = None
    """P given what has been written, (d, n, n); ``None``: nothing has."""

    @cached_property
    def covariance(self) -> Array:
        """P, (d, n, n)."""
        return self.process.covariance(self.times, self.gain) if self.left is None else self.left

    def given(self, row: int, latent: Array) -> "Track":
        """Return the track after a sentence whose latent is (d,); pins before it are past."""
        P = self.covariance
        least = JITTER * np.einsum("cii->c", P) / len(self.times) + 1e-12
        size = P[:, row, row] + least  # (d,)
        column = P[:, :, row]  # (d, n)
        away = (np.asarray(latent, np.float64) - self.path[row]) / size  # (d,)
        left = P - column[:, :, None] * (column / size[:, None])[:, None, :]
        pins = {at: point for at, point in self.pins.items() if at > row}
        return replace(self, path=self.path + column.T * away, pins=pins, left=left)

    def plan(self) -> Array:
        """Return the plan, (n, d)."""
        A = self.process.averages(self.times)
        path = self.path
        if self.pins:
            points = np.stack([*self.pins.values()])
            path = moved(path, self.covariance, A[list(self.pins)], points)
        return np.asarray(A @ path)

    def spread(self) -> Array:
        """Return the variance of single sentences about the plan, (n, d).

        A twentieth of their variance at least: where nothing is averaged, plans are sentences.
        """
        n = len(self.times)
        rest = np.eye(n) - self.process.averages(self.times)
        P = self.covariance
        found = np.einsum("ij,cji->ic", rest, P @ rest.T)
        return np.asarray(np.maximum(found, LEAST * np.diagonal(P, axis1=1, axis2=2).T))
