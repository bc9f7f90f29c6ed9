"""A frozen base over sentences: token ids in, one vector a sentence out.

Works for causal and bidirectional bases alike: the base's own tokenizer says which special tokens
surround a sentence, and padding stands on the right.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.attention import SDPBackend, sdpa_kernel

from timecontrol.bases import load_encoder, load_tokenizer, resolve
from timecontrol.bases.checksum import checksum
from timecontrol.devices import choose_device, choose_dtype
from timecontrol.errors import TimeControlError
from timecontrol.features.batches import Ragged, by_length, spans
from timecontrol.features.pooling import POOLINGS, pool

MOST_TOKENS = 512
"""Longer sentences are cut here, or where the base's positions end."""

KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""Attention without cuDNN's, which plans anew for every shape a batch may have."""

BUDGET = {"cuda": 65536, "mps": 16384, "cpu": 640}
"""Tokens of a batch, padding counted, by kind of device."""


@dataclass
class Reader:
    """A loaded base with all that its features depend on."""

    name: str
    """As it was asked for."""
    label: str
    """As it is called in results."""
    checksum: str
    """Of its weights and its tokenizer."""
    tokenizer: Any
    model: Any
    pooling: str
    device: torch.device
    dtype: torch.dtype
    most_tokens: int

    @property
    def dim(self) -> int:
        """The size of a feature vector."""
        return int(self.model.config.hidden_size)

    @property
    def budget(self) -> int:
        """Tokens of a batch, padding counted."""
        return BUDGET[self.device.type]

    def tokens(self, texts: Sequence[str]) -> Ragged:
        """Return the token ids of each text."""
        end = self.tokenizer.eos_token_id
        append = self.pooling == "eos" and not ends_itself(self.tokenizer)
        room = self.most_tokens - append
        # The tokenizer's own core: transformers would make Python objects of every token.
        core = self.tokenizer.backend_tokenizer
        core.enable_truncation(room)
        core.no_padding()
        found: list[list[int]] = []
        for start in range(0, len(texts), 8192):
            for coded in core.encode_batch_fast(list(texts[start : start + 8192])):
                row = coded.ids
                found.append([*row, end] if append or not row else row)
        return Ragged(found)

    def __call__(
        self, tokens: Ragged, order: NDArray[np.int64], first: int = 0
    ) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield (position in ``order``, features) of one batch after the other.

        Args:
            tokens: Of all sentences.
            order: Sentences, the longest first.
            first: How many of ``order`` are done already; must be where a batch began.
        """
        pad = self.tokenizer.pad_token_id
        waiting: list[tuple[int, torch.Tensor]] = []  # copied back while the next is computed
        for start, stop in spans(tokens.lengths[order], self.budget):
            if start < first:
                if stop > first:
                    raise ValueError(f"{first} is inside a batch")
                continue
            rows = order[start:stop]
            ids = torch.from_numpy(tokens.padded(rows, pad))
            lengths = torch.from_numpy(tokens.lengths[rows])
            waiting.append((start, self.forward(ids, lengths)))
            if len(waiting) > 1:
                done, found = waiting.pop(0)
                yield done, found.cpu().numpy()
        for done, found in waiting:
            yield done, found.cpu().numpy()

    @torch.inference_mode()
    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the features of padded token ids, (N, D), on the device."""
        even = bool((lengths == ids.shape[1]).all())  # nothing to mask
        ids, lengths = ids.to(self.device), lengths.to(self.device)
        mask = torch.arange(ids.shape[1], device=self.device) < lengths.unsqueeze(1)
        with sdpa_kernel(KERNELS):
            states = self.model(
                input_ids=ids, attention_mask=None if even else mask.long()
            ).last_hidden_state
        return pool(states, lengths, self.pooling)


def open_base(
    name: str, pooling: str = "mean", device: str = "auto", dtype: str = "auto"
) -> Reader:
    """Return a frozen base, ready to read sentences.

    Args:
        name: A known base, a folder, or a hub id.
        pooling: One of ``POOLINGS``.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:N``, ``mps``.
        dtype: ``auto`` (bfloat16 on a CUDA GPU, else float32), ``float32``, ``bfloat16``,
            ``float16``.
    """
    if pooling not in POOLINGS:
        raise TimeControlError(f"No pooling named {pooling!r}: {', '.join(POOLINGS)}.")
    place = choose_device(device)
    precision = choose_dtype(dtype, place)
    tokenizer = load_tokenizer(name)
    model: Any = load_encoder(name, dtype=precision).to(place)  # type: ignore[arg-type]
    model.requires_grad_(False)
    quicken(model)
    positions = getattr(model.config, "max_position_embeddings", None) or MOST_TOKENS
    return Reader(
        name,
        resolve(name).label,
        checksum(name),
        tokenizer,
        model,
        pooling,
        place,
        precision,
        min(MOST_TOKENS, positions),
    )


def ends_itself(tokenizer: Any) -> bool:
    """Return whether a tokenizer writes the end token behind a sentence of its own accord."""
    return bool(tokenizer("x")["input_ids"][-1] == tokenizer.eos_token_id)


def quicken(model: Any) -> None:
    """Make a base quicker that only reads: keys and values of past tokens are not kept."""
    model.config.use_cache = False
    one_gelu(model)


def one_gelu(model: Any) -> None:
    """Compute GPT-2's tanh-GELU, which transformers writes out in six operations, by PyTorch's own.

    It is the same function, and 1.5 times the sentences a second on a GPU.
    """
    from transformers.activations import NewGELUActivation

    for module in model.modules():
        for name, part in module.named_children():
            if isinstance(part, NewGELUActivation):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))


def extract(
    reader: Reader, texts: Sequence[str], tick: Callable[[], None] = lambda: None
) -> NDArray[np.float32]:
    """Return the features of a few texts, (n, D), without keeping them.

    Args:
        reader: What reads.
        texts: What is read.
        tick: Called once a batch; what it raises ends the reading.
    """
    table = np.empty((len(texts), reader.dim), np.float32)
    if texts:
        tokens = reader.tokens(texts)
        order = by_length(tokens.lengths)
        for start, rows in reader(tokens, order):
            table[order[start : start + len(rows)]] = rows
            tick()
    refuse_holes(table, 0, texts, reader)
    return table


def refuse_holes(
    rows: NDArray[np.float32], start: int, texts: Sequence[str], reader: Reader
) -> None:
    """Stop where a feature is not a number."""
    bad = ~np.isfinite(rows).all(1)
    if bad.any():
        text = texts[start + int(bad.argmax())]
        said = text if len(text) <= 60 else text[:57] + "..."
        hint = "" if reader.dtype == torch.float32 else " Try --dtype float32."
        raise TimeControlError(
            f"The features of {int(bad.sum())} of {len(rows)} sentences are not finite with base "
            f"{reader.name!r} in {str(reader.dtype).removeprefix('torch.')}; "
            f"the first is {said!r}.{hint}"
        )
