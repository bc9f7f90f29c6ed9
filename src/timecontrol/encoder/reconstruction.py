"""p(x|z) for the VAE: how likely a sentence is, given its latent.

``TextModel``  a causal language model, teacher-forced; the projected latent is added to the input
               embedding of every token
``Gaussian``   features themselves, N(g(z), s^2 I), for data that are not text
"""

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn

from timecontrol.features.batches import Ragged
from timecontrol.processes import normal_log_prob


class Reconstruction(nn.Module, ABC):
    """Gives log p(x|z) of sentences by their number."""

    @abstractmethod
    def forward(self, z: Tensor, sentences: Tensor) -> Tensor:
        """Return log p(x|z), (N,), of latents (N, d) and the sentences they belong to (N,)."""


class Gaussian(Reconstruction):
    """Features as a function of the latent, with noise of one learned size."""

    features: Tensor

    def __init__(self, features: Tensor, latent_dim: int, hidden: int = 128) -> None:
        super().__init__()
        self.mean = nn.Sequential(
            nn.Linear(latent_dim, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, features.shape[1]),
        )
        self.log_scale = nn.Parameter(torch.zeros(()))
        self.register_buffer("features", features, persistent=False)

    def forward(self, z: Tensor, sentences: Tensor) -> Tensor:
        """Return log N(x; g(z), s^2 I), (N,)."""
        residual = self.features[sentences] - self.mean(z)  # (N, D)
        return normal_log_prob(residual, (2 * self.log_scale).exp())


class TextModel(Reconstruction):
    """A causal language model that is given the latent of the sentence it writes."""

    def __init__(self, model: Any, tokens: Ragged, latent_dim: int, pad: int) -> None:
        """Wrap a transformers causal LM.

        Args:
            model: The language model; it is trained along.
            tokens: The ids of every sentence, a begin token before and an end token behind them.
            latent_dim: Coordinates of a latent.
            pad: What fills a batch; never predicted.
        """
        super().__init__()
        self.model = model
        self.tokens = tokens
        self.pad = pad
        self.project = nn.Linear(latent_dim, model.get_input_embeddings().embedding_dim)
        nn.init.normal_(self.project.weight, std=0.02)
        nn.init.zeros_(self.project.bias)

    def forward(self, z: Tensor, sentences: Tensor) -> Tensor:
        """Return the sum of the log probabilities of each sentence's tokens, (N,)."""
        rows = sentences.cpu().numpy()
        ids = torch.from_numpy(self.tokens.padded(rows, self.pad)).to(z.device)  # (N, L)
        lengths = torch.from_numpy(self.tokens.lengths[rows]).to(z.device)
        inside = torch.arange(ids.shape[1], device=z.device) < lengths.unsqueeze(1)
        embedded = self.model.get_input_embeddings()(ids)  # (N, L, D)
        given = embedded + self.project(z.to(self.project.weight)).unsqueeze(1).to(embedded)
        logits = self.model(
            inputs_embeds=given[:, :-1], attention_mask=inside[:, :-1].long(), use_cache=False
        ).logits
        cost = nn.functional.cross_entropy(
            logits.float().transpose(1, 2), ids[:, 1:], reduction="none"
        )
        return -(cost * inside[:, 1:]).sum(1)


def small_model(vocabulary: int, positions: int, seed: int) -> Any:
    """Return a GPT-2 of 2 layers of 128 units with random weights: a VAE on a laptop."""
    from transformers import GPT2Config, GPT2LMHeadModel

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return GPT2LMHeadModel(  # type: ignore[no-untyped-call]
            GPT2Config(
                vocab_size=vocabulary,
                n_positions=positions,
                n_embd=128,
                n_layer=2,
                n_head=4,
                bos_token_id=None,
                eos_token_id=None,
            )
        )
