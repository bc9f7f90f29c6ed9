"""Run folders and exported models on a model hub: put there, and taken from there.

``hub:OWNER/NAME``, or ``hub:OWNER/NAME@REVISION``, stands for a run folder wherever one may be
named. Only data goes either way: JSON, safetensors, and text; nothing that could run, and nothing
of a training that is still going on.
"""

import re
from pathlib import Path
from typing import Any

from timecontrol.errors import TimeControlError
from timecontrol.runs import is_finished

MARK = "hub:"
"""What a name begins with that is looked for on the hub."""
DATA = ["*.json", "*.jinja", "*.md", "*.model", "*.safetensors", "*.txt"]
"""Files that travel."""
OWN = ["checkpoint*", "*/checkpoint*", "test-evaluations.jsonl", ".*"]
"""Files that stay: of a training that goes on, and of this machine."""
REPO = re.compile(r"[\w][\w.-]*/[\w][\w.-]*")
MODEL = ("modules.json", "config_sentence_transformers.json", "tokenizer_config.json")
"""Files of which an exported model has one."""


def push(folder: Path, repo: str, private: bool = False) -> str:
    """Put a run folder, or an exported model, on the hub; return its address.

    What the hub has of an earlier version is replaced file by file; its history is kept there.

    Args:
        folder: What ``train`` or ``export`` wrote.
        repo: OWNER/NAME; it is made where there is none.
        private: Whether only its owner may see a repository that is made.

    Raises:
        TimeControlError: The folder is none of these, or the hub cannot be reached, or refuses.
    """
    if REPO.fullmatch(repo) is None:
        raise TimeControlError(f"{repo!r} is no name of a repository: OWNER/NAME, as anna/towns.")
    if not folder.is_dir():
        raise TimeControlError(f"{folder} is no folder: name a run folder, or what export wrote.")
    if not is_finished(folder) and not any((folder / name).is_file() for name in MODEL):
        raise TimeControlError(
            f"{folder} holds neither a finished run nor an exported model: name what "
            "timecontrol train or timecontrol export wrote."
        )
    from huggingface_hub import HfApi

    api = HfApi(library_name="time-control")

    def work() -> str:
        made = api.create_repo(repo, private=private, exist_ok=True)
        api.upload_folder(
            repo_id=made.repo_id,
            folder_path=folder,
            allow_patterns=DATA,
            ignore_patterns=OWN,
            commit_message="Upload with time-control",
        )
        return str(made.url)

    return str(_tried(work, f"{folder} could not be put on the hub as {repo}"))


def located(name: Path | str) -> Path | str:
    """Return a name as it is, or, if it is one of the hub, the folder in which it now lies.

    Raises:
        TimeControlError: There is no such repository, or the hub cannot be reached.
    """
    if not str(name).startswith(MARK):
        return name
    repo, _, revision = str(name).removeprefix(MARK).partition("@")
    if REPO.fullmatch(repo) is None:
        raise TimeControlError(f"{name} is no name on the hub: {MARK}OWNER/NAME.")
    from huggingface_hub import snapshot_download

    def work() -> str:
        return snapshot_download(repo, revision=revision or None, allow_patterns=DATA)

    return Path(str(_tried(work, f"{name} could not be taken from the hub")))


def _tried(work: Any, failed: str) -> Any:
    """Return what work gives; what goes wrong on the way to a hub is said in one line."""
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        LocalTokenNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
    )

    try:
        return work()
    except RepositoryNotFoundError:
        raise TimeControlError(
            f"{failed}: there is no such repository, or it is private: hf auth login."
        ) from None
    except HFValidationError:
        raise TimeControlError(f"{failed}: a hub has no such names.") from None
    except LocalTokenNotFoundError:
        raise TimeControlError(f"{failed}: nobody is logged in here: hf auth login.") from None
    except OfflineModeIsEnabled:
        raise TimeControlError(f"{failed}: HF_HUB_OFFLINE is set.") from None
    except HfHubHTTPError as error:
        code = getattr(error.response, "status_code", None)
        if code in (401, 403):
            raise TimeControlError(
                f"{failed}: the hub does not allow it ({code}): hf auth login."
            ) from None
        raise TimeControlError(f"{failed}: the hub answers {code}.") from None
    except (LocalEntryNotFoundError, OSError) as error:
        reason = "" if isinstance(error, LocalEntryNotFoundError) else f" ({type(error).__name__})"
        raise TimeControlError(f"{failed}: the hub cannot be reached{reason}.") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("httpx", "httpcore", "requests"):
            raise
        raise TimeControlError(
            f"{failed}: the hub cannot be reached ({type(error).__name__})."
        ) from None
