"""What is written down of a decoder: its base, encoder, corpus and layout, and its identity."""

import hashlib
import json
from dataclasses import asdict
from typing import Any

from timecontrol.bases import resolve
from timecontrol.bases.checksum import checksum
from timecontrol.corpora import Corpus
from timecontrol.corpora.layout import Layout
from timecontrol.encoder import Encoder
from timecontrol.encoder.documents import Chosen

ALGORITHM = 1
"""Goes up when the same settings would end in other weights."""


def layout_dict(layout: Layout) -> dict[str, Any]:
    """Return a layout as plain data."""
    found = {k: sorted(v) if isinstance(v, frozenset) else v for k, v in asdict(layout).items()}
    return {**found, "tags": list(layout.tags)}


def layout_from(found: dict[str, Any]) -> Layout:
    """Return the layout that ``layout_dict`` wrote."""
    sets = ("repeats", "optional", "numbered", "floating")
    plain: dict[str, Any] = {k: frozenset(v) if k in sets else v for k, v in found.items()}
    return Layout(**{**plain, "tags": tuple(found["tags"])})


def about_base(name: str) -> dict[str, Any]:
    """Return which base it is."""
    place = resolve(name)
    return {
        "name": name,
        "label": place.label,
        "hub": place.base.hub if place.base else None,
        "licence": place.base.licence if place.base else None,
        "checksum": checksum(name),
    }


def about_encoder(encoder: Encoder | None, shipped: str | None) -> dict[str, Any] | None:
    """Return which encoder it follows, and how that was trained."""
    if encoder is None:
        return None
    s = encoder.settings
    return {
        "shipped": shipped,
        "identity": encoder.config["identity"],
        "objective": s.objective,
        "loss": s.loss,
        "latent_dim": s.latent_dim,
        "preset": s.preset,
        "seed": s.seed,
        "base": encoder.config["base"]["label"],
        "corpus": encoder.config["corpus"]["name"],
    }


def about_corpus(corpus: Corpus, chosen: Chosen) -> dict[str, Any]:
    """Return what it is trained on."""
    return {
        "name": corpus.name,
        "splits_by": corpus.split_by,
        "documents": {"train": len(chosen.train), "val": len(chosen.val)},
        "digest": chosen.digest,
        "notes": [*corpus.notes, *chosen.notes],
    }


def identity_of(about: dict[str, Any], chosen: Chosen) -> str:
    """Return a hash of all that decides the weights."""
    parts = [
        str(ALGORITHM),
        json.dumps(about["settings"], sort_keys=True),
        about["base"]["checksum"],
        (about["encoder"] or {}).get("identity", ""),
        json.dumps(about["layout"], sort_keys=True),
        chosen.digest,
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
