"""Do plans matter? Decoders trained alike, with plans and without, and what they write.

    python -m benchmarks.plans wikisection recipes --seeds 0,1,2 --runs runs/plans --out texts/plans

For each corpus an encoder, and for each seed a decoder of every method that the arms need; each arm
then writes the same documents (same numbers, same seed of writing), kept as JSON lines:
OUT/CORPUS/ARM-SEED.jsonl. What is there already is left alone, so the command can be interrupted
and goes on, and several processes with the same command share the work: on one GPU two that train
(``--only train``) and one that writes (``--only write``, as long as there is something to wait for:
``--limit``). A training that fails leaves RUN.failed, and is not tried again. With ``--label X``
and other ``--settings``, an ablation goes beside the rest, as CORPUS-X. Tables, with paired
differences, come from

    timecontrol evaluate structure SPEC --texts OUT/CORPUS/plain-0.jsonl --texts ...

The headline setting, named before it was run: forced to 1,024 tokens, top-p 0.95.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout

from timecontrol.corpora import open_corpus
from timecontrol.decoder import Decoder, preset
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError
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
    "guided-half": Arm("planned", "bridge", {"guidance": 0.5}),
    "guided-2": Arm("planned", "bridge", {"guidance": 2.0}),
    "loop-4": Arm("planned", "bridge", {"loop": True, "candidates": 4}),
    "loop-8": Arm("planned", "bridge", {"loop": True, "candidates": 8}),
    "best-4": Arm("planned", "bridge", {"candidates": 4, "likelihood": 0.25}),
    "best-8": Arm("planned", "bridge", {"candidates": 8, "likelihood": 0.25}),
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
    parser.add_argument("--chosen", type=int, default=1 << 30, help="texts of arms that choose")
    parser.add_argument("--batch", type=int, default=256, help="rows at once")
    parser.add_argument("--base", default="smollm2-135m")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--settings", default="{}", help="of decoders, as JSON")
    parser.add_argument("--encoder", default="{}", help="settings of encoders, as JSON")
    parser.add_argument("--label", default="", help="of this experiment: part of the names")
    parser.add_argument("--budget", default=None, help="tokens of a document instead of the window")
    parser.add_argument("--compile", action="store_true", help="compile layers before capturing")
    parser.add_argument("--limit", type=float, default=1e9, help="nothing is begun after so long")
    parser.add_argument("--only", choices=("train", "write"), help="one half of the work")
    asked = parser.parse_args(arguments)
    begun = time.monotonic()

    def over() -> bool:
        return bool(time.monotonic() - begun > asked.limit)

    arms = {name: ARMS[name] for name in asked.arms.split(",")}
    methods = dict.fromkeys(arm.method for arm in arms.values())
    seeds = [int(word) for word in asked.seeds.split(",")]
    left = [(seed, name, method) for seed in seeds for name in asked.corpora for method in methods]
    while left and not over():
        before = len(left)
        for seed, name, method in list(left):
            run = asked.runs / f"{labelled(name, asked)}-{method}-{seed}"
            failed = run.with_name(f"{run.name}.failed")
            if asked.only != "write" and not failed.exists() and not over():
                with held(run) as free:
                    if free and not is_finished(run):
                        attempt(name, method, seed, run, failed, asked)
            if not is_finished(run) and not failed.exists():
                continue  # another process trains it
            left.remove((seed, name, method))
            if failed.exists():
                continue
            if asked.only != "train":
                folder = asked.out / labelled(name, asked)
                own = {n: arm for n, arm in arms.items() if arm.method == method}
                put_all(run, own, {n: folder / f"{n}-{seed}.jsonl" for n in own}, asked, over)
        if len(left) == before:
            if asked.only == "train":
                break  # others train the rest
            time.sleep(1)


def labelled(name: str, asked: Any) -> str:
    """Return what a corpus is called in this experiment."""
    return f"{name}-{asked.label}" if asked.label else name


@contextmanager
def held(place: Path, wait: bool = False) -> Iterator[bool]:
    """Tell whether no other process works at a place; none will, until this one has done."""
    place.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place.with_name(f".{place.name}.lock"))
    try:
        lock.acquire(blocking=wait)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def attempt(name: str, method: str, seed: int, run: Path, failed: Path, asked: Any) -> None:
    """Train a decoder; where that fails, say so, and let the others go on."""
    try:
        train(CORPORA[name], name, method, seed, run, asked)
    except (TimeControlError, RuntimeError) as error:
        failed.write_text(f"{error}\n", encoding="utf-8")
        print(f"{run.name}: {error}", flush=True)
    clear()


def train(task: Task, name: str, method: str, seed: int, run: Path, asked: Any) -> None:
    """Train a decoder, and the encoder it needs."""
    corpus, at = open_corpus(task.spec), time.monotonic()
    changed = json.loads(asked.encoder)
    encoder = asked.runs / f"{labelled(name, asked) if changed else name}-encoder"
    if method == "planned":
        with held(encoder, wait=True):
            if not is_finished(encoder):
                Encoder.fit(corpus, device=asked.device, out=encoder, **changed)
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


def clear() -> None:
    """Give back what is no longer used."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def put_all(
    run: Path, arms: dict[str, Arm], files: dict[str, Path], asked: Any, over: Callable[[], bool]
) -> None:
    """Write what is missing of the arms of a decoder: those that differ in plans alone together."""
    decoder = None
    alike: dict[str, list[str]] = {}
    for name, arm in arms.items():
        alike.setdefault(json.dumps([arm.options, arm.length]), []).append(name)
    for names in alike.values():
        with held(files[names[0]]) as free:
            left = [name for name in names if free and not files[name].is_file()]
            if left and not over():
                decoder = decoder or Decoder.load(run, asked.device)
                try:
                    put(decoder, [(arms[name], files[name]) for name in left], asked)
                except (TimeControlError, RuntimeError) as error:
                    print(f"{files[left[0]].stem}: {error}", flush=True)
    del decoder
    clear()


def put(decoder: Decoder, some: Sequence[tuple[Arm, Path]], asked: Any) -> None:
    """Write the documents of arms that write alike, each to its file."""
    at, arm = time.monotonic(), some[0][0]
    length = asked.budget if asked.budget and arm.length == "forced" else arm.length
    writing = default_writing(decoder, length, **arm.options)
    count = min(asked.count, asked.chosen) if writing.by_sentence else asked.count
    plans = [plan for a, _ in some for plan in plans_for(decoder, count, writing, kind=a.kind)]
    numbers = [*range(count)] * len(some)
    rows = max(1, asked.batch // (writing.candidates * (2 if writing.guidance else 1)))
    found = list(write(decoder, plans, writing, numbers=numbers, batch=rows))
    for place, (_, file) in enumerate(some):
        file.parent.mkdir(parents=True, exist_ok=True)
        kept_as(found[place * count : place * count + count], file, decoder)
    names = ", ".join(file.stem for _, file in some)
    spent = time.monotonic() - at
    print(f"{some[0][1].parent.name}/{names}: {len(found)} texts, {spent:.0f} s", flush=True)


if __name__ == "__main__":
    main()
