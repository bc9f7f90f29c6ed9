"""Decoders that fill gaps, each way trained alike, and what they write into the gaps of stories.

    python -m benchmarks.infilling --runs runs/infilling --out texts/infilling --seeds 0,1,2

For each arm and seed a decoder, for arms with latents the encoder it needs; then every sentence of
every validation and test window is written anew, by sampling once, and as the best of eight. What
is written is kept as ``timecontrol evaluate infilling`` finds it, which then only measures:

    timecontrol evaluate infilling windows --model runs/infilling/lm-0 --model ... --out texts/...

What is there already is left alone, so the command can be interrupted and goes on, and several
processes with the same command share the work (as in ``benchmarks.plans``).
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.plans import clear, held
from timecontrol.corpora import open_corpus
from timecontrol.decoder import Decoder, preset
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.fillings import gaps_of, way_of, written
from timecontrol.experiments.material import held_out
from timecontrol.infilling.fill import Filling
from timecontrol.runs import is_finished

WINDOWS, STORIES = "windows", "stories"
"""What decoders are trained on and gaps are in, and what encoders are trained on."""
BEST = 8
"""Candidates, where the best is taken."""

ENCODERS: dict[str, dict[str, Any]] = {
    "tc": {"distance": 1},
    "bm": {"objective": "brownian", "distance": 1},
    "id": {"objective": "implicit"},
    "vae": {"objective": "vae"},
}
"""Settings that differ from the preset, by the name of the latents."""


@dataclass(frozen=True)
class Arm:
    """A decoder."""

    encoder: str | None = None
    """Whose latents it follows."""
    settings: dict[str, Any] = field(default_factory=dict)
    ways: tuple[str, ...] = ("", f":best-{BEST}", ":greedy")
    """How it is used, as ``evaluate infilling`` names it."""


RIGHT = {"arrangement": "right-first"}
FREE = ("", f":best-{BEST}", ":greedy", ":latent-free", ":latent-free:greedy")
ARMS = {
    "lm": Arm(),
    "ilm": Arm(settings={"arrangement": "blanks"}),
    "right": Arm(settings=RIGHT),
    "tc-right": Arm("tc", RIGHT, FREE),
    "tc": Arm("tc"),
    "bm": Arm("bm"),
    "id": Arm("id"),
    "vae": Arm("vae"),
    "tc-told": Arm("tc", {"told": "bridge"}),
    "bm-right": Arm("bm", RIGHT, FREE),
    "id-right": Arm("id", RIGHT, FREE),
    "vae-right": Arm("vae", RIGHT, FREE),
}
"""By name: ``right`` reads what follows first and has no latents; names of latents alone are the
paper's way, in which these are all that is known of what follows."""
SAME: dict[str, Any] = {
    "lora": 16,
    "lora_dropout": 0.0,
    "smooth": 1,
    "end_weight": 1.0,
    "latent_dropout": 0.2,
    "window": 320,
}
"""Settings of all arms."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and write what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--base", default="smollm2-135m")
    parser.add_argument("--latent-dim", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16, help="windows of a training step")
    parser.add_argument("--fill", type=int, default=2048, help="fillings at once")
    parser.add_argument("--splits", default="val,test")
    parser.add_argument("--drawn", choices=("once", "best"), help="one half of the writing")
    parser.add_argument("--documents", type=int, default=None, help="of a split, for a trial")
    parser.add_argument("--settings", default="{}", help="of decoders, as JSON")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--compile", action="store_true", help="compile layers before capturing")
    parser.add_argument("--limit", type=float, default=1e9, help="nothing is begun after so long")
    parser.add_argument("--only", choices=("train", "write"), help="one half of the work")
    asked = parser.parse_args(arguments)
    begun = time.monotonic()
    seeds = [int(word) for word in asked.seeds.split(",")]
    left = [(name, seed) for seed in seeds for name in asked.arms.split(",")]
    while left and time.monotonic() - begun < asked.limit:
        before = len(left)
        for name, seed in list(left):
            if time.monotonic() - begun > asked.limit:
                break
            run = asked.runs / f"{name}-{seed}"
            if asked.only != "write":
                with held(run) as free:
                    if free and not is_finished(run):
                        attempt(name, seed, run, asked)
            if is_finished(run):
                if asked.only != "train":
                    fill(ARMS[name], run, asked, begun)
                left.remove((name, seed))
            elif run.with_name(f"{run.name}.failed").exists():
                left.remove((name, seed))
        if len(left) == before:
            if asked.only == "train":
                break  # others train the rest
            time.sleep(1)


def attempt(name: str, seed: int, run: Path, asked: Any) -> None:
    """Train a decoder; where that fails, say so, and let the others go on."""
    try:
        train(ARMS[name], seed, run, asked)
    except (TimeControlError, RuntimeError) as error:
        run.with_name(f"{run.name}.failed").write_text(f"{error}\n", encoding="utf-8")
        print(f"{run.name}: {error}", flush=True)
    clear()


def train(arm: Arm, seed: int, run: Path, asked: Any) -> None:
    """Train a decoder, and the encoder it needs."""
    at = time.monotonic()
    encoder = None
    if arm.encoder is not None:
        encoder = asked.runs / f"{arm.encoder}-encoder"
        with held(encoder, wait=True):
            if not is_finished(encoder):
                given = {"latent_dim": asked.latent_dim, **ENCODERS[arm.encoder]}
                Encoder.fit(STORIES, device=asked.device, out=encoder, **given)
                print(f"{encoder.name}: {time.monotonic() - at:.0f} s", flush=True)
    changed = {**SAME, **arm.settings, **json.loads(asked.settings)}
    decoder = Decoder.fit(
        WINDOWS,
        encoder=encoder,
        base=asked.base,
        settings=preset(
            "best",
            method="plain" if encoder is None else "planned",
            seed=seed,
            epochs=asked.epochs,
            batch=asked.batch,
            keep="best",
            **changed,
        ),
        out=run,
        device=asked.device,
        compiled=asked.compile,
        checkpoints=False,
    )
    losses = [round(h["val_loss"], 4) for h in decoder.metrics["history"]]
    spent, own = time.monotonic() - at, decoder.metrics["seconds"]
    print(f"{run.name}: {spent:.0f} s, of them training {own}; {losses}", flush=True)


def fill(arm: Arm, run: Path, asked: Any, begun: float) -> None:
    """Write what is missing of the fillings of a decoder."""
    corpus = open_corpus(WINDOWS)
    for split in asked.splits.split(","):
        gaps = gaps_of(held_out(corpus, split, asked.documents))
        for how in arm.ways:
            if asked.drawn and (asked.drawn == "best") != (":best" in how):
                continue
            at = time.monotonic()
            if at - begun > asked.limit:
                return
            folder = asked.out / split
            with held(folder / f"{run.name}{how.replace(':', '-')}") as free:
                if free:
                    way, place = way_of(f"{run}{how}", Filling()), Place(asked.device)
                    try:
                        written(str(run), way, gaps, asked.fill, folder, place)
                        said = f"{time.monotonic() - at:.0f} s"
                    except (TimeControlError, RuntimeError) as error:
                        said = str(error)
                    print(f"{split} {way.label}: {said}", flush=True)
    clear()


if __name__ == "__main__":
    main()
