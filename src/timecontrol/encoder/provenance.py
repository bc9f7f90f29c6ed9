"""What a run was made with: versions and device, so that a number can be traced."""

import platform
from importlib import metadata
from typing import Any

import torch

from timecontrol import __version__

PACKAGES = ("torch", "transformers", "tokenizers", "numpy")


def provenance(device: torch.device) -> dict[str, Any]:
    """Return versions and device as plain data; no names of users, machines or folders."""
    gpu = torch.cuda.get_device_name(device) if device.type == "cuda" else None
    return {
        "timecontrol": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in PACKAGES},
        "system": platform.system(),
        "device": gpu or device.type,
        "threads": torch.get_num_threads(),
    }
