"""What the shell offers for the value of an option, when Tab is pressed.

Names stand here themselves, since whoever presses Tab does not wait for torch; a test compares them
with what there is. Where none of them begins as what was typed, the shell offers files.
"""

from collections.abc import Callable, Sequence

Offer = Callable[[str], list[str]]
"""What is offered, given what was typed."""

BASES = (
    *("minilm", "mpnet", "smollm2-135m", "gemma3-270m"),
    *("gpt2", "bert", "albert", "sbert", "simcse"),
)
DECODERS = ("wikisection", "stories")
DEVICES = ("auto", "cpu", "cuda", "mps")
DTYPES = ("auto", "float32", "bfloat16", "float16")
ENCODERS = ("general", "wikisection", "dialogue")
PLANS = (
    *("bridge", "mean", "retrieved", "pieced", "bridge-brownian", "bridge-line", "mean-time"),
    *("linear", "static", "hovering", "brownian", "euler"),
    *("released", "released-static", "released-brownian"),
)
SPLITTERS = ("rules", "legacy", "lines")


def among(names: Sequence[str]) -> Offer:
    """Return what offers those of some names that begin as what was typed."""

    def offer(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return offer


def corpora(incomplete: str) -> list[str]:
    """Offer the names of corpora; those with files of their own end with a colon."""
    from timecontrol.corpora import CORPORA

    names = ["synthetic", *(f"{name}:" for name in CORPORA if name != "synthetic")]
    return among(names)(incomplete)
