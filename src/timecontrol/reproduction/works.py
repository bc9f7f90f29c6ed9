"""What is to be run: one training and one measurement, by name.

A name tells all but the scale, and is what ``--only`` looks at::

    probe/wikisection/TC-8/best/0                 do latents tell the order of sentences?
    texts/tm2/TC-16/best/1/static/forced          what a decoder writes
    adherence/tm2/TC-16/best/1/static/forced      whether that goes along its plans
    perplexity/recipe/GPT2/best/2                 how well it predicts
    counts/wikisection                            documents and section lengths
    paths/wikisection/TC-8/best/0/distance=5      what latents look like over time
    ending/tickettalk/TC-8/best/0                 what people say of the ends of its texts
    infill/rocstories/TC-8/best/0                 and of what it puts into gaps
"""

from dataclasses import MISSING, asdict, dataclass, fields, replace
from typing import Any

OBJECTIVES = {"TC": "bridge", "BM": "brownian", "ID": "implicit", "VAE": "vae"}
"""The paper's latent methods, and what we call their losses."""
SECTIONS = {"SD": "section-dense", "SS": "section-sparse"}
"""The paper's oracles."""
DECODERS = {"GPT2": "plain", "clock": "clock", **SECTIONS}
"""Decoders without latents; GPT2 is the name of the paper's plain fine-tuning, on any base."""
FILLERS = ("LM", "ILM")
"""The paper's baselines for gaps."""
FEATURES = ("BERT", "ALBERT", "S-BERT", "Sim-CSE", "GPT2")
"""Rows of the order probe that are a base's own features."""
METHODS = tuple(dict.fromkeys([*OBJECTIVES, *DECODERS, *FILLERS, *FEATURES]))
"""All rows."""


@dataclass(frozen=True)
class Work:
    """One thing to run."""

    kind: str
    """``probe``, ``texts``, ``adherence``, ``perplexity``, ``counts`` or ``paths``; or a task that
    people judge, ``ending`` or ``infill``."""
    dataset: str
    """By the paper's name; a scale says which corpus stands for it."""
    method: str = ""
    latent_dim: int | None = None
    preset: str = "best"
    seed: int = 0
    """Of the encoder and the decoder."""
    plan: str = ""
    """Of texts: ``own`` (the preset's dynamics), ``static``, or another kind of plan."""
    length: str = ""
    """Of texts: ``normal`` or ``forced``."""
    noise: float = 1.0
    """Of texts: what the plan's noise is multiplied by."""
    loop: bool = False
    """Of texts: whether what is written is read again, and the rest planned anew."""
    distance: int = 0
    """Of paths: contrasted sentences are exactly so far apart; 0: any."""

    @property
    def row(self) -> str:
        """The method and its size: ``TC-8``, ``GPT2``."""
        return self.method if self.latent_dim is None else f"{self.method}-{self.latent_dim}"

    @property
    def name(self) -> str:
        """All of it in words, unique."""
        parts = [self.kind, self.dataset]
        if self.method:
            parts += [self.row, self.preset, str(self.seed)]
        parts += [part for part in (self.plan, self.length) if part]
        if self.noise != 1:
            parts.append(f"noise={self.noise:g}")
        if self.loop:
            parts.append("loop")
        if self.distance:
            parts.append(f"distance={self.distance}")
        return "/".join(parts)

    @property
    def plans(self) -> bool:
        """Whether its decoder follows latents."""
        return self.method in OBJECTIVES

    def told(self) -> dict[str, Any]:
        """Return what it says that is not usual, so that new fields leave old ids alone."""
        usual = {f.name: f.default for f in fields(self) if f.default is not MISSING}
        return {k: v for k, v in asdict(self).items() if k not in usual or v != usual[k]}

    def seeded(self, seed: int) -> "Work":
        """Return the same with another seed."""
        return replace(self, seed=seed)
