"""A name to a tokenizer or a model.

A name is, in this order: a local folder; a base we know (``minilm``, ``smollm2-135m``, ``gpt2``),
from its packages or from the hub; any other hub id. transformers is imported on use, not before.
"""

import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from timecontrol.bases.known import BASES, BY_HUB, Base
from timecontrol.bases.packages import folder_of, missing
from timecontrol.errors import MissingBaseError, TimeControlError, brief, unknown

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "spiece.model",
    "vocab.json",
    "vocab.txt",
)
"""A folder without any of these has no tokenizer."""


@dataclass(frozen=True)
class Place:
    """Where a base is loaded from."""

    source: str
    """A folder, or a hub id."""
    base: Base | None
    """What is known of it, where it is known."""

    @property
    def label(self) -> str:
        """How the base is called in results."""
        if self.base is None:
            return self.source
        name = self.base.hub.split("/")[-1]
        return f"{name}, {self.base.precision}" if self.base.precision else name


def resolve(name: str) -> Place:
    """Return where the base called ``name`` is loaded from.

    Raises:
        MissingBaseError: It is known, its weights come as packages, and they are not installed.
        TimeControlError: It is neither a folder nor known nor like a hub id.
    """
    if name and Path(name).is_dir():
        return Place(str(Path(name)), None)
    base = BASES.get(name) or BY_HUB.get(name)
    if base is not None and base.packages:
        try:
            return Place(str(folder_of(base)), base)
        except MissingBaseError:
            if name == base.name:  # the hub id itself may be fetched from the hub
                raise
    if hub := _hub_id(name, base):
        return Place(hub, base)
    raise TimeControlError(
        unknown(name, BASES, "base") + " A folder or a hub id (owner/name) can be given too."
    )


def is_here(name: str) -> bool:
    """Return whether a base is on this machine: a folder, installed packages, the hub's cache.

    Nothing is loaded or converted for that.
    """
    if name and Path(name).is_dir():
        return True
    base = BASES.get(name) or BY_HUB.get(name)
    if base is not None and base.packages and not missing(base):
        return True
    from huggingface_hub import try_to_load_from_cache

    hub = _hub_id(name, base)
    return bool(hub) and isinstance(try_to_load_from_cache(hub, "config.json"), str)


def can_be_had(name: str) -> bool:
    """Return whether a base is on this machine, or may be fetched from a hub that answers."""
    hub = _hub_id(name, BASES.get(name) or BY_HUB.get(name))
    return is_here(name) or (bool(hub) and _hub_answers())


def _hub_id(name: str, base: Base | None) -> str:
    """Return where on the hub a name is looked for; empty: nowhere."""
    if base is not None:
        return base.hub if not base.packages or name == base.hub else ""
    return name if name.count("/") == 1 and not name.startswith((".", "/", "~")) else ""


def load_tokenizer(name: str) -> "PreTrainedTokenizerBase":
    """Return the tokenizer of a base, or of a folder that holds only a tokenizer.

    Its begin, end and padding tokens are set, never left to what a file happens to say.
    """
    place = resolve(name)
    folder = Path(place.source)
    if folder.is_dir() and not any((folder / file).is_file() for file in TOKENIZER_FILES):
        raise TimeControlError(f"{folder} holds no usable base: no tokenizer files")
    tokenizer = _bare_bpe(place.source) or _load("AutoTokenizer", place)
    if not tokenizer.is_fast:
        raise TimeControlError(f"{name!r} has no fast tokenizer (tokenizer.json)")
    if len(tokenizer) <= len(tokenizer.all_special_ids):  # transformers makes an empty one
        raise TimeControlError(f"{place.source} holds no usable base: an empty tokenizer")
    return set_ends(tokenizer, place.base)


def load_causal(name: str, **options: Any) -> "PreTrainedModel":
    """Return a base as a causal language model in evaluation mode."""
    return _model("AutoModelForCausalLM", name, options)


def load_encoder(name: str, **options: Any) -> "PreTrainedModel":
    """Return a base without its language-model head, for hidden states, in evaluation mode."""
    return _model("AutoModel", name, options)


def set_ends(
    tokenizer: "PreTrainedTokenizerBase", base: Base | None = None
) -> "PreTrainedTokenizerBase":
    """Set the begin, end and padding tokens of a tokenizer explicitly, and return it.

    Known bases say which; else the tokenizer's own, with one standing in for a missing other.
    """
    known = base or Base("", "", "decoder", "", "")
    end = known.end or tokenizer.eos_token or tokenizer.sep_token or tokenizer.bos_token
    begin = known.begin or tokenizer.bos_token or tokenizer.cls_token or end
    if end is None or begin is None:
        raise TimeControlError(
            f"The tokenizer of {tokenizer.name_or_path!r} has no begin or end token."
        )
    tokenizer.eos_token = end
    tokenizer.bos_token = begin
    tokenizer.pad_token = known.pad or tokenizer.pad_token or end
    return tokenizer


def align_ends(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> None:
    """Give a model the begin, end and padding ids of its tokenizer, wherever it keeps them."""
    for config in (model.config, getattr(model, "generation_config", None)):
        if config is not None:
            config.bos_token_id = tokenizer.bos_token_id
            config.eos_token_id = tokenizer.eos_token_id
            config.pad_token_id = tokenizer.pad_token_id


def _model(auto: str, name: str, options: dict[str, Any]) -> "PreTrainedModel":
    model: Any = _load(auto, resolve(name), **options)
    model.eval()
    return cast("PreTrainedModel", model)


def _bare_bpe(source: str) -> Any:
    """Return the GPT-2 tokenizer of a folder that holds just vocab.json and merges.txt."""
    folder = Path(source)
    others = ("tokenizer.json", "config.json", "tokenizer_config.json")
    if any((folder / name).exists() for name in others):
        return None
    vocabulary, merges = folder / "vocab.json", folder / "merges.txt"
    if not (vocabulary.is_file() and merges.is_file()):
        return None
    from transformers import GPT2Tokenizer

    try:
        return GPT2Tokenizer(vocab=str(vocabulary), merges=str(merges), name_or_path=source)
    except Exception as error:  # the tokenizers library raises no narrower one
        raise TimeControlError(f"{source} holds no usable tokenizer: {brief(error)}") from None


def _load(auto: str, place: Place, **options: Any) -> Any:
    """Load from a folder or the hub's local cache, and only then from the hub itself."""
    import transformers

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    load = getattr(transformers, auto).from_pretrained
    options = {"trust_remote_code": False, **options}
    try:
        return load(place.source, local_files_only=True, **options)
    except Exception as error:  # a bad file makes it raise almost anything
        if Path(place.source).is_dir():
            reason = f"{place.source} holds no usable base: {brief(error)}"
            raise TimeControlError(reason) from None
    what_next = "Give a folder, or see  timecontrol bases"
    if not _hub_answers():
        raise MissingBaseError(
            f"{place.source!r} is not on this machine, and the model hub cannot be reached. "
            f"{what_next}"
        )
    try:
        return load(place.source, **options)
    except Exception as error:
        raise MissingBaseError(
            f"{place.source!r} cannot be had from the model hub: {brief(error)}. {what_next}"
        ) from None


def _hub_answers() -> bool:
    """Return whether the hub can be reached; asking it for a file would retry for a minute."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        urllib.request.urlopen(constants.ENDPOINT, timeout=5).close()
    except urllib.error.HTTPError:
        return True  # it answered
    except (OSError, ValueError):  # nobody there, or an address that is none
        return False
    return True
