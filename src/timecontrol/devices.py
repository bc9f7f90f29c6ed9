"""Where numbers are computed and how finely: the meaning of ``--device`` and ``--dtype``."""

import torch

from timecontrol.errors import TimeControlError, pick

DTYPES = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


def choose_device(name: str = "auto") -> torch.device:
    """Return the device called ``name``; ``auto`` is a GPU where there is one, else the CPU."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    allowed = "auto, cpu, cuda, cuda:N, mps"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise TimeControlError(f"No device named {name!r}: {allowed}.") from None
    found = {
        "cpu": 1,
        "cuda": torch.cuda.device_count(),
        "mps": int(torch.backends.mps.is_available()),
    }
    if device.type not in found:
        raise TimeControlError(f"No device named {name!r}: {allowed}.")
    if (device.index or 0) >= found[device.type]:
        raise TimeControlError(
            f"This machine has no device {name!r} ({found['cuda']} CUDA devices): use {allowed}."
        )
    return device


def choose_dtype(name: str, device: torch.device) -> torch.dtype:
    """Return the precision called ``name``; ``auto`` is bfloat16 on a CUDA GPU, else float32."""
    if name == "auto":
        return torch.bfloat16 if device.type == "cuda" else torch.float32
    return pick(DTYPES, name, "dtype")
