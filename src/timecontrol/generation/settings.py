"""How texts are written from plans."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from timecontrol.errors import TimeControlError

NORMAL, FORCED = "normal", "forced"


@dataclass(frozen=True)
class Writing:
    """Settings of writing."""

    length: str = NORMAL
    """``normal``: until the model ends the document. ``forced``: the end token is forbidden until
    the budget is reached, as in the paper's long texts."""
    budget: int = 1024
    """Tokens of a document, begin included: the most there can be, and when forced the least."""
    stop: str = "end"
    """What ends a document of normal length: the model's end token (``end``), or that the plan has
    run out, too (``plan``)."""
    follow: str = "budget"
    """How a plan is followed. ``sentences``: a point a sentence. ``budget``: where a budget has to
    be filled, by the share of it that is; otherwise the same."""
    guidance: float = 0.0
    """How much further the plan leads than it has been learnt to: w of ``sampling.guided``. Each
    document is then written beside itself without its latents, which takes twice the work."""
    latents: bool = True
    """Whether the decoder is told the points of the plan; without, it writes as it did where they
    were dropped in training."""
    loop: bool = False
    """Whether what is written is read again after each sentence, and the rest planned anew."""
    candidates: int = 1
    """Sentences to choose from, each time, by how likely they are and how near the plan."""
    likelihood: float = 1.0
    """How much the mean log probability of its tokens counts in the choice."""
    nearness: float = 1.0
    """How much its nearness to the plan counts."""
    ordered: bool = False
    """Whether every tag but the one that is due is forbidden. No method of ours: a ceiling, to be
    compared with."""
    top_p: float = 0.95
    temperature: float = 1.0
    beams: int = 1
    """More than one: beam search instead of sampling."""
    seed: int = 0
    exact: bool = True
    """Whether on a CPU in float32 a text is the same for any batch size. One document alone is then
    written twice beside itself (``packed.rows_alike``)."""

    def __post_init__(self) -> None:
        if self.length not in (NORMAL, FORCED):
            raise TimeControlError(f"length is {self.length!r}: normal or forced.")
        if self.stop not in ("end", "plan"):
            raise TimeControlError(f"stop is {self.stop!r}: end or plan.")
        if self.follow not in ("budget", "sentences"):
            raise TimeControlError(f"follow is {self.follow!r}: budget or sentences.")
        if self.candidates < 1:
            raise TimeControlError(f"candidates is {self.candidates}: 1 or more.")
        if self.by_sentence and self.beams > 1:
            raise TimeControlError(
                "Beam search knows no sentences: no --loop and no --candidates with --beams."
            )
        if self.guidance and (self.by_sentence or self.beams > 1):
            raise TimeControlError(
                "Guidance is for single draws: no --loop, no --candidates and no --beams with it."
            )
        if not self.latents and (self.by_sentence or self.guidance):
            raise TimeControlError(
                "Without latents there is no plan to keep to: no --loop, --candidates, --guidance."
            )
        for name in ("likelihood", "nearness", "guidance"):
            if not 0 <= getattr(self, name) < math.inf:
                raise TimeControlError(f"{name} is {getattr(self, name):g}: 0 or more.")
        if self.budget < 2:
            raise TimeControlError(f"length is {self.budget} tokens: 2 or more.")
        if not 0 < self.top_p <= 1:
            raise TimeControlError(f"top-p is {self.top_p:g}: above 0, at most 1.")
        if not 0 <= self.temperature < math.inf:
            raise TimeControlError(f"temperature is {self.temperature:g}: 0 or more.")
        if self.beams < 1:
            raise TimeControlError(f"beams is {self.beams}: 1 or more.")
        if not 0 <= self.seed < 2**31:
            raise TimeControlError(f"seed is {self.seed}: from 0, below 2147483648.")

    @property
    def by_sentence(self) -> bool:
        """Whether sentences are read when they are written: to choose, or to plan anew."""
        return self.loop or self.candidates > 1

    @property
    def forced(self) -> bool:
        """Whether the end is forbidden until the budget is reached."""
        return self.length == FORCED

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return asdict(self)
