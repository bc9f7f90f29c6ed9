"""Encoder training, end to end: features once, against the base run on every batch.

    python benchmarks/encoder.py [CORPUS] [--base minilm] [--steps 8]

Both sides train 100 epochs of batch 32 (the paper's and the authors' numbers) on the same documents
with the same base. The slow side is timed on a few steps and scaled to all of them; ours is timed
whole, features included, with an empty cache.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from typing import Any

import torch

from timecontrol.corpora import open_corpus
from timecontrol.encoder import Encoder, preset
from timecontrol.encoder.documents import choose_from, texts_of
from timecontrol.encoder.head import Head
from timecontrol.encoder.sampling import Index, batches, triplets
from timecontrol.features import open_base
from timecontrol.objectives import bridge
from timecontrol.objectives.contrast import contrast


def every_batch(corpus: str, base: str, steps: int) -> dict[str, Any]:
    """Time the released procedure: tokenize and run the base on 3 x 32 sentences a step."""
    settings = preset("released")
    chosen = choose_from(open_corpus(corpus))
    texts = texts_of(chosen.train, settings.tags)
    index = Index.of([len(d.sentences) for d in chosen.train])
    reader = open_base(base, settings.pooling)
    head = Head(reader.dim, 8, biases=False).to(reader.device)
    optimiser = torch.optim.SGD(head.parameters(), lr=1e-4, momentum=0.9)
    ends = index.ends(2)
    seconds = []
    for number, (some, generator) in enumerate(batches(index, ends, settings.batch, 0)):
        begun = time.perf_counter()
        drawn = triplets(index, some, generator)
        latents = []
        for part in (drawn.first, drawn.middle, drawn.last):  # three passes, as released
            coded = reader.tokenizer(
                [texts[i] for i in part], padding=True, truncation=True, return_tensors="pt"
            ).to(reader.device)
            with torch.no_grad():
                states = reader.model(**coded).last_hidden_state
            mask = coded["attention_mask"].unsqueeze(-1)
            latents.append(head.raw(((states * mask).sum(1) / mask.sum(1)).float()))
        places = [index.position[x].to(latents[0]) for x in (drawn.first, drawn.middle, drawn.last)]
        z_0, z_t, z_T = latents
        s_0, s_t, s_T = places
        loss = contrast(bridge.released_logits(z_0, z_t, z_T, s_0, s_t, s_T))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        if reader.device.type == "cuda":
            torch.cuda.synchronize()
        if number:  # the first warms up
            seconds.append(time.perf_counter() - begun)
        if len(seconds) == steps:
            break
    total = len(ends) // settings.batch * settings.epochs
    each = statistics.mean(seconds)
    return {
        "seconds a step": each,
        "steps timed": len(seconds),
        "steps": total,
        "scaled": each * total,
    }


def once(corpus: str, base: str, name: str) -> dict[str, Any]:
    """Time our whole training with an empty cache."""
    with tempfile.TemporaryDirectory() as place:
        before = os.environ.get("TIMECONTROL_CACHE")
        made = _linked_cache(place, before)
        os.environ["TIMECONTROL_CACHE"] = made
        try:
            begun = time.perf_counter()
            encoder = Encoder.fit(corpus, base=base, settings=preset(name))
            whole = time.perf_counter() - begun
        finally:
            os.environ.pop("TIMECONTROL_CACHE")
            if before is not None:
                os.environ["TIMECONTROL_CACHE"] = before
    metrics = encoder.metrics
    return {"seconds": whole, "of them in epochs": metrics["seconds"], "epochs": metrics["epochs"]}


def _linked_cache(place: str, before: str | None) -> str:
    """Return an empty cache that knows the converted bases of the real one."""
    from pathlib import Path

    import platformdirs

    real = Path(before) if before else Path(platformdirs.user_cache_dir("timecontrol", False))
    for name in ("bases", "sums"):
        if (real / name).is_dir():
            (Path(place) / name).symlink_to((real / name).resolve())
    return place


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", nargs="?", default="synthetic:cities,documents=400")
    parser.add_argument("--base", default="minilm")
    parser.add_argument("--steps", type=int, default=8)
    options = parser.parse_args()
    slow = every_batch(options.corpus, options.base, options.steps)
    same, best = (once(options.corpus, options.base, name) for name in ("released", "best"))
    found = {
        "corpus": options.corpus,
        "base": options.base,
        "threads": torch.get_num_threads(),
        "base on every batch (timed on a slice, scaled)": slow,
        "ours, the same 100 epochs of batch 32 (preset released)": same,
        "ours, preset best": best,
        "ratio, same epochs": slow["scaled"] / same["seconds"],
        "ratio, preset best": slow["scaled"] / best["seconds"],
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
