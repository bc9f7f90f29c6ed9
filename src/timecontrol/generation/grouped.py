"""Attention by plain products in which heads that share keys and values read them together.

With G query heads to a key head, as SmolLM2, Llama, Qwen and Gemma have them::

    softmax(scale Q K^T + mask) V,     Q: (rows, key heads, G q, d),   K, V: (rows, key heads, t, d)

The products of transformers' own ``eager`` copy every key and value G times first, for every token
that is written: most of the time of a long text on a CPU. Each row and key head is a product of its
own, so that a row is rounded alike whatever other rows there are.
"""

import sys
from typing import Any

from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

NAME = "timecontrol_grouped"
"""What transformers knows it by."""
SPECIAL = ("softcap", "s_aux", "position_bias")
"""What some models ask of attention besides, and is left to their own code."""


def grouped_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **rest: Any,
) -> tuple[Tensor, Tensor | None]:
    """Return the attended values, (rows, q, heads, d), and the weights, as ``eager`` does.

    Args:
        module: The attention layer.
        query: (rows, heads, q, d).
        key: (rows, key heads, t, d).
        value: The same.
        attention_mask: Added to the weights, (rows, 1, q, t), or none.
        scaling: Of the products.
        dropout: Of the weights, in training.
        **rest: What else a model passes on.
    """
    rows, heads, q, d = query.shape
    shared, t = key.shape[1], key.shape[2]
    if heads == shared or scaling is None or any(rest.get(name) is not None for name in SPECIAL):
        own = sys.modules[type(module).__module__].eager_attention_forward
        more = {} if scaling is None else {"scaling": scaling}
        found: tuple[Tensor, Tensor | None] = own(
            module, query, key, value, attention_mask, dropout=dropout, **more, **rest
        )
        return found
    together = query.reshape(rows, shared, heads // shared * q, d)
    weights = (together @ key.transpose(2, 3) * scaling).view(rows, heads, q, t)
    if attention_mask is not None:
        weights = weights + attention_mask[..., :t]
    weights = nn.functional.softmax(weights, dim=-1, dtype=weights.dtype)
    weights = nn.functional.dropout(weights, p=dropout, training=module.training)
    attended = weights.view(rows, shared, heads // shared * q, t) @ value
    return attended.view(rows, heads, q, -1).transpose(1, 2).contiguous(), weights


AttentionInterface.register(NAME, grouped_attention)
AttentionMaskInterface.register(NAME, eager_mask)
