"""What a base is, as a number: the SHA-256 of its weight files, configuration and tokenizer.

The same for a folder, for packages and for the hub's local cache, so that a result can be tied to
the very weights it was made with. A base that comes as a GGUF file is what that file is: how it is
written down after its conversion may differ between versions of transformers.
"""

import hashlib
import json
from pathlib import Path

from timecontrol.bases.load import resolve
from timecontrol.bases.packages import digest
from timecontrol.errors import TimeControlError

WEIGHT_FILES = ("*.safetensors", "pytorch_model*.bin", "*.gguf")
"""In the order transformers looks for them; only the first kind found counts."""
UNIMPORTANT = {"transformers_version", "_name_or_path", "dtype", "torch_dtype", "use_cache"}
"""Keys of ``config.json`` that change nothing a base computes."""
TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "merges.txt", "vocab.txt")


def checksum(name: str) -> str:
    """Return the checksum of a base that is on this machine."""
    base = resolve(name).base
    if base is not None and base.file.endswith(".gguf") and base.packages:
        return hashlib.sha256(f"gguf:{base.sha256}".encode()).hexdigest()
    folder = folder_on_disk(name)
    weights: list[Path] = next((f for p in WEIGHT_FILES if (f := sorted(folder.glob(p)))), [])
    if not weights:
        raise TimeControlError(f"{folder} holds no weights: {', '.join(WEIGHT_FILES)}")
    texts = [folder / file for file in TOKENIZER_FILES if (folder / file).is_file()]
    sums = [f"{f.name}:{digest(f)}" for f in [*weights, *texts]]
    if (config := folder / "config.json").is_file():
        said = json.loads(config.read_text(encoding="utf-8"))
        kept = {name: said[name] for name in sorted(said) if name not in UNIMPORTANT}
        sums.append(json.dumps(kept, sort_keys=True))
    return hashlib.sha256("\n".join(sums).encode()).hexdigest()


def folder_on_disk(name: str) -> Path:
    """Return the folder a base's files lie in, for a hub id the local cache's."""
    source = resolve(name).source
    if Path(source).is_dir():
        return Path(source)
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(source, "config.json")
    if not isinstance(found, str):
        raise TimeControlError(f"{name!r} is not in the hub's local cache: load it first.")
    return Path(found).parent
