"""A decoder: a model that follows plans, what it is written with, and what plans are drawn from."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from timecontrol.bases import load_causal, load_tokenizer
from timecontrol.bases.checksum import checksum
from timecontrol.corpora import Corpus, open_corpus
from timecontrol.decoder.card import card
from timecontrol.decoder.estimate import Before
from timecontrol.decoder.examples import has_stages
from timecontrol.decoder.facts import (
    about_base,
    about_corpus,
    about_encoder,
    identity_of,
    layout_dict,
    layout_from,
)
from timecontrol.decoder.fitting import How, fine_tune
from timecontrol.decoder.folder import (
    ADAPTER,
    BRIDGE,
    CARD,
    CHECKPOINTS,
    ENCODER,
    LAW,
    METRICS,
    MODEL,
    clear,
    make_ready,
    refuse_others,
)
from timecontrol.decoder.lora import load_adapter, save_adapter
from timecontrol.decoder.making import codec_of, model_of, positions_of
from timecontrol.decoder.model import PlannedLM
from timecontrol.decoder.settings import Settings, preset
from timecontrol.devices import choose_device, choose_dtype
from timecontrol.encoder import Encoder
from timecontrol.encoder.documents import choose_from
from timecontrol.encoder.provenance import provenance
from timecontrol.errors import TimeControlError, brief
from timecontrol.features.extract import one_gelu
from timecontrol.plans import Law
from timecontrol.plans.missing import Bridge
from timecontrol.pretrained import SHIPPED, decoder_folder, open_encoder
from timecontrol.progress import Progress, silent
from timecontrol.runs import (
    FORMAT,
    is_finished,
    read_config,
    read_tensors,
    write_json,
    write_tensors,
    write_text,
)


@dataclass(repr=False)
class Decoder:
    """A language model that writes one sentence for each point of a plan."""

    model: PlannedLM
    codec: Any
    """A ``tokens.Codec``: how documents are written as tokens."""
    settings: Settings
    config: dict[str, Any]
    """What ``config.json`` holds."""
    law: Law | None
    """What plans are drawn from; ``None`` where there are none."""
    metrics: dict[str, Any]
    encoder: Encoder | None = None
    """The encoder whose latents it follows."""
    bridge: Bridge | None = None
    """Where sentences lie that are missing; older decoders do not know."""
    peft: Any = None
    """The model with its adapters apart, after training with them."""

    @classmethod
    def fit(
        cls,
        corpus: Corpus | str,
        *,
        encoder: Encoder | Path | str | None = None,
        base: str = "smollm2-135m",
        settings: Settings | None = None,
        out: Path | str | None = None,
        overwrite: bool = False,
        device: str = "auto",
        dtype: str = "auto",
        compiled: bool = False,
        captured: bool = True,
        checkpoints: bool = True,
        each: bool = True,
        tensorboard: Path | None = None,
        before: Before | None = None,
        progress: Progress = silent,
        **changes: Any,
    ) -> "Decoder":
        """Fine-tune a language model on a corpus.

        Args:
            corpus: A corpus, or ``NAME:PATH``.
            encoder: The encoder whose latents it shall follow: itself, a run folder, or the name of
                one that comes with the package. Not needed for methods without latents.
            base: The language model: a known name, a folder or a hub id.
            settings: How to train; the preset ``best`` otherwise.
            out: A run folder. With one, interrupted training is gone on with, and a finished run
                of the same data and settings is opened instead of trained again.
            overwrite: Whether another run in that folder may be replaced.
            device: ``auto``, ``cpu``, ``cuda``, ``mps``.
            dtype: ``bfloat16``: computed so, weights stay in float32; ``auto``: on a CUDA GPU.
            compiled: Whether the model is compiled; layer by layer, where they are captured.
            captured: Whether on a CUDA GPU its layers are captured in graphs: batches then all
                have one shape.
            checkpoints: Whether the state is kept in the run folder after each epoch, so that
                training can go on; without, nothing is written before the end.
            each: Whether every epoch is validated, or, where the last is kept, that one alone.
            tensorboard: A folder for TensorBoard's files.
            before: Is told what it will take, before it begins.
            progress: Shows how far it is.
            **changes: Settings that differ, by name: ``lora=16``.
        """
        if isinstance(corpus, str):
            corpus = open_corpus(corpus)
        if settings is None:
            settings = preset("best", **{"batch": 0, **changes})
        else:
            settings = replace(settings, **changes)
        named = encoder if isinstance(encoder, str) and encoder in SHIPPED else None
        if encoder is not None and not isinstance(encoder, Encoder):
            encoder = open_encoder(encoder, device, dtype)
        if settings.method != "planned":
            encoder = None
        elif encoder is None:
            raise TimeControlError(
                "A planned decoder follows the latents of an encoder: give one (--encoder RUN, or "
                f"one of {', '.join(SHIPPED)})."
            )
        place = choose_device(device)
        bf16 = choose_dtype(dtype, place) == torch.bfloat16
        chosen = choose_from(corpus)
        settings = settings.settled(len(chosen.train))
        tokenizer = load_tokenizer(base)
        codec = codec_of(tokenizer, corpus.layout, settings)
        about: dict[str, Any] = {
            "format": FORMAT,
            "kind": "decoder",
            "settings": settings.as_dict(),
            "base": about_base(base),
            "encoder": about_encoder(encoder, named),
            "layout": layout_dict(corpus.layout),
            "corpus": about_corpus(corpus, chosen),
            "made_with": provenance(place),
        }
        about["identity"] = identity_of(about, chosen)
        folder = None if out is None else Path(out)
        if folder is not None and make_ready(folder, about["identity"], overwrite):
            return cls.load(folder, device=device, dtype=dtype)
        try:
            how = How(place, bf16, compiled, captured, checkpoints, tensorboard, each)
            fitted = fine_tune(
                chosen, codec, encoder, settings, about, folder, how, before, progress
            )
        except TimeControlError:
            if folder is not None and not is_finished(folder):
                _leave(folder)
            raise
        found = cls(
            fitted.model,
            codec,
            settings,
            about,
            fitted.law,
            fitted.metrics,
            encoder,
            fitted.bridge,
            fitted.peft,
        )
        if folder is not None:
            found.save(folder)
            shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)
        return found

    def __repr__(self) -> str:
        base, corpus = self.config["base"]["label"], self.config["corpus"]["name"]
        return f"Decoder({self.settings.method}, base {base}, trained on {corpus})"

    @property
    def window(self) -> int:
        """Tokens it was trained on at most."""
        return int(self.config["window"])

    @property
    def positions(self) -> int:
        """Tokens that its base takes at most."""
        return positions_of(self.model.lm)

    def about(self) -> dict[str, Any]:
        """Return what made a text, for its record."""
        config = self.config
        return {
            "identity": config["identity"],
            "method": self.settings.method,
            "preset": self.settings.preset,
            "seed": self.settings.seed,
            "smooth": self.settings.smooth,
            "within": self.within,
            "base": config["base"]["label"],
            "corpus": config["corpus"]["name"],
            "encoder": config["encoder"]["identity"] if config["encoder"] else None,
            "recipe": self.recipe(),
        }

    @property
    def within(self) -> bool:
        """Whether the latents it follows were averaged within stages alone."""
        return self.settings.within and has_stages(self.codec)

    def recipe(self) -> dict[str, Any]:
        """Return all that decides what comes out, but seeds: decoders of one recipe are alike."""
        config = self.config
        found = {k: v for k, v in self.settings.as_dict().items() if k not in ("seed", "preset")}
        encoder = config["encoder"] or {}
        names = ("objective", "loss", "latent_dim", "preset", "base", "corpus")
        found |= {f"encoder {name}": encoder.get(name) for name in names if encoder}
        found["base"] = f"{config['base']['label']} {config['base']['checksum'][:8]}"
        found["corpus"] = f"{config['corpus']['name']} {config['corpus']['digest'][:8]}"
        return found

    def save(self, folder: Path | str) -> None:
        """Write a run folder; ``config.json`` last, so that a folder with one is whole."""
        place = Path(folder)
        if not is_finished(place):
            refuse_others(place)
        elif read_config(place, "decoder").get("identity") != self.config["identity"]:
            clear(place)  # of another run, nothing may be left
        place.mkdir(parents=True, exist_ok=True)
        if self.peft is not None:
            save_adapter(self.peft, place / ADAPTER)
            (place / ADAPTER / "README.md").unlink(missing_ok=True)
        else:
            self.model.save_pretrained(str(place / MODEL))
            self.codec.tokenizer.save_pretrained(str(place / MODEL))
        if self.law is not None:
            tensors = {k: torch.from_numpy(np.array(v)) for k, v in self.law.tensors().items()}
            write_tensors(place / LAW, tensors)
        if self.bridge is not None:
            numbers = {k: torch.from_numpy(np.array(v)) for k, v in self.bridge.tensors().items()}
            write_tensors(place / BRIDGE, numbers)
        if self.encoder is not None and not self.config["encoder"]["shipped"]:
            self.encoder.save(place / ENCODER)
        write_json(place / METRICS, self.metrics)
        write_text(place / CARD, card(self.config, self.metrics))
        write_json(place / "config.json", self.config)

    @classmethod
    def load(cls, name: Path | str, device: str = "auto", dtype: str = "auto") -> "Decoder":
        """Open a run folder, or a decoder that comes with the package.

        Args:
            name: The folder, or the name.
            device: ``auto``, ``cpu``, ``cuda``, ``cuda:N``, ``mps``.
            dtype: Of the weights: ``auto``, ``float32``, ``bfloat16``, ``float16``.

        Raises:
            TimeControlError: It holds no finished decoder, a damaged one, or its base is missing.
        """
        folder = decoder_folder(name)
        config = read_config(folder, "decoder")
        place = choose_device(device)
        precision = choose_dtype(dtype, place)
        try:
            settings = Settings.from_dict(config["settings"])
            layout = layout_from(config["layout"])
            metrics = json.loads((folder / METRICS).read_text(encoding="utf-8"))
            law = None
            if (folder / LAW).is_file():
                tensors, _ = read_tensors(folder / LAW)
                law = Law.from_tensors({k: v.numpy() for k, v in tensors.items()})
            bridge = None
            if (folder / BRIDGE).is_file():
                tensors, _ = read_tensors(folder / BRIDGE)
                bridge = Bridge.from_tensors({k: v.numpy() for k, v in tensors.items()})
            base = config["base"]["name"]
            wanted = config["base"]["checksum"]
            inside = folder / MODEL
        except (KeyError, ValueError, TypeError, AttributeError, OSError) as error:
            reason = brief(error)
            raise TimeControlError(f"{folder} is damaged: {reason}") from None
        if settings.follows and law is None:
            raise TimeControlError(f"{folder} is damaged: no {LAW} in it.")
        if inside.is_dir():
            codec = codec_of(load_tokenizer(str(inside)), layout, settings)
            model: Any = load_causal(str(inside), dtype=precision)
        elif (folder / ADAPTER).is_dir():
            found = checksum(base)
            if found != wanted:
                raise TimeControlError(
                    f"The base {base!r} is not the one this decoder was trained on (checksum "
                    f"{found[:12]}..., wanted {wanted[:12]}...)."
                )
            codec = codec_of(load_tokenizer(base), layout, settings)
            lm = load_causal(base, dtype=torch.float32)
            model = model_of(lm, codec, settings, 0 if law is None else law.dim)
            model = load_adapter(model, folder / ADAPTER)
            model.to(dtype=precision)
        else:
            raise TimeControlError(f"{folder} is damaged: no {MODEL} and no {ADAPTER} in it.")
        if not isinstance(model, PlannedLM):
            raise TimeControlError(f"{folder} is damaged: {MODEL} is no model that follows plans.")
        whole: Any = model
        if place.type == "cuda":
            one_gelu(whole)
        whole.requires_grad_(False).eval().to(place)
        encoder = _encoder(folder, config, device, dtype)
        return cls(model, codec, settings, config, law, metrics, encoder, bridge)


def _encoder(folder: Path, config: dict[str, Any], device: str, dtype: str) -> Encoder | None:
    """Return the encoder of a decoder, its base not loaded yet; refuse another one."""
    about = config.get("encoder")
    if not about:
        return None
    found = open_encoder(about["shipped"] or folder / ENCODER, device, dtype)
    if found.config["identity"] != about["identity"]:
        raise TimeControlError(
            f"{folder}: the encoder there is not the one this decoder was trained with (identity "
            f"{found.config['identity'][:12]}..., wanted {about['identity'][:12]}...)."
        )
    return found


def _leave(folder: Path) -> None:
    """Take back a folder in which nothing came about."""
    inside = folder / CHECKPOINTS
    if inside.is_dir() and not any(p.is_dir() for p in inside.iterdir()):
        shutil.rmtree(inside)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
