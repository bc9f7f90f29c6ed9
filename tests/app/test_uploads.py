from pathlib import Path

import pytest

from timecontrol.app.uploads import read_upload
from timecontrol.errors import TimeControlError


def test_a_text_file_is_read_without_its_mark(tmp_path: Path) -> None:
    file = tmp_path / "a.TXT"
    file.write_bytes("\ufeffZwölf Boote.".encode())
    assert read_upload(str(file), 100) == "Zwölf Boote."


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.pdf", b"%PDF", "a.pdf is no text file"),
        ("a", b"text", "is no text file"),
        ("a.txt", b"\xff\xfe\x00", "not UTF-8 text .*: save it as UTF-8"),
        ("a.txt", b" \n", "a.txt holds no prose"),
        ("a.md", b"# A title\n", "a.md holds no prose"),
        ("a.md", b"x" * 101, "at most 100 characters"),
        ("a.md", b"x" * 401, "401 bytes"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(TimeControlError, match=said) as error:
        read_upload(str(file), 100)
    assert str(tmp_path) not in str(error.value)


def test_no_file_is_refused() -> None:
    with pytest.raises(TimeControlError, match="No file"):
        read_upload(None, 100)


def test_of_markdown_the_prose_is_read_as_the_command_does(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# Pancakes\n\nMix it. Bake it.\n\n## Method\n\n```\ncode\n```\n\nEat it.\n")
    assert read_upload(str(file), 1000) == "Mix it.\n\nBake it.\n\nEat it."
