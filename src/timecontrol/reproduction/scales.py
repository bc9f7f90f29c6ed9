"""How large a reproduction is: which corpora, bases and sizes stand for the paper's.

``smoke``  made documents and a base of random weights, minutes on a CPU: does it run at all?
``small``  bases and corpora that stand in for the paper's, its 431 Wikisection test documents among
           them; hours on one GPU, some of it minutes on a CPU
``full``   the paper's own bases and corpora, from a hub and from files that a user has
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from timecontrol.errors import TimeControlError, pick

DATASETS = ("wikisection", "wikihow", "recipe", "tm2", "tickettalk", "rocstories")
"""The paper's corpora, by the names it is known by here."""
DIMS = (8, 16, 32)
"""The paper's sizes of latents."""
TINY = "tiny"
"""The base of random weights that is made on the spot (``tiny.py``)."""


@dataclass(frozen=True)
class Stand:
    """A corpus that stands for one of the paper's, or is it."""

    spec: str
    label: str
    """What it is called in results."""
    epochs: int = 8
    """A decoder is trained for so many: about 500 steps of 8 documents."""
    open: bool = False
    """Whether its licence lets texts that were learnt from it be shown."""


@dataclass(frozen=True)
class Scale:
    """What stands for what, and how much of it is run."""

    name: str
    corpora: Mapping[str, Stand]
    """By the paper's name."""
    probed: Mapping[str, Stand] = field(default_factory=dict)
    """Where latents are probed on other corpora than texts are written like."""
    encoder_base: str = "minilm"
    decoder_base: str = "smollm2-135m"
    judge_base: str = "mpnet"
    """Of the encoder that sees whether texts go along their plans."""
    features: Mapping[str, str] = field(default_factory=dict)
    """Rows of the order probe that are a base's own features, and that base."""
    counter: str = "gpt2"
    """Whose tokens are counted for the paper's section lengths."""
    dims: tuple[int, ...] = DIMS
    seeds: int = 3
    documents: int = 128
    """That each decoder writes in each way."""
    window: int = 1024
    """Tokens of a forced document, and of a training document at most."""
    most: int | None = None
    """Held-out documents that are looked at; all otherwise."""
    judged: int = 48
    """Texts whose adherence is looked at: the first so many."""
    encoder: Mapping[str, Any] = field(default_factory=dict)
    """Settings of encoders that differ from the preset's."""
    vae: Mapping[str, Any] = field(default_factory=dict)
    """Those of the VAE, besides."""
    decoder: Mapping[str, Any] = field(default_factory=dict)
    """Settings of decoders that differ from the preset's."""

    def stand(self, dataset: str, probed: bool = False) -> Stand | None:
        """Return what stands for a corpus of the paper; ``None`` where nothing does."""
        own = self.probed.get(dataset) if probed else None
        return own or self.corpora.get(dataset)


SCALES: dict[str, Scale] = {
    "smoke": Scale(
        "smoke",
        {
            "wikisection": Stand("synthetic:cities,documents=40", "made cities", 1, open=True),
            "recipe": Stand("synthetic:recipes,documents=40", "made recipes", 1, open=True),
            "tm2": Stand("synthetic:dialogues,documents=40", "made dialogues", 1, open=True),
            "tickettalk": Stand(
                "synthetic:dialogues,documents=40,seed=1", "made dialogues", 1, open=True
            ),
        },
        encoder_base=TINY,
        decoder_base=TINY,
        judge_base=TINY,
        features={"GPT2": TINY},
        counter=TINY,
        dims=(8,),
        seeds=2,
        documents=4,
        window=128,
        most=4,
        judged=4,
        encoder={"epochs": 2, "hidden": 16, "context_units": 8, "lm_tokens": 8},
        vae={"epochs": 1},
        decoder={"batch": 16, "rate": 1e-3},
    ),
    "small": Scale(
        "small",
        {
            "wikisection": Stand("wikisection", "Wikisection", 8, open=True),
            "wikihow": Stand("wikihow", "YouwikiHow", 4),
            "recipe": Stand("recipes", "recipe sample", 1),
            "tm2": Stand("sgd:sgd/sgd-restaurants", "SGD-Restaurants", 3, open=True),
            "tickettalk": Stand("sgd:sgd/sgd-movies", "SGD-Movies", 4, open=True),
        },
        probed={"tickettalk": Stand("tickettalk", "TicketTalk prefixes", open=True)},
        features={"S-BERT": "mpnet", "GPT2": "smollm2-135m"},
    ),
    "full": Scale(
        "full",
        {
            "wikisection": Stand("wikisection", "Wikisection", 8, open=True),
            "wikihow": Stand("wikihow", "WikiHow", 4),
            "recipe": Stand("recipenlg", "RecipeNLG", 1),
            "tm2": Stand("taskmaster:tm2", "TM-2", 3, open=True),
            "tickettalk": Stand("tickettalk", "TicketTalk", 4, open=True),
            "rocstories": Stand("rocstories", "ROCStories"),
        },
        encoder_base="gpt2",
        decoder_base="gpt2",
        judge_base="sbert",
        features={
            "BERT": "bert",
            "ALBERT": "albert",
            "S-BERT": "sbert",
            "Sim-CSE": "simcse",
            "GPT2": "gpt2",
        },
    ),
}


def scale_named(name: str, corpora: Mapping[str, str] | None = None, **changes: Any) -> Scale:
    """Return a scale, some of it changed.

    Args:
        name: A key of ``SCALES``.
        corpora: Other corpora, ``NAME:PATH`` by the paper's name.
        **changes: Fields that differ; those that are ``None`` stay.
    """
    scale = pick(SCALES, name, "scale")
    own = dict(scale.corpora)
    probed = dict(scale.probed)
    for dataset, spec in (corpora or {}).items():
        if dataset not in DATASETS:
            raise TimeControlError(
                f"--corpus {dataset}={spec}: the paper's corpora are {', '.join(DATASETS)}."
            )
        before = own.get(dataset, Stand("", ""))
        own[dataset] = replace(before, spec=spec, label=spec, open=False)
        probed.pop(dataset, None)
    given = {k: v for k, v in changes.items() if v is not None}
    return replace(scale, corpora=own, probed=probed, **given)
