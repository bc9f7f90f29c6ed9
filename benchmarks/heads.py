"""What makes a good head: settings side by side, judged on validation documents only.

    python benchmarks/heads.py CORPUS [--seeds 3] [--only WORD]

I: bound log N - L on random validation batches, nats. Shuffle: validation documents whose bridge
residual grows when shuffled, percent. Order: a logistic probe on [z_a, z_b, z_b - z_a], fitted on
training documents, sentences 5 and 10 apart, percent.
"""

import argparse
import statistics
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from timecontrol.corpora import open_corpus
from timecontrol.encoder import Encoder, preset

ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "random batches": ("best", {"together": 1}),
    "32 of a document together": ("best", {"together": 32}),
    "whole documents together (`best`)": ("best", {}),
    "`best` without dropout": ("best", {"dropout": 0.0}),
    "`best`, rate 3e-4": ("best", {"rate": 3e-4}),
    "`best`, batch 512": ("best", {"batch": 512}),
    "`best`, ReLU after the first layer": ("best", {"first_relu": True}),
    "`best`, d = 16": ("best", {"latent_dim": 16}),
    "`best`, d = 32": ("best", {"latent_dim": 32}),
    "`best`, section tags read": ("best", {"tags": True}),
    "`best`, loss `released`, pinned": ("best", {"loss": "released", "pin": 1.0}),
    "`best`, pinned": ("best", {"pin": 1.0}),
    "`--objective brownian`": ("best", {"objective": "brownian"}),
}


def pairs(paths: list[NDArray[Any]], k: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return features and labels of sentences k apart, half of the pairs turned round."""
    long = [p for p in paths if len(p) > k]
    a, b = np.concatenate([p[:-k] for p in long]), np.concatenate([p[k:] for p in long])
    turned = np.random.default_rng(seed).random(len(a)) < 0.5
    x, y = np.where(turned[:, None], b, a), np.where(turned[:, None], a, b)
    return np.concatenate([x, y, y - x], 1), ~turned


def order(train: list[NDArray[Any]], val: list[NDArray[Any]], k: int) -> float:
    """Return the probe's accuracy in percent."""
    probe = LogisticRegression(max_iter=300).fit(*pairs(train, k, 0))
    return 100 * float(probe.score(*pairs(val, k, 1)))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--base", default="minilm")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    parts = [list(open_corpus(options.corpus).documents(split)) for split in ("train", "val")]
    print("| | epoch kept | I | shuffle | order 5 | order 10 |\n|---|---|---|---|---|---|")
    for name, (start, changes) in ROWS.items():
        if options.only not in name:
            continue
        found = []
        for seed in range(options.seeds):
            settings = preset(start, seed=seed, **changes)
            encoder = Encoder.fit(options.corpus, base=options.base, settings=settings)
            train, val = (list(encoder.paths(part)) for part in parts)
            best, judged = encoder.metrics["best"], encoder.metrics["validation"]
            found.append(
                [
                    encoder.metrics["best_epoch"],
                    best["val_information"],
                    100 * judged["shuffled_larger"],
                    order(train, val, 5),
                    order(train, val, 10),
                ]
            )
        cells = []
        for digits, column in zip((1, 2, 1, 1, 1), zip(*found, strict=True), strict=True):
            spread = statistics.stdev(column) if len(column) > 1 else 0.0
            cells.append(f"{statistics.mean(column):.{digits}f} ± {spread:.{digits}f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
