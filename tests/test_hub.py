from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub.errors import (
    HfHubHTTPError,
    LocalTokenNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)

from timecontrol import TimeControl
from timecontrol.errors import TimeControlError
from timecontrol.hub import located, push
from timecontrol.pretrained import folder_of


@dataclass
class Made:
    """What a hub says of a repository."""

    repo_id: str
    url: str


@dataclass
class Hub:
    """A hub in memory, by huggingface_hub's own rules for which files are sent."""

    repos: dict[str, dict[str, bytes]] = field(default_factory=dict)
    private: dict[str, bool] = field(default_factory=dict)
    fails: Exception | None = None

    def __call__(self, **about: Any) -> "Hub":
        return self

    def create_repo(self, repo: str, *, private: bool, exist_ok: bool) -> Made:
        if self.fails:
            raise self.fails
        assert exist_ok
        self.repos.setdefault(repo, {})
        self.private[repo] = private
        return Made(repo, f"https://hub.example/{repo}")

    def upload_folder(
        self, *, repo_id: str, folder_path: Path, allow_patterns: list[str],
        ignore_patterns: list[str], commit_message: str,
    ) -> None:  # fmt: skip
        from huggingface_hub.utils._paths import filter_repo_objects

        names = [
            p.relative_to(folder_path).as_posix() for p in folder_path.rglob("*") if p.is_file()
        ]
        for name in filter_repo_objects(
            names, allow_patterns=allow_patterns, ignore_patterns=ignore_patterns
        ):
            self.repos[repo_id][name] = (folder_path / name).read_bytes()

    def snapshot(self, place: Path) -> Any:
        def download(repo: str, *, revision: str | None, allow_patterns: list[str]) -> str:
            if self.fails:
                raise self.fails
            folder = place / repo.replace("/", "--") / (revision or "main")
            for name, data in self.repos[repo].items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
            return str(folder)

        return download


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hub:
    found = Hub()
    monkeypatch.setattr(huggingface_hub, "HfApi", found)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", found.snapshot(tmp_path / "hub"))
    return found


class Answer:
    """What a server answers, as far as errors of the hub need it."""

    def __init__(self, code: int) -> None:
        self.status_code, self.headers, self.request = code, dict[str, str](), None
        self.url = self.text = ""


def test_a_run_goes_there_and_comes_back(hub: Hub, run: Path) -> None:
    assert push(run, "anna/towns", private=True) == "https://hub.example/anna/towns"
    assert hub.private == {"anna/towns": True}
    assert {"config.json", "head.safetensors", "README.md"} <= set(hub.repos["anna/towns"])
    again = located("hub:anna/towns")
    assert folder_of("hub:anna/towns") == again
    own = TimeControl.from_pretrained(run).encoder.config["identity"]
    assert TimeControl.from_pretrained("hub:anna/towns").encoder.config["identity"] == own


def test_a_planned_decoder_comes_back_with_its_encoder(hub: Hub, decoder_run: Path) -> None:
    push(decoder_run, "anna/writer")
    found = TimeControl.from_pretrained("hub:anna/writer@v1")
    assert found.encoder is not None
    assert found._decoder().law is not None


def test_nothing_but_data_leaves(hub: Hub, run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "going-on"
    folder.mkdir()
    (folder / "config.json").write_bytes((run / "config.json").read_bytes())
    stays = ["checkpoint.safetensors", "checkpoints/a.safetensors", "test-evaluations.jsonl",
             ".secret.json", "notes.py", "model.bin", ".git/config.txt"]  # fmt: skip
    for name in stays:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    push(folder, "anna/towns")
    assert set(hub.repos["anna/towns"]) == {"config.json"}


def test_other_names_stay_as_they_are() -> None:
    assert located("general") == "general"
    assert located(Path("runs/mine")) == Path("runs/mine")


@pytest.mark.parametrize("name", ["anna/x..y", "a--b/c", "anna/" + "x" * 200])
def test_a_name_that_the_hub_refuses_is_told(name: str, run: Path) -> None:
    with pytest.raises(TimeControlError):
        located(f"hub:{name}")


@pytest.mark.parametrize("repo", ["towns", "anna/", "/towns", "anna/towns/x", "../a b", ""])
def test_a_name_that_is_none_is_told(repo: str, run: Path) -> None:
    with pytest.raises(TimeControlError, match="OWNER/NAME"):
        push(run, repo)
    with pytest.raises(TimeControlError, match="OWNER/NAME"):
        located(f"hub:{repo}")


def test_only_runs_and_models_are_pushed(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}", encoding="utf-8")
    with pytest.raises(TimeControlError, match="neither a finished run nor an exported model"):
        push(tmp_path, "anna/towns")
    with pytest.raises(TimeControlError, match="is no folder"):
        push(tmp_path / "none", "anna/towns")
    assert not hub.repos


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RepositoryNotFoundError("no", response=Answer(404)), "no such repository"),  # type: ignore[arg-type]
        (HfHubHTTPError("no", response=Answer(403)), "does not allow it"),  # type: ignore[arg-type]
        (HfHubHTTPError("no", response=Answer(500)), "answers 500"),  # type: ignore[arg-type]
        (LocalTokenNotFoundError("no"), "hf auth login"),
        (OfflineModeIsEnabled("no"), "HF_HUB_OFFLINE"),
        (ConnectionError("no"), "cannot be reached"),
    ],
)
def test_what_goes_wrong_is_one_line(hub: Hub, run: Path, error: Exception, said: str) -> None:
    hub.fails = error
    acts: list[Callable[[], object]] = [
        lambda: push(run, "anna/towns"),
        lambda: located("hub:anna/towns"),
    ]
    for act in acts:
        with pytest.raises(TimeControlError, match=said) as found:
            act()
        assert "\n" not in str(found.value)


def test_a_defect_is_no_mistake_of_the_user(hub: Hub, run: Path) -> None:
    hub.fails = ValueError("a defect")
    with pytest.raises(ValueError, match="a defect"):
        push(run, "anna/towns")
