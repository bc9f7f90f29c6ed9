"""Encoders, decoders and texts of a reproduction, each made once and used by all that need it.

Everything lies in one folder and can be made by several processes at once: who finds a thing locked
waits for it (what it needs) or takes another (what it was asked for).
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from timecontrol.bases import resolve
from timecontrol.bases.checksum import checksum
from timecontrol.corpora import Corpus, Document, open_corpus
from timecontrol.decoder import Decoder
from timecontrol.decoder import preset as decoder_preset
from timecontrol.decoder.settings import Settings as DecoderSettings
from timecontrol.encoder import Encoder
from timecontrol.encoder import preset as encoder_preset
from timecontrol.encoder.documents import Chosen, choose_from
from timecontrol.encoder.settings import Settings as EncoderSettings
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.material import held_out
from timecontrol.experiments.ways import kept_as
from timecontrol.generation import write
from timecontrol.generation.request import default_writing, plans_for
from timecontrol.pretrained import decoder_folder
from timecontrol.reproduction.given import config_of, name_of
from timecontrol.reproduction.records import identity
from timecontrol.reproduction.scales import TINY, Scale, Stand
from timecontrol.reproduction.tiny import tiny_base
from timecontrol.reproduction.works import DECODERS, OBJECTIVES, Work

JUDGE = 1
"""The seed of the encoder that sees whether texts go along their plans."""


class Busy(Exception):
    """Another process is at it."""


@dataclass
class Workshop:
    """Where things are made."""

    scale: Scale
    folder: Path
    place: Place
    batch: int = 64
    """Documents that are written at once."""
    compiled: bool = False
    """Whether layers are compiled before they are captured, on a GPU."""
    given: Mapping[str, str] = field(default_factory=dict)
    """Decoders that are there already, by ``DATASET/ROW`` (``given.py``)."""
    corpora: dict[str, Corpus] = field(default_factory=dict)
    chosen: dict[str, Chosen] = field(default_factory=dict)
    tested: dict[str, list[Document]] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)

    def corpus(self, stand: Stand) -> Corpus:
        """Return a corpus, opened once."""
        if stand.spec not in self.corpora:
            self.corpora[stand.spec] = open_corpus(stand.spec)
        return self.corpora[stand.spec]

    def training(self, stand: Stand) -> Chosen:
        """Return the training and validation documents of a corpus."""
        if stand.spec not in self.chosen:
            self.chosen[stand.spec] = choose_from(self.corpus(stand))
        return self.chosen[stand.spec]

    def test(self, stand: Stand) -> list[Document]:
        """Return the held-out documents of a corpus."""
        if stand.spec not in self.tested:
            self.tested[stand.spec] = held_out(self.corpus(stand), "test", self.scale.most)
        return self.tested[stand.spec]

    def data(self, stand: Stand, test: bool) -> str:
        """Return a hash of the documents of a corpus: for training, and those held out."""
        parts = [self.training(stand).digest]
        if test:
            parts.append(digest(self.test(stand)))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def base(self, name: str) -> str:
        """Return a base by the name that the rest of the package knows."""
        return self.tiny if name == TINY else name

    @cached_property
    def tiny(self) -> str:
        """The folder of the base that is made on the spot."""
        return tiny_base()

    def sum(self, name: str) -> str:
        """Return the checksum of a base."""
        if name not in self.sums:
            self.sums[name] = checksum(self.base(name))
        return self.sums[name]

    def encoder_settings(self, work: Work) -> EncoderSettings:
        """Return how the encoder of a work is trained."""
        objective = OBJECTIVES[work.method]
        own = {**self.scale.encoder, **(self.scale.vae if objective == "vae" else {})}
        return encoder_preset(
            work.preset,
            **own,
            objective=objective,
            latent_dim=work.latent_dim,
            seed=work.seed,
            distance=work.distance,
        )

    def decoder_settings(self, work: Work, stand: Stand) -> DecoderSettings:
        """Return how the decoder of a work is trained."""
        own: dict[str, Any] = {"window": self.scale.window, **self.scale.decoder}
        if work.preset == "best":
            own = {"epochs": stand.epochs, **own}
        method = DECODERS.get(work.method, "planned")
        return decoder_preset(work.preset, **own, method=method, seed=work.seed)

    def given_for(self, work: Work, stand: Stand) -> dict[str, Any] | None:
        """Return the configuration of the decoder that was given for a work, where one was."""
        if name_of(work, self.given) is None:
            return None
        return config_of(work, self.given, self.training(stand).digest)

    def planner(self, work: Work, stand: Stand) -> Encoder:
        """Return the encoder that plans for the decoder of a work."""
        if self.given_for(work, stand) is None:
            return Encoder.load(self.encoder(work, stand), self.place.device, self.place.dtype)
        found = Decoder.load(self.decoder(work, stand), self.place.device).encoder
        assert found is not None
        return found

    def label(self, stand: Stand) -> str:
        """Return what a corpus is called in results, with how much there was to train on."""
        return f"{stand.label} ({len(self.training(stand).train):,} training documents)"

    def called(self, base: str) -> str:
        """Return what a base is called in results."""
        return "random weights" if base == TINY else resolve(base).label

    def weights(self, work: Work, stand: Stand) -> str:
        """Return a hash of the weights of the decoder of a work."""
        found = hashlib.sha256()
        for file in sorted(self.decoder_folder(work, stand).rglob("*.safetensors")):
            found.update(file.name.encode() + file.read_bytes())
        return found.hexdigest()

    def encoder(self, work: Work, stand: Stand) -> Path:
        """Return the run folder of the encoder of a work; it is trained where it is missing."""
        told = f"{work.row}-{work.preset}-{work.seed}"
        if work.distance:
            told += f"-distance-{work.distance}"
        return self._encoder(told, stand, self.encoder_settings(work), self.scale.encoder_base)

    def judge(self, work: Work, stand: Stand) -> Path:
        """Return the encoder that judges a work's texts: of another base and seed, d = 16."""
        settings = self.judge_settings(work)
        return self._encoder(f"judge-{settings.seed}", stand, settings, self.scale.judge_base)

    def judge_settings(self, work: Work) -> EncoderSettings:
        """Return how that encoder is trained."""
        seed = JUDGE if work.seed != JUDGE else JUDGE + 1
        own = {k: v for k, v in self.scale.encoder.items() if k != "latent_dim"}
        return encoder_preset("best", **own, latent_dim=max(self.scale.dims[:2]), seed=seed)

    def _encoder(self, told: str, stand: Stand, settings: EncoderSettings, base: str) -> Path:
        recipe = {"base": self.sum(base), **settings.as_dict()}
        folder = self._folder("encoders", stand, told, recipe)
        with held(folder, wait=True):
            Encoder.fit(
                self.corpus(stand),
                base=self.base(base),
                settings=settings,
                out=folder,
                device=self.place.device,
                dtype=self.place.dtype,
                progress=self.place.progress,
            )
        return folder

    def decoder(self, work: Work, stand: Stand) -> Path:
        """Return the run folder of the decoder of a work; it is trained where it is missing.

        Raises:
            Busy: Another process trains it.
        """
        folder = self.decoder_folder(work, stand)
        if self.given_for(work, stand) is not None:
            return folder
        settings = self.decoder_settings(work, stand)
        with held(folder):
            encoder = self.encoder(replace(work, distance=0), stand) if work.plans else None
            Decoder.fit(
                self.corpus(stand),
                encoder=encoder,
                base=self.base(self.scale.decoder_base),
                settings=settings,
                out=folder,
                device=self.place.device,
                compiled=self.compiled,
                checkpoints=not self.compiled,
                each=False,
                progress=self.place.progress,
            )
        return folder

    def decoder_folder(self, work: Work, stand: Stand) -> Path:
        """Return where the decoder of a work is, or will be."""
        if self.given_for(work, stand) is not None:
            return decoder_folder(self.given[f"{work.dataset}/{work.row}"])
        recipe: dict[str, Any] = {"base": self.sum(self.scale.decoder_base)}
        recipe |= self.decoder_settings(work, stand).as_dict()
        if work.plans:
            recipe["encoder"] = self.encoder_settings(replace(work, distance=0)).as_dict()
            recipe["encoder base"] = self.sum(self.scale.encoder_base)
        told = f"{work.row}-{work.preset}-{work.seed}"
        return self._folder("decoders", stand, told, recipe)

    def texts(self, work: Work, stand: Stand, name: str) -> Path:
        """Return what the decoder of a work writes, as JSON lines, where it is missing anew.

        Args:
            work: What is asked for.
            stand: The corpus.
            name: Of the file: the run's id, so that other settings make another file.
        """
        file = self.folder / "texts" / f"{name}.jsonl"
        if file.is_file():
            return file
        decoder = Decoder.load(self.decoder(work, stand), self.place.device)
        options: dict[str, Any] = {"loop": True} if work.loop else {}
        length = str(self.scale.window) if work.length == "forced" else work.length
        writing = default_writing(decoder, length, **options)
        kind = kind_of(work)
        plans = plans_for(decoder, self.scale.documents, writing, kind=kind, noise=work.noise)
        found = write(decoder, plans, writing, batch=self.batch, progress=self.place.progress)
        kept_as(list(found), file, decoder)
        return file

    def _folder(self, what: str, stand: Stand, told: str, recipe: Mapping[str, Any]) -> Path:
        """Return a folder named in words and by what decides its content."""
        safe = "".join(c if c.isalnum() or c in "-.=" else "_" for c in stand.spec)
        mark = identity({"data": self.data(stand, False), **recipe})[:8]
        return self.folder / what / safe / f"{told}-{mark}"


def kind_of(work: Work) -> str | None:
    """Return the kind of plan of a work; ``None``: the decoder's own."""
    if not work.plan or work.plan == "own":
        return None
    if work.plan == "static" and work.preset == "released":
        return "released-static"
    return work.plan


def digest(documents: list[Document]) -> str:
    """Return a hash of documents: their sentences and tags."""
    found = hashlib.sha256()
    for document in documents:
        read = [(section.tag, section.sentences) for section in document.sections]
        found.update(repr(read).encode("utf-8", "replace"))
    return found.hexdigest()


@contextmanager
def held(folder: Path, wait: bool = False) -> Iterator[None]:
    """Keep other processes away from a folder; where one is at it, wait or raise ``Busy``."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.with_name(f".{folder.name}.lock"))
    try:
        lock.acquire(blocking=wait)
    except Timeout:
        raise Busy(os.fspath(folder)) from None
    try:
        yield
    finally:
        lock.release()
