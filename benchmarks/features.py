"""Sentence features: ours beside SentenceTransformer.encode, and beside a plain padded forward.

    python benchmarks/features.py              the same base and texts, both sides by turns
    python benchmarks/features.py --corpus C   the validation documents of a corpus instead
    python benchmarks/features.py --gpt2       a base of GPT-2's shape (random weights) on sentences
                                               of 32 tokens, for a GPU

Ratios of medians over rounds, so that a noisy machine harms both sides alike.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from timecontrol.corpora import open_corpus, synthetic
from timecontrol.features.extract import Reader, extract, open_base


def rate(run: Callable[[], Any], n: int, device: torch.device) -> float:
    begun = time.perf_counter()
    run()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return n / (time.perf_counter() - begun)


def by_turns(
    sides: dict[str, Callable[[], Any]], n: int, rounds: int, device: torch.device
) -> dict[str, float]:
    """Return the median sentences a second of each side, after one round to warm up."""
    seen: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, run in sides.items():
            found = rate(run, n, device)
            if number:
                seen[name].append(found)
    return {name: statistics.median(rates) for name, rates in seen.items()}


def made_texts(n: int) -> list[str]:
    found: list[str] = []
    for document in synthetic.documents(synthetic.Spec("cities", 10_000)):
        found += document.sentences
        if len(dict.fromkeys(found)) >= n:
            break
    return list(dict.fromkeys(found))[:n]


def beside_sentence_transformers(
    base: str, texts: list[str], rounds: int, device: str
) -> dict[str, Any]:
    from sentence_transformers import SentenceTransformer

    from timecontrol.bases.checksum import folder_on_disk

    reader = open_base(base, device=device, dtype="float32")
    other = SentenceTransformer(str(folder_on_disk(base)), device=str(reader.device))
    sides: dict[str, Callable[[], Any]] = {
        "ours": lambda: extract(reader, texts),
        "SentenceTransformer.encode": lambda: other.encode(texts, show_progress_bar=False),
    }
    rates = by_turns(sides, len(texts), rounds, reader.device)
    mine, theirs = extract(reader, texts[:50]), other.encode(texts[:50])
    mine /= np.linalg.norm(mine, axis=1, keepdims=True)
    theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
    return {
        "base": reader.label,
        "device": str(reader.device),
        "sentences": len(texts),
        "rates": rates,
        "ratio": rates["ours"] / rates["SentenceTransformer.encode"],
        "largest difference of directions": float(np.abs(mine - theirs).max()),
    }


def gpt2_folder(folder: Path) -> str:
    """Make a base of GPT-2-small's shape with random weights, and a small tokenizer."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(made_texts(3000), trainer)
    words: Any = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made, bos_token="<|endoftext|>", eos_token="<|endoftext|>"
    )
    words.save_pretrained(folder)
    torch.manual_seed(0)
    model: Any = GPT2Model(GPT2Config())  # type: ignore[no-untyped-call]
    model.save_pretrained(folder)
    return str(folder)


def sentences_of_32(reader: Reader, n: int) -> list[str]:
    """Return texts of exactly 32 tokens: words that are one token each."""
    names = reader.tokenizer.convert_ids_to_tokens(range(len(reader.tokenizer)))
    words = [w[1:] for w in names if w.startswith("Ġ") and w[1:].isalpha() and w.isascii() is False]
    single = [w for w in words if len(reader.tokenizer(f" {w}")["input_ids"]) == 1]
    state = np.random.default_rng(0)
    texts = [" " + " ".join(state.choice(single, 32)) for _ in range(n)]
    lengths = reader.tokens(texts).lengths
    assert (lengths == 32).all(), np.unique(lengths)
    return texts


def gpt2_shape(n: int, rounds: int, device: str) -> dict[str, Any]:
    from transformers import GPT2Model

    with tempfile.TemporaryDirectory() as place:
        reader = open_base(gpt2_folder(Path(place)), device=device)
        plain: Any = GPT2Model.from_pretrained(place, dtype=reader.dtype)
        plain = plain.to(reader.device).eval()
    texts = sentences_of_32(reader, n)
    tokens = reader.tokens(texts)
    order = np.arange(n)
    ids = torch.from_numpy(tokens.padded(order, 0))

    @torch.inference_mode()
    def padded() -> None:
        for start in range(0, n, 2048):
            some = ids[start : start + 2048].to(reader.device)
            mask = torch.ones_like(some)
            states = plain(input_ids=some, attention_mask=mask).last_hidden_state
            (states * mask.unsqueeze(-1)).float().mean(1).cpu()

    def ours() -> None:
        for _ in reader(tokens, order):
            pass

    sides: dict[str, Callable[[], Any]] = {
        "plain padded forward": padded,
        "ours, from token ids": ours,
        "ours, from text": lambda: extract(reader, texts),
    }
    rates = by_turns(sides, n, rounds, reader.device)
    return {
        "base": "GPT-2-small's shape, random weights",
        "device": torch.cuda.get_device_name() if reader.device.type == "cuda" else "cpu",
        "dtype": str(reader.dtype),
        "sentences": n,
        "rates": rates,
        "ratio": rates["ours, from token ids"] / rates["plain padded forward"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gpt2", action="store_true")
    parser.add_argument("--corpus")
    parser.add_argument("--base", default="minilm")
    parser.add_argument("--device", default="auto")
    parser.add_argument("-n", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.gpt2:
        found = gpt2_shape(options.n, options.rounds, options.device)
    else:
        n, texts = options.n, made_texts(options.n)
        if options.corpus:
            documents = open_corpus(options.corpus).documents("val")
            texts = list(dict.fromkeys(s for d in documents for s in d.sentences))[:n]
        found = beside_sentence_transformers(options.base, texts, options.rounds, options.device)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
