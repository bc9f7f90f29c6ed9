"""Encoders and decoders by name: those that come with the package, a run folder, one on a hub.

A shipped one is a run folder inside the package, without its base: ``timecontrol bases install
minilm`` (or ``smollm2-135m``) brings that once, and everything works offline from then on. Their
licence is that of the texts they were trained on (``weights/LICENSE.md``), not the code's.
"""

from importlib.resources import as_file, files
from pathlib import Path

from timecontrol.bases import cache_folder
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError, unknown
from timecontrol.hub import located
from timecontrol.runs import is_finished

SHIPPED = {
    "general": "encyclopedic articles, dialogues and stories together; the default",
    "wikisection": "encyclopedic articles about towns",
    "dialogue": "task-oriented dialogues, one utterance a sentence",
}

DECODERS = {
    "wikisection": "encyclopedic articles about towns; LoRA of smollm2-135m",
    "stories": "fills gaps in stories; LoRA of smollm2-135m, with an encoder of its own",
}
"""Decoders that come with the package, by name."""


def open_encoder(name: Path | str, device: str = "auto", dtype: str = "auto") -> Encoder:
    """Return an encoder.

    Args:
        name: A key of ``SHIPPED``, a run folder, or ``hub:OWNER/NAME``; a folder of that name comes
            first.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:N``, ``mps``.
        dtype: Of the base: ``auto``, ``float32``, ``bfloat16``, ``float16``.
    """
    place = folder_of(name)
    return Encoder.load(place, device, dtype)


def looks_folder(name: Path | str, kind: str = "encoder") -> Path:
    """Return where looks at test documents with an encoder, or a decoder, are written down.

    The run folder; for one that comes with the package, a folder of that name in the cache.
    """
    if is_finished(Path(name)):
        return Path(name)
    own = Path(name).name
    place = cache_folder() / "looks" / (own if kind == "encoder" else f"{own}-{kind}")
    place.mkdir(parents=True, exist_ok=True)
    return place


def folder_of(name: Path | str) -> Path:
    """Return the run folder of an encoder.

    Raises:
        TimeControlError: There is no encoder of that name, and no such folder.
    """
    place = Path(located(name))
    if is_finished(place) or str(name) not in SHIPPED:
        if not place.exists() and not any(mark in str(name) for mark in "/\\."):
            raise TimeControlError(unknown(str(name), SHIPPED, "encoder") + " Or a run folder.")
        return place
    with as_file(files("timecontrol") / "weights" / str(name)) as shipped:
        return shipped


def decoder_folder(name: Path | str) -> Path:
    """Return the run folder of a decoder.

    Raises:
        TimeControlError: There is no decoder of that name, and no such folder.
    """
    place = Path(located(name))
    if is_finished(place) or str(name) not in DECODERS:
        named = DECODERS and not any(mark in str(name) for mark in "/\\.")
        if named and not place.exists():
            raise TimeControlError(unknown(str(name), DECODERS, "decoder") + " Or a run folder.")
        return place
    with as_file(files("timecontrol") / "weights" / f"{name}-decoder") as shipped:
        return shipped
