"""How fast a decoder is trained: planned against plain, eager and compiled.

    python benchmarks/finetuning.py                                    # a small model, on a CPU
    python benchmarks/finetuning.py --shape gpt2 --batch 32 --tokens 1024 --device cuda --compile

Whole steps: forward, backward, AdamW; bfloat16 on a GPU with weights in float32. Random tokens.
"""

import argparse
import json
import time
from typing import Any

import torch

from benchmarks.decoding import DIM, POINTS, SHAPES
from timecontrol.decoder import PlannedLM
from timecontrol.decoder.fusion import spread


def steps(
    model: Any, batch: dict[str, Any], device: torch.device, count: int, warm: int
) -> tuple[float, float]:
    """Return seconds of a step, and of the warm-up."""
    cuda = device.type == "cuda"
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=cuda)
    begun, spent = time.perf_counter(), 0.0
    for number in range(warm + count):
        if number == warm:
            if cuda:
                torch.cuda.synchronize()
            spent = time.perf_counter() - begun
            begun = time.perf_counter()
        with torch.autocast(device.type, torch.bfloat16, enabled=cuda):
            loss = model(**batch).loss
        loss.backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
    if cuda:
        torch.cuda.synchronize()
    return (time.perf_counter() - begun) / count, spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", default="small", choices=SHAPES)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compile", action="store_true")
    given = parser.parse_args()
    device = torch.device(given.device)
    torch.set_float32_matmul_precision("high")
    ids = torch.randint(20, 10000, (given.batch, given.tokens), device=device)
    ids[:, :: max(1, given.tokens // POINTS)] = 13
    weights = torch.ones(ids.shape, device=device)
    plan = torch.randn(given.batch, POINTS, DIM, device=device)
    rows = []
    for compiled in (False, True) if given.compile else (False,):
        for name in ("plain", "planned"):
            torch.manual_seed(0)
            lm = SHAPES[given.shape]().to(device).train()
            batch = {"input_ids": ids, "labels": ids}
            model = lm
            if name == "planned":
                depths = spread(int(lm.config.num_hidden_layers), 4)
                model = PlannedLM.around(lm, plan_dim=DIM, depths=depths, boundaries=(13,)).train()
                batch |= {"plan": plan, "weights": weights}
            model.config.use_cache = lm.config.use_cache = False
            call = torch.compile(model) if compiled else model
            seconds, warm = steps(call, batch, device, given.steps, 3)
            rows.append(
                {
                    "arm": f"{name}, {'compiled' if compiled else 'eager'}",
                    "tokens_per_second": round(ids.numel() / seconds),
                    "warm_up_seconds": round(warm, 1),
                }
            )
            del model, lm, call
            if device.type == "cuda":
                torch.cuda.empty_cache()
    cuda = device.type == "cuda"
    about = {
        "shape": given.shape,
        "batch": given.batch,
        "tokens": given.tokens,
        "device": torch.cuda.get_device_name()
        if cuda
        else f"cpu, {torch.get_num_threads()} threads",
        "torch": torch.__version__,
        "rows": rows,
    }
    print(json.dumps(about, indent=1))


if __name__ == "__main__":
    main()
