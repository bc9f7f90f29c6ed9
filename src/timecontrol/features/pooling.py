"""Hidden states of a sentence's tokens to one vector.

``mean``  average over the tokens, as the released code does
``last``  the last token, as the base's own tokenizer writes a sentence
``eos``   the end token, appended where the tokenizer does not write one; the paper's text
"""

import torch
from torch import Tensor

POOLINGS = ("mean", "last", "eos")


def pool(states: Tensor, lengths: Tensor, pooling: str) -> Tensor:
    """Return one vector a sentence, (N, D), in float32.

    Args:
        states: Hidden states, (N, L, D), sentences padded on the right.
        lengths: Tokens of each sentence, (N,), 0 < lengths <= L.
        pooling: One of ``POOLINGS``.
    """
    if pooling == "mean":
        inside = torch.arange(states.shape[1], device=states.device) < lengths.unsqueeze(1)
        total = torch.where(inside.unsqueeze(-1), states, 0).sum(1, dtype=torch.float32)
        return total / lengths.unsqueeze(1)
    return states[torch.arange(len(states), device=states.device), lengths - 1].float()
