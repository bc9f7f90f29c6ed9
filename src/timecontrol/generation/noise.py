"""The randomness of a text: uniform numbers that belong to a seed, a document and a step.

transformers draws from one global state, so that a text depends on what else is in its batch. Here
document ``number`` of a seed always gets the same numbers, whatever is written beside it.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

WRITING = 1
"""Apart from the numbers that plans are drawn with."""


def uniforms(
    seed: int, numbers: Sequence[int], steps: int, draws: int, candidate: int = 0
) -> Tensor:
    """Return numbers in [0, 1) for each document, step and draw, (documents, steps, draws).

    The first steps are the same for any number of steps. Other candidates for the same document
    have other numbers.
    """
    more = (candidate,) if candidate else ()
    found = [
        np.random.default_rng((seed, number, WRITING, *more)).random((steps, draws), np.float32)
        for number in numbers
    ]
    return torch.from_numpy(np.stack(found))
