"""Laws whose truth is known, for the tests of plans."""

import numpy as np
from numpy.typing import NDArray

from tests.latents.test_fit import drawn
from timecontrol.plans import Law

Array = NDArray[np.float64]

MIX = np.array([[1.0, 0.0], [0.8, 0.6]])
"""Bridges of independent coordinates to correlated ones."""


def bent(n: int = 100) -> list[Array]:
    """Bent bridges with correlated coordinates, 11 to 31 sentences."""
    return [path @ MIX.T for path in drawn(n, bend=3.0)]


def law() -> Law:
    return Law.of(bent(), 500)


def sections(n: int = 40) -> list[Array]:
    """One-hot paths through the first three of four sections, in order; the last never occurs."""
    return [np.eye(4)[np.repeat([0, 1, 2], [2, 3 + i % 4, 2 + i % 2])] for i in range(n)]


def stages(paths: list[Array]) -> list[list[tuple[int, int]]]:
    """A sentence of stage 0, about a third of stage 1, the rest of stage 2, in sections of 3."""
    found = []
    for path in paths:
        middle = len(path) // 3
        rest = len(path) - 1 - middle
        parts = [3] * (rest // 3) + [rest % 3] * (rest % 3 > 0)
        found.append([(0, 1), (1, middle), *((2, part) for part in parts)])
    return found


TOKENS = (5.0, 10.0, 20.0)
"""Of a sentence in each of these stages."""


def staged(smooth: int = 1) -> Law:
    """The law of bent bridges whose documents have sections."""
    parts = stages(bent())
    sizes = [[int(TOKENS[stage]) * n for stage, n in document] for document in parts]
    return Law.of(bent(), 500, sections=parts, smooth=smooth, sizes=sizes)
