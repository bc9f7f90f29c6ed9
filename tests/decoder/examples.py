"""Small decoders that several tests train."""

from typing import Any

import torch
from torch import Tensor

from timecontrol.decoder import Decoder

CORPUS = "synthetic:recipes,documents=40"
SMALL: dict[str, Any] = {"epochs": 2, "window": 256, "rate": 1e-3}
"""Of the decoder that all tests share."""


def fitted(base: str, corpus: str = CORPUS, **changes: Any) -> Decoder:
    return Decoder.fit(corpus, base=base, device="cpu", **{**SMALL, "epochs": 1, **changes})


def weights(decoder: Decoder) -> dict[str, Tensor]:
    return {name: t.detach().clone() for name, t in decoder.model.state_dict().items()}


def same(a: Decoder, b: Decoder) -> bool:
    x, y = weights(a), weights(b)
    return x.keys() == y.keys() and all(torch.equal(x[name], y[name]) for name in x)
