"""BBScoreV2 in linear time against the form with the covariance over time, and many documents.

    python benchmarks/scoring.py [-d 8] [--documents 10000]

Both forms get the same latents and give the same numbers (checked); medians of several rounds.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence import Ragged
from timecontrol.coherence.bridge import bridges
from timecontrol.latents.fit import residuals

Array = NDArray[np.float64]


def by_matrix(path: Array, sigma: Array) -> float:
    """Return log p of one document by its covariance over time, as published: O(T^2) or more."""
    T, d = len(path) - 1, path.shape[1]
    t = np.arange(1, T)
    over_time = np.minimum.outer(t, t) * (T - np.maximum.outer(t, t)) / T
    off = residuals(path)[1:-1].T  # (d, T-1)
    inverse = np.linalg.inv(over_time)
    trace = np.trace(np.linalg.solve(sigma, off @ inverse @ off.T))
    logs = d * np.linalg.slogdet(over_time)[1] + (T - 1) * np.linalg.slogdet(sigma)[1]
    return float(-0.5 * (d * (T - 1) * np.log(2 * np.pi) + logs + trace))


def seconds(work: Callable[[], object], rounds: int) -> float:
    found = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return statistics.median(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-d", type=int, default=8)
    parser.add_argument("--documents", type=int, default=10_000)
    options = parser.parse_args()
    d, rng = options.d, np.random.default_rng(0)
    root = rng.normal(size=(d, d))
    sigma = root @ root.T / d + 0.5 * np.eye(d)
    print("| T | linear, ms a document | by matrix, ms | ratio |\n|---|---|---|---|")
    for T in (10, 30, 100, 300, 1000):
        path = rng.normal(size=(T + 1, d)).cumsum(0)
        layout = Ragged.of([T + 1])
        np.testing.assert_allclose(
            bridges(path, layout, sigma).log_likelihood[0], by_matrix(path, sigma), rtol=1e-8
        )
        fast = seconds(lambda p=path, n=layout: bridges(p, n, sigma), 51)  # type: ignore[misc]
        slow = seconds(lambda p=path: by_matrix(p, sigma), 11)  # type: ignore[misc]
        print(f"| {T} | {1e3 * fast:.3f} | {1e3 * slow:.3f} | {slow / fast:.1f} |", flush=True)
    n = options.documents
    many = rng.normal(size=(30 * n, d)).cumsum(0)
    layout = Ragged.of([30] * n)
    whole = seconds(lambda: bridges(many, Ragged.of(layout.lengths), sigma), 5)
    slow = seconds(lambda: [by_matrix(p, sigma) for p in layout.split(many)[:200]], 3) * n / 200
    print(f"\n{n:,} documents of 30 latents at once: {whole:.2f} s with traces of all sentences;")
    print(
        f"one by one by matrix {slow:.2f} s (200 timed, scaled): {slow / whole:.0f} times as long."
    )


if __name__ == "__main__":
    main()
