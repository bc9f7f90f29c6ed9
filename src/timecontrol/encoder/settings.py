"""How an encoder is trained: its settings, and the three presets.

``best``      what measures best on validation documents (docs/log.md)
``paper``     the paper's text to the letter
``released``  the authors' code where it changes results
"""

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from timecontrol.errors import TimeControlError, pick
from timecontrol.features import POOLINGS

OBJECTIVES = ("bridge", "brownian", "implicit", "vae")
LOSSES = ("paper", "released", "masked")


@dataclass(frozen=True)
class Settings:
    """Everything that decides what comes out, but the data and the base."""

    preset: str = "best"
    """The preset these settings began as."""
    objective: str = "bridge"
    """bridge, brownian, implicit or vae."""
    loss: str = "paper"
    """``paper``: swap middles. ``released``: swap end points. ``masked``: the same, sound ones."""
    pin: float = 0.0
    """Weight of the pull of documents' ends to 0 and +-1."""
    distance: int = 0
    """If not 0, contrasted sentences stand exactly so far apart (the paper's last appendix)."""
    latent_dim: int = 8
    pooling: str = "mean"
    tags: bool = False
    """Whether the first sentence of a section is read with its tag before it."""
    hidden: int = 128
    biases: bool = True
    first_relu: bool = False
    dropout: float = 0.5
    """Share of the features that a training step does not see."""
    standardise: bool = True
    """Whether features and latents are brought to mean 0 and standard deviation 1."""
    optimiser: str = "adamw"
    rate: float = 1e-3
    momentum: float = 0.9
    """Of SGD."""
    weight_decay: float = 0.01
    """Of AdamW."""
    batch: int = 256
    together: int = 128
    """Samples of one document that stay together in a batch, at most; 1: drawn from all."""
    epochs: int = 100
    patience: int = 10
    """Epochs without a better validation loss before it stops; 0: all epochs, last weights."""
    window: int = 4
    """Sentences the implicit model sees."""
    context_units: int = 2400
    context_layers: int = 1
    learned: float = 1.0
    """How much what is learned counts when a document is judged, beside likeness of sentences."""
    lm: str = "small"
    """The language model of the VAE: a base, or ``small``, trained from nothing."""
    lm_rate: float = 1e-3
    lm_tokens: int = 64
    """Sentences are cut here for reconstruction."""
    warm_up: float = 0.2
    """Share of the VAE's steps over which the divergences get their full weight."""
    free_nats: float = 0.0
    """Divergence of each coordinate that costs nothing."""
    seed: int = 0

    def __post_init__(self) -> None:
        choices = {
            "objective": OBJECTIVES,
            "loss": LOSSES,
            "pooling": POOLINGS,
            "optimiser": ("adamw", "sgd"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                pick(dict.fromkeys(allowed), getattr(self, name), name)
        whole = ("latent_dim", "hidden", "epochs", "together", "window", "lm_tokens")
        for name in (*whole, "context_units", "context_layers"):
            if getattr(self, name) < 1:
                raise TimeControlError(f"{_words(name)} is {getattr(self, name)}: 1 or more.")
        if self.batch < 2:
            raise TimeControlError(f"batch is {self.batch}: 2 or more, a contrast needs a second.")
        if not 0 < self.rate < math.inf:
            raise TimeControlError(f"rate is {self.rate:g}: more than 0.")
        for name in ("pin", "distance", "patience", "seed", "weight_decay", "free_nats"):
            if getattr(self, name) < 0:
                raise TimeControlError(f"{_words(name)} is {getattr(self, name)}: 0 or more.")
        if not 0 <= self.learned <= 1:
            raise TimeControlError(f"learned is {self.learned:g}: from 0 to 1.")
        if not 0 <= self.dropout < 1:
            raise TimeControlError(f"dropout is {self.dropout:g}: 0 or more, below 1.")
        if self.objective == "implicit" and self.distance:
            raise TimeControlError("distance has no meaning for implicit: it predicts the next.")
        if self.pin and self.objective != "bridge":
            object.__setattr__(self, "pin", 0.0)  # only a bridge has ends to pin
        if self.seed >= 2**31:
            raise TimeControlError(f"seed is {self.seed}: below 2147483648.")

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> "Settings":
        """Return the settings that ``as_dict`` wrote."""
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in found.items() if name in known})


def _words(name: str) -> str:
    return name.replace("_", " ")


_SGD = {"optimiser": "sgd", "rate": 1e-4, "batch": 32, "epochs": 100, "patience": 0, "together": 1}

PRESETS: dict[str, Settings] = {
    "best": Settings(),
    "paper": replace(
        Settings(preset="paper"),
        **_SGD,  # type: ignore[arg-type]
        pooling="eos",
        tags=True,
        first_relu=True,
        dropout=0.0,
        standardise=False,
    ),
    "released": replace(
        Settings(preset="released"),
        **_SGD,  # type: ignore[arg-type]
        loss="released",
        pin=1.0,
        pooling="mean",
        tags=True,
        biases=False,
        dropout=0.0,
        standardise=False,
        context_layers=3,
    ),
}


BEST_OF = {"vae": {"batch": 32, "together": 1, "epochs": 20, "patience": 3}}
"""Where an objective differs in ``best``: a VAE has a language model in its loop."""


def preset(name: str, **changes: Any) -> Settings:
    """Return a preset with some settings changed; those that are ``None`` stay."""
    settings = pick(PRESETS, name, "preset")
    given = {k: v for k, v in changes.items() if v is not None}
    own = BEST_OF.get(given.get("objective", ""), {}) if name == "best" else {}
    return replace(settings, **{**own, **given})
