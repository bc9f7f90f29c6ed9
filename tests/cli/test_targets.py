import os
from pathlib import Path

import pytest

from timecontrol.cli.targets import check_targets, writing
from timecontrol.errors import TimeControlError


def test_what_can_be_written_passes(tmp_path: Path) -> None:
    check_targets({"--html": tmp_path / "a.html", "--csv": None}, [str(tmp_path / "a.txt"), "-"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "a folder; name a file in it"),
        ("none/a.csv", "there is no folder"),
        ("in.txt", "that is an input already"),
        ("x.html", "that is --html already"),
    ],
)
def test_what_could_not_be_written_or_must_not_be_is_refused(
    tmp_path: Path, name: str, message: str
) -> None:
    targets: dict[str, Path | None] = {"--html": tmp_path / "x.html", "--csv": tmp_path / name}
    with pytest.raises(TimeControlError, match=f"--csv is .*: .*{message}"):
        check_targets(targets, [str(tmp_path / "in.txt")])


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(TimeControlError, match="cannot be written to"):
        check_targets({"--csv": tmp_path / "a.csv"})


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    with pytest.raises(TypeError), writing(file) as stream:
        stream.writelines(["half", 1])  # type: ignore[list-item]
    assert list(tmp_path.iterdir()) == []
    with writing(file) as stream:
        stream.write("ü\n")
        assert not file.exists()
    assert file.read_bytes() == "ü\n".encode()
    assert list(tmp_path.iterdir()) == [file]
