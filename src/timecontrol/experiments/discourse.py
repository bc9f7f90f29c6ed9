"""The paper's first table: do latents tell the order of two sentences k apart?

A row is a kind of latents, with one set of latents for each seed of its encoder; a probe is trained
and judged for every set, k and probe seed. The standard error of a cell is that over encoder seeds
where there are several (a mean over probe seeds each), else that over probe seeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence import Ragged
from timecontrol.metrics.intervals import mean_over
from timecontrol.metrics.probe import Task, Verdict, probe
from timecontrol.progress import Progress, silent

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Source:
    """A row of the table."""

    name: str
    runs: list[tuple[Floats, Floats]]
    """Latents of training and of held-out sentences, (N, d) and (M, d); one pair a seed."""


def discourse(
    sources: Sequence[Source],
    train: Ragged,
    test: Ragged,
    *,
    ks: Sequence[int] = (1, 5, 10),
    definition: str = "paper",
    probe_seeds: int = 3,
    progress: Progress = silent,
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the accuracy of probes, by row and k.

    Args:
        sources: The rows.
        train: Layout of the training documents.
        test: Layout of the held-out documents.
        ks: Distances: columns ``k = 5``.
        definition: ``paper``, ``released`` or ``best``; the last draws nothing, and has one seed.
        probe_seeds: Probes of each set of latents.
        progress: Shows how far it is, row by row.
    """
    seeds = range(1 if definition == "best" else probe_seeds)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for source in sources:
        tasks = [Task(*run, k, seed) for k in ks for run in source.runs for seed in seeds]
        verdicts = probe(tasks, train, test, definition, progress)
        each = len(source.runs) * len(seeds)
        found[source.name] = {
            f"k = {k}": cell(verdicts[i * each : (i + 1) * each], len(source.runs))
            for i, k in enumerate(ks)
        }
    return found


def cell(verdicts: Sequence[Verdict], encoders: int) -> dict[str, Any]:
    """Return one cell: mean, spread and every run.

    Args:
        verdicts: Of all probes, those of one encoder seed together.
        encoders: Encoder seeds.
    """
    runs = np.array([v.accuracy for v in verdicts]).reshape(encoders, -1)  # (encoders, probes)
    over, values = ("encoder seeds", runs.mean(1)) if encoders > 1 else ("probe seeds", runs[0])
    n = len(values)
    documents = np.concatenate([v.document for v in verdicts])
    correct = np.concatenate([v.correct for v in verdicts]).astype(np.float64)
    return {
        "value": float(runs.mean()),
        "error": float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else None,
        "error_over": f"{n} {over}" if n > 1 else None,
        "document_error": mean_over(correct, documents).error,
        "pairs": len(verdicts[0].correct),
        "runs": runs.tolist(),
    }
