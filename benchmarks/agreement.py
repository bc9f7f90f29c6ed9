"""How often the same seed gives the same text: other batches, and the fast path.

    python -m benchmarks.agreement --model RUN
    python -m benchmarks.agreement --model RUN --device cuda --dtype float32

On a CPU in float32 all is the same by construction. On a GPU kernels round differently for other
shapes; from the first token that differs on, two texts are two texts. Each arm is compared with
transformers' ``generate`` on all documents at once.
"""

import argparse
import json
import sys

import numpy as np
import torch

from timecontrol.decoder import Decoder
from timecontrol.generation import Writing, write
from timecontrol.generation.request import plans_for


def same_until(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """Return how many tokens two documents have in common from their beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--count", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--alone", type=int, default=4, help="Documents that are written alone.")
    given = parser.parse_args()
    decoder = Decoder.load(given.model, device=given.device, dtype=given.dtype)
    n = given.count
    writing = Writing(length="forced", budget=given.tokens, top_p=0.95)
    plans = plans_for(decoder, n, writing)
    arms = {
        f"generate, {n} at once": (n, False),
        f"generate, {n} at once, again": (n, False),
        "generate, 16 at once": (16, False),
        "generate, 1 at once": (1, False),
        f"fast path, {n} at once": (n, True),
        "fast path, 16 at once": (16, True),
        "fast path, 1 at once": (1, True),
    }
    texts = {}
    for name, (batch, fast) in arms.items():
        some = plans if batch > 1 else plans[: given.alone]
        texts[name] = [w.ids for w in write(decoder, some, writing, batch=batch, fast=fast)]
        print(name, file=sys.stderr, flush=True)
    first = next(iter(texts.values()))
    rows = []
    for name, found in texts.items():
        pairs = list(zip(first, found, strict=False))
        rows.append(
            {
                "arm": name,
                "documents": len(pairs),
                "same_text": float(np.mean([a == b for a, b in pairs])),
                "tokens_before_the_first_difference": float(
                    np.mean([same_until(a, b) for a, b in pairs])
                ),
            }
        )
    about = {
        "model": given.model,
        "documents": n,
        "tokens": given.tokens,
        "device": str(decoder.model.device),
        "dtype": str(decoder.model.dtype).removeprefix("torch."),
        "torch": torch.__version__,
        "rows": rows[1:],
    }
    print(json.dumps(about, indent=1))


if __name__ == "__main__":
    main()
