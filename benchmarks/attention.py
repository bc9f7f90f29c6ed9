"""What a token costs on a CPU where texts are long: three ways to attend, side by side.

    python -m benchmarks.attention

SmolLM2's shape, random weights, one step of writing for some documents of some tokens. ``eager``
(transformers) copies keys and values for every head that shares them; ``grouped`` reads them once;
``sdpa`` is PyTorch's own, which does not round a row alike for any batch. The ways take turns; what
counts is the ratio to ``eager`` of the same round, its median.
"""

import argparse
import json
import time
from statistics import median
from typing import Any

import torch
from transformers import DynamicCache

from benchmarks.decoding import smollm2
from timecontrol.generation.grouped import NAME

WAYS = {"eager": "eager", "grouped": NAME, "sdpa": "sdpa"}


def step(model: Any, rows: int, tokens: int) -> float:
    """Return the seconds of one step of ``rows`` documents after ``tokens`` tokens."""
    config = model.config
    cache = DynamicCache()
    shape = (rows, config.num_key_value_heads, tokens, config.head_dim)
    for layer in range(config.num_hidden_layers):
        cache.update(torch.randn(shape), torch.randn(shape), layer)
    ids = torch.zeros(rows, 1, dtype=torch.long)
    mask = torch.ones(rows, tokens + 1, dtype=torch.long)
    begun = time.perf_counter()
    model(ids, past_key_values=cache, attention_mask=mask)
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    model = smollm2().eval()
    rows = []
    with torch.no_grad():
        for documents, tokens in ((2, 250), (2, 900), (16, 500), (32, 850)):
            rounds = []
            for _ in range(asked.repeats + 1):
                own = {}
                for name, way in WAYS.items():
                    model.set_attn_implementation(way)
                    own[name] = step(model, documents, tokens)
                rounds.append(own)
            rounds = rounds[1:]
            found: dict[str, Any] = {"documents": documents, "tokens": tokens}
            for name in WAYS:
                found[f"{name}, s"] = round(median(r[name] for r in rounds), 4)
                found[f"{name} / eager"] = round(median(r[name] / r["eager"] for r in rounds), 2)
            rows.append(found)
            print(json.dumps(found))
    print(json.dumps({"threads": torch.get_num_threads(), "torch": torch.__version__}))


if __name__ == "__main__":
    main()
