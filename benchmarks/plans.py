"""Do plans matter? Decoders trained alike, with plans and without, and what they write.

    python -m benchmarks.plans wikisection recipes --seeds 0,1,2 --runs runs/plans --out texts/plans

For each corpus an encoder, and for each seed a decoder of every method that the arms need; each arm
then writes the same documents (same numbers, same seed of writing), kept as JSON lines:
OUT/CORPUS/ARM-SEED.jsonl. What is there already is left alone, so the command can be interrupted
and goes on. Tables, with paired differences, come from

    timecontrol evaluate structure SPEC --texts OUT/CORPUS/plain-0.jsonl --texts ...

The headline setting, named before it was run: forced to 1,024 tokens, top-p 0.95.
"""

import argparse
import gc
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from timecontrol.corpora import open_corpus
from timecontrol.decoder import Decoder, preset
from timecontrol.encoder import Encoder
from timecontrol.experiments.ways import kept_as
from timecontrol.generation import write
from timecontrol.generation.request import default_writing, plans_for
from timecontrol.runs import is_finished


@dataclass(frozen=True)
class Task:
    """A corpus, and how long is trained on it: about 500 steps of 8 documents."""

    spec: str
    epochs: int


CORPORA = {
    "wikisection": Task("wikisection", 8),
    "movies": Task("sgd:sgd/sgd-movies", 4),
    "restaurants": Task("sgd:sgd/sgd-restaurants", 3),
    "howto": Task("wikihow", 4),
    "recipes": Task("recipes", 1),
    "synthetic": Task("synthetic:cities,documents=60", 1),
}


@dataclass(frozen=True)
class Arm:
    """A way of writing."""

    method: str
    kind: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    length: str = "forced"


ARMS = {
    "plain": Arm("plain"),
    "clock": Arm("clock"),
    "static": Arm("planned", "static"),
    "mean": Arm("planned", "mean"),
    "bridge": Arm("planned", "bridge"),
    "loop": Arm("planned", "bridge", {"loop": True}),
    "sentences": Arm("planned", "bridge", {"follow": "sentences"}),
    "retrieved": Arm("planned", "retrieved"),
    "guided": Arm("planned", "bridge", {"guidance": 1.0}),
    "loop-4": Arm("planned", "bridge", {"loop": True, "candidates": 4}),
    "loop-8": Arm("planned", "bridge", {"loop": True, "candidates": 8}),
    "ordered": Arm("plain", options={"ordered": True}),
    "dense": Arm("section-dense"),
    "sparse": Arm("section-sparse"),
    "released-static": Arm("planned", "released-static"),
    "plain-normal": Arm("plain", length="normal"),
    "bridge-normal": Arm("planned", "bridge", length="normal"),
    "loop-normal": Arm("planned", "bridge", {"loop": True}, "normal"),
    "plain-90": Arm("plain", options={"top_p": 0.9}),
    "plain-99": Arm("plain", options={"top_p": 0.99}),
    "bridge-90": Arm("planned", "bridge", {"top_p": 0.9}),
    "bridge-99": Arm("planned", "bridge", {"top_p": 0.99}),
}
"""By name; the first six are the headline."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and write what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("corpora", nargs="+", choices=sorted(CORPORA))
    parser.add_argument("--arms", default="plain,clock,static,mean,bridge,loop")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("-n", "--count", type=int, default=256)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--base", default="smollm2-135m")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--settings", default="{}", help="of decoders, as JSON")
    parser.add_argument("--encoder", default="{}", help="settings of encoders, as JSON")
    parser.add_argument("--budget", default=None, help="tokens of a document instead of the window")
    parser.add_argument("--compile", action="store_true", help="compile layers before capturing")
    parser.add_argument("--limit", type=float, default=1e9, help="nothing is begun after so long")
    parser.add_argument("--only", choices=("train", "write"), help="one half of the work")
    asked = parser.parse_args(arguments)
    begun = time.monotonic()

    def over() -> bool:
        return bool(time.monotonic() - begun > asked.limit)

    arms = {name: ARMS[name] for name in asked.arms.split(",")}
    for seed in (int(word) for word in asked.seeds.split(",")):
        for name in asked.corpora:
            for method in dict.fromkeys(arm.method for arm in arms.values()):
                run = asked.runs / f"{name}-{method}-{seed}"
                if asked.only != "write" and not over():
                    train(CORPORA[name], name, method, seed, run, asked)
                if asked.only != "train":
                    own = {n: a for n, a in arms.items() if a.method == method}
                    files = {n: asked.out / name / f"{n}-{seed}.jsonl" for n in own}
                    missing = [n for n in own if not files[n].is_file()]
                    while missing and asked.only == "write" and not is_finished(run) and not over():
                        time.sleep(1)  # another process trains it
                    if missing and is_finished(run) and not over():
                        decoder = Decoder.load(run, asked.device)
                        for arm in missing:
                            if not over():
                                put(decoder, own[arm], files[arm], asked)
                        del decoder
                        gc.collect()


def train(task: Task, name: str, method: str, seed: int, run: Path, asked: Any) -> None:
    """Train a decoder, and the encoder it needs."""
    if is_finished(run):
        return
    corpus, at = open_corpus(task.spec), time.monotonic()
    encoder = asked.runs / f"{name}-encoder"
    if method == "planned" and not is_finished(encoder):
        Encoder.fit(corpus, device=asked.device, out=encoder, **json.loads(asked.encoder))
        print(f"{encoder.name}: {time.monotonic() - at:.0f} s", flush=True)
    settings = {"lora": 16, "epochs": task.epochs, **json.loads(asked.settings)}
    decoder = Decoder.fit(
        corpus,
        encoder=encoder if method == "planned" else None,
        base=asked.base,
        settings=preset("best", method=method, seed=seed, **settings),
        out=run,
        device=asked.device,
        compiled=asked.compile,
        checkpoints=False,
        each=False,
    )
    known = {**decoder.metrics["history"][-1], "seconds": decoder.metrics["seconds"]}
    spent = time.monotonic() - at
    print(f"{run.name}: {spent:.0f} s, {json.dumps(known)}", flush=True)
    del decoder
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def put(decoder: Decoder, arm: Arm, file: Path, asked: Any) -> None:
    """Write the documents of an arm to a file."""
    at = time.monotonic()
    length = asked.budget if asked.budget and arm.length == "forced" else arm.length
    writing = default_writing(decoder, length, **arm.options)
    plans = plans_for(decoder, asked.count, writing, kind=arm.kind)
    file.parent.mkdir(parents=True, exist_ok=True)
    kept_as(list(write(decoder, plans, writing, batch=asked.batch)), file, decoder)
    print(f"{file.parent.name}/{file.stem}: {time.monotonic() - at:.0f} s", flush=True)


if __name__ == "__main__":
    main()
