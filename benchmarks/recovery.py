"""Recovery of known latents: bridges seen through a random invertible non-linear map.

    python benchmarks/recovery.py [--seeds 3]

Every objective has the same head, epochs and search: three learning rates, chosen by its own
validation loss. R^2 of a linear map to the true latents on documents seen by nobody.
"""

import argparse
import statistics

from timecontrol.experiments.recovery import bridges, linear_r2, recover

RATES = (3e-4, 1e-3, 3e-3)
OBJECTIVES = ("bridge", "brownian", "vae")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("-d", type=int, nargs="+", default=[2, 4, 8])
    options = parser.parse_args()
    print("|  d  | seen itself | " + " | ".join(OBJECTIVES) + " |")
    print("|---|---|" + "---|" * len(OBJECTIVES))
    for d in options.d:
        found: dict[str, list[float]] = {name: [] for name in ("seen", *OBJECTIVES)}
        for seed in range(options.seeds):
            seen = bridges(d=d, seed=seed)
            found["seen"].append(linear_r2(seen.features, seen.latents, seen.n_train, seen.held))
            for name in OBJECTIVES:
                tried = [
                    recover(seen, name, rate=rate, epochs=options.epochs, seed=seed)
                    for rate in RATES
                ]
                found[name].append(min(tried, key=lambda r: r["val_loss"])["r2"])
        cells = [f"{statistics.mean(v):.3f} ({min(v):.3f}-{max(v):.3f})" for v in found.values()]
        print(f"| {d} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
