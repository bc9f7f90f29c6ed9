"""What a plan was drawn from, so that the rest of it can be drawn again from what has been written.

A plan is a mean over neighbouring sentences of a path of the process (``process``). Once sentences
have been written, the path is known there, and the rest of it is moved as the process has it; the
plan is the same mean of what was written and what is to come.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from timecontrol.plans.process import Process, averages

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
    """Latents of single sentences, with nothing known, (n, d)."""
    pins: Mapping[int, Array] = field(default_factory=dict)
    """Points the plan must meet, each (d,), by sentence."""
    gain: float = 1.0
    """How restless the document is."""

    def plan(self, seen: Mapping[int, Array] | None = None) -> Array:
        """Return the plan given latents of written sentences, each (d,), by sentence, (n, d)."""
        last = max(seen or {}, default=-1)
        pins = {row: point for row, point in self.pins.items() if row > last}  # others are past
        path = self.process.moved(self.times, self.path, seen, pins, self.gain)
        return np.asarray(averages(len(self.times), self.process.width) @ path)

    def spread(self) -> Array:
        """Return the variance of single sentences about the plan, (n, d).

        A twentieth of their variance at least: where nothing is averaged, plans are sentences.
        """
        n = len(self.times)
        rest = np.eye(n) - averages(n, self.process.width)
        P = self.process.covariance(self.times, self.gain)  # (d, n, n)
        found = np.einsum("ij,cjk,ik->ic", rest, P, rest)
        return np.asarray(np.maximum(found, LEAST * np.diagonal(P, axis1=1, axis2=2).T))
