import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from timecontrol.corpora.texts import Texts, open_texts
from timecontrol.errors import InputError, TimeControlError

MARKDOWN = """# The title

It begins here. It goes on.

## A heading

| a | b |
|---|---|
| c | d |

```
code is no prose
```

It ends here.
"""


def write(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


def read(*inputs: str, **options: str) -> dict[str, tuple[str, ...]]:
    return {text.id: text.sentences for text in open_texts(inputs, **options)}  # type: ignore[arg-type]


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_text_file_is_one_text_and_its_path_the_id(tmp_path: Path) -> None:
    file = write(tmp_path, "a.txt", "One is here. Two\nis here.\n\nThree.")
    assert read(file) == {file: ("One is here.", "Two is here.", "Three.")}


def test_a_file_of_another_kind_is_read_as_text(tmp_path: Path) -> None:
    file = write(tmp_path, "draft.tex", "One is here. Two is here.")
    assert read(file) == {file: ("One is here.", "Two is here.")}


def test_of_markdown_only_prose_is_read(tmp_path: Path) -> None:
    file = write(tmp_path, "a.md", MARKDOWN)
    expected = ("It begins here.", "It goes on.", "It ends here.")
    assert read(file) == {file: expected}
    assert set(read(f"text:{tmp_path}").values()) == {expected}


def test_a_line_of_json_is_a_document_named_by_its_id_or_its_place(tmp_path: Path) -> None:
    lines = [
        {"id": "x", "title": "No prose", "text": "One. Two."},
        {"sentences": ["Three.", "Four."]},
        {"sections": [{"heading": "No prose", "text": "Five."}, {"text": "Six."}]},
        {"turns": [["user", "Hi there."], ["assistant", "Hello. How are you?"]]},
    ]
    file = write(tmp_path, "a.jsonl", "\n".join(map(json.dumps, lines)))
    assert read(file) == {
        "x": ("One.", "Two."),
        f"{file}:2": ("Three.", "Four."),
        f"{file}:3": ("Five.", "Six."),
        f"{file}:4": ("Hi there.", "Hello. How are you?"),
    }
    assert open_texts([file]).count() == 4


def test_a_folder_is_searched_to_the_bottom(tmp_path: Path) -> None:
    names = ("b.txt", "deep/er/a.md", "deep/c.jsonl", "x.py", ".hidden.txt")
    for name in names:
        write(tmp_path, name, '{"text": "One."}' if name.endswith("jsonl") else "One.")
    texts = open_texts([str(tmp_path)])
    found = [text.id.removeprefix(f"{tmp_path.as_posix()}/") for text in texts]
    assert found == ["b.txt", "deep/c.jsonl:1", "deep/er/a.md"]
    assert texts.count() == 3
    assert "files of other kinds are not read: 1 .py" in texts.notes[0]


def test_standard_input_is_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, "\ufeffOne is hére.\r\n\r\nTwo.".encode())
    assert read("-") == {"standard input": ("One is hére.", "Two.")}
    pipe(monkeypatch, "Größe zählt".encode("cp1252"))
    assert read("-", encoding="cp1252") == {"standard input": ("Größe zählt",)}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no text"),
        (b" \n ", "no text"),
        (b"a\0b", "NUL character"),
        (b"\xff\xfea", "cannot be read; say --encoding"),
    ],
)
def test_standard_input_that_is_no_text_is_refused(
    monkeypatch: pytest.MonkeyPatch, data: bytes, message: str
) -> None:
    pipe(monkeypatch, data)
    with pytest.raises(InputError, match=message):
        read("-")
    pipe(monkeypatch, b"x")
    with pytest.raises(InputError, match="try --encoding utf-8"):
        read("-", encoding="klingon")


def test_a_corpus_comes_without_titles_and_by_split() -> None:
    texts = list(open_texts(["synthetic:recipes,documents=40"], split="val"))
    assert {text.split for text in texts} == {"val"}
    assert len(texts) == 4
    assert all(text.sentences[0].startswith("Butter") for text in texts)
    assert open_texts(["synthetic:recipes"]).count() is None


def test_headings_of_own_files_read_as_a_corpus_are_no_prose(tmp_path: Path) -> None:
    for i in range(4):  # a heading that is shared becomes a tag, one that is not a sentence
        write(tmp_path, f"{i}.md", f"# T{i}\n\n## Shared\n\nOne.\n\n## Rare {i}\n\nTwo.\n")
    assert set(read(f"text:{tmp_path}").values()) == {("One.", "Two.")}


def test_files_are_read_as_their_turn_comes(tmp_path: Path) -> None:
    first = write(tmp_path, "a.jsonl", '{"text": "One."}\n{"text": "Two."}\nbroken')
    texts = iter(open_texts([first, write(tmp_path, "b.txt", "a\0b")]))
    assert isinstance(texts, Iterator)
    assert [next(texts).sentences, next(texts).sentences] == [("One.",), ("Two.",)]
    with pytest.raises(InputError, match=r"a.jsonl:3: not a JSON object"):
        next(texts)


def test_bad_records_can_be_skipped_and_are_counted(tmp_path: Path) -> None:
    lines = write(tmp_path, "a.jsonl", '{"text": "One."}\nbroken\n')
    texts = open_texts([lines, write(tmp_path, "b.txt", "a\0b")], skip_bad=True)
    assert [text.sentences for text in texts] == [("One.",)]
    assert texts.skipped == 2
    assert "not a JSON object" in str(texts.reasons[0])
    list(texts)
    assert texts.skipped == 2  # of the last reading alone


def test_skipped_records_of_a_corpus_count_too(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", '{"text": "One."}\nbroken\n')
    texts: Texts = open_texts([f"jsonl:{tmp_path}"], skip_bad=True)
    assert len(list(texts)) == 1
    assert texts.skipped == 1
    assert texts.corpora == ["jsonl"]


def test_sentences_are_split_as_asked(tmp_path: Path) -> None:
    file = write(tmp_path, "a.txt", "One. Two.\nThree")
    assert read(file, splitter_name="lines") == {file: ("One. Two.", "Three")}


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ("nowhere.txt", {}, "No such file or folder: nowhere.txt"),
        ("", {}, "No such file or folder: an empty name"),
        ("text:nowhere", {}, "No such file or folder: nowhere"),
        (".", {}, "no readable data here"),
        ("-", {"split": "test"}, "--split is for a corpus"),
        ("-", {"splitter_name": "magic"}, "No splitter named 'magic'"),
    ],
)
def test_mistakes_are_found_before_anything_is_read(
    given: str, options: dict[str, str], message: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TimeControlError, match=message):
        open_texts([given], **options)  # type: ignore[arg-type]


def test_a_file_that_cannot_be_read_has_no_count_yet(tmp_path: Path) -> None:
    damaged = tmp_path / "a.jsonl.gz"
    damaged.write_bytes(b"\x1f\x8b not gzip")
    assert open_texts([str(damaged)]).count() == 0


@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_a_blank_file_is_a_text_without_sentences(tmp_path: Path, name: str) -> None:
    [text] = open_texts([write(tmp_path, name, " \n\n")])
    assert text.sentences == ()
