import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import make_tokenizer
from timecontrol.corpora import Corpus, open_corpus
from timecontrol.corpora.own import markdown_blocks
from timecontrol.errors import InputError
from timecontrol.tokens import Codec

REPORT = """---
layout: page
---
# Report {n}

Written by *hand*.

## 1. Aim
Why we did it. See [here](https://example.org).

## 2. Result
- It worked
- It was [fast](x)

```python
# not a heading
```

| a | b |
|---|---|
| 1 | 2 |

{extra}
"""


def own(spec: str) -> tuple[Corpus, list[list[tuple[str | None, tuple[str, ...]]]]]:
    corpus = open_corpus(spec)
    return corpus, [[(s.tag, s.sentences) for s in d.sections] for d in corpus.documents()]


def test_markdown_headings_that_documents_share_become_tags(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for n, extra in enumerate(["", "", "Appendix!!\n----\nMore."]):
        (tmp_path / "deep" / f"{n}.md").write_text(REPORT.format(n=n, extra=extra))
    corpus, documents = own(f"text:{tmp_path}")
    assert corpus.layout.tags == ("TITLE", "TEXT", "AIM", "RESULT", "SECTION")
    assert documents[0] == [
        ("TITLE", ("Report 0",)),
        ("TEXT", ("Written by hand.",)),
        ("AIM", ("Why we did it.", "See here.")),
        ("RESULT", ("It worked", "It was fast")),
    ]
    assert documents[2][-1] == ("SECTION", ("Appendix!!", "More."))
    assert [d.id for d in corpus.documents()] == ["deep/0.md", "deep/1.md", "deep/2.md"]
    assert all(not corpus.layout.faults(d.tags) for d in corpus.documents())


def test_code_tables_and_html_are_no_prose() -> None:
    text = "Before.\n\n    code\n\n<div>html</div>\n\n`x` *after*\nthe\\\nbreak"
    assert list(markdown_blocks(text)) == [(0, "Before."), (0, "x after the break")]


def test_text_files_have_one_section_and_paragraphs_end_sentences(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Ein Satz. Noch\r\neiner.\r\n\r\nOhne Punkt\r\n\r\nEnde")
    corpus, [document] = own(f"text:{tmp_path}")
    assert document == [(None, ("Ein Satz.", "Noch einer.", "Ohne Punkt", "Ende"))]
    assert corpus.layout.tags == ()


def test_a_file_alone_or_a_path_without_a_name_is_own_data(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One. Two.")
    assert own(f"text:{path}")[1] == own(str(path))[1] == [[(None, ("One.", "Two."))]]


def test_one_sentence_is_a_document(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Hello")
    assert own(f"text:{tmp_path}")[1] == [[(None, ("Hello",))]]


def test_an_empty_text_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "b.txt").write_text("  \n")
    with pytest.raises(InputError, match=r"b.txt:1: the document has no text"):
        own(f"text:{tmp_path}")
    corpus = open_corpus(f"text:{tmp_path}", skip_bad=True)
    assert [d.id for d in corpus.documents()] == ["a.txt"]
    assert corpus.reading.skipped == 1


def test_folders_named_after_splits_are_splits(tmp_path: Path) -> None:
    for split in ("train", "dev", "test"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "a.txt").write_text(f"In {split}.")
    corpus, _ = own(f"text:{tmp_path}")
    assert {d.id: d.split for d in corpus.documents()} == {
        "train/a.txt": "train", "dev/a.txt": "val", "test/a.txt": "test",
    }  # fmt: skip


def lines(folder: Path, *values: object) -> str:
    path = folder / "own.jsonl"
    path.write_text("\n".join(json.dumps(v) for v in values), encoding="utf-8")
    return f"jsonl:{path}"


def test_json_lines_of_every_kind(tmp_path: Path) -> None:
    sections = [
        {"heading": "Ziel", "text": "It ran. It fell."},
        {"tag": "Lage", "sentences": ["C. D."]},
    ]
    corpus, documents = own(
        lines(
            tmp_path,
            {"id": "x", "title": "T", "text": "One. Two.", "split": "test"},
            {"sentences": ["Three. Four.", " "], "split": "dev"},
            {"id": 7, "sections": sections},
            {"id": 8, "sections": sections},
        )
    )
    assert documents == [
        [("TITLE", ("T",)), ("TEXT", ("One.", "Two."))],
        [(None, ("Three. Four.",))],
        [("ZIEL", ("It ran.", "It fell.")), ("LAGE", ("C. D.",))],
        [("ZIEL", ("It ran.", "It fell.")), ("LAGE", ("C. D.",))],
    ]  # fmt: skip
    found = list(corpus.documents())
    assert [d.id for d in found] == ["x", "own/1", "7", "8"]
    assert [d.split for d in found][:2] == ["test", "val"]


def test_turns_are_utterances_and_speakers_are_tags(tmp_path: Path) -> None:
    turns = [["Anna", "Hi. How?"], {"speaker": "Ben", "utterance": "Well."}, ["Anna", "Bye."]]
    corpus, [document] = own(lines(tmp_path, {"turns": turns}))
    assert corpus.layout.unit == "utterance"
    assert document == [("ANNA", ("Hi. How?",)), ("BEN", ("Well.",)), ("ANNA", ("Bye.",))]


def test_a_heading_with_nothing_under_it_is_not_lost(tmp_path: Path) -> None:
    for n in range(2):
        (tmp_path / f"{n}.md").write_text("# One\n\n# Two\n\n## Method\n\n### Data\n\nIt ran.\n")
    corpus, [document, _] = own(f"text:{tmp_path}")
    assert document == [
        ("SECTION", ("One",)),
        ("SECTION", ("Two",)),
        ("SECTION", ("Method",)),
        ("DATA", ("It ran.",)),
    ]
    assert all(not corpus.layout.faults(d.tags) for d in corpus.documents())


def test_what_comes_late_in_a_corpus_is_part_of_its_layout(tmp_path: Path) -> None:
    turns = [["anna", "Hi."], ["ben", "Yo."]]
    late = [["anna", "Hi."], ["carl", "Yo."]]
    corpus, documents = own(lines(tmp_path, *[{"turns": turns}] * 1500, {"turns": late}))
    assert corpus.layout.tags == ("ANNA", "BEN", "CARL")
    assert documents[-1] == [("ANNA", ("Hi.",)), ("CARL", ("Yo.",))]


def test_hidden_files_and_other_kinds_are_not_read_and_the_latter_are_mentioned(
    tmp_path: Path,
) -> None:
    for name in ("a.txt", ".hidden.txt", ".git/b.txt", "c.docx", "d.docx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("One.")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    corpus = open_corpus(f"text:{tmp_path}")
    assert [d.id for d in corpus.documents()] == ["a.txt"]
    assert corpus.notes == (
        "files of other kinds are not read: 2 .docx",
        "links to folders are not followed: link",
    )


def test_a_file_is_a_split_only_when_it_is_named_nothing_else(tmp_path: Path) -> None:
    for name in ("a.txt", "my test.txt", "train-notes.txt"):
        (tmp_path / name).write_text("One.")
    assert open_corpus(f"text:{tmp_path}").split_by == "hash of the text, 80/10/10"
    (tmp_path / "b.dev.txt").write_text("Two.")
    corpus = open_corpus(f"text:{tmp_path}")
    assert corpus.split_by == "published files"
    assert [d.id for d in corpus.documents("val")] == ["b.dev.txt"]


def test_a_folder_of_json_lines_needs_no_name(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "One."}')
    assert [d.sentences for d in open_corpus(str(tmp_path)).documents()] == [("One.",)]


characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
pieces = st.one_of(
    st.text(characters, max_size=20),
    st.sampled_from(
        [
            "# A",
            "## Aim",
            "## ---",
            "## [x]",
            "\n",
            "\n\n",
            "Text. ",
            "- x",
            "```",
            "===",
            "| a |\n|---|",
            "[ AIM ]",
            "> ",
            "<b>",
            "1. ",
        ]
    ),
)


@given(st.lists(pieces, max_size=20).map("".join))
def test_no_character_of_a_text_file_is_lost(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode())
    corpus = open_corpus(f"text:{path}", skip_bad=True)
    found = "".join("".join(d.sentences) for d in corpus.documents())
    assert "".join(found.split()) == "".join(text.removeprefix("\ufeff").split())


@given(st.lists(st.lists(pieces, max_size=20).map("\n".join), min_size=1, max_size=4))
def test_any_markdown_makes_documents_that_survive_tokens(tmp_path: Path, texts: list[str]) -> None:
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.md").write_bytes(text.encode())
    corpus = open_corpus(f"text:{tmp_path}", skip_bad=True)
    codec = Codec(make_tokenizer(), corpus.layout)
    for document in corpus.documents():
        assert set(document.tags) <= {None, *corpus.layout.tags}
        back = codec.decode(codec.encode(document).ids)
        assert [x for s in back for x in s.sentences] == list(document.sentences)


def test_a_record_s_own_split_decides_unless_another_rule_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text('{"text": "One.", "split": "test"}\n{"text": "Two."}\n')
    corpus = open_corpus(f"jsonl:{path}")
    assert corpus.split_by == "'split' of a record, else published files"
    assert [d.split for d in corpus.documents()] == ["test", "train"]
    assert [d.sentences for d in corpus.documents("test")] == [("One.",)]
    published = open_corpus(f"jsonl:{path}", split_by="published")
    assert [d.split for d in published.documents()] == ["train", "train"]


def test_bad_characters_are_refused_in_texts_headings_and_ids(tmp_path: Path) -> None:
    for value in (
        {"text": "a\0b"},
        {"id": "a\0b", "text": "a"},
        {"sections": [{"heading": "a\0b", "text": "a"}]},
        {"turns": [["a", "b\0"]]},
    ):
        with pytest.raises(InputError, match="NUL"):
            own(lines(tmp_path, value))


def test_a_split_by_hash_depends_on_the_text_alone(tmp_path: Path) -> None:
    for i in range(30):
        (tmp_path / f"{i}.md").write_text(
            f"# Doc {i}\n\n## Aim\n\nDr. Hale wrote no. {i}. It rained.\n"
        )
    before = {d.id: d.split for d in open_corpus(f"text:{tmp_path}").documents()}
    assert len(set(before.values())) > 1
    legacy = open_corpus(f"text:{tmp_path}", splitter_name="legacy")
    assert {d.id: d.split for d in legacy.documents()} == before
    for i in range(100):
        (tmp_path / f"more-{i}.md").write_text(f"## Other\n\nText {i}.\n")
    after = {d.id: d.split for d in open_corpus(f"text:{tmp_path}").documents()}
    assert {name: after[name] for name in before} == before


def test_empty_turns_vanish_and_rare_speakers_keep_their_name_in_one_unit(tmp_path: Path) -> None:
    _, [document] = own(
        lines(tmp_path, {"turns": [["Anna", "Hi."], ["Ben", " "], ["Anna", "Bye."]]})
    )
    assert document == [("ANNA", ("Hi.",)), ("ANNA", ("Bye.",))]
    many = [[f"S{i}", f"Hi {i}."] for i in range(40)]
    _, [document] = own(lines(tmp_path, {"turns": many}))
    rare = [sentences for tag, sentences in document if tag == "SECTION"]
    assert len(rare) == 8
    assert all(len(s) == 1 and ": Hi " in s[0] for s in rare)


def test_a_blank_title_is_no_title(tmp_path: Path) -> None:
    _, documents = own(lines(tmp_path, {"title": " ", "text": "One."}))
    assert documents == [[(None, ("One.",))]]
    with pytest.raises(InputError, match="no text"):
        own(lines(tmp_path, {"title": " ", "text": " "}))


def test_only_front_matter_is_taken_for_it() -> None:
    assert list(markdown_blocks("---\ntitle: x\ntags:\n  - a\n---\nText.")) == [(0, "Text.")]
    kept = list(markdown_blocks("---\n\nFirst part.\n\n---\n\nSecond part."))
    assert kept == [(0, "First part."), (0, "Second part.")]


def test_deep_lists_and_html_breaks_keep_their_words() -> None:
    deep = "\n".join("  " * i + f"- item {i}" for i in range(30))
    assert len(list(markdown_blocks(deep))) == 30
    assert list(markdown_blocks("one<br>two<br/>three <b>f</b>our")) == [(0, "one two three four")]


def test_headings_that_are_called_title_or_text_are_headings(tmp_path: Path) -> None:
    for n in range(2):
        (tmp_path / f"{n}.md").write_text(f"# D{n}\n\n## Text\n\nOne.\n\n## Title\n\nTwo.\n")
    corpus, [document, _] = own(f"text:{tmp_path}")
    assert document == [
        ("TITLE", ("D0",)), ("SECTION", ("Text", "One.")), ("SECTION", ("Title", "Two.")),
    ]  # fmt: skip
    assert all(not corpus.layout.faults(d.tags) for d in corpus.documents())


@pytest.mark.parametrize("ending", ["txt", "md"])
def test_a_bad_byte_or_nul_in_a_text_is_found_on_its_line(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    for bad in (b"caf\xe9", b"nul \0 here", b"\xff\xfe"):
        path.write_bytes(b"Fine.\r\n" * 1000 + bad + b"\nFine.\n")
        with pytest.raises(InputError, match=f"a.{ending}:1001: "):
            own(f"text:{path}")


@pytest.mark.parametrize("ending", ["txt", "md"])
def test_a_text_of_ten_megabytes_is_read_whole(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"a.{ending}").write_text("The river is 12.5 km long. " * 400_000)
    _, [[(_, sentences)]] = own(f"text:{tmp_path}")
    assert len(sentences) == 400_000


def test_ids_made_from_files_tell_splits_apart(tmp_path: Path) -> None:
    for split in ("train", "test"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "data.jsonl").write_text('{"text": "One."}')
        (tmp_path / f"x.{split}.jsonl").write_text('{"text": "One."}')
    corpus = open_corpus(f"jsonl:{tmp_path}")
    assert sorted(d.id for d in corpus.documents()) == [
        "test/data/0", "train/data/0", "x.test/0", "x.train/0",
    ]  # fmt: skip


def test_a_damaged_first_file_is_skipped_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(b"not gzip")
    (tmp_path / "b.jsonl").write_text('{"turns": [["anna", "Hi."]]}')
    corpus = open_corpus(f"jsonl:{tmp_path}", skip_bad=True)
    assert [d.tags for d in corpus.documents()] == [("ANNA",)]
    assert corpus.layout.unit == "utterance"


def test_a_name_that_only_mentions_a_split_is_mentioned(tmp_path: Path) -> None:
    (tmp_path / "my test.txt").write_text("One.")
    assert "my test.txt" in open_corpus(f"text:{tmp_path}").notes[0]


def test_text_without_a_heading_is_text_and_a_title_is_one_unit(tmp_path: Path) -> None:
    sections = [{"text": "One."}, {"heading": "Aim", "text": "Two."}, {"text": "Three."}]
    _, [a, b] = own(
        lines(tmp_path, {"title": "T. Two", "sections": sections}, {"sections": sections})
    )
    rest = [("AIM", ("Two.",)), ("TEXT", ("Three.",))]
    assert a == [("TITLE", ("T. Two",)), ("TEXT", ("One.",)), *rest]
    assert b == [(None, ("One.",)), *rest]
    (tmp_path / "a.md").write_text("# Stop. Go on!\n\nText.\n")
    assert own(f"text:{tmp_path / 'a.md'}")[1] == [
        [("TITLE", ("Stop. Go on!",)), ("TEXT", ("Text.",))]
    ]


def test_an_index_file_comes_before_a_record_s_own_split(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "One.", "split": "test"}\n{"text": "Two."}\n')
    (tmp_path / "a_split.json").write_text('{"train": [0], "val": [1, 9]}')
    corpus = open_corpus(f"jsonl:{path}")
    assert [d.split for d in corpus.documents()] == ["train", "val"]
    assert corpus.listed == 3
