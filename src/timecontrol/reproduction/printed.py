"""The numbers that the paper prints, as data: ``expected.toml`` read and looked through."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Printed:
    """One printed number, and where it stands."""

    table: str
    version: str
    """``corrected`` or ``original`` (camera-ready)."""
    value: float
    spread: float | None = None
    """What follows the plus-minus sign: a standard deviation of 3 runs, whatever it is called."""
    dataset: str = ""
    method: str = ""
    latent_dim: int | None = None
    decoding: str = ""
    """``bridge`` (a method's own dynamics) or ``static``."""
    k: int | None = None
    metric: str = ""
    split: str = ""
    section: str = ""
    run: str = ""
    note: str = ""


@dataclass(frozen=True)
class About:
    """What a table measures."""

    what: str
    unit: str
    larger: bool | None
    """Whether more is better; ``None`` where nothing is."""


@cache
def printed() -> tuple[Printed, ...]:
    """Return every number of the paper's tables, in the order of the paper."""
    return tuple(Printed(**cell) for cell in _data()["cell"])


@cache
def tables() -> dict[str, About]:
    """Return the paper's experiments by name."""
    return {
        name: About(about["what"], about["unit"], about.get("higher_is_better"))
        for name, about in _data()["tables"].items()
    }


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(
        resources.files(__package__).joinpath("expected.toml").read_text(encoding="utf-8")
    )
