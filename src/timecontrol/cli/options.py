"""Options that mean the same in every verb: which corpus, how it is read, and where to compute."""

from typing import Annotated

import typer

from timecontrol.cli.completion import DEVICES, DTYPES, ENCODERS, SPLITTERS, among, corpora
from timecontrol.corpora.splits import split_word
from timecontrol.errors import TimeControlError

FEW = 50
"""Training documents below which not much can be learnt."""


def few(documents: int) -> str | None:
    """Return what is said of so few training documents, or ``None``."""
    if documents >= FEW:
        return None
    many = "1 training document" if documents == 1 else f"{documents} training documents"
    return f"note: {many}: below {FEW} little is learnt (docs/own-data.md)"


Spec = Annotated[
    str,
    typer.Argument(metavar="CORPUS", help="NAME:PATH, or synthetic.", autocompletion=corpora),
]
Run = Annotated[
    str,
    typer.Option(
        "--encoder",
        help="A run folder, or an encoder that comes with the package.",
        autocompletion=among(ENCODERS),
    ),
]
Splitter = Annotated[
    str, typer.Option(help="rules, legacy or lines.", autocompletion=among(SPLITTERS))
]
Language = Annotated[str, typer.Option(help="Language of the text, for the splitter.")]
SplitBy = Annotated[str, typer.Option(help="auto, index, published or hash.")]
Encoding = Annotated[str, typer.Option(help="Encoding of the files.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Skip and count malformed records.")]
Device = Annotated[
    str, typer.Option(help="auto, cpu, cuda, cuda:N or mps.", autocompletion=among(DEVICES))
]
Dtype = Annotated[
    str,
    typer.Option(
        help="Of the base: auto, float32, bfloat16, float16.", autocompletion=among(DTYPES)
    ),
]
Follow = Annotated[
    str | None,
    typer.Option(
        help="sentences: a point each; budget: by the tokens so far, where --length is forced."
    ),
]
Guidance = Annotated[
    float, typer.Option(min=0, help="How much further the plan leads; twice the work.")
]
Noise = Annotated[
    float, typer.Option(min=0, help="What the noise of a plan is multiplied by; 0: none.")
]
Loop = Annotated[
    bool, typer.Option("--loop", help="Read each sentence again, and plan the rest anew.")
]
Candidates = Annotated[
    int,
    typer.Option(
        min=1, help="Sentences to choose from, each time: the likeliest, nearest to the plan."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def split_named(name: str | None) -> str | None:
    """Return the split a user means, or say which there are; ``None`` is all of them."""
    found = split_word(name) if name is not None else None
    if name is not None and found is None:
        raise TimeControlError(f"No split named {name!r}: train, val, test.")
    return found
