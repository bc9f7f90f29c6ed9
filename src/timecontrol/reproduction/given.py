"""Decoders that are there already, instead of trained ones: which works they stand for.

They are given by ``DATASET/ROW``, as ``wikisection/TC-8``: a run folder, or the name of one that
comes with the package. Each stands for the runs of its own seed.
"""

from collections.abc import Mapping
from typing import Any

from timecontrol.errors import TimeControlError
from timecontrol.pretrained import decoder_folder
from timecontrol.reproduction.scales import DATASETS
from timecontrol.reproduction.works import DECODERS, OBJECTIVES, Work
from timecontrol.runs import read_config

DECODES = ("texts", "adherence", "perplexity")
"""Kinds of works that need a decoder."""


def name_of(work: Work, given: Mapping[str, str]) -> str | None:
    """Return the decoder that was given for a work; ``None`` where none was, or none is needed."""
    return given.get(f"{work.dataset}/{work.row}") if work.kind in DECODES else None


def config_of(
    work: Work, given: Mapping[str, str], digest: str | None = None
) -> dict[str, Any] | None:
    """Return the configuration of the decoder that was given for a work.

    Args:
        work: Which.
        given: Decoders by row.
        digest: The hash of the work's training documents; not compared where it is ``None``.

    Raises:
        TimeControlError: It is of another method, size, preset or seed, of other documents, or
            there is none.
    """
    name = name_of(work, given)
    if name is None:
        return None
    config = read_config(decoder_folder(name), "decoder")
    try:
        settings, encoder = config["settings"], config["encoder"] or {}
        told = {
            "method": (settings["method"], DECODERS.get(work.method, "planned")),
            "objective": (encoder.get("objective"), OBJECTIVES.get(work.method)),
            "size of latents": (encoder.get("latent_dim"), work.latent_dim),
            "preset": (settings["preset"], work.preset),
            "seed": (settings["seed"], work.seed),
        }
        trained = config["corpus"]["digest"]
    except (KeyError, TypeError, AttributeError):
        raise TimeControlError(f"{name} is damaged: its config.json tells too little.") from None
    for what, (found, wanted) in told.items():
        if found != wanted:
            raise TimeControlError(f"the decoder {name} has {what} {found}, not {wanted}")
    if digest is not None and digest != trained:
        raise TimeControlError(
            f"the decoder {name} was trained on other documents than {work.dataset} has here"
        )
    return config


def given_from(texts: list[str]) -> dict[str, str]:
    """Return decoders by ``DATASET/ROW`` from ``DATASET/ROW=NAME``.

    Raises:
        TimeControlError: One is not of that form, or names no decoder.
    """
    found = {}
    for text in texts:
        row, sign, name = text.partition("=")
        dataset, _, method = row.partition("/")
        known = dataset in DATASETS and method.partition("-")[0] in (*OBJECTIVES, *DECODERS)
        if not sign or not known or not name:
            raise TimeControlError(
                f"--decoder {text}: DATASET/ROW=RUN, as in wikisection/TC-8=runs/mine; datasets: "
                f"{', '.join(DATASETS)}; rows: {', '.join([*OBJECTIVES, *DECODERS])}, with -8, -16 "
                "or -32 where they have latents."
            )
        read_config(decoder_folder(name), "decoder")
        found[row] = name
    return found
