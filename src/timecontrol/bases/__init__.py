"""Pretrained bases by name: a hub id, a local folder, or weights installed as packages."""

from timecontrol.bases.known import BASES, Base
from timecontrol.bases.load import (
    Place,
    align_ends,
    load_causal,
    load_encoder,
    load_tokenizer,
    resolve,
    set_ends,
)
from timecontrol.bases.packages import cache_folder, folder_of, install, missing

__all__ = [
    "BASES",
    "Base",
    "Place",
    "align_ends",
    "cache_folder",
    "folder_of",
    "install",
    "load_causal",
    "load_encoder",
    "load_tokenizer",
    "missing",
    "resolve",
    "set_ends",
]
