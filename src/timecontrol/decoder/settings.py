"""How a decoder is trained: its settings, and the three presets.

``best``      what a first study found to work; to be chosen on validation (docs/log.md)
``paper``     the paper's text to the letter
``released``  the authors' code where it changes results
"""

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from timecontrol.errors import TimeControlError, pick
from timecontrol.tokens import STYLES

METHODS = ("planned", "plain", "clock", "section-dense", "section-sparse")
TRIMS = ("sections", "cut", "drop")
KEEPS = ("last", "best")
FUSIONS = ("add", "film")
TOLD = ("latents", "bridge")
FORWARD, RIGHT_FIRST, BLANKS = ARRANGEMENTS = ("forward", "right-first", "blanks")


USUAL, STEPS = 8, 32
"""Documents at once, and steps of an epoch where there would be fewer."""
YOUNGER: dict[str, Any] = {
    "within": False,
    "distinct": 0.0,
    "jitter": 0.0,
    "astray": 0.0,
    "apart": 0.0,
    "arrangement": FORWARD,
    "gap": 1,
    "told": "latents",
    "documents": 0,
    "grouped": False,
    "lora_dropout": 0.05,
}
"""What older decoders did not have, as it was with them."""


@dataclass(frozen=True)
class Settings:
    """Everything that decides what comes out, but the data, the encoder and the base."""

    preset: str = "best"
    """The preset these settings began as."""
    method: str = "planned"
    """``planned``: latents. ``plain``: none. ``clock``: none, but how much of the plan is done is
    told, and when it is over. ``section-dense``: every token is told its section;
    ``section-sparse``: only where one begins (the paper's oracles)."""
    form: str = "decided"
    """How documents are written as tokens: a key of ``tokens.STYLES``."""
    arrangement: str = FORWARD
    """What is read before what. ``forward``: a document from its beginning to its end. For a model
    that fills gaps: ``right-first``, what follows the gap, what comes before it, then the missing
    sentences; ``blanks``, the document with the gap, then these (``arrangement``)."""
    gap: int = 3
    """Sentences that are missing in training, at most, where there are gaps."""
    told: str = "latents"
    """What a missing sentence is told in training. ``latents``: where it lies. ``bridge``: where
    the sentences about it say that it lies, which is all that is known when a gap is filled. Read
    forward, every sentence is told so, from its two neighbours."""
    window: int = 1024
    """Tokens of a training document at most; 0: as many as the base takes."""
    trim: str = "sections"
    """What is done with longer ones. ``sections``: sentences at the ends of sections are left out,
    others each epoch; ``cut``: the end is lost; ``drop``: they are not used."""
    depths: int = 4
    """Places where the plan enters, spread over the layers; 1: the input alone."""
    fusion: str = "add"
    """How it is joined to what is there: added, or as scale and shift (``film``)."""
    look: int = 0
    """Points before and after that are told along, as differences; 0: the point alone."""
    init: float = 0.0
    """Standard deviation of the projection's weights at first."""
    units: int = 0
    """Hidden units of the projection; 0: linear."""
    standardise: bool = True
    """Whether latents are brought to mean 0 and standard deviation 1."""
    smooth: int = 5
    """Sentences over which latents are averaged; 1: none."""
    within: bool = True
    """Whether they are averaged within their stage (abstract, history, ...) alone, where documents
    come through stages in order."""
    noise: float = 0.1
    """Standard deviation of what is added to (standardised) latents in training."""
    jitter: float = 0.0
    """By how many sentences the plan is ahead of the text or behind it in training, as a standard
    deviation: a text that is written is never quite where its plan is."""
    astray: float = 0.0
    """Share of sentences that change places within their document in training, and are not learnt:
    what is written is never quite what the plan says."""
    latent_dropout: float = 0.1
    """Share of documents that are trained on without their latents."""
    clock: bool = True
    """Whether the model is told how much of the plan is done."""
    end_row: bool = True
    """Whether it is told that the plan is over."""
    final_mark: bool = True
    """Whether the last sentence has its mark before the end token, too."""
    early: bool = False
    """Whether in training a plan's next point comes one token early, as in the authors' code."""
    end_weight: float = 5.0
    """How much a decision counts: what opens the document, and what follows a mark."""
    apart: float = 30.0
    """What it costs to think of a tag, or the end, within a sentence, or of anything else between
    two, beside a word's weight of 1; 0: no more than any other wrong token."""
    distinct: float = 0.0
    """How far from the words of their tags the rows of new tokens start: 0 at the words, 1 in
    directions of their own."""
    documents: int = 0
    """Training documents at most, drawn by the seed; 0: all."""
    epochs: int = 8
    batch: int = 8
    """Documents at once; 0: as many, and fewer where there are few of them (``settled``)."""
    grouped: bool = False
    """Whether documents of like length are put together, so that little is filled up."""
    accumulate: int = 1
    """Batches a step of the optimiser."""
    rate: float = 1e-4
    projection_rate: float = 2e-3
    """Learning rate of the projection, which starts from nothing."""
    weight_decay: float = 0.01
    warm_up: float = 0.05
    """Share of the steps over which rates rise."""
    clip: float = 1.0
    """Largest norm of a gradient."""
    keep: str = "last"
    """Whose weights are kept: those of the ``last`` epoch, or of the ``best`` by validation loss
    (decisions count there as in training). Words are overfitted before structure is learnt."""
    patience: int = 0
    """Epochs without a better validation loss before it stops, for ``best``; 0: never."""
    lora: int = 0
    """Rank of the adapters; 0: all weights are trained."""
    lora_rate: float = 1e-3
    """Learning rate of adapters, which start from nothing."""
    lora_dropout: float = 0.05
    """Share of what adapters read that a training step does not see."""
    seed: int = 0

    def __post_init__(self) -> None:
        choices = {"method": METHODS, "trim": TRIMS, "keep": KEEPS, "form": tuple(STYLES)}
        choices |= {"fusion": FUSIONS, "arrangement": ARRANGEMENTS, "told": TOLD}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                pick(dict.fromkeys(allowed), getattr(self, name), name)
        for name in ("depths", "smooth", "epochs", "accumulate", "gap"):
            if getattr(self, name) < 1:
                raise TimeControlError(f"{name} is {getattr(self, name)}: 1 or more.")
        for name in ("rate", "projection_rate", "lora_rate", "end_weight", "clip"):
            if not 0 < getattr(self, name) < math.inf:
                raise TimeControlError(f"{_words(name)} is {getattr(self, name):g}: more than 0.")
        for name in (
            "noise",
            "jitter",
            "init",
            "weight_decay",
            "patience",
            "lora",
            "units",
            "look",
            "apart",
            "documents",
            "batch",
        ):
            if not 0 <= getattr(self, name) < math.inf:
                raise TimeControlError(f"{_words(name)} is {getattr(self, name):g}: 0 or more.")
        if self.seed < 0:
            raise TimeControlError(f"seed is {self.seed}: 0 or more.")
        if not 0 <= self.lora_dropout < 1:
            raise TimeControlError(f"lora dropout is {self.lora_dropout:g}: 0 or more, below 1.")
        for name in ("latent_dropout", "astray", "warm_up", "distinct"):
            if not 0 <= getattr(self, name) <= 1:
                raise TimeControlError(f"{_words(name)} is {getattr(self, name):g}: from 0 to 1.")
        if self.window != 0 and self.window < 16:
            raise TimeControlError(f"window is {self.window}: 16 tokens or more, or 0 for all.")
        if self.seed >= 2**31:
            raise TimeControlError(f"seed is {self.seed}: below 2147483648.")

    @property
    def fills(self) -> bool:
        """Whether it is trained to fill gaps."""
        return self.arrangement != FORWARD

    @property
    def follows(self) -> bool:
        """Whether there is a plan at all."""
        return self.method != "plain"

    def settled(self, documents: int) -> "Settings":
        """Return the settings with as many documents at once as are good for so many in all.

        What a small corpus lacks is steps: with 63 articles and 3 epochs, 24 batches of 8 taught
        no form at all, 189 of one did, in the same time (docs/log.md).
        """
        if self.batch:
            return self
        n = min(documents, self.documents or documents)
        return replace(self, batch=max(1, min(USUAL, n // (STEPS * self.accumulate))))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> "Settings":
        """Return the settings that ``as_dict`` wrote; what is younger than they is off."""
        known = {f.name for f in fields(cls)}
        return cls(**{**YOUNGER, **{k: v for k, v in found.items() if k in known}})


def _words(name: str) -> str:
    return name.replace("_", " ")


_PAPER: dict[str, Any] = {
    "trim": "drop",
    "depths": 1,
    "init": 0.02,
    "standardise": False,
    "smooth": 1,
    "within": False,
    "distinct": 0.0,
    "noise": 0.0,
    "latent_dropout": 0.0,
    "clock": False,
    "end_row": False,
    "end_weight": 1.0,
    "apart": 0.0,
    "epochs": 10,
    "batch": 1,
    "rate": 5e-5,
    "projection_rate": 5e-5,
    "weight_decay": 0.0,
    "warm_up": 0.0,
}

PRESETS: dict[str, Settings] = {
    "best": Settings(),
    "paper": replace(Settings(preset="paper"), **_PAPER, form="paper"),
    "released": replace(Settings(preset="released"), **_PAPER, form="released", early=True),
}

SECTIONS = {"smooth": 1, "noise": 0.0, "standardise": False, "clock": False}
"""Where the supervised methods differ in ``best``: a section is no number to be averaged."""


FILLING = {"smooth": 1, "end_weight": 1.0, "latent_dropout": 0.2, "told": "bridge"}
"""Where models that fill gaps differ in ``best``: averages would hold what is missing, and what
follows a sentence is no decision."""


def preset(name: str, **changes: Any) -> Settings:
    """Return a preset with some settings changed; those that are ``None`` stay."""
    settings = pick(PRESETS, name, "preset")
    given = {k: v for k, v in changes.items() if v is not None}
    method = given.get("method", "")
    own: dict[str, Any] = SECTIONS if method.startswith("section-") else {}
    if method == "clock":
        own = {**SECTIONS, "clock": True, "end_row": True}
    if given.get("arrangement", FORWARD) != FORWARD:
        own = {**own, **FILLING}
    elif given.get("told") == "bridge":
        own = {**own, "smooth": 1}
    return replace(settings, **{**own, **given})
