import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.bases.fakes import fake_package
from timecontrol.bases import packages
from timecontrol.bases.known import Base
from timecontrol.bases.packages import cache_folder, folder_of, install, missing, whole_folder
from timecontrol.errors import MissingBaseError, TimeControlError

WEIGHTS = b"the weights"


def base(*names: str, sha256: str = hashlib.sha256(WEIGHTS).hexdigest()) -> Base:
    return Base("toy", "a toy", "encoder", "me/toy", "MIT", names, "model.safetensors", sha256)


def test_missing_packages_are_named_and_the_error_says_what_to_do() -> None:
    toy = base("no-such-package==1.0")
    assert missing(toy) == ["no-such-package==1.0"]
    with pytest.raises(MissingBaseError, match="timecontrol bases install toy"):
        folder_of(toy)


def test_another_version_is_a_missing_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_package(tmp_path, monkeypatch, "toy-weights", "2.0", {})
    assert missing(base("toy-weights==1.0")) == ["toy-weights==1.0"]
    assert missing(base("toy-weights==2.0")) == []


def test_a_folder_of_safetensors_is_used_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"toy/model/model.safetensors": WEIGHTS, "toy/model/config.json": b"{}"}
    fake_package(tmp_path / "site", monkeypatch, "toy-weights", "1.0", files)
    assert folder_of(base("toy-weights==1.0")) == tmp_path / "site" / "toy" / "model"
    assert len(list((cache_folder() / "sums").iterdir())) == 1
    assert folder_of(base("toy-weights==1.0")).is_dir()


def test_other_weights_than_the_known_are_refused_even_after_a_good_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"toy/model/model.safetensors": WEIGHTS}
    fake_package(tmp_path / "site", monkeypatch, "toy-weights", "1.0", files)
    folder = folder_of(base("toy-weights==1.0"))
    (folder / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(TimeControlError, match="is not the toy we know"):
        folder_of(base("toy-weights==1.0"))


def parts(names: dict[str, bytes]) -> list[bytes]:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in names.items():
            archive.writestr(name, content)
    data = stream.getvalue()
    return [data[:40], data[40:]]


def in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: dict[str, bytes]) -> Base:
    for number, part in enumerate(parts(names), 1):
        files = {f"part-{number}/toy.zip.00{number}": part}
        fake_package(tmp_path / "site", monkeypatch, f"toy-part-{number}", "1.0", files)
    return base("toy-part-1==1.0", "toy-part-2==1.0")


def test_parts_of_an_archive_are_joined_unpacked_and_verified_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"toy/model.safetensors": WEIGHTS, "toy/1_Pooling/config.json": b"{}"}
    toy = in_parts(tmp_path, monkeypatch, names)
    folder = folder_of(toy)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert (folder / "1_Pooling" / "config.json").is_file()
    assert not (folder / "parts.zip").exists()
    with monkeypatch.context() as patched:
        patched.setattr(packages, "unzip_parts", lambda *a: pytest.fail("unpacked again"))
        assert folder_of(toy) == folder
    for damage in ("model.safetensors", "base.json"):
        (folder / damage).write_bytes(b"junk")
        assert folder_of(toy) == folder
        assert (folder / "model.safetensors").read_bytes() == WEIGHTS


def test_incomplete_packages_are_told_to_be_installed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = in_parts(tmp_path, monkeypatch, {"toy/model.safetensors": WEIGHTS})
    part = tmp_path / "site" / "part-2" / "toy.zip.002"
    part.write_bytes(b"cut")
    with pytest.raises(MissingBaseError, match="--again"):
        folder_of(toy)
    part.unlink()
    with pytest.raises(MissingBaseError, match="--again"):
        folder_of(toy)


def test_an_archive_of_other_weights_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = in_parts(tmp_path, monkeypatch, {"toy/model.safetensors": b"other"})
    with pytest.raises(TimeControlError, match="is not the toy we know"):
        folder_of(toy)
    assert not list((cache_folder() / "bases").iterdir())


def test_a_cache_that_cannot_be_written_costs_only_the_memory_of_sums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"toy/model/model.safetensors": WEIGHTS}
    fake_package(tmp_path / "site", monkeypatch, "toy-weights", "1.0", files)
    (tmp_path / "cache").write_text("a file where the cache should be")
    assert folder_of(base("toy-weights==1.0")).is_dir()


@pytest.mark.parametrize("evil", ["toy/../../evil", "toy/../../../evil.txt"])
def test_an_archive_that_reaches_outside_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evil: str
) -> None:
    toy = in_parts(tmp_path, monkeypatch, {"toy/model.safetensors": WEIGHTS, evil: b"x"})
    with pytest.raises(TimeControlError, match="outside itself"):
        folder_of(toy)
    assert not list(tmp_path.rglob("evil*"))
    assert not list((cache_folder() / "bases").iterdir())


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b"
    with pytest.raises(ZeroDivisionError), whole_folder(place) as folder:
        (folder / "half").write_text(str(1 / 0))
    assert not place.exists()
    assert not list(place.parent.iterdir())
    with whole_folder(place) as folder:
        (folder / "all").write_text("x")
        assert not place.exists()
    assert (place / "all").is_file()
    assert [p.name for p in place.parent.iterdir()] == ["b"]


def test_the_faster_of_two_makers_wins(tmp_path: Path) -> None:
    place = tmp_path / "b"
    with whole_folder(place) as slow:
        (slow / "x").write_text("slow")
        with whole_folder(place) as fast:
            (fast / "x").write_text("fast")
    assert (place / "x").read_text() == "fast"
    assert [p.name for p in tmp_path.iterdir()] == ["b"]


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with (
        pytest.raises(TimeControlError, match="set TIMECONTROL_CACHE"),
        whole_folder(tmp_path / "file" / "place"),
    ):
        pass


def test_installing_runs_pip_without_dependencies_and_reports_its_last_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(
            command, 1, "", "a warning\nERROR: no such package\nhint: try another\n"
        )

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(TimeControlError, match="Installing 'toy' failed: ERROR: no such package"):
        install(base("no-such-package==1.0"))
    assert commands[0][1:] == [
        "-m", "pip", "--disable-pip-version-check", "install", "--no-deps", "no-such-package==1.0",
    ]  # fmt: skip
    with pytest.raises(TimeControlError):
        install(base("no-such-package==1.0"), again=True)
    assert "--force-reinstall" in commands[1]


def test_what_was_installed_is_checked_and_what_is_here_is_not_installed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        if command[0] != "uv":
            return subprocess.CompletedProcess(command, 1, "", "No module named pip")
        files = {"toy/model/model.safetensors": b"other"}
        fake_package(tmp_path / "site", monkeypatch, "toy-weights", "1.0", files)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    toy = base("toy-weights==1.0")
    with pytest.raises(TimeControlError, match="is not the toy we know"):
        install(toy)
    assert commands[1][:5] == ["uv", "pip", "install", "--python", sys.executable]
    (tmp_path / "site" / "toy" / "model" / "model.safetensors").write_bytes(WEIGHTS)
    install(toy)
    assert len(commands) == 2


def test_without_pip_uv_is_tried_and_without_both_the_packages_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        if command[0] == "uv":
            raise FileNotFoundError
        return subprocess.CompletedProcess(command, 1, "", "No module named pip")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(TimeControlError, match="install by hand: no-such-package"):
        install(base("no-such-package==1.0"))


def test_what_is_on_the_hub_cannot_be_installed_as_a_package() -> None:
    with pytest.raises(TimeControlError, match="fetched on first use"):
        install(base())


def test_a_folder_that_another_process_has_just_made_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = in_parts(tmp_path, monkeypatch, {"toy/model.safetensors": WEIGHTS})
    whole = packages.is_whole

    def slow(place: Path) -> bool:
        answer = whole(place)
        if not answer:  # the other one is done between our look and our work
            monkeypatch.setattr(packages, "is_whole", whole)
            folder_of(toy)
            (place / "theirs").touch()
        return answer

    monkeypatch.setattr(packages, "is_whole", slow)
    assert (folder_of(toy) / "theirs").exists()


@pytest.mark.parametrize("whole", [True, False])
def test_parts_of_a_gguf_file_are_joined_verified_and_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    for number, part in enumerate((WEIGHTS[:4], WEIGHTS[4:])):
        if whole or number == 0:
            name = f"toy-part{number + 1}"
            files = {f"{name}/toy.gguf.part0{number}": part}
            fake_package(tmp_path / "site", monkeypatch, name, "1.0", files)
    fake_package(tmp_path / "site", monkeypatch, "toy-terms", "1.0", {})
    if not whole:
        fake_package(tmp_path / "site", monkeypatch, "toy-part2", "1.0", {})
    names = ("toy-part1==1.0", "toy-part2==1.0", "toy-terms==1.0")
    sha256 = hashlib.sha256(WEIGHTS).hexdigest()
    toy = Base("toy", "a toy", "decoder", "me/toy", "MIT", names, "toy.gguf", sha256)

    def convert(file: Path, folder: Path) -> None:
        (folder / "model.safetensors").write_bytes(file.read_bytes()[::-1])

    monkeypatch.setattr("timecontrol.bases.gguf.convert", convert)
    if not whole:
        with pytest.raises(MissingBaseError, match="toy-part2"):
            folder_of(toy)
        return
    folder = folder_of(toy)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS[::-1]
    assert not (folder / "toy.gguf").exists()
