"""Results of decoders: which they are, and everything needed to get the numbers again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from timecontrol import __version__
from timecontrol.corpora import Corpus
from timecontrol.decoder import Decoder
from timecontrol.devices import choose_device
from timecontrol.encoder.documents import choose_from
from timecontrol.encoder.provenance import provenance
from timecontrol.experiments.evaluate import Place
from timecontrol.pretrained import decoder_folder
from timecontrol.runs import read_config

Found = dict[str, Any]


def check(models: Sequence[str]) -> None:
    """Refuse what is no decoder, before the first of them has worked for hours."""
    for name in models:
        read_config(decoder_folder(name), "decoder")


def about(name: str, decoder: Decoder) -> Found:
    """Return what a result says of a decoder."""
    config = decoder.config
    return {
        "name": Path(name).name,
        "identity": config["identity"],
        "base": config["base"]["label"],
        "base_checksum": config["base"]["checksum"],
        "corpus": config["corpus"]["name"],
        "encoder": config["encoder"],
        "settings": config["settings"],
        "metrics": {k: decoder.metrics.get(k) for k in ("kept", "kept_epoch", "health", "seconds")},
    }


def result(
    task: str,
    corpus: Corpus,
    decoders: list[Found],
    settings: Found,
    rows: list[Found],
    place: Place,
) -> Found:
    """Return a result as plain data; of documents it says those of training.

    Args:
        task: What was measured.
        corpus: Whose documents.
        decoders: Each as ``about`` tells.
        settings: How; those that are ``None`` or empty are left out.
        rows: Of its tables.
        place: Where it was computed.
    """
    return {
        "task": task,
        "corpus": corpus.name,
        "split": "train",
        "documents": len(choose_from(corpus).train),
        "too_short": 0,
        "encoders": [],
        "decoders": decoders,
        "settings": {k: v for k, v in settings.items() if v not in (None, [])},
        "rows": rows,
        "timecontrol": __version__,
        "made_with": provenance(choose_device(place.device)),
    }
