"""Decoders asked to write: by kinds of plans and lengths, and the texts that come of it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from timecontrol.decoder import Decoder
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.texts import Texts, label_of, recipe_of
from timecontrol.generation import Written, write
from timecontrol.generation.request import default_writing, plans_for
from timecontrol.runs import write_text


@dataclass(frozen=True)
class Ways:
    """How decoders are asked to write."""

    kinds: Sequence[str] = ("bridge",)
    """Of plans; a decoder without plans writes once."""
    lengths: Sequence[str] = ("normal", "forced")
    count: int = 128
    options: dict[str, Any] = field(default_factory=dict)
    """``top_p``, ``temperature``, ``seed``."""
    batch: int = 64
    folder: Path | None = None
    """Where the texts are kept."""


def written(name: str, decoder: Decoder, ways: Ways, place: Place) -> list[Texts]:
    """Return what a decoder writes, for each way.

    Args:
        name: Of the decoder: its run folder.
        decoder: What writes.
        ways: How.
        place: Who is told how far it is.
    """
    kinds: Sequence[str | None] = ways.kinds if decoder.settings.method == "planned" else [None]
    found = []
    options = {
        name: value
        for name, value in ways.options.items()
        if decoder.settings.follows or name not in ("loop", "candidates", "guidance")
    }
    writings = {length: default_writing(decoder, length, **options) for length in ways.lengths}
    for length, writing in writings.items():
        for kind in kinds:
            plans = plans_for(decoder, ways.count, writing, kind=kind)
            texts = list(write(decoder, plans, writing, batch=ways.batch, progress=place.progress))
            used = plans[0].kind if plans[0] is not None else None
            label = label_of(decoder.settings.method, used, decoder.settings.preset)
            if ways.folder is not None:
                stem = f"{Path(name).name}-{length}-{used or 'none'}"
                kept_as(texts, ways.folder / f"{stem}.jsonl", decoder)
            found.append(_texts(texts, label, Path(name).name, decoder))
    return found


def _texts(texts: Sequence[Written], label: str, run: str, decoder: Decoder) -> Texts:
    how = texts[0].settings
    return Texts(
        label,
        run,
        how["length"],
        how["budget"],
        [t.sections for t in texts],
        [len(t.ids) for t in texts],
        [t.ended for t in texts],
        [t.plan.points if t.plan is not None else None for t in texts],
        decoder.settings.smooth,
        decoder.within,
        (decoder.config["encoder"] or {}).get("identity"),
        [list(t.outline) for t in texts],
        {**decoder.recipe(), **recipe_of(how)},
        [None if t.units is None else list(t.units) for t in texts],
    )


def kept_as(texts: Sequence[Written], file: Path, decoder: Decoder) -> None:
    """Write documents as JSON lines, with what is known of their decoder."""
    file.parent.mkdir(parents=True, exist_ok=True)
    made = decoder.about()
    lines = [json.dumps({**t.as_dict(), "decoder": made}) for t in texts]
    write_text(file, "\n".join(lines) + "\n")
