"""A reproduction: which works are asked for, which can run here, which are done; and running them.

Finished works are known by their record and gone past where nothing that decides them has changed.
Several processes with the same command share the work: each takes what no other is at.
"""

import gc
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from timecontrol.bases.load import can_be_had
from timecontrol.corpora import open_corpus
from timecontrol.errors import TimeControlError, brief, pick
from timecontrol.reproduction.cells import RATED, Cell, cells, experiments
from timecontrol.reproduction.given import config_of
from timecontrol.reproduction.measures import run
from timecontrol.reproduction.recipes import recipe_of
from timecontrol.reproduction.records import Record, identity, place_of, read_record
from timecontrol.reproduction.scales import TINY, Scale
from timecontrol.reproduction.works import Work
from timecontrol.reproduction.workshop import Busy, Workshop, held

FIRST = {"counts": 0, "probe": 1, "paths": 1, "texts": 2, "perplexity": 3, "adherence": 4}
FIRST |= dict.fromkeys(RATED.values(), 5)
"""In which order works are taken: what is quick and tells most comes first."""
NO_RATINGS = "no ratings of people: timecontrol judge makes a report of them, --ratings reads it"


@dataclass(frozen=True)
class Asked:
    """What of the whole grid is wanted; nothing named is all."""

    experiments: Sequence[str] = ()
    datasets: Sequence[str] = ()
    methods: Sequence[str] = ()
    dims: Sequence[int] = ()
    kinds: Sequence[str] = ()
    """Of works: ``probe``, ``texts`` ..."""
    presets: Sequence[str] = ("best",)
    only: Sequence[str] = ()
    """Patterns of works' names, as ``texts/wikisection/TC-*/best/0/*``."""

    def wants(self, work: Work) -> bool:
        """Return whether a work is asked for, its experiment aside."""
        if work.dataset not in (self.datasets or (work.dataset,)):
            return False
        if work.method and work.method not in (self.methods or (work.method,)):
            return False
        if work.latent_dim is not None and work.latent_dim not in (self.dims or (work.latent_dim,)):
            return False
        if work.kind not in (self.kinds or (work.kind,)):
            return False
        return not self.only or any(fnmatchcase(work.name, pattern) for pattern in self.only)


@dataclass
class Grid:
    """The cells of a scale, and the works behind them."""

    scale: Scale
    asked: Asked
    cells: list[Cell] = field(init=False)
    given: Mapping[str, str] = field(default_factory=dict)
    """Decoders that are there already (``Workshop.given``)."""
    missing: dict[str, str] = field(default_factory=dict)
    """Why a base or a corpus is not here, by its name."""

    def __post_init__(self) -> None:
        known = dict.fromkeys(experiments())
        for name in self.asked.experiments:
            pick(known, name, "experiment")
        self.cells = cells(self.scale.seeds, self.asked.presets)

    @property
    def works(self) -> list[Work]:
        """What is asked for at this scale and can run here, in the order it is taken."""
        found = [work for work in self._wanted if not self.hindrance(work)]
        return sorted(found, key=lambda work: (FIRST[work.kind], work.seed))

    @property
    def hindrances(self) -> list[str]:
        """Why some of what is asked for cannot run here."""
        return list(dict.fromkeys(filter(None, map(self.hindrance, self._wanted))))

    @property
    def _wanted(self) -> dict[Work, None]:
        return dict.fromkeys(
            work
            for cell in self.cells
            if not self.asked.experiments or cell.experiment in self.asked.experiments
            for work in cell.works
            if self.asked.wants(work)
        )

    def hindrance(self, work: Work) -> str:
        """Return why a work cannot run here; empty where it can."""
        scale = self.scale
        if work.kind in RATED.values():
            return NO_RATINGS
        if work.latent_dim is not None and work.latent_dim not in scale.dims:
            return f"no latents of size {work.latent_dim} at scale {scale.name}"
        if work.seed >= scale.seeds:
            return f"{scale.seeds} seeds at scale {scale.name}: --seeds {work.seed + 1}"
        stand = scale.stand(work.dataset, work.kind == "probe")
        if stand is None:
            return f"nothing stands for {work.dataset} at scale {scale.name}"
        if reason := self._corpus(stand.spec):
            return reason
        if work.kind == "probe" and not work.plans and work.method not in scale.features:
            return f"no base stands for {work.method} at scale {scale.name}"
        try:
            given = config_of(work, self.given)
        except TimeControlError as error:
            return str(error)
        needed = bases_of(work, scale)
        if given is not None:  # it brings its encoder and names its base
            needed = [str(given["base"]["name"]), *needed[2 if work.plans else 1 :]]
        return next(filter(None, map(self._base, needed)), "")

    def _corpus(self, spec: str) -> str:
        if spec not in self.missing:
            try:
                open_corpus(spec)
                self.missing[spec] = ""
            except TimeControlError as error:
                self.missing[spec] = f"corpus not here: {error}"
        return self.missing[spec]

    def _base(self, name: str) -> str:
        if name not in self.missing:
            here = name == TINY or can_be_had(name)
            self.missing[name] = "" if here else f"base not here: {name}"
        return self.missing[name]


def bases_of(work: Work, scale: Scale) -> list[str]:
    """Return the bases that a work needs."""
    if work.kind == "counts":
        return []
    if work.kind == "probe" and not work.plans:
        return [scale.features[work.method]]
    found = [scale.encoder_base] if work.plans else []
    if work.kind in ("texts", "perplexity", "adherence"):
        found.append(scale.decoder_base)
    return [*found, scale.judge_base] if work.kind == "adherence" else found


def is_done(work: Work, folder: Path, shop: Workshop) -> bool:
    """Return whether a work has a record that is still what it would come to."""
    try:
        record = read_record(place_of(folder, work))
    except TimeControlError:  # none, or a damaged one
        return False
    return record.whole and record.id == identity(recipe_of(work, shop))


def run_all(
    works: Iterable[Work],
    folder: Path,
    shop: Workshop,
    command: Callable[[Work], str],
    tell: Callable[[Work, Record | None, str], None],
    limit: float = float("inf"),
) -> int:
    """Run what is not done, and return how many works were.

    What fails is told, and the others go on; what another process is at is left to it, and looked
    at again when all the rest is done.

    Args:
        works: In order.
        folder: Of the records and figures.
        shop: Where things are made.
        command: What makes a work's record again.
        tell: Is told what each work came to: its record, or why it has none.
        limit: Seconds after which nothing is begun.
    """
    left, begun, done = list(works), time.monotonic(), 0
    while left:
        others = []
        for work in left:
            if time.monotonic() - begun > limit:
                return done
            try:
                with held(place_of(folder, work)):
                    if not is_done(work, folder, shop):
                        record = run(work, shop, command(work), folder)
                        done += 1
                        tell(work, record, "")
            except Busy:
                others.append(work)
            except TimeControlError as error:
                tell(work, None, str(error))
            except Exception as error:  # no memory, a defect: the others go on
                tell(work, None, f"{type(error).__name__}: {brief(error)}")
            clear()
        if len(others) == len(left):
            time.sleep(1)
        left = others
    return done


def clear() -> None:
    """Give back memory that is no longer used, a GPU's too."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
