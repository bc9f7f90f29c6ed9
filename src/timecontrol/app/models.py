"""Which encoders and decoders a studio has, by name; each is opened when it is first asked for.

Only what the studio was started with can be named: a request never opens a folder.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from timecontrol.errors import TimeControlError, pick
from timecontrol.hub import MARK, located
from timecontrol.pretrained import DECODERS, SHIPPED
from timecontrol.runs import is_finished, kind_of, read_config
from timecontrol.scoring import TimeControl

FORWARD = "forward"
"""The arrangement of documents in training whose decoders write whole ones."""
FILLER = "stories"
"""The decoder of the package that fills gaps; the others write."""


@dataclass
class Models:
    """What can be asked for, by name."""

    encoders: Mapping[str, str]
    """Name to what is opened: a name of the package, or a run folder."""
    decoders: Mapping[str, str]
    """Those that write whole documents."""
    fillers: Mapping[str, str]
    """Those that fill gaps."""
    device: str = "auto"
    dtype: str = "auto"
    loaded: dict[str, TimeControl] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, own: Sequence[str] = (), device: str = "auto", dtype: str = "auto") -> "Models":
        """Return those of the package, and run folders before them.

        Args:
            own: Run folders of encoders and decoders.
            device: Where they compute.
            dtype: How finely their bases do.

        Raises:
            TimeControlError: One of them is no finished run folder.
        """
        encoders: dict[str, str] = {}
        decoders: dict[str, str] = {}
        fillers: dict[str, str] = {}
        for place in own:
            folder = Path(located(place))
            if not is_finished(folder):
                raise TimeControlError(
                    f"{place} is no finished run folder: give one of timecontrol train encoder or "
                    "timecontrol train decoder."
                )
            if kind_of(folder) != "decoder":
                encoders[_name(place, encoders)] = place
            else:
                kind = fillers if fills(folder) else decoders
                kind[_name(place, {**decoders, **fillers})] = place
        encoders |= {name: name for name in SHIPPED if name not in encoders}
        for name in DECODERS:
            kind = fillers if name == FILLER else decoders
            kind[_name(name, {**decoders, **fillers})] = name
        return cls(encoders, decoders, fillers, device, dtype)

    def encoder(self, name: str | None = None) -> TimeControl:
        """Return what scores with an encoder; the first without a name."""
        return self._open("encoder", self.encoders, name)

    def decoder(self, name: str | None = None) -> TimeControl:
        """Return what writes."""
        return self._open("decoder", self.decoders, name)

    def filler(self, name: str | None = None) -> TimeControl:
        """Return what fills gaps; decoders that write can, too."""
        return self._open("filler", {**self.fillers, **self.decoders}, name)

    def _open(self, kind: str, known: Mapping[str, str], name: str | None) -> TimeControl:
        """Return one of ``known``, opened once; what comes with the package by its own name."""
        if name is None:
            name = next(iter(known))
        place = pick(known, name, kind)
        key = f"{'encoder' if kind == 'encoder' else 'decoder'} {place}"
        with self.lock:
            if key not in self.loaded:
                open_: Callable[..., TimeControl] = TimeControl.from_pretrained
                if kind != "encoder":
                    open_ = _writer
                self.loaded[key] = open_(place, self.device, self.dtype)
            return self.loaded[key]


def _writer(place: str, device: str, dtype: str) -> TimeControl:
    """Open a decoder, one without an encoder too; then nothing is scored with it."""
    from timecontrol.decoder import Decoder

    decoder = Decoder.load(place, device, dtype)
    encoder: Any = decoder.encoder
    return TimeControl(encoder, decoder)


def fills(folder: Path) -> bool:
    """Return whether a decoder was trained to fill gaps."""
    settings = read_config(folder, "decoder").get("settings", {})
    return isinstance(settings, dict) and settings.get("arrangement", FORWARD) != FORWARD


def _name(place: str, taken: Mapping[str, str]) -> str:
    """Return what a run folder is called: its name, with a number where that is taken."""
    path = Path(place) if place.startswith(MARK) else Path(place).resolve()
    name, n = path.name, 2
    while name in taken:
        name, n = f"{path.name} ({n})", n + 1
    return name
