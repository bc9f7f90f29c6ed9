"""How well a model predicts documents: exp of the mean -log p of a token.

Every token after the first is predicted from those before it: words, tags, unit-end marks and the
end token alike, so that models can be compared that write documents the same way.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from timecontrol.metrics.intervals import Estimate, estimate, resamples

Array = NDArray[np.float64]

IGNORED = -100
ROWS = 4096
"""Positions whose probabilities are computed at once: a vocabulary is large."""


@torch.no_grad()
def surprise(model: Any, batch: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return the sum of -log p, and the number of tokens, of each document of a batch.

    Args:
        model: Takes the batch and returns logits; labels and weights are left out.
        batch: As a collator makes it, with ``labels``.

    Returns:
        Two arrays, (documents,).
    """
    given = {k: v for k, v in batch.items() if k not in ("labels", "weights")}
    logits, labels = model(**given).logits, batch["labels"]
    sums, counts = [], []
    for row, wanted in zip(logits, labels, strict=True):  # one document: no copy of all of them
        losses = [
            F.cross_entropy(
                row[i : min(i + ROWS, len(row) - 1)].float(),
                wanted[i + 1 : i + 1 + ROWS],
                ignore_index=IGNORED,
                reduction="none",
            )
            for i in range(0, len(row) - 1, ROWS)
        ]
        sums.append(float(torch.cat(losses).double().sum()))
        counts.append(int((wanted[1:] != IGNORED).sum()))
    return np.array(sums), np.array(counts, np.float64)


def perplexity(sums: Sequence[float] | Array, tokens: Sequence[float] | Array) -> Estimate:
    """Return exp(sum / tokens) over documents, with its interval.

    Args:
        sums: Sum of -log p of each document, (n,).
        tokens: Of each document, (n,).
    """
    top, bottom = np.asarray(sums, np.float64), np.asarray(tokens, np.float64)
    drawn = [float(np.exp((w @ top) / (w @ bottom))) for w in resamples(len(top), 0)]
    return estimate(float(np.exp(top.sum() / bottom.sum())), drawn, len(top))
