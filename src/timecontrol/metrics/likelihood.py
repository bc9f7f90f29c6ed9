"""The log-likelihood of a document under a causal language model, per token: a coherence score.

    score = 1/n sum_{i=1}^{n} log p(x_i | x_0 .. x_{i-1}),     x_0 the begin token

A document longer than the model's window is read in successive windows: each begins with the last
token of the one before, and every token counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.attention import sdpa_kernel

from timecontrol.bases import load_causal, load_tokenizer, resolve
from timecontrol.devices import choose_device, choose_dtype
from timecontrol.errors import TimeControlError
from timecontrol.features.batches import Ragged, by_length, spans
from timecontrol.features.extract import KERNELS, quicken
from timecontrol.progress import Progress, silent

WINDOW = 1024
"""Tokens read at once by a model that does not say how many it can."""
BUDGET = {"cuda": 32768, "mps": 8192, "cpu": 1024}
"""Tokens of a batch, padding counted, by kind of device."""
ROWS = 4096
"""Tokens whose probabilities are worked out at once: a vocabulary is large."""


@dataclass
class Judge:
    """A loaded causal model."""

    label: str
    """As it is called in results."""
    tokenizer: Any
    model: Any
    device: torch.device
    window: int
    """Most tokens it reads at once."""

    def __call__(self, texts: Sequence[str], progress: Progress = silent) -> NDArray[np.float64]:
        """Return the mean log-likelihood of a token of each text, (n,); 0 where there is none."""
        windows, owner = self.windows(texts)
        sums, counts = np.zeros(len(texts)), np.zeros(len(texts))
        if not owner.size:
            return sums
        order = by_length(windows.lengths)
        with progress("likelihood", len(order), 0, "windows") as advance:
            for start, stop in spans(windows.lengths[order], BUDGET[self.device.type]):
                rows = order[start:stop]
                np.add.at(sums, owner[rows], self.log_likelihood(windows, rows))
                np.add.at(counts, owner[rows], windows.lengths[rows] - 1)
                advance(len(rows))
        if not np.isfinite(sums).all():
            raise TimeControlError(
                f"The likelihood of a document is not finite with base {self.label!r}: "
                "try --dtype float32."
            )
        return sums / np.maximum(counts, 1)

    def windows(self, texts: Sequence[str]) -> tuple[Ragged, NDArray[np.int64]]:
        """Return the token ids of all windows, and the text each belongs to."""
        core = self.tokenizer.backend_tokenizer
        core.no_truncation()
        core.no_padding()
        rows, owner = [], []
        for number, coded in enumerate(
            core.encode_batch_fast(list(texts), add_special_tokens=False)
        ):
            ids = [self.tokenizer.bos_token_id, *coded.ids]
            for start in range(0, len(ids) - 1, self.window - 1):
                rows.append(ids[start : start + self.window])
                owner.append(number)
        return Ragged(rows), np.array(owner, np.int64)

    @torch.inference_mode()
    def log_likelihood(self, windows: Ragged, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the log-likelihood of all but the first token of some windows, (rows,)."""
        lengths = torch.from_numpy(windows.lengths[rows])
        ids = torch.from_numpy(windows.padded(rows, self.tokenizer.pad_token_id))
        inside = torch.arange(ids.shape[1]) < lengths.unsqueeze(1)
        even = bool(inside.all())
        ids, inside = ids.to(self.device), inside.to(self.device)
        with sdpa_kernel(KERNELS):
            logits = self.model(input_ids=ids, attention_mask=None if even else inside.long())
        scores = logits.logits[:, :-1].flatten(0, 1)  # (rows * (L - 1), vocabulary)
        wanted = ids[:, 1:].flatten()
        parts = [
            torch.nn.functional.cross_entropy(
                scores[s : s + ROWS].float(), wanted[s : s + ROWS], reduction="none"
            )
            for s in range(0, len(wanted), ROWS)
        ]
        each = -torch.cat(parts).view(len(ids), -1)  # (rows, L - 1)
        return np.asarray((each * inside[:, 1:]).double().sum(1).cpu().numpy())


def open_judge(name: str, device: str = "auto", dtype: str = "auto") -> Judge:
    """Return a causal base, ready to judge texts.

    Args:
        name: A known base, a folder, or a hub id.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:N``, ``mps``.
        dtype: ``auto`` (bfloat16 on a CUDA GPU, else float32), ``float32``, ``bfloat16``,
            ``float16``.
    """
    place = choose_device(device)
    tokenizer = load_tokenizer(name)
    model: Any = load_causal(name, dtype=choose_dtype(dtype, place)).to(place)  # type: ignore[arg-type]
    model.requires_grad_(False)
    quicken(model)
    window = getattr(model.config, "max_position_embeddings", None) or WINDOW
    return Judge(resolve(name).label, tokenizer, model, place, int(window))
