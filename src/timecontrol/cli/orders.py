"""``timecontrol evaluate order``: do suggested orders bring shuffled sentences back?"""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from timecontrol.cli.evaluate import (
    Most,
    Out,
    Seed,
    Split,
    _check_folder,
    _open,
    _place,
    _split,
    report,
)
from timecontrol.cli.options import (
    AsJson,
    Device,
    Dtype,
    Encoding,
    Language,
    Run,
    SkipBad,
    Spec,
    SplitBy,
    Splitter,
)


def order(
    spec: Spec,
    encoder: Run,
    split: Split = "val",
    sentences: Annotated[int, typer.Option(min=3, max=12, help="Of a window.")] = 8,
    windows: Annotated[int, typer.Option(min=1, help="Of a document, at most.")] = 4,
    seed: Seed = 0,
    max_documents: Most = None,
    out: Out = None,
    splitter: Splitter = "rules",
    language: Language = "en",
    split_by: SplitBy = "auto",
    encoding: Encoding = "utf-8",
    skip_bad: SkipBad = False,
    device: Device = "auto",
    dtype: Dtype = "auto",
    as_json: AsJson = False,
) -> None:
    """Do suggested orders bring shuffled sentences back into the order they stood in?

    Windows of neighbouring sentences are shuffled and put in order by what ``score --suggest``
    does, and by other ways beside it; Kendall's tau is 1 for the truth and 0 by chance.
    """
    corpus = _open(spec, splitter, language, split_by, encoding, skip_bad)
    wanted = _split(split)
    _check_folder(out)
    from timecontrol.experiments.reordering import reordering

    found = reordering(
        corpus,
        encoder,
        split=wanted,
        sentences=sentences,
        windows=windows,
        seed=seed,
        most=max_documents,
        place=_place(device, dtype),
    )
    report(found, out, as_json)


VERBS: dict[Callable[..., Any], str] = {
    order: "Example: timecontrol evaluate order text:FOLDER --encoder runs/mine --sentences 8",
}
"""Each with what is said at the end of its help."""
