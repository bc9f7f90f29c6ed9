"""The encoder: a frozen base by name, a trained head, and what is known of the paths it gives.

A run folder keeps the head (a few hundred kB), not the base: its name and checksum.

    config.json        format, settings, base, corpus, versions
    head.safetensors   weights and standardisations
    fit.json           end points, mean path and noise of the training documents
    coherence.safetensors   how they flow: what a document is judged by
    metrics.json       numbers of every epoch; the diagnostics of the validation documents
    README.md          the model card
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from timecontrol.bases import load_causal, load_tokenizer, resolve
from timecontrol.bases.checksum import checksum
from timecontrol.coherence import Coherence
from timecontrol.coherence import Ragged as Layout
from timecontrol.corpora import Corpus, Document, open_corpus
from timecontrol.encoder.card import card
from timecontrol.encoder.documents import Chosen, choose_from, texts_of
from timecontrol.encoder.folder import (
    CARD,
    CHECKPOINT,
    COHERENCE,
    FIT,
    HEAD,
    METRICS,
    make_ready,
    refuse_others,
)
from timecontrol.encoder.head import Head
from timecontrol.encoder.losses import Sentences
from timecontrol.encoder.provenance import provenance
from timecontrol.encoder.reconstruction import Reconstruction, TextModel, small_model
from timecontrol.encoder.settings import Settings, preset
from timecontrol.encoder.training import Outcome, train
from timecontrol.errors import TimeControlError, brief
from timecontrol.features import Reader, features_of, open_base
from timecontrol.features.batches import Ragged
from timecontrol.features.extract import extract
from timecontrol.latents import Fit, Paths, diagnose, fit_paths
from timecontrol.progress import Progress, silent
from timecontrol.runs import (
    CONFIG,
    FORMAT,
    is_finished,
    read_config,
    read_tensors,
    write_json,
    write_tensors,
    write_text,
)

ALGORITHM = 2
"""Goes up when the same settings would end in other weights: an old checkpoint is then refused."""
ROWS = 65536
"""Features that go through the head at once."""


@dataclass(repr=False)
class Encoder:
    """Sentences to latents."""

    head: Head
    settings: Settings
    config: dict[str, Any]
    """What ``config.json`` holds."""
    fit_: Fit
    """The paths of the training documents in numbers."""
    coherence: Coherence
    """How the training documents flow."""
    metrics: dict[str, Any]
    reader: Reader | None = None
    """The base, once it is loaded."""
    device: str = "auto"
    dtype: str = "auto"

    def __repr__(self) -> str:
        how, base = self.settings, self.config["base"]["label"]
        corpus = self.config["corpus"]["name"]
        return f"Encoder({how.objective}, d = {how.latent_dim}, base {base}, trained on {corpus})"

    @classmethod
    def fit(
        cls,
        corpus: Corpus | str,
        *,
        base: str = "minilm",
        settings: Settings | None = None,
        out: Path | str | None = None,
        overwrite: bool = False,
        device: str = "auto",
        dtype: str = "auto",
        progress: Progress = silent,
        **changes: Any,
    ) -> "Encoder":
        """Train an encoder on a corpus.

        Args:
            corpus: A corpus, or ``NAME:PATH``.
            base: The frozen base: a known name, a folder or a hub id.
            settings: How to train; the preset ``best`` otherwise.
            out: A run folder. With one, interrupted training is gone on with, and a finished run
                of the same data and settings is opened instead of trained again.
            overwrite: Whether another run in that folder may be replaced.
            device: ``auto``, ``cpu``, ``cuda``, ``cuda:N``, ``mps``.
            dtype: Of the base: ``auto``, ``float32``, ``bfloat16``, ``float16``.
            progress: Shows how far it is.
            **changes: Settings that differ, by name: ``latent_dim=16``.
        """
        folder = None if out is None else Path(out)
        if folder is not None and (overwrite or not is_finished(folder)):
            refuse_others(folder)  # before any work
        if isinstance(corpus, str):
            corpus = open_corpus(corpus)
        settings = preset("best", **changes) if settings is None else replace(settings, **changes)
        chosen = choose_from(corpus)
        reader = open_base(base, settings.pooling, device, dtype)
        identity = _identity(settings, reader, chosen)
        if folder is not None and make_ready(folder, identity, overwrite):
            (folder / CHECKPOINT).unlink(missing_ok=True)
            return cls.load(folder, device=device, dtype=dtype)
        config = {
            "format": FORMAT,
            "kind": "encoder",
            "identity": identity,
            "settings": settings.as_dict(),
            "base": _about_base(reader),
            "corpus": _about_corpus(corpus, chosen),
            "made_with": provenance(reader.device),
        }
        try:
            encoder = cls._train(chosen, reader, settings, config, folder, progress)
        except TimeControlError:
            if folder is not None and not any(folder.iterdir()):
                folder.rmdir()  # nothing came of it
            raise
        encoder.device, encoder.dtype = device, dtype
        if folder is not None:
            encoder.save(folder)
            (folder / CHECKPOINT).unlink(missing_ok=True)
        return encoder

    @classmethod
    def _train(
        cls,
        chosen: Chosen,
        reader: Reader,
        settings: Settings,
        config: dict[str, Any],
        folder: Path | None,
        progress: Progress,
    ) -> "Encoder":
        texts = [texts_of(part, settings.tags) for part in chosen.both]
        found = [_features(part, settings.tags, reader, progress) for part in chosen.both]
        features = torch.from_numpy(np.concatenate(found))
        lengths = [len(d.sentences) for d in (*chosen.train, *chosen.val)]
        reconstruction = None
        if settings.objective == "vae":
            whole = [text for part in texts for text in part]

            def reconstruction() -> Reconstruction:
                return text_model(settings, reader.name, whole)

        outcome = train(
            Sentences.of(features, lengths),
            len(texts[0]),
            settings,
            reconstruction=reconstruction,
            checkpoint=folder / CHECKPOINT if folder else None,
            identity=config["identity"],
            device=reader.device,
            progress=progress,
        )
        with torch.no_grad():
            latents = outcome.head(features).numpy()
        n = len(texts[0])
        fit = fit_paths(Paths.of(chosen.train, latents[:n]).long_enough())
        held = Paths.of(chosen.val, latents[n:]).long_enough()
        metrics = _metrics(outcome, settings)
        if held:
            metrics["validation"] = diagnose(held, fit).as_dict()
        layout = Layout.of(lengths[: len(chosen.train)])
        rows = features[:n].numpy()
        coherence = Coherence.fit(rows, latents[:n], layout, settings.learned)
        return cls(outcome.head, settings, config, fit, coherence, metrics, reader)

    @property
    def latent_dim(self) -> int:
        """The number of coordinates of a latent."""
        return self.head.latent_dim

    def open(self) -> Reader:
        """Load the base, and refuse one with other weights than the head was trained on."""
        if self.reader is None:
            about = self.config["base"]
            name = about["name"]
            reader = open_base(name, self.settings.pooling, self.device, self.dtype)
            if reader.checksum != about["checksum"]:
                raise TimeControlError(
                    f"The base {name!r} is not the one this encoder was trained on (checksum "
                    f"{reader.checksum[:12]}..., wanted {about['checksum'][:12]}...)."
                )
            self.reader = reader
        return self.reader

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """Return the latents of sentences, (n, d)."""
        if isinstance(sentences, str):
            raise TimeControlError("encode takes a list of sentences, not one text: [sentence].")
        return self.latents(extract(self.open(), sentences))

    @torch.no_grad()
    def latents(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the latents of features, (n, D) to (n, d)."""
        parts = [features[start : start + ROWS] for start in range(0, len(features), ROWS)]
        found = [self.head(torch.from_numpy(np.array(part))).numpy() for part in parts]
        return np.concatenate([np.empty((0, self.latent_dim), np.float32), *found])

    def paths(self, documents: Iterable[Document], progress: Progress = silent) -> Paths:
        """Return the paths of documents; their features are kept for the next time."""
        documents = list(documents)
        parts = {}
        for file in {(d.part, d.split): None for d in documents}:  # a file of features each
            some = [d for d in documents if (d.part, d.split) == file]
            texts = texts_of(some, self.settings.tags)
            if texts:
                found = features_of(texts, self.open(), progress)
                parts[file] = iter(Paths.of(some, self.latents(found.table)[found.row]))
        whole = [next(parts[d.part, d.split]) for d in documents if (d.part, d.split) in parts]
        empty = np.empty((0, self.latent_dim))
        return Paths.of(documents, np.concatenate([empty, *whole]).astype(np.float32))

    def save(self, folder: Path | str) -> None:
        """Write a run folder; ``config.json`` last, so that a folder with one is whole."""
        place = Path(folder)
        if not is_finished(place):
            refuse_others(place)
        place.mkdir(parents=True, exist_ok=True)
        write_tensors(place / HEAD, self.head.state_dict())
        write_json(place / FIT, self.fit_.as_dict())
        flow = {k: torch.from_numpy(v) for k, v in self.coherence.tensors().items()}
        write_tensors(place / COHERENCE, flow)
        write_json(place / METRICS, self.metrics)
        write_text(place / CARD, card(self.config, self.metrics))
        write_json(place / CONFIG, self.config)

    @classmethod
    def load(cls, folder: Path | str, device: str = "auto", dtype: str = "auto") -> "Encoder":
        """Open a run folder; the base is loaded on first use.

        Raises:
            TimeControlError: It holds no finished encoder, or a damaged one.
        """
        place = Path(folder)
        config = read_config(place, "encoder")
        for name in (HEAD, FIT, COHERENCE, METRICS):
            if not (place / name).is_file():
                earlier = " (made by an earlier version? train it again)" * (name == COHERENCE)
                raise TimeControlError(f"{place} is damaged: no {name} in it{earlier}.")
        try:
            settings = Settings.from_dict(config["settings"])
            tensors, _ = read_tensors(place / HEAD)
            fit = Fit.from_dict(json.loads((place / FIT).read_text(encoding="utf-8")))
            coherence = Coherence.from_tensors(read_tensors(place / COHERENCE)[0])
            metrics = json.loads((place / METRICS).read_text(encoding="utf-8"))
            s = settings
            dim = len(tensors["feature_mean"])
            head = Head(dim, s.latent_dim, s.hidden, s.biases, s.first_relu)
            head.load_state_dict(tensors)
        except (KeyError, ValueError, TypeError, AttributeError, RuntimeError) as error:
            reason = brief(error)
            raise TimeControlError(f"{place} is damaged: {reason}") from None
        head.requires_grad_(False).eval()
        return cls(head, settings, config, fit, coherence, metrics, None, device, dtype)


def _features(
    documents: Sequence[Document], tags: bool, reader: Reader, progress: Progress
) -> NDArray[np.float32]:
    """Return the features of all sentences, (n, D); each corpus of a mixture has its own file."""
    whole = [np.empty((0, reader.dim), np.float32)]
    for _, part in groupby(documents, key=lambda d: d.part):
        if texts := texts_of(list(part), tags):
            whole.append(features_of(texts, reader, progress)[:])
    return np.concatenate(whole)


def text_model(settings: Settings, base: str, texts: Sequence[str]) -> TextModel:
    """Return the language model of a VAE over the given sentences.

    The small one has the base's tokenizer, but only those of its tokens that occur.
    """
    small = settings.lm == "small"
    tokenizer: Any = load_tokenizer(base if small else settings.lm)
    begin, end, pad = tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id
    cut = {"truncation": True, "max_length": settings.lm_tokens}
    rows = tokenizer(list(texts), add_special_tokens=False, **cut)["input_ids"]
    rows = [[begin, *row, end] for row in rows]
    if not small:
        model = load_causal(settings.lm, dtype=torch.float32)
        return TextModel(model, Ragged(rows), settings.latent_dim, pad)
    number = {old: new for new, old in enumerate(sorted({pad, *(i for r in rows for i in r)}))}
    model = small_model(len(number), settings.lm_tokens + 2, settings.seed)
    tokens = Ragged([[number[i] for i in row] for row in rows])
    return TextModel(model, tokens, settings.latent_dim, number[pad])


def _identity(settings: Settings, reader: Reader, chosen: Chosen) -> str:
    """Return a hash of all that decides the weights."""
    lm = settings.lm if settings.objective == "vae" else "small"
    parts = [
        str(ALGORITHM),
        json.dumps(settings.as_dict(), sort_keys=True),
        reader.checksum,
        "" if lm == "small" else checksum(lm),
        f"{reader.dtype} {reader.device.type} {reader.most_tokens}",
        chosen.digest,
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _about_base(reader: Reader) -> dict[str, Any]:
    place = resolve(reader.name)
    return {
        "name": reader.name,
        "label": reader.label,
        "hub": place.base.hub if place.base else None,
        "licence": place.base.licence if place.base else None,
        "checksum": reader.checksum,
        "dim": reader.dim,
        "dtype": str(reader.dtype).removeprefix("torch."),
        "most_tokens": reader.most_tokens,
    }


def _about_corpus(corpus: Corpus, chosen: Chosen) -> dict[str, Any]:
    return {
        "name": corpus.name,
        "splits_by": corpus.split_by,
        "documents": {"train": len(chosen.train), "val": len(chosen.val)},
        "sentences": {
            "train": sum(len(d.sentences) for d in chosen.train),
            "val": sum(len(d.sentences) for d in chosen.val),
        },
        "digest": chosen.digest,
        "notes": [*corpus.notes, *chosen.notes],
    }


def _metrics(outcome: Outcome, settings: Settings) -> dict[str, Any]:
    best = outcome.history[outcome.best_epoch - 1]
    return {
        "best_epoch": outcome.best_epoch,
        "epochs": len(outcome.history),
        "batch": settings.batch,
        "seconds": round(outcome.seconds, 2),
        "best": best,
        "history": outcome.history,
    }
