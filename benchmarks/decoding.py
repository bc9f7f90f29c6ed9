"""How fast documents are written: planned against plain ``generate``, and the fast path.

    python benchmarks/decoding.py                     # a small model, on a CPU
    python benchmarks/decoding.py --shape gpt2 --batches 1,256 --tokens 512 --device cuda

All arms write the same number of tokens at top-p .95, the end token forbidden, from random weights,
one after the other in one run; what counts is the ratio to plain of the same round, its median.
"plain" is the base's ``generate`` with our sampling and, on a CPU, the same attention;
"transformers' own" is it as it comes. On a CPU planned writing has its weights laid out beforehand
and, to be exact, at least two rows; "plain, laid out" shows what the plan alone costs.
"""

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from statistics import median
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from timecontrol.decoder import PlannedLM
from timecontrol.decoder.fusion import spread
from timecontrol.features.extract import one_gelu
from timecontrol.generation import Writing, fast
from timecontrol.generation.noise import uniforms
from timecontrol.generation.packed import packed
from timecontrol.generation.processors import Keyed
from timecontrol.generation.sampling import draws_for
from timecontrol.generation.write import plain_attention, run_generate
from timecontrol.plans import Plan

POINTS, DIM = 30, 16
LEFT_OUT = (
    "transformers' own",
    "planned generate",
    "fast",
    "plain, laid out",
    "planned, not exact",
)


def gpt2(**more: Any) -> Any:
    config = GPT2Config(**more, bos_token_id=0, eos_token_id=1, pad_token_id=2)
    return GPT2LMHeadModel(config)  # type: ignore[no-untyped-call]


def smollm2() -> Any:
    config = LlamaConfig(
        vocab_size=49157,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=2,
    )
    return LlamaForCausalLM(config)  # type: ignore[no-untyped-call]


SHAPES: dict[str, Callable[[], Any]] = {
    "small": lambda: gpt2(n_layer=6, n_embd=384, n_head=6, vocab_size=16000),
    "gpt2": gpt2,
    "smollm2": smollm2,
}


def decoder_of(shape: str, device: torch.device, dtype: torch.dtype) -> Any:
    """Return a planned model of random weights, with what writing needs of a decoder."""
    torch.manual_seed(0)
    lm: Any = SHAPES[shape]().to(device=device, dtype=dtype).eval()
    if device.type == "cuda":
        one_gelu(lm)  # as a loaded decoder has it
    depths = spread(int(lm.config.num_hidden_layers), 4)
    model: Any = PlannedLM.around(lm, init=0.02, plan_dim=DIM, depths=depths, boundaries=(13,))
    model.eval()
    tokenizer = SimpleNamespace(pad_token_id=2)
    codec = SimpleNamespace(begin=0, end=1, unit_end=13, tokenizer=tokenizer)
    return SimpleNamespace(model=model.requires_grad_(False), codec=codec)


def plain(decoder: Any, rows: int, writing: Writing, how: Any = nullcontext) -> None:
    """Write with the base's own ``generate``, the same sampling and attention."""
    model, steps = decoder.model, writing.budget - 1
    prompt = torch.zeros(rows, 1, dtype=torch.long, device=model.device)
    noise = uniforms(0, range(rows), steps, draws_for(writing.top_p)).to(model.device)
    with torch.no_grad(), plain_attention(model), how(model):
        model.lm.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=steps,
            min_new_tokens=steps,
            do_sample=False,
            eos_token_id=1,
            pad_token_id=2,
            logits_processor=[Keyed(noise, 1, writing.top_p, 1.0)],
        )


def own(decoder: Any, rows: int, writing: Writing) -> None:
    """Write with the base's own ``generate``, its own sampling and attention."""
    model, steps = decoder.model, writing.budget - 1
    prompt = torch.zeros(rows, 1, dtype=torch.long, device=model.device)
    with torch.no_grad():
        model.lm.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=steps,
            min_new_tokens=steps,
            do_sample=True,
            top_p=writing.top_p,
            top_k=0,
            eos_token_id=1,
            pad_token_id=2,
        )


def timed(call: Callable[[], object], device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    begun = time.perf_counter()
    call()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - begun


class Replayed:
    """The fast path of one shape, captured once."""

    def __init__(self, decoder: Any, rows: int, writing: Writing) -> None:
        self.decoder, model = decoder, decoder.model
        plans = torch.zeros(rows, POINTS, DIM, device=model.device)
        with torch.no_grad():
            signals = model.signals(plans, hold=True)
        self.step = fast.Step(decoder, rows, writing, signals)
        self.runner = fast.Runner(self.step)
        noise = uniforms(0, range(rows), self.step.steps, draws_for(writing.top_p))
        self.noise = noise.to(model.device)
        self.lengths = torch.full((rows,), POINTS, device=model.device)

    def __call__(self) -> None:
        """Write all documents once."""
        with torch.no_grad(), self.step.prepared(), packed(self.decoder.model):
            self.step.reset(self.noise, self.lengths)
            self.runner.run()


def measure(
    decoder: Any, rows: int, tokens: int, device: torch.device, repeats: int, without: list[str]
) -> list[dict[str, Any]]:
    writing = Writing(length="forced", budget=tokens + 1, top_p=0.95)
    loose = replace(writing, exact=False)
    short = Writing(length="forced", budget=9, top_p=0.95)
    plans = [Plan(np.zeros((POINTS, DIM))) for _ in range(rows)]
    arms: dict[str, Callable[[], object]] = {
        "plain generate": lambda: plain(decoder, rows, writing),
        "transformers' own": lambda: own(decoder, rows, writing),
        "planned generate": lambda: run_generate(decoder, plans, range(rows), writing),
        "fast": Replayed(decoder, rows, writing),
    }
    if device.type == "cpu":
        arms["plain, laid out"] = lambda: plain(decoder, rows, writing, packed)
        arms["planned, not exact"] = lambda: run_generate(decoder, plans, range(rows), loose)
    arms = {name: call for name, call in arms.items() if name not in without}
    first, spent = {}, {name: [] for name in arms}  # type: ignore[var-annotated]
    plain(decoder, rows, short)
    run_generate(decoder, plans, range(rows), short)
    for name, call in arms.items():
        if isinstance(call, Replayed):  # its graphs are captured in the first run
            first[name] = timed(call, device)
    for turn in range(repeats):  # in turn, there and back, so that slow moments meet all alike
        for name, call in list(arms.items())[:: -1 if turn % 2 else 1]:
            spent[name].append(timed(call, device))
            print(f"{rows} x {name}: {spent[name][-1]:.2f} s", file=sys.stderr, flush=True)
    ratios = {
        name: [a / b for a, b in zip(spent["plain generate"], times, strict=True)]
        for name, times in spent.items()
    }
    return [
        {
            "batch": rows,
            "arm": name,
            "tokens_per_second": round(rows * tokens / median(spent[name]), 1),
            "ratio_to_plain": round(median(ratios[name]), 3),
            "ratio_from_to": [round(min(ratios[name]), 3), round(max(ratios[name]), 3)],
            "seconds": [round(t, 3) for t in spent[name]],
            "first_run_seconds": round(first.get(name, 0.0), 2),
        }
        for name in arms
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", default="small", choices=SHAPES)
    parser.add_argument("--batches", default="1,4,16")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument(
        "--without", action="append", default=[], choices=LEFT_OUT, help="An arm that is left out."
    )
    given = parser.parse_args()
    device = torch.device(given.device)
    cuda = device.type == "cuda"
    dtype = torch.bfloat16 if cuda else torch.float32
    decoder = decoder_of(given.shape, device, dtype)
    rows = []
    for batch in map(int, given.batches.split(",")):
        rows += measure(decoder, batch, given.tokens, device, given.repeats, given.without)
    about = {
        "shape": given.shape,
        "new_tokens": given.tokens,
        "device": torch.cuda.get_device_name()
        if cuda
        else f"cpu, {torch.get_num_threads()} threads",
        "dtype": str(dtype).removeprefix("torch."),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "rows": rows,
    }
    print(json.dumps(about, indent=1))


if __name__ == "__main__":
    main()
